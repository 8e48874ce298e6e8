"""A section of a report, before any markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.render.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Section", "counted", "filled_grid", "listed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with paragraphs and at most one table.

    Attributes
    ----------
    title : str
        Heading.
    grid : Grid or None
        Table.
    before, after : tuple of str
        Paragraphs before and after it.
    """

    title: str
    grid: Grid | None = None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def filled_grid(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    wraps: Collection[str] = (),
) -> Grid:
    """Build a grid without its empty columns.

    Parameters
    ----------
    titles : sequence of str
        Headings.
    rows : sequence of sequence of str
        Cells.
    left : int
        Columns that line up on the left; the others line up on the right.
    wraps : collection of str
        Headings of columns whose cells may wrap; they line up on the left.

    Returns
    -------
    Grid
        The table.
    """
    columns = tuple(
        Column(title, wraps=title in wraps)
        if place < left or title in wraps
        else Column(title, "right")
        for place, title in enumerate(titles)
    )
    return Grid(columns, tuple(tuple(row) for row in rows)).without_empty_columns()


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it is not one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Return names with commas and an "and" before the last."""
    if len(names) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
