"""Requests given twice under different files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import located

if TYPE_CHECKING:
    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding

__all__ = ["drop_twins"]

_SAME = ("request_id", "n_output", "decode_s", "prompt_s", "output_sha256")


def drop_twins(result: Ingested) -> list[Finding]:
    """Keep one of the requests that agree in id, counts, times and output.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place.

    Returns
    -------
    list of Finding
        One error when there were any.
    """
    columns = result.tables["requests"]
    first: dict[tuple[object, ...], int] = {}
    twins: list[tuple[int, int]] = []
    for row, identifier in enumerate(columns["request_id"]):
        if identifier is None or columns["decode_s"][row] is None:
            continue
        key = tuple(columns[name][row] for name in _SAME)
        other = first.setdefault(key, row)
        if other != row:
            twins.append((other, row))
    if not twins:
        return []
    kept = twins[0][0]
    dropped = {row for _, row in twins}
    _drop_steps(result, dropped)
    for name, values in columns.items():
        columns[name] = [
            value for row, value in enumerate(values) if row not in dropped
        ]
    places = result.places
    result.places = [place for row, place in enumerate(places) if row not in dropped]
    return [
        located(
            "SPS003",
            f"{columns['source'][kept]}:{columns['entry'][kept]}",
            f"{len(twins)} requests were given twice (same id, counts and times): "
            "each is counted once",
            observed=f"{len(twins)} copies",
            required="each request once",
            remedy="remove the copy, or check that one run was not saved under two "
            "names",
        )
    ]


def _drop_steps(result: Ingested, dropped: set[int]) -> None:
    requests, steps = result.tables["requests"], result.tables["steps"]
    places = list(zip(requests["source"], requests["entry"], strict=True))
    kept = {place for row, place in enumerate(places) if row not in dropped}
    gone = {places[row] for row in dropped} - kept
    rows = list(zip(steps["source"], steps["entry"], strict=True))
    for name, values in steps.items():
        steps[name] = [
            value
            for value, place in zip(values, rows, strict=True)
            if place not in gone
        ]
