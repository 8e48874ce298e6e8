"""What the readers of harness files around llama-server share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import number, whole
from specstats.readers._sink import Sink as BaseSink

if TYPE_CHECKING:
    from specstats.readers._base import Row

__all__ = [
    "Sink",
    "convention",
    "drafts",
    "positive",
]

_LONGEST = 3.2e9  # a century
_NEAR = 0.02
_SYNTHETIC = re.compile(r"synthetic[ _-]accept", re.IGNORECASE)

Entry = dict[str, object]


def positive(value: object, scale: float = 1.0) -> float | None:
    """Return a number times a scale; what is not positive is missing."""
    real = number(value)
    return None if real is None or not 0 < real * scale <= _LONGEST else real * scale


def convention(
    count: int | None, time_s: float | None, rate: float | None
) -> str | None:
    """Return which tokens a rate counts: ``n``, ``n-1`` or, None, it cannot be told."""
    if not count or not time_s or not rate:
        return None
    implied = rate * time_s
    allowed = max(_NEAR, 1e-6 * count)
    fits = [
        name
        for name, tokens in (("n", count), ("n-1", count - 1))
        if abs(implied - tokens) <= allowed
    ]
    return fits[0] if len(fits) == 1 else None


@dataclass(slots=True)
class Sink(BaseSink):
    """Adds what these readers have in common."""

    def compare_printed(
        self, line: int, what: str, values: tuple[float, float], allowed: float
    ) -> None:
        """Note a printed number that is not that of the entries: printed, right."""
        self.compare(line, f"{what} is not that of the entries", values, allowed)

    def check_rate(self, line: int, row: Row, rate: float | None) -> None:
        """Keep a printed decode rate; note it where time and tokens contradict it."""
        count, time_s = row.get("n_output"), row.get("decode_s")
        row["engine_rate_tps"] = rate if rate is not None and rate > 0 else None
        if not isinstance(count, int) or not isinstance(time_s, float) or not rate:
            return
        row["rate_convention"] = convention(count, time_s, rate)
        implied = rate * time_s
        gap = min(abs(implied - count), abs(implied - count + 1))
        if gap > max(0.3, 1e-3 * count):
            self.note(
                "SPS006",
                line,
                "the printed decode rate times the decode time gives another token "
                "count",
                observed=f"{implied:.4g} tokens",
                required=f"{count} or {count - 1}",
            )

    def warn_if_synthetic(self, line: int, *texts: object) -> bool:
        """Say that acceptance was configured, where the settings tell it."""
        found = any(isinstance(x, str) and _SYNTHETIC.search(x) for x in texts)
        if found:
            self.note(
                "SPS309",
                line,
                "the server accepts drafts at a configured rate: its acceptance "
                "measures nothing",
                remedy="start it without --spec-synthetic-acceptance options",
            )
        return found

    def aggregate(
        self, shared: Row, metric: str, unit: str, statistic: str, value: float | None
    ) -> None:
        """Add a printed number, where there is one."""
        if value is not None:
            self.batch.add(
                "aggregates",
                {
                    "source": self.source.name,
                    "scope": "run",
                    **shared,
                    "metric": metric,
                    "unit": unit,
                    "statistic": statistic,
                    "value": value,
                },
            )


def drafts(sink: Sink, line: int, entry: Entry) -> tuple[int | None, int | None]:
    """Return draft and accepted tokens; none where nothing was drafted.

    Parameters
    ----------
    sink : Sink
        Where findings go.
    line : int
        Entry number.
    entry : dict
        With ``draft_n`` and ``draft_n_accepted``; harnesses write 0 or null for none.

    Returns
    -------
    tuple of int and int, or None
        Draft tokens, accepted tokens.
    """
    drafted, accepted = (
        whole(entry.get(name)) for name in ("draft_n", "draft_n_accepted")
    )
    if not drafted or accepted is None:
        return None, None
    if accepted > drafted:
        sink.note(
            "SPS006",
            line,
            "more draft tokens accepted than drafted: the counts are not used",
            observed=f"{accepted} accepted of {drafted}",
            required="accepted <= drafted",
        )
        return None, None
    return drafted, accepted
