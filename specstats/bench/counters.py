"""Counters of processes: differences of readings, and which launch they belong to."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from specstats.readers._base import located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding

__all__ = ["difference_counters"]

Row = dict[str, object]
_COUNTED = ("n_requests", "n_failed", "n_prompt", "n_output", "n_steps", "n_verify")
_DRAFTS = ("n_draft", "n_accepted")
_POSITIONS = "accepted_by_position"


def difference_counters(result: Ingested) -> list[Finding]:
    """Add what a process counted between two readings of its lifetime counters.

    Readings belong together when they prove the same process. Counters that went
    back mean a restart that the process identity does not show: no difference then.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place.

    Returns
    -------
    list of Finding
        One warning for each pair of readings that contradict each other.
    """
    columns = result.tables["counters"]
    readings: dict[tuple[object, ...], list[int]] = {}
    known = {
        (columns["arm"][row], columns["process"][row], columns["settings"][row])
        for row, scope in enumerate(columns["scope"])
        if scope == "delta"
    }
    for row, scope in enumerate(columns["scope"]):
        process = columns["process"][row]
        if scope == "lifetime" and process is not None:
            # One process may run several drafters, each with counters of its own.
            key = (columns["arm"][row], process, columns["settings"][row])
            if key not in known:  # a saved table has its differences already
                readings.setdefault(key, []).append(row)
    findings: list[Finding] = []
    for rows in readings.values():
        ordered = sorted((_row(columns, row) for row in rows), key=_age)
        for before, after in pairwise(ordered):
            wrong = _went_back(before, after)
            if wrong:
                findings.append(_contradiction(before, after, wrong))
                continue
            difference = _difference(before, after)
            if difference is not None:
                for name, values in columns.items():
                    values.append(difference.get(name))
    return findings


def _row(columns: dict[str, list[object]], row: int) -> Row:
    return {name: values[row] for name, values in columns.items()}


def _age(row: Row) -> tuple[float, ...]:
    """Order readings of a process: by their clock, else by what had been counted."""
    ended = row["ended_s"]
    return (
        float(ended) if isinstance(ended, int | float) else 0.0,
        *(_whole(row[name]) or 0 for name in ("n_output", "n_draft", "n_requests")),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _went_back(before: Row, after: Row) -> list[str]:
    return [
        name
        for name in (*_COUNTED, *_DRAFTS)
        if (first := _whole(before[name])) is not None
        and (second := _whole(after[name])) is not None
        and second < first
    ]


def _contradiction(before: Row, after: Row, wrong: Sequence[str]) -> Finding:
    name = wrong[0]
    return located(
        "SPS006",
        f"{after['source']}:{after['entry']}",
        f"counters of one process went back since {before['source']}: no difference "
        "is taken",
        observed=f"{name} {after[name]} after {before[name]}",
        required="counters that only grow; a restart begins another process",
        remedy="give the readings of each launch to their own arm or run",
    )


def _difference(before: Row, after: Row) -> Row | None:
    found: Row = {
        name: second - first
        for name in (*_COUNTED, *_DRAFTS)
        if (first := _whole(before[name])) is not None
        and (second := _whole(after[name])) is not None
    }
    if not any(found.values()):
        return None
    started, ended = before["ended_s"], after["ended_s"]
    both = isinstance(started, int | float) and isinstance(ended, int | float)
    return {
        **{
            name: after[name]
            for name in ("source", "entry", "run_id", "arm", "block", "workload")
        },
        **{
            name: after[name]
            for name in ("prompt_id", "process", "run_boundary", "settings")
        },
        "scope": "delta",
        "started_s": started,
        "ended_s": ended,
        "duration_s": ended - started if both else None,  # type: ignore[operator]
        _POSITIONS: _position_difference(before[_POSITIONS], after[_POSITIONS]),
        **found,
    }


def _position_difference(before: object, after: object) -> str | None:
    if not (isinstance(before, str) and isinstance(after, str)):
        return None
    first, second = json.loads(before), json.loads(after)
    if len(first) != len(second):
        return None
    return json.dumps([late - early for early, late in zip(first, second, strict=True)])
