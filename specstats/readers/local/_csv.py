"""Comma-separated tables of harnesses whose columns are known."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.readers._text import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers.local._sink import Sink

__all__ = ["cells_of", "first_columns", "rows_of"]

_MOST_COLUMNS = 200


def cells_of(line: str) -> list[str]:
    """Return the cells of a line, quoted ones too.

    Parameters
    ----------
    line : str
        One line.

    Returns
    -------
    list of str
        Cells without blanks around them; of a broken quote, the line itself.
    """
    if '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    try:
        return [cell.strip() for cell in next(csv.reader([line]), [])]
    except csv.Error:
        return [line]


def first_columns(head: bytes) -> frozenset[str]:
    """Return the cells of the first line of a file.

    Parameters
    ----------
    head : bytes
        First bytes.

    Returns
    -------
    frozenset of str
        The names of the columns, where it is a header.
    """
    line = head.partition(b"\n")[0].decode("utf-8", "replace")
    if not 0 < line.count(",") < _MOST_COLUMNS:
        return frozenset()
    return frozenset(cells_of(line.strip("\r")))


def rows_of(sink: Sink) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows below a header by column; others become findings.

    Parameters
    ----------
    sink : Sink
        The artifact, and where findings and counts go.

    Yields
    ------
    tuple of int and dict
        Line number and cells by column.
    """
    columns: list[str] = []
    for line, content in text_lines(sink.source):
        if not content.strip():
            continue
        cells = cells_of(content)
        if not columns:
            columns = cells
            continue
        if cells == columns:
            continue
        sink.batch.entries += 1
        if len(cells) != len(columns):
            sink.skip(line, f"{len(cells)} cells under {len(columns)} columns")
            continue
        # The first of two columns of one name counts.
        yield line, dict(zip(reversed(columns), reversed(cells), strict=True))
