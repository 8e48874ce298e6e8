"""Grids and paragraphs as plain text; no word or number is ever broken."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from specstats.render.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.render.grid import Column, Grid

__all__ = ["columns_of", "grid_text", "paragraph_text"]

_GAP = "  "
_DROPPED = "    "
_NARROWEST = 8
_LONGEST_PARAGRAPH = 4000
# What stays on one line: an interval, a number with its percent sign, a word.
_PIECE = re.compile(r"\[\S+ \S+\]\S*|\S+ %\S*|\S+")


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Parameters
    ----------
    text : str
        Cleaned text.

    Returns
    -------
    int
        Wide characters count twice, combining ones not at all.
    """
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(mark)
        else 2
        if unicodedata.east_asian_width(mark) in "WF"
        else 1
        for mark in text
    )


def paragraph_text(text: str, *, width: int, indent: str = "", first: str = "") -> str:
    """Return a paragraph wrapped to a width.

    Parameters
    ----------
    text : str
        One paragraph.
    width : int
        Columns; a longer word stands on a line of its own, whole.
    indent : str
        Begins every line but the first.
    first : str
        Begins the first line.

    Returns
    -------
    str
        Lines.
    """
    cleaned = clean(text, longest=_LONGEST_PARAGRAPH)
    lines = _wrapped(cleaned, width, first=len(first), other=len(indent))
    return f"{first}{f'{chr(10)}{indent}'.join(lines)}"


def _wrapped(text: str, width: int, *, first: int = 0, other: int = 0) -> list[str]:
    """Break a text at spaces, with room taken at the left of its lines."""
    lines: list[str] = []
    words: list[str] = []
    taken = first
    for word in _PIECE.findall(text):
        size = columns_of(word)
        if words and taken + size > width:
            lines.append(" ".join(words))
            words, taken = [], other
        words.append(word)
        taken += size + 1
    return [*lines, " ".join(words)]


def grid_text(grid: Grid, *, width: int) -> str:
    """Return a grid as aligned columns.

    Where it is too wide, headings and the cells of columns that allow it wrap at
    spaces; columns that still find no room drop to a further line of their row.

    Parameters
    ----------
    grid : Grid
        The table.
    width : int
        Columns to fit in.

    Returns
    -------
    str
        Lines: headings, then rows.
    """
    cells = [[clean(column.title) for column in grid.columns]]
    cells += [[clean(cell) for cell in row] for row in grid.rows]
    widths = _widths(cells, grid.columns, width)
    bands = tuple(_bands(widths, width))
    lines = []
    for place, row in enumerate(cells):
        for number, places in enumerate(bands):
            lead = _DROPPED if number else ""
            found = _row_lines(row, grid.columns, widths, places, heading=place == 0)
            # A row's own line is there even when empty; a dropped one is not.
            lines += [lead + line for line in found if line.strip() or not number]
    return "\n".join(line.rstrip() for line in lines)


def _widths(cells: list[list[str]], columns: Sequence[Column], width: int) -> list[int]:
    places = range(len(columns))
    widths = [max(columns_of(row[place]) for row in cells) for place in places]
    least = [_least(cells, columns[place], place) for place in places]
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room:
        spare = [place for place in places if widths[place] > least[place]]
        if not spare:
            break
        widths[max(spare, key=widths.__getitem__)] -= 1
    return [
        max(columns_of(line) for line in _lines_of(cells, columns[place], place, size))
        for place, size in enumerate(widths)
    ]


def _lines_of(
    cells: list[list[str]], column: Column, place: int, width: int
) -> Iterator[str]:
    title, *rest = (row[place] for row in cells)
    yield from _wrapped(title, width)
    for cell in rest:
        yield from _wrapped(cell, width) if column.wraps else [cell]


def _least(cells: list[list[str]], column: Column, place: int) -> int:
    """Return the narrowest that a column can be without breaking a word."""
    title, *rest = (row[place] for row in cells)
    words = _PIECE.findall(title)
    for cell in rest:
        words += _PIECE.findall(cell) if column.wraps else [cell]
    floor = _NARROWEST if column.wraps else 0
    return max([floor, *map(columns_of, words)])


def _bands(widths: list[int], width: int) -> Iterator[list[int]]:
    """Give the columns of each line of a row."""
    places: list[int] = []
    taken = 0
    for place, size in enumerate(widths):
        if places and taken + size > width:
            yield places
            places, taken = [], len(_DROPPED)
        places.append(place)
        taken += size + len(_GAP)
    yield places


def _row_lines(
    row: list[str],
    columns: Sequence[Column],
    widths: list[int],
    places: list[int],
    *,
    heading: bool,
) -> list[str]:
    """Return the lines of a row; headings stand on their last line."""
    wrapped = [
        _wrapped(row[place], widths[place])
        if heading or columns[place].wraps
        else [row[place]]
        for place in places
    ]
    height = max(map(len, wrapped))
    padded = [
        [""] * (height - len(cell)) + cell
        if heading
        else cell + [""] * (height - len(cell))
        for cell in wrapped
    ]
    return [
        _GAP.join(
            _aligned(cell, widths[place], columns[place])
            for cell, place in zip(line, places, strict=True)
        )
        for line in zip(*padded, strict=True)
    ]


def _aligned(cell: str, width: int, column: Column) -> str:
    room = " " * (width - columns_of(cell))
    return room + cell if column.align == "right" else cell + room
