"""Numbers that artifacts print instead of single values, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, filled_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.results import Aggregate, StudySummary

__all__ = ["aggregates_section"]

_SHOWN = ("mean", "median", "p99")
# One number of a kind that stands for the whole; other percentiles are in the JSON.
_WHOLE = ("rate", "ratio", "total", "value", "last")
_Key = tuple[str, str, str, str]


def aggregates_section(study: StudySummary) -> Section | None:
    """Return the numbers of arms that have no single values.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when there are none.
    """
    rows = [
        row
        for arm in study.arms
        if not arm.n_requests
        for row in _rows(arm.arm, arm.aggregates)
    ]
    if not rows:
        return None
    titles = (
        *("arm", "test", "metric", "file", "value", "mean", "SD"),
        *("median", "p99", "unit"),
    )
    return Section(
        title="Aggregates as printed, never compared (SD inside one process; more in "
        "--format json)",
        grid=filled_grid(titles, rows),
    )


def _rows(arm: str, items: Sequence[Aggregate]) -> list[tuple[str, ...]]:
    """Return a row for each metric of a file, one more where a statistic comes again.

    Files are named where there are several.
    """
    several = len({_file(item) for item in items}) > 1
    found: list[tuple[_Key, dict[str, str]]] = []
    last: dict[_Key, dict[str, str]] = {}
    for item in items:
        column = "value" if item.statistic in _WHOLE else item.statistic
        if column not in {*_SHOWN, "value"}:
            continue
        test = "" if item.prompt == arm else item.prompt
        key = (test, item.metric, _file(item) if several else "", item.unit)
        cells = last.get(key)
        if cells is None or column in cells:
            cells = last[key] = {}
            found.append((key, cells))
        cells[column] = numbers.number(item.value)
        if item.sd is not None:
            cells["sd"] = numbers.number(item.sd)
    return [
        (
            *(arm, test, metric, file),
            *(cells.get(name, "") for name in ("value", "mean", "sd", "median", "p99")),
            unit,
        )
        for (test, metric, file, unit), cells in found
    ]


def _file(item: Aggregate) -> str:
    return item.source.rpartition(":")[0]
