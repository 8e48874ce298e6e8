"""JSON entries of a file, whatever their framing, each with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["BadEntry", "entries", "first_entry", "number", "text", "whole"]

_BOM = b"\xef\xbb\xbf"
_decode = msgspec.json.decode
_PROBE_LINES = 3
_MAX_RESTARTS = 200


class BadEntry:
    """An entry that is no JSON value.

    Attributes
    ----------
    reason : str
        What the decoder said.
    """

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


def entries(source: Source) -> Iterator[tuple[int, object]]:
    """Yield the JSON values of an artifact with the line on which each begins.

    One value a line is streamed; one document, pretty-printed values one after
    another, and the elements of a top-level array are read from memory.

    Parameters
    ----------
    source : Source
        The artifact.

    Yields
    ------
    tuple of int and object
        Line number, and the decoded value or a `BadEntry`.
    """
    if _is_line_by_line(source):
        yield from _from_lines(source)
    else:
        yield from _from_document(source)


def first_entry(head: bytes) -> object | None:
    """Return the first JSON value of the head of a file, if it is complete.

    Parameters
    ----------
    head : bytes
        First bytes of the artifact.

    Returns
    -------
    object or None
        The value (of an array, its first element), or None.
    """
    stripped = head.removeprefix(_BOM).lstrip()
    line, _, _ = stripped.partition(b"\n")
    value = _try(line)
    if isinstance(value, BadEntry):
        try:
            value, _ = json.JSONDecoder().raw_decode(
                stripped.decode("utf-8", "replace")
            )
        except (ValueError, RecursionError):
            return None
    if isinstance(value, list):
        return value[0] if value else None
    return value


def number(value: object) -> float | None:
    """Return a JSON number as float; anything else, NaN and infinity are missing.

    Parameters
    ----------
    value : object
        Decoded JSON value.

    Returns
    -------
    float or None
        The number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        real = float(value)
    except OverflowError:
        return None
    return real if abs(real) < float("inf") else None


def whole(value: object) -> int | None:
    """Return a non-negative JSON count that fits 63 bits; anything else is missing.

    Parameters
    ----------
    value : object
        Decoded JSON value.

    Returns
    -------
    int or None
        The count.
    """
    real = number(value)
    if real is None or real != int(real) or not 0 <= real < 2**63:
        return None
    return int(real)


def text(value: object) -> str | None:
    """Return a JSON string or number as text; anything else is missing.

    Parameters
    ----------
    value : object
        Decoded JSON value.

    Returns
    -------
    str or None
        The text.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(value)


def _try(line: bytes) -> object:
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return BadEntry(str(error).split(" (", maxsplit=1)[0])


def _is_line_by_line(source: Source) -> bool:
    seen = good = 0
    for _, line in source.lines():
        stripped = line.removeprefix(_BOM).strip()
        if not stripped:
            continue
        seen += 1
        good += stripped[:1] == b"{" and isinstance(_try(stripped), dict)
        if seen == _PROBE_LINES:
            break
    return good > 0


def _from_lines(source: Source) -> Iterator[tuple[int, object]]:
    for count, line in source.lines():
        stripped = line.removeprefix(_BOM).strip()
        if stripped:
            yield count, _try(stripped)


def _from_document(source: Source) -> Iterator[tuple[int, object]]:
    content = source.document().removeprefix(_BOM)
    whole_value = _try(content)
    if not isinstance(whole_value, BadEntry):
        yield from _elements(whole_value, 1)
        return
    yield from _concatenated(content.decode("utf-8", "replace"))


def _elements(value: object, line: int) -> Iterator[tuple[int, object]]:
    if isinstance(value, list):
        for element in value:
            yield line, element
    else:
        yield line, value


def _concatenated(content: str) -> Iterator[tuple[int, object]]:
    decoder = json.JSONDecoder()
    position, line, counted, restarts = 0, 1, 0, 0
    length = len(content)
    while True:
        while position < length and content[position] in " \t\r\n,\x00":
            position += 1
        if position >= length:
            return
        line += content.count("\n", counted, position)
        counted = position
        try:
            value, end = decoder.raw_decode(content, position)
        except (ValueError, RecursionError) as error:
            if content[position] == "[":
                position += 1
                continue
            yield line, BadEntry(str(error).split(":", maxsplit=1)[0].lower())
            restarts += 1
            if restarts > _MAX_RESTARTS:
                yield line, BadEntry("too many broken entries; the rest was not read")
                return
            position = _next_start(content, position)
        else:
            yield from _elements(value, line)
            position = end


def _next_start(content: str, position: int) -> int:
    """Return where the next entry may begin: a line that opens an object."""
    while True:
        position = content.find("\n", position)
        if position < 0:
            return len(content)
        position += 1
        if content.startswith(("{", "  {", "    {"), position):
            return position
