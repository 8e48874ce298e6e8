"""A table of cells, before any markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Column", "Grid"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a grid.

    Attributes
    ----------
    title : str
        Heading.
    align : {"left", "right"}
        Side on which cells line up.
    """

    title: str
    align: Literal["left", "right"] = "left"


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
