"""Lines of text artifacts and the numbers in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["clean_head", "count_in", "real_in", "text_lines"]

_COUNT = re.compile(r"\d{1,18}", re.ASCII)
_REAL = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_LARGEST = 1e300


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yield each line as text with its number, from 1.

    Parameters
    ----------
    source : Source
        The artifact.

    Yields
    ------
    tuple of int and str
        Line number and text; of a line that a terminal overwrote (carriage returns)
        the last state.
    """
    for number, line in source.lines():
        shown = line.rpartition(b"\r")[2] if b"\r" in line else line
        yield number, shown.decode("utf-8", "replace")


def clean_head(head: bytes) -> str:
    """Return the head of an artifact as text, for the sniffs of text formats.

    Parameters
    ----------
    head : bytes
        First bytes.

    Returns
    -------
    str
        Text; bytes that are no UTF-8 are replaced.
    """
    return head.decode("utf-8", "replace")


def count_in(cell: str | None) -> int | None:
    """Return a non-negative whole number that is written as text.

    Parameters
    ----------
    cell : str or None
        Text, blanks around it allowed.

    Returns
    -------
    int or None
        The number; None for anything else.
    """
    found = None if cell is None else _COUNT.fullmatch(cell.strip())
    return None if found is None else int(found.group())


def real_in(cell: str | None) -> float | None:
    """Return a finite number that is written as text.

    Parameters
    ----------
    cell : str or None
        Text, blanks around it allowed.

    Returns
    -------
    float or None
        The number; None for anything else, NaN and infinity included.
    """
    found = None if cell is None else _REAL.fullmatch(cell.strip())
    if found is None:
        return None
    value = float(found.group())
    return value if abs(value) <= _LARGEST else None
