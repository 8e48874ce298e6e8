"""Requests as Arrow columns, with what their file declares filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from specstats.layout import Place

__all__ = ["placed_requests"]

_COUNT = re.compile(r"\d{1,18}", re.ASCII)


def placed_requests(requests: pa.Table, place: Place, suggested: str) -> pa.Table:
    """Fill arm, run, boundary and what else a file declares of its requests.

    Parameters
    ----------
    requests : pyarrow.Table
        Rows of the table of requests.
    place : Place
        Declarations of the file.
    suggested : str
        Arm of rows without one.

    Returns
    -------
    pyarrow.Table
        The rows, as `convert` writes them when they come as batches.
    """
    declared: dict[str, object] = {
        "arm": place.arm,
        "block": place.block,
        "workload": place.workload,
        "prompt_id": place.prompt,
        "order": place.order,
        "repetition": _whole(place.repetition),
    }
    for name, value in declared.items():
        if value is not None:
            requests = _with(requests, name, value)
    if place.block is None and place.blocks_closed:
        requests = _with(requests, "block", None)
    if place.arm is None:
        requests = _where_missing(requests, "arm", suggested)
    return _bounded(requests, place)


def _bounded(requests: pa.Table, place: Place) -> pa.Table:
    rows = requests.num_rows
    if place.declared is not None and place.run is not None:
        requests = _with(requests, "run_id", place.run)
        return _where_missing(requests, "run_boundary", "declared")
    named, proved = requests["run_id"], requests["process"]
    if named.null_count == proved.null_count == rows:
        return _where_missing(requests, "run_boundary", "unknown")
    import pyarrow.compute as pc

    told = pc.if_else(named.is_valid(), "declared", "unknown")
    told = pc.if_else(proved.is_valid(), "proved", told)
    return _replaced(
        requests, "run_boundary", pc.coalesce(requests["run_boundary"], told)
    )


def _whole(repetition: str | None) -> int | None:
    known = repetition is not None and _COUNT.fullmatch(repetition)
    return int(str(repetition)) if known else None


def _where_missing(requests: pa.Table, name: str, value: str) -> pa.Table:
    column = requests[name]
    if column.null_count == requests.num_rows:
        return _with(requests, name, value)
    return _replaced(requests, name, column.fill_null(value))


def _with(requests: pa.Table, name: str, value: object) -> pa.Table:
    import pyarrow as pa

    from specstats.readers._arrays import repeated

    kind, rows = requests.schema.field(name).type, requests.num_rows
    if value is None:
        column = pa.nulls(rows, kind)
    elif isinstance(value, str):
        column = repeated(value, rows)
    else:
        column = pa.repeat(pa.scalar(value, kind), rows)
    return _replaced(requests, name, column)


def _replaced(
    requests: pa.Table, name: str, column: pa.Array | pa.ChunkedArray
) -> pa.Table:
    place = requests.schema.get_field_index(name)
    return requests.set_column(place, requests.schema.field(place), column)
