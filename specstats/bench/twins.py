"""Requests given twice under different files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding

__all__ = ["drop_twins", "twin_level"]

_TIMES = ("decode_s", "e2e_s")
_SAME = ("request_id", "n_output", *_TIMES, "prompt_s", "output_sha256")
# Without an id: what two clocks cannot give twice, were it another request.
_CLOCKED = ("decode_s", "prompt_s")
_MEASURED = ("n_prompt", "n_output", "n_draft", "n_accepted")
_LOGGED_MS = 2  # decimals of a millisecond that llama-server's log prints


def drop_twins(result: Ingested) -> list[Finding]:
    """Keep one of the requests that two files tell of, and what each knows of it.

    They are one where id, counts, times and output agree; or, without an id, where
    counts and both times agree to the digits that a log prints.

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
    twins = {**_by_times(columns), **_by_id(columns)}
    if not twins:
        return []
    dropped, kept = next(iter(twins.items()))
    told = finding(
        "SPS003",
        f"{len(twins)} requests were given twice (same counts and times), as in "
        f"{columns['source'][dropped]}: each is counted once",
        where=(f"{columns['source'][kept]}:{columns['entry'][kept]}",),
        level=twin_level(columns, twins, result),
        observed=f"{len(twins)} copies",
        required="each request once",
        remedy="remove the copy, or check that one run was not saved under two names",
    )
    _take_over(columns, twins)
    _drop_steps(result, set(twins))
    for name, values in columns.items():
        columns[name] = [value for row, value in enumerate(values) if row not in twins]
    places = result.places
    result.places = [place for row, place in enumerate(places) if row not in twins]
    return [told]


def twin_level(
    columns: Mapping[str, Sequence[object]], twins: Mapping[int, int], result: Ingested
) -> Level:
    """Return how grave twins are: a log beside its responses is usual, a copy is not.

    Parameters
    ----------
    columns : mapping
        Columns of the table.
    twins : mapping of int to int
        Rows that are dropped, with those that are kept.
    result : Ingested
        The files and their formats.

    Returns
    -------
    Level
        An error where a file tells twice of what another of its format tells.
    """
    formats = {tally.source.name: tally.reader.name for tally in result.files}
    sources = columns["source"]
    usual = all(
        formats.get(str(sources[row])) != formats.get(str(sources[other]))
        for row, other in twins.items()
    )
    return Level.WARNING if usual else Level.ERROR


def _by_id(columns: dict[str, list[object]]) -> dict[int, int]:
    first: dict[tuple[object, ...], int] = {}
    twins: dict[int, int] = {}
    for row, identifier in enumerate(columns["request_id"]):
        if identifier is None or all(columns[name][row] is None for name in _TIMES):
            continue
        other = first.setdefault(tuple(columns[name][row] for name in _SAME), row)
        if other != row:
            twins[row] = other
    return twins


def _by_times(columns: dict[str, list[object]]) -> dict[int, int]:
    """Return rows of other files with the same times, as a log and responses have."""
    first: dict[tuple[object, ...], int] = {}
    twins: dict[int, int] = {}
    logged = [_as_logged(seconds) for seconds in columns["decode_s"]]
    times = Counter(logged)
    for row, decode in enumerate(logged):
        if decode is None or times[decode] == 1:
            continue
        prompt = _as_logged(columns["prompt_s"][row])
        if prompt is None or all(_is_coarse(columns[name][row]) for name in _CLOCKED):
            continue
        key = (decode, prompt, *(columns[name][row] for name in _MEASURED))
        other = first.setdefault(key, row)
        if columns["source"][other] == columns["source"][row] or _differ(
            columns, other, row
        ):
            continue
        twins[row] = other
    return twins


def _as_logged(seconds: object) -> float | None:
    """Return the milliseconds that the log of a server prints of a time."""
    return round(seconds * 1e3, _LOGGED_MS) if isinstance(seconds, float) else None


def _is_coarse(seconds: object) -> bool:
    """Whether a time is a round number of milliseconds, which may well come twice."""
    if not isinstance(seconds, float):
        return False
    return abs(seconds * 1e3 - round(seconds * 1e3)) < 1e-6  # noqa: PLR2004


def _differ(columns: dict[str, list[object]], one: int, other: int) -> bool:
    """Whether what both rows know of themselves shows that they are two requests."""
    return any(
        columns[name][one] is not None
        and columns[name][other] is not None
        and columns[name][one] != columns[name][other]
        for name in ("request_id", "output_sha256", "process", "run_id", "arm")
    )


def _take_over(columns: dict[str, list[object]], twins: dict[int, int]) -> None:
    """Fill what a kept row lacks with what its twin knows."""
    for name, values in columns.items():
        if name in {"source", "entry"}:
            continue
        for dropped, kept in twins.items():
            if values[kept] is None:
                values[kept] = values[dropped]


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
