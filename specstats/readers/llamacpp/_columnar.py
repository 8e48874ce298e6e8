"""Large files of llama.cpp responses as Arrow columns, on all processors."""

from __future__ import annotations

import io
import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from specstats.readers import _forked
from specstats.readers._base import Batch, Trouble
from specstats.readers._chunk import Chunk
from specstats.readers.llamacpp._regular import Packed, packed
from specstats.schema import REQUESTS
from specstats.source._streams import os_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from specstats.source import Source

    AddLine = Callable[[Source, int, bytes, Batch, Trouble], None]

__all__ = ["Sizes", "chunks"]

_UNIT = 1 << 20
_LONGEST = 8 << 20
_PIECE = 1 << 14

_encode = msgspec.msgpack.encode
_decode = msgspec.msgpack.Decoder(Packed).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How a file is divided.

    Attributes
    ----------
    least : int
        Smaller files are left to `parse`.
    shared : int
        Smaller files are read by one process.
    unit : int
        Bytes that are decoded at a time.
    units : int
        How many of them make a chunk.
    """

    least: int = 2 << 20
    shared: int = 32 << 20
    unit: int = _UNIT
    units: int = 24


@dataclass(slots=True)
class Stretch:
    """Lines of a file that were decoded together.

    Attributes
    ----------
    first : int
        Number of the first line.
    start, end : int
        Where they lie.
    columns : Packed
        What is regular of them.
    """

    first: int
    start: int
    end: int
    columns: Packed


@dataclass(slots=True)
class _File:
    """A file open for reading from any place."""

    source: Source
    stream: io.FileIO
    ends: list[int] = field(default_factory=list)

    def lines(self, start: int, end: int) -> list[bytes]:
        """Return the lines between two places."""
        with os_errors(self.source.name):
            content = os.pread(self.stream.fileno(), end - start, start)
        return io.BytesIO(content).readlines()

    def pack(self, number: int) -> bytes:
        """Return the regular lines of a unit as columns, as bytes."""
        start = self.ends[number - 1] if number else 0
        return _encode(packed(self.lines(start, self.ends[number])))


def chunks(
    source: Source, add_line: AddLine, *, sizes: Sizes | None = None
) -> Generator[Chunk] | None:
    """Return the stretches of a large file of one response a line.

    Parameters
    ----------
    source : Source
        The artifact.
    add_line : callable
        Adds the entry in one line to a batch, as `parse` does; for lines that are not
        regular.
    sizes : Sizes, optional
        How the file is divided.

    Returns
    -------
    iterator of Chunk, or None
        Together the same as the batches of `parse`; None for files that are left to
        it: small, packed or recoded ones, and those of very long lines.
    """
    sizes = sizes or Sizes()
    path = source.path
    if path is None or source.size < sizes.least or not source.is_stored_as_read():
        return None
    with os_errors(source.name):
        stream = io.FileIO(path)
    ends = _unit_ends(stream, source.size, sizes.unit)
    if ends is None or source.limits.line_bytes < sizes.unit + _LONGEST:
        stream.close()
        return None
    return _chunks(_File(source, stream, ends), add_line, sizes)


def _unit_ends(stream: io.FileIO, size: int, unit: int) -> list[int] | None:
    """Return where units of whole lines end; None if a line is very long."""
    ends = []
    end = 0
    while end < size:
        end = min(end + unit, size)
        limit = end + _LONGEST
        while end < size:
            piece = os.pread(stream.fileno(), _PIECE, end - 1)
            found = piece.find(b"\n")
            if found >= 0:
                end += found
                break
            end += len(piece)
            if end > limit or not piece:
                return None
        ends.append(min(end, size))
    return ends


def _chunks(file: _File, add_line: AddLine, sizes: Sizes) -> Generator[Chunk]:
    shared = file.source.size >= sizes.shared
    found = _forked.in_order(
        file.pack, len(file.ends), workers=_forked.processes() if shared else 1
    )
    trouble = Trouble(file.source)
    with file.stream, closing(found):
        for stretches in _grouped(file, found, sizes.units):
            file.source.reach(stretches[-1].end)
            yield _chunk(file, stretches, add_line, trouble)
    last = Batch()
    trouble.close(last)
    import pyarrow as pa

    yield Chunk(pa.Table.from_batches([], REQUESTS.arrow_schema()), last)


def _grouped(
    file: _File, found: Iterator[bytes], units: int
) -> Iterator[list[Stretch]]:
    group: list[Stretch] = []
    line, start = 1, 0
    for end, content in zip(file.ends, found, strict=True):
        columns = _decode(content)
        group.append(Stretch(line, start, end, columns))
        line, start = line + columns.lines, end
        if len(group) == units:
            yield group
            group = []
    if group:
        yield group


def _chunk(
    file: _File, stretches: list[Stretch], add_line: AddLine, trouble: Trouble
) -> Chunk:
    from specstats.readers.llamacpp import _arrow

    regular, doubtful = _arrow.requests(file.source.name, stretches)
    batch = Batch(entries=regular.num_rows, parsed=regular.num_rows)
    for stretch in stretches:
        odd = {stretch.first + place for place in stretch.columns.odd}
        after = stretch.first + stretch.columns.lines
        odd |= {line for line in doubtful if stretch.first <= line < after}
        if odd:
            lines = file.lines(stretch.start, stretch.end)
            for line in sorted(odd):
                content = lines[line - stretch.first].removesuffix(b"\n")
                add_line(file.source, line, content, batch, trouble)
    rows = batch.tables.pop("requests", None)
    requests = regular if rows is None else _arrow.merged(regular, rows)
    return Chunk(requests, batch)
