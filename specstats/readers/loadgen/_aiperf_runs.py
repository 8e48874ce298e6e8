"""AIPerf's aggregate over the profile runs of one command, JSON and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    settings_text,
)
from specstats.readers.loadgen._aiperf_metrics import METRICS
from specstats.readers.loadgen._distributions import (
    TIME_UNITS,
    not_negative,
    quantile_of,
)
from specstats.readers.loadgen._metric_tables import cells_of, real_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row, Trouble
    from specstats.source import Source

__all__ = ["RUNS_HEADER", "add_runs", "is_runs", "read_runs_table"]

RUNS_HEADER = "metric,mean,std,min,max,cv,se,ci_low,ci_high,t_critical,unit"
_WHAT = (
    "over consecutive loads on one server; sd divides by n - 1 and leaves out the "
    "spread between launches"
)
_STATISTICS = ("mean", "min", "max")
_UNITS = {"time": "s", "tokens": "tok/s", "requests": "req/s"}


def is_runs(entry: Mapping[str, object]) -> bool:
    """Whether an entry is profile_export_aiperf_aggregate.json."""
    metadata = mapping(entry.get("metadata"))
    known = "aggregation_type" in metadata and "num_profile_runs" in metadata
    return known and isinstance(entry.get("metrics"), dict)


def add_runs(
    batch: Batch, source: str, line: int, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    """Add the numbers that AIPerf computed over its profile runs.

    Parameters
    ----------
    batch : Batch
        Where they go.
    source : str
        Display name of the artifact.
    line : int
        Line of the entry.
    entry : mapping
        The document.
    trouble : Trouble
        Takes the runs that failed.

    Returns
    -------
    bool
        Whether the entry gave rows.
    """
    metadata = mapping(entry.get("metadata"))
    settings: Row = {
        "id.aiperf": text(entry.get("aiperf_version")),
        "cfg.num_profile_runs": metadata.get("num_profile_runs"),
        "cfg.cooldown_seconds": metadata.get("cooldown_seconds"),
    }
    place: Row = {
        "source": source,
        "entry": line,
        "n": whole(metadata.get("num_successful_runs")),
        "settings": settings_text(settings),
    }
    failed = items(metadata.get("failed_runs"))
    if failed:
        trouble.note(
            batch,
            "SPS014",
            line,
            "profile runs failed and are left out of the aggregate",
            observed=f"{len(failed)} failed",
        )
    added = [
        _add(batch, place, name, mapping(values))
        for name, values in mapping(entry.get("metrics")).items()
    ]
    return any(added)


def _add(batch: Batch, place: Row, name: str, values: Mapping[str, object]) -> bool:
    tag, statistic = _parts(text(name) or "")
    if tag is None:
        return False
    metric, kind, _ = METRICS[tag]
    unit = values.get("unit")
    scale = TIME_UNITS.get(unit) if isinstance(unit, str) else None
    if kind != "time":
        scale = 1.0
    if scale is None:
        return False
    added = False
    for key in _STATISTICS:
        sd = not_negative(values.get("std"), scale) if key == "mean" else None
        added |= add_aggregate(
            batch,
            place,
            metric,
            _UNITS.get(kind, "tokens"),
            key,
            value=not_negative(values.get(key), scale),
            sd=sd,
            scope="runs",
            definition=f"{key} of each run's {statistic}, {_WHAT}",
        )
    return added


def _parts(name: str) -> tuple[str | None, str]:
    """Split ``request_latency_p99`` into a known tag and the statistic."""
    if name in METRICS:
        return name, "value"
    tag, _, key = name.rpartition("_")
    known = quantile_of(key) if tag in METRICS else None
    return (tag, known) if known else (None, "")


def read_runs_table(batch: Batch, source: Source, trouble: Trouble) -> None:
    """Read profile_export_aiperf_aggregate.csv: metrics, then key and value.

    Parameters
    ----------
    batch : Batch
        Where the rows go.
    source : Source
        The artifact.
    trouble : Trouble
        Takes rows that do not fit.
    """
    header = RUNS_HEADER.split(",")
    rows: list[tuple[int, str, dict[str, object]]] = []
    told: dict[str, str] = {}
    for line, content in source.lines():
        cells = cells_of(content)
        if not cells or cells[0] == "metric":
            continue
        if len(cells) == 2:  # noqa: PLR2004 - key and value
            told[cells[0]] = cells[1]
            continue
        batch.entries += 1
        if len(cells) != len(header):
            message = "row skipped: cells do not fit the header"
            trouble.note(batch, "SPS002", line, message)
            continue
        batch.parsed += 1
        values: dict[str, object] = {"unit": cells[-1]}
        values.update(
            (name, real_cell(cell))
            for name, cell in zip(header[1:-1], cells[1:-1], strict=True)
        )
        rows.append((line, cells[0], values))
    runs = real_cell(told.get("Successful Runs", ""))
    for line, name, values in rows:
        place: Row = {"source": source.name, "entry": line, "n": whole(runs)}
        _add(batch, place, name, values)
