"""Grids and paragraphs as plain text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from specstats.render.clean import clean

if TYPE_CHECKING:
    from specstats.render.grid import Grid

__all__ = ["grid_text", "paragraph_text"]

_GAP = "  "
_NARROWEST = 8


def paragraph_text(text: str, *, width: int, indent: str = "") -> str:
    """Return a paragraph wrapped to a width.

    Parameters
    ----------
    text : str
        One paragraph.
    width : int
        Columns.
    indent : str
        Begins every line but the first.

    Returns
    -------
    str
        Lines.
    """
    return textwrap.fill(
        clean(text, longest=4000),
        width=width,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def grid_text(grid: Grid, *, width: int) -> str:
    """Return a grid as aligned columns; the widest ones wrap where it is too wide.

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
    cells = [[column.title for column in grid.columns]]
    cells += [[clean(cell) for cell in row] for row in grid.rows]
    widths = _widths(cells, width)
    right = [column.align == "right" for column in grid.columns]
    lines = [line for row in cells for line in _row_lines(row, widths, right)]
    return "\n".join(line.rstrip() for line in lines)


def _widths(cells: list[list[str]], width: int) -> list[int]:
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


def _row_lines(row: list[str], widths: list[int], right: list[bool]) -> list[str]:
    wrapped = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(row, widths, strict=True)
    ]
    height = max(map(len, wrapped))
    lines = []
    for place in range(height):
        parts = [
            (cell[place] if place < len(cell) else "").rjust(width)
            if flush
            else (cell[place] if place < len(cell) else "").ljust(width)
            for cell, width, flush in zip(wrapped, widths, right, strict=True)
        ]
        lines.append(_GAP.join(parts))
    return lines
