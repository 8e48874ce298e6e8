"""A table of cells, before any markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Align", "Column", "Grid"]

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a grid.

    Attributes
    ----------
    title : str
        Heading; may wrap at spaces.
    align : {"left", "right"}
        Side on which cells line up.
    wraps : bool
        Whether cells may wrap at spaces; those of numbers and names may not.
    """

    title: str
    align: Align = "left"
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text cells.

    Attributes
    ----------
    columns : tuple of Column
        Columns in order.
    rows : tuple of tuple of str
        Cells; text from artifacts is cleaned by the renderer.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    def without_empty_columns(self) -> Grid:
        """Return the grid without columns whose cells are all empty."""
        kept = [
            place
            for place in range(len(self.columns))
            if any(row[place] for row in self.rows)
        ]
        return Grid(
            tuple(self.columns[place] for place in kept),
            tuple(tuple(row[place] for place in kept) for row in self.rows),
        )
