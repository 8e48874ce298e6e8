"""Plain tables of text: comma, semicolon or tab between the cells."""

from __future__ import annotations

import csv
from collections import deque
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader
from specstats.readers._text import text_lines
from specstats.readers.tables._aliases import plan_of
from specstats.readers.tables._fields import BOUNDARY, FIELDS, TRAPS
from specstats.readers.tables._rows import ROWS_A_BATCH, TableRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from specstats.readers.tables._aliases import Plan
    from specstats.source import Source

__all__ = ["READER", "header_in", "header_of", "parse_with"]

_DELIMITERS = "\t;,"
_MOST_COLUMNS = 500
_MOST_LINES = 50  # that one quoted cell may go over
_FIRST_LINES = 200
_PROBE = 65_536
_SCORE = 5

Line = tuple[int, str]


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _split(line: str, delimiter: str) -> list[str] | None:
    try:
        rows = list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return [cell.strip() for cell in rows[0]] if len(rows) == 1 else None


def header_of(line: str) -> tuple[str, list[str]] | None:
    """Return the delimiter of a header line and its cells.

    Parameters
    ----------
    line : str
        First line of a table.

    Returns
    -------
    tuple of str and list of str, or None
        None where the line has no two cells.
    """
    delimiter = max(_DELIMITERS, key=line.count)
    if not 0 < line.count(delimiter) < _MOST_COLUMNS:
        return None
    cells = _split(line, delimiter)
    if cells is None or len([cell for cell in cells if cell]) < len(_DELIMITERS) - 1:
        return None
    return delimiter, cells


def header_in(content: str) -> list[str]:
    """Return the cells of the first line of a table; empty if it is none.

    Parameters
    ----------
    content : str
        Beginning of the artifact.

    Returns
    -------
    list of str
        Names of the columns.
    """
    lines = content.splitlines()[:_FIRST_LINES]
    first = next((line for line in lines if _is_content(line)), "")
    found = header_of(first)
    return [] if found is None else found[1]


def _sniff(head: bytes, name: str) -> Match:
    del name
    why = "no header with a measured column and a column of runs, arms or prompts"
    if head.lstrip()[:1] in {b"{", b"["} or b"\0" in head[:_PROBE]:
        return Match(0, why)
    lines = head[:_PROBE].decode("utf-8", "replace").splitlines()[:_FIRST_LINES]
    content = [line for line in lines if _is_content(line)][:2]
    found = header_of(content[0]) if content else None
    if found is None or plan_of(found[1]) is None:
        return Match(0, why)
    if len(content) == 1:
        return Match(0, "a header with a measured column, but no row below it")
    return Match(_SCORE, why)


def _parse(source: Source) -> Iterator[Batch]:
    yield from parse_with(source, plan_of)


def parse_with(
    source: Source, plan_for: Callable[[Sequence[str]], Plan | None]
) -> Iterator[Batch]:
    """Read a delimited table.

    Parameters
    ----------
    source : Source
        The artifact.
    plan_for : callable
        Gives the plan for a header.

    Yields
    ------
    Batch
        Rows and findings.

    Raises
    ------
    MalformedArtifactError
        If there is no header, or nothing in it is known.
    """
    lines = iter(text_lines(source))
    first = next((line for line in lines if _is_content(line[1])), (1, ""))
    found = header_of(first[1])
    plan = None if found is None else plan_for(found[1])
    if found is None or plan is None:
        raise MalformedArtifactError(
            "no header with a known measured column. Hint: say what the columns are "
            "(columns=, or --columns NAME=COLUMN)",
            source=source.name,
        )
    delimiter, header = found
    rows, batch = TableRows(source, plan), Batch()
    for entry, cells in _records(lines, delimiter):
        if cells is None or len(cells) != len(header):
            batch.entries += 1
            had = "an open quote" if cells is None else f"{len(cells)} cells"
            rows.skip(batch, entry, f"{had}, the header has {len(header)} cells")
            continue
        # The first of two columns of one name counts.
        named = dict(zip(reversed(header), reversed(cells), strict=True))
        rows.add(batch, entry, named)
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    rows.say_notes(batch)
    rows.trouble.close(batch)
    yield batch


def _records(
    lines: Iterable[Line], delimiter: str
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield rows; a quoted cell may go over several lines."""
    rest, waiting = iter(lines), deque[Line]()
    while True:
        taken = waiting.popleft() if waiting else next(rest, None)
        if taken is None:
            return
        number, line = taken
        if not _is_content(line):
            continue
        if line.count('"') % 2 == 0:
            yield number, _split(line, delimiter)
            continue
        record = _joined(line, rest, waiting)
        yield number, None if record is None else _joined_cells(record, delimiter)


def _joined(line: str, rest: Iterator[Line], waiting: deque[Line]) -> str | None:
    """Return a row with the lines up to its closing quote; None if there is none."""
    parts, quotes = [line], line.count('"')
    for index in range(_MOST_LINES):
        if index == len(waiting):
            more = next(rest, None)
            if more is None:
                return None
            waiting.append(more)
        following = waiting[index][1]
        parts.append(following)
        quotes += following.count('"')
        if quotes % 2 == 0:
            for _ in range(index + 1):
                waiting.popleft()
            return "\n".join(parts)
    return None


def _joined_cells(record: str, delimiter: str) -> list[str] | None:
    lines = [f"{line}\n" for line in record.split("\n")]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return [cell.strip() for cell in rows[0]] if len(rows) == 1 else None


READER = Reader(
    name="table",
    label="plain table of text (CSV, TSV, semicolons) with known column names",
    producers=("any tool with such columns",),
    levels=("request", "counter", "aggregate"),
    boundary=BOUNDARY,
    traps=TRAPS,
    fields=FIELDS,
    sniff=_sniff,
    parse=_parse,
)
