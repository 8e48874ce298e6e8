"""Grids as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.clean import clean_markdown

if TYPE_CHECKING:
    from specstats.render.grid import Grid

__all__ = ["grid_markdown"]


def grid_markdown(grid: Grid) -> str:
    """Return a grid as a pipe table.

    Parameters
    ----------
    grid : Grid
        The table.

    Returns
    -------
    str
        Lines.
    """
    titles = " | ".join(clean_markdown(column.title) for column in grid.columns)
    marks = " | ".join(
        "---:" if column.align == "right" else "---" for column in grid.columns
    )
    rows = [" | ".join(clean_markdown(cell) for cell in row) for row in grid.rows]
    return "\n".join(f"| {line} |" for line in (titles, marks, *rows))
