"""JSON entries of a file, whatever their framing, each with its line."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from specstats.readers._prefix import beginning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = [
    "BadEntry",
    "decoded",
    "entries",
    "first_entry",
    "first_value",
    "is_cut_json",
    "is_line_by_line",
    "line_value",
    "number",
    "scalar",
    "text",
    "whole",
]

_BOM = b"\xef\xbb\xbf"
_decode = msgspec.json.decode
_PROBE_LINES = 3
_TOO_LARGE = 2**63
_BLANK = b" \t\r\n\x00"
_PYTHON_ONLY = re.compile(rb"\bNaN\b|\bInfinity\b|\\u[dD]")
_STARTS = frozenset({b"{", b"["})
_VALUE = re.compile(r"[^ \t\r\n,\x00]")
_OPENING = re.compile(r"\n {0,4}(\{)")
# A file may be read in vain this many times; small ones are not worth counting.
_SCANS = 8
_FREE_SCAN = 1 << 20
_COST = 200  # characters that one exception is worth
_COUNTING = 32  # an exception counts lines from the start, so much faster than reading


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


_NO_VALUE = BadEntry("not a JSON object")
_EMPTY: dict[str, object] = {}
_NO_KEYS = BadEntry("an object without keys")


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
        Line on which the value begins (of an array: number of the element), and the
        decoded value or a `BadEntry`.
    """
    found = _from_lines(source) if is_line_by_line(source) else _from_document(source)
    for line, value in found:
        # Cheaper here than in every reader: no format has such entries.
        yield line, _NO_KEYS if value == _EMPTY else value


@lru_cache(maxsize=2)
def first_entry(head: bytes) -> object | None:
    """Return the first JSON value of the head of a file.

    All readers ask for it, so it is decoded once a file; do not change it.

    Parameters
    ----------
    head : bytes
        First bytes of the artifact.

    Returns
    -------
    object or None
        The value (of an array, its first element); of a document longer than the
        head, what is complete of it; None where no JSON begins.
    """
    value = first_value(head)
    if isinstance(value, list):
        return value[0] if value else None
    return value


@lru_cache(maxsize=2)
def first_value(head: bytes) -> object | None:
    """Return the first JSON value of the head of a file, an array as it stands.

    Parameters
    ----------
    head : bytes
        First bytes of the artifact.

    Returns
    -------
    object or None
        As `first_entry`, without looking into an array.
    """
    stripped = head.removeprefix(_BOM).lstrip()
    if stripped[:1] not in _STARTS:
        return None
    line, _, _ = stripped.partition(b"\n")
    value = decoded(line)
    if not isinstance(value, BadEntry):
        return value
    content = stripped.decode("utf-8", "replace")
    try:
        found: object = json.JSONDecoder().raw_decode(content)[0]
    except (ValueError, RecursionError):
        return beginning(content)
    return found


def is_cut_json(head: bytes, size: int) -> bool:
    """Whether a file is one JSON value that ends too early.

    Parameters
    ----------
    head : bytes
        First bytes of the artifact.
    size : int
        Bytes of the artifact.

    Returns
    -------
    bool
        False too where the head is not the whole.
    """
    stripped = head.removeprefix(_BOM).strip()
    if stripped[:1] not in _STARTS or len(head) < size:
        return False
    if not isinstance(decoded(stripped.partition(b"\n")[0]), BadEntry):
        return False
    try:
        json.JSONDecoder().raw_decode(stripped.decode("utf-8", "replace"))
    except json.JSONDecodeError:
        found = beginning(stripped.decode("utf-8", "replace"))
        return bool(found) and not stripped.endswith((b"}", b"]"))
    except (ValueError, RecursionError):  # digits without end, depth without end
        return False
    return False


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
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value < _TOO_LARGE or value != int(value):
        return None
    return int(value)


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


