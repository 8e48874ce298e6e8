"""Finding the telling lines of a long log without looking at each line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.errors import LimitExceededError
from specstats.source._streams import os_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["CHUNK", "blocks", "marked_lines"]

CHUNK = 4 << 20
_ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")


def marked_lines(
    source: Source, needles: Sequence[bytes], *, chunk: int = CHUNK
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines in which one of the needles stands, each once.

    Parameters
    ----------
    source : Source
        The log.
    needles : sequence of bytes
        What to look for; rare in lines that tell nothing.
    chunk : int
        Bytes read at a time.

    Yields
    ------
    tuple of int and bytes
        Line number from 1, and the line without its end.
    """
    for first, _, data in blocks(source, chunk=chunk):
        line, start, end = first, 0, -1
        for place in _places(data, needles):
            if place < end:
                continue
            begin = data.rfind(b"\n", start, place) + 1
            if begin:
                line += data.count(b"\n", start, begin)
                start = begin
            end = data.find(b"\n", place)
            yield line, data[start:end].rstrip(b"\r")


def _places(data: bytes, needles: Sequence[bytes]) -> list[int]:
    found = []
    for needle in needles:
        place = data.find(needle)
        while place >= 0:
            found.append(place)
            place = data.find(needle, place + len(needle))
    return sorted(found)


def blocks(
    source: Source, *, chunk: int = CHUNK, look_back: int = 0
) -> Iterator[tuple[int, int, bytes]]:
    """Yield the log in blocks of whole lines, without colours.

    Parameters
    ----------
    source : Source
        The log.
    chunk : int
        Bytes read at a time.
    look_back : int
        Bytes of the block before that stand before each block.

    Yields
    ------
    tuple of int, int and bytes
        Number of the first new line, where it begins in the block, and the block.
    """
    line, rest, tail = 1, b"", b""
    limit = source.limits.line_bytes
    with source.open() as stream:
        while True:
            with os_errors(source.name):
                more = stream.read(chunk)
            if not more:
                break
            data = rest + more
            cut = data.rfind(b"\n") + 1
            rest = data[cut:]
            if len(rest) > limit:
                raise LimitExceededError(
                    f"a line of more than {limit} bytes. Hint: raise the limit "
                    "(limits=, or --limit line_bytes=N)",
                    source=source.name,
                )
            if cut:
                block = _clean(data[:cut])
                yield line, len(tail), tail + block
                line += block.count(b"\n")
                tail = block[-look_back:] if look_back else b""
    if rest:
        yield line, len(tail), tail + _clean(rest) + b"\n"


def _clean(block: bytes) -> bytes:
    return _ESCAPES.sub(b"", block) if b"\x1b" in block else block
