"""Counts of one load, or of one stretch of a log, that two files give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.bench.twins import twin_level
from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding

__all__ = ["drop_counter_twins"]

_COUNTS = (
    *("n_requests", "n_failed", "n_prompt", "n_output"),
    *("n_verify", "n_draft", "n_accepted"),
)
_PRINTED = 0.006  # durations are printed to 0.01 s
_FEW_WINDOWS = 3

Columns = dict[str, list[object]]


def drop_counter_twins(result: Ingested) -> list[Finding]:
    """Keep one of the counts that two files of an arm give.

    A result file and the log of the same load agree in counts and duration; of a log
    and an earlier copy of it, the shorter one is the beginning of the other.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place; every row has an arm.

    Returns
    -------
    list of Finding
        One error for loads, one for each copy of a log.
    """
    columns = result.tables["counters"]
    loads, copies = _loads(columns), _copies(columns)
    findings = []
    if loads:
        row, other = next(iter(loads.items()))
        findings.append(
            _finding(
                f"{columns['source'][row]}:{columns['entry'][row]}",
                f"{len(loads)} loads were given twice (same counts and duration), as "
                f"by {columns['source'][other]}: each is counted once",
                f"{len(loads)} copies",
                twin_level(columns, loads, result),
            )
        )
    for source, longer in copies.items():
        findings.append(
            _finding(
                source,
                f"its windows are those at the beginning of {longer}: they are counted "
                "once",
                "a log and an earlier copy of it",
                Level.ERROR,
            )
        )
    dropped = {
        row
        for row, source in enumerate(columns["source"])
        if row in loads or (source in copies and columns["scope"][row] == "window")
    }
    if dropped:
        for name, values in columns.items():
            columns[name] = [
                value for row, value in enumerate(values) if row not in dropped
            ]
    return findings


def _finding(where: str, message: str, observed: str, level: Level) -> Finding:
    return finding(
        "SPS003",
        message,
        where=(where,),
        level=level,
        observed=observed,
        required="each load once",
        remedy="give one of the files",
    )


def _loads(columns: Columns) -> dict[int, int]:
    """Return rows that repeat the load of an earlier row of another file."""
    first: dict[tuple[object, ...], int] = {}
    twins: dict[int, int] = {}
    for row, scope in enumerate(columns["scope"]):
        if scope != "run" or columns["n_output"][row] is None:
            continue
        counts = (columns[name][row] for name in ("arm", "block", *_COUNTS))
        other = first.setdefault(tuple(counts), row)
        if other != row and _is_one_load(columns, other, row):
            twins[row] = other
    return twins


def _is_one_load(columns: Columns, one: int, other: int) -> bool:
    """Whether rows of two files agree in duration, as far as it is printed."""

    def differ(name: str) -> bool:
        first, second = columns[name][one], columns[name][other]
        return first is not None and second is not None and first != second

    if columns["source"][one] == columns["source"][other] or differ("process"):
        return False
    first, second = columns["duration_s"][one], columns["duration_s"][other]
    if not (isinstance(first, int | float) and isinstance(second, int | float)):
        return False
    return abs(first - second) <= _PRINTED


def _copies(columns: Columns) -> dict[str, str]:
    """Return logs whose windows begin another log, with that other one."""
    windows: dict[str, list[tuple[object, object]]] = {}
    for row, scope in enumerate(columns["scope"]):
        if scope == "window" and columns["n_draft"][row] is not None:
            listed = windows.setdefault(str(columns["source"][row]), [])
            listed.append((columns["n_draft"][row], columns["n_accepted"][row]))
    found: dict[str, str] = {}
    longest = sorted(windows.items(), key=lambda item: -len(item[1]))
    beginnings: dict[tuple[object, ...], str] = {}
    for source, counts in longest:
        if len(counts) < _FEW_WINDOWS:
            continue
        start = tuple(counts[:_FEW_WINDOWS])
        other = beginnings.setdefault(start, source)
        if other != source and windows[other][: len(counts)] == counts:
            found[source] = other
    return found