def scalar(value: object) -> bool | float | str | None:
    """Return a JSON scalar that a setting may have; anything else is missing.

    Parameters
    ----------
    value : object
        Decoded JSON value.

    Returns
    -------
    bool, int, float, str or None
        The value; numbers that JSON cannot write, or beyond 64 bits, are missing.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        return value if abs(value) < _TOO_LARGE else None
    return number(value)


def decoded(content: bytes) -> object:
    """Return a JSON value, or a `BadEntry` that says why there is none.

    Parameters
    ----------
    content : bytes
        One JSON value; NaN, infinity and lone surrogates are taken as Python's json
        writes them.

    Returns
    -------
    object
        Decoded value or `BadEntry`.
    """
    try:
        return _decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = str(error)
    if _PYTHON_ONLY.search(content):
        try:
            value: object = json.loads(content)
        except (ValueError, RecursionError):
            pass
        else:
            return value
    return BadEntry(why.split(" (", maxsplit=1)[0])


def line_value(line: bytes, number: int) -> object:
    """Return the JSON value of a line of a file of one value a line.

    Parameters
    ----------
    line : bytes
        The line.
    number : int
        Its number; a byte-order mark may precede the first.

    Returns
    -------
    object
        Decoded value or `BadEntry`; None for a blank line.
    """
    stripped = line.strip(_BLANK)
    if number == 1:
        stripped = stripped.removeprefix(_BOM).strip(_BLANK)
    if not stripped:
        return None
    # Cheaper than an exception for each line of a file that is mostly noise.
    return decoded(stripped) if stripped[:1] in _STARTS else _NO_VALUE


def is_line_by_line(source: Source) -> bool:
    """Whether an artifact holds one JSON object a line.

    Parameters
    ----------
    source : Source
        The artifact.

    Returns
    -------
    bool
        True if one of its first lines is an object.
    """
    seen = good = 0
    for _, line in source.lines():
        stripped = line.removeprefix(_BOM).strip()
        if not stripped:
            continue
        seen += 1
        good += stripped[:1] == b"{" and isinstance(decoded(stripped), dict)
        if seen == _PROBE_LINES:
            break
    return good > 0


def _from_lines(source: Source) -> Iterator[tuple[int, object]]:
    for count, line in source.lines():
        value = line_value(line, count)
        if value is not None:
            yield count, value


def _from_document(source: Source) -> Iterator[tuple[int, object]]:
    content = source.document().removeprefix(_BOM)
    value = decoded(content)
    if isinstance(value, list):
        yield from enumerate(value, start=1)
    elif isinstance(value, BadEntry):
        yield from _concatenated(content.decode("utf-8", "replace"))
    else:
        yield 1, value


def _concatenated(content: str) -> Iterator[tuple[int, object]]:
    """Yield values one after another, and start again behind broken ones.

    Each broken value costs what was read in vain; once that exceeds a few times the
    file the rest is given up, so that no file takes quadratic time.
    """
    decoder = json.JSONDecoder()
    position, line, counted = 0, 1, 0
    length = len(content)
    budget = _SCANS * length + _FREE_SCAN
    while True:
        found = _VALUE.search(content, position)
        if found is None:
            return
        position = found.start()
        line += content.count("\n", counted, position)
        counted = position
        try:
            value, end = decoder.raw_decode(content, position)
        except (ValueError, RecursionError) as error:
            reached = getattr(error, "pos", length)
            budget -= max(reached - position, 1) + position // _COUNTING + _COST
            if budget < 0:
                yield line, BadEntry("too many broken entries; the rest was not read")
                return
            if content[position] == "[":
                position += 1
                continue
            yield line, BadEntry(str(error).split(":", maxsplit=1)[0].lower())
            position = _next_start(content, position)
        else:
            for element in value if isinstance(value, list) else [value]:
                yield line, element
            position = end


def _next_start(content: str, position: int) -> int:
    """Return where the next entry may begin: a line that opens an object."""
    found = _OPENING.search(content, position)
    return len(content) if found is None else found.start(1)
