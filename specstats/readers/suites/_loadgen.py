"""Results of MLPerf LoadGen, whichever file they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._results import add_aggregate, settings_text

if TYPE_CHECKING:
    from specstats.readers._base import Batch, Row, Trouble
    from specstats.source import Source

__all__ = ["LoadGen", "statistic_name"]

_NANO = 1e-9
_QUEUED = (
    "all samples are issued at the start, so the latency of a sample includes its wait"
)
_FOLDERS = frozenset({"ranging"})
_PERCENTILE = re.compile(r"(\d{1,2})(?:\.(\d{1,2}))?(?:th)?")
_MEDIAN = "p50"


def statistic_name(written: str) -> str | None:
    """Return the name of a statistic as the tables write it.

    Parameters
    ----------
    written : str
        ``Min``, ``Max``, ``Mean`` or a number of per cent.

    Returns
    -------
    str or None
        ``min``, ``max``, ``mean``, ``median`` or such as ``p99.9``.
    """
    lowered = written.lower()
    if lowered in {"min", "max", "mean"}:
        return lowered
    found = _PERCENTILE.fullmatch(lowered)
    if found is None:
        return None
    fraction = (found[2] or "").rstrip("0")
    named = f"p{int(found[1])}" + (f".{fraction}" if fraction else "")
    return "median" if named == _MEDIAN else named


@dataclass(slots=True)
class LoadGen:
    """One run of LoadGen, collected before it is known whether it counts.

    Attributes
    ----------
    line : int
        Where it begins.
    scenario, mode, validity : str or None
        As written.
    latencies : list of (str, str, float)
        Metric, statistic and nanoseconds.
    rates : dict
        Value by (metric, unit).
    settings : dict
        Settings and identities.
    reasons : list of str
        What the run says against itself.
    """

    line: int = 1
    scenario: str | None = None
    mode: str | None = None
    validity: str | None = None
    latencies: list[tuple[str, str, float]] = field(default_factory=list)
    rates: dict[tuple[str, str], float] = field(default_factory=dict)
    settings: Row = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    def finish(self, batch: Batch, source: Source, trouble: Trouble) -> None:
        """Add the rows of the run, or say why it does not count.

        Parameters
        ----------
        batch : Batch
            Where rows and findings go.
        source : Source
            The artifact.
        trouble : Trouble
            Collector of findings.
        """
        batch.entries += 1
        against = self._against(source)
        if against:
            trouble.note(
                batch,
                "SPS014",
                self.line,
                f"the result does not count: {against}",
                observed="; ".join(self.reasons[:3]) or against,
                required="a VALID run in performance mode",
                remedy="use the VALID performance run of the submission",
            )
            trouble.note(batch, "SPS002", self.line, "entry skipped: it does not count")
            return
        if self._add(batch, source):
            batch.parsed += 1
            return
        trouble.note(batch, "SPS002", self.line, "entry skipped: no result in it")

    def _against(self, source: Source) -> str | None:
        if _FOLDERS & set(source.relative.lower().split("/")[:-1]):
            return "a ranging run, which only finds the load of the real one"
        if self.mode is not None and self.mode.lower() != "performanceonly":
            return f"mode {self.mode[:40]}"
        if self.validity is not None and self.validity.upper() != "VALID":
            return f"LoadGen calls it {self.validity[:40]}"
        if self.validity is None and not self.latencies and not self.rates:
            return "no result block, as in accuracy mode"
        return None

    def _add(self, batch: Batch, source: Source) -> bool:
        self.settings["cfg.scenario"] = self.scenario
        self.settings["cfg.mode"] = self.mode
        place: Row = {
            "source": source.name,
            "entry": self.line,
            "workload": self.scenario,
            "settings": settings_text(self.settings),
        }
        offline = (self.scenario or "").lower() == "offline"
        added = False
        for (metric, unit), value in self.rates.items():
            if value > 0:
                added |= add_aggregate(
                    batch, place, metric, unit, "rate", value=value, scope="run"
                )
        for metric, statistic, nanos in self.latencies:
            if nanos > 0:
                added |= add_aggregate(
                    batch,
                    place,
                    metric,
                    "s",
                    statistic,
                    value=nanos * _NANO,
                    scope="request",
                    definition=_QUEUED if offline and metric == "e2e" else None,
                )
        return added
