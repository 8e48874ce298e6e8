"""One artifact that can be opened any number of times."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from specstats.defaults import DEFAULTS
from specstats.errors import LimitExceededError
from specstats.limits import LIMITS, Limits
from specstats.source._streams import (
    Recoded,
    Unpacked,
    encoding_of,
    os_errors,
    packing_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Source"]

_CHUNK = 1 << 20
_KEPT = 1 << 18  # files up to this size are read once
_PROBE = 8
_READ_BYTES = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_BINARY_PROBE = 4096
_JSON = (b'{"', b"{\n", b"[{")
_MOST_PACKED = 3  # layers of compression around one artifact
# Colours, cursor moves, titles: what terminals act upon and captured logs contain.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])"
)


@dataclass(frozen=True, kw_only=True)
class Source:
    """One artifact that can be opened any number of times.

    What readers see is unpacked (gzip, zstd, bzip2, xz), UTF-8 where it was UTF-16, and
    without byte-order mark and, line by line, terminal escapes.

    Attributes
    ----------
    name : str
        Display name, unique among the artifacts of one call: the path relative to
        what the user named, with a folder before it where two would be the same.
    relative : str
        Path relative to what the user named, for layouts and globs; `name` by
        default.
    root : str
        What the user named: a folder, an archive, a file, or ``<bytes>``.
    file : str or Path or None
        Where it lies; None for bytes in memory.
    data : bytes
        Content when there is no path.
    named : bool
        Whether the user named this very file (rather than its folder).
    limits : Limits
        How large it may be.
    """

    name: str
    relative: str = ""
    root: str = ""
    file: str | Path | None = None
    data: bytes = field(default=b"", repr=False)
    named: bool = True
    limits: Limits = field(default=LIMITS, repr=False)

    def __post_init__(self) -> None:
        if not self.relative:
            object.__setattr__(self, "relative", self.name)

    @cached_property
    def path(self) -> Path | None:
        """Where it lies, made on demand; None for bytes in memory."""
        return None if self.file is None else Path(self.file)

    def open(self) -> BinaryIO:
        """Open the artifact for reading: a fresh stream, at the start, unpacked."""
        stream = self._unpacked()
        first = self._first(stream)
        encoding = encoding_of(first)
        if encoding is not None:
            recoded = Recoded(stream, encoding)
            return cast("BinaryIO", io.BufferedReader(recoded, _CHUNK))
        if first.startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
        return stream

    def is_stored_as_read(self) -> bool:
        """Whether streams give the very bytes that lie there, from the first on."""
        with self._stored() as stream:
            first = self._first(stream)
        changed = packing_of(first) or encoding_of(first)
        return not changed and not first.startswith(codecs.BOM_UTF8)

    def _unpacked(self) -> BinaryIO:
        stream = self._stored()
        for _ in range(_MOST_PACKED):
            packing = packing_of(self._first(stream))
            if packing is None:
                break
            unpacked = Unpacked(
                stream, packing, name=self.name, size=self.size, limits=self.limits
            )
            stream = cast("BinaryIO", io.BufferedReader(unpacked, _CHUNK))
        return stream

    def _first(self, stream: BinaryIO) -> bytes:
        """Return the first bytes of a stream and leave it where it is."""
        with os_errors(self.name):
            if isinstance(stream, io.BufferedReader):
                return stream.peek(_PROBE)[:_PROBE]
            first = stream.read(_PROBE)
            stream.seek(0)
        return first

    def _stored(self) -> BinaryIO:
        if self.file is None:
            return io.BytesIO(self.data)
        if self._is_kept(self.file):
            return io.BytesIO(_recent.content)
        with os_errors(self.name):
            stream = cast("Path", self.path).open("rb")
        self.__dict__["_reading"] = stream
        return stream

    def _is_kept(self, path: str | Path) -> bool:
        """Whether the file is small; then it is read, and kept until the next one."""
        if _recent.source is self:
            return True
        if self.__dict__.get("size", 0) > _KEPT:
            return False
        try:
            content = _small_content(path, self.__dict__)
        except OSError as error:
            with os_errors(self.name):
                raise error from None
        if content is None:
            return False
        _recent.keep(self, content)
        return True

    def small(self) -> bytes | None:
        """Return all bytes of a small file that readers see just as it is stored.

        Returns
        -------
        bytes or None
            The content; None for others, which may well be small.
        """
        if _recent.source is self:
            return _recent.plain
        if self.file is None or not self._is_kept(self.file):
            return None
        return _recent.plain

    def head(self) -> bytes:
        """Return the first bytes, as many as readers may see when they decide."""
        plain = self.small()
        if plain is not None:
            return plain[: DEFAULTS.sniff_bytes]
        with self.open() as stream, os_errors(self.name):
            first = stream.read(DEFAULTS.sniff_bytes)
        return _without_escapes(first)

    @cached_property
    def size(self) -> int:
        """Length in bytes, as it lies there."""
        if self.file is None:
            return len(self.data)
        with os_errors(self.name):
            return Path(self.file).stat().st_size

    @property
    def position(self) -> int:
        """Stored bytes that the last stream has gone through; 0 for small files."""
        reached = self.__dict__.get("_reached")
        if isinstance(reached, int):
            return reached
        stream = self.__dict__.get("_reading")
        if not isinstance(stream, io.BufferedReader) or stream.closed:
            return 0
        return stream.tell()

    def reach(self, position: int) -> None:
        """Say how far a reader of the stored bytes has come.

        Parameters
        ----------
        position : int
            Stored bytes gone through.
        """
        self.__dict__["_reached"] = position

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the unpacked bytes, in hexadecimal."""
        plain = self.small()
        digest = hashlib.sha256(plain or b"")
        if plain is not None:
            return digest.hexdigest()
        with self._unpacked() as stream, os_errors(self.name):
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def document(self) -> bytes:
        """Return all bytes, for formats that are one document.

        Returns
        -------
        bytes
            The whole content, terminal escapes left out.

        Raises
        ------
        LimitExceededError
            If it is larger than ``limits.document_bytes``.
        """
        return _without_escapes(self.binary())

    def binary(self) -> bytes:
        """Return all bytes as they are, for formats that are no text.

        Returns
        -------
        bytes
            The whole content.

        Raises
        ------
        LimitExceededError
            If it is larger than ``limits.document_bytes``.
        """
        limit = self.limits.document_bytes
        with self.open() as stream, os_errors(self.name):
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise LimitExceededError(
                f"more than {limit} bytes as one document. Hint: write one entry a "
                "line (JSONL), or raise the limit (limits=, or --limit "
                "document_bytes=N)",
                source=self.name,
            )
        return content

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line with its number, from 1, without its line end.

        Yields
        ------
        tuple of int and bytes
            Line number and content, terminal escapes left out.

        Raises
        ------
        LimitExceededError
            If a line is longer than ``limits.line_bytes``.
        """
        number, rest, pending = 0, b"", 0
        # Else no line inside a chunk can be too long.
        strict = self.limits.line_bytes < _CHUNK
        parts: list[bytes] = []
        with self.open() as stream:
            while chunk := self._chunk(stream):
                first, mark, more = chunk.partition(b"\n")
                parts.append(first)
                pending += len(first)
                self._check(pending, number + 1)
                if not mark:
                    continue
                number += 1
                yield number, self.cleaned(b"".join(parts), number)
                *lines, rest = more.split(b"\n")
                if b"\x1b" in more or b"\r" in more or strict:
                    lines = [
                        self.cleaned(line, place)
                        for place, line in enumerate(lines, number + 1)
                    ]
                yield from enumerate(lines, number + 1)
                number += len(lines)
                parts, pending = [rest], len(rest)
        if rest := b"".join(parts):
            yield number + 1, self.cleaned(rest, number + 1)

    def _chunk(self, stream: BinaryIO) -> bytes:
        with os_errors(self.name):
            return stream.read(_CHUNK)

    def cleaned(self, line: bytes, number: int) -> bytes:
        """Return a stored line as `lines` yields it.

        Parameters
        ----------
        line : bytes
            Line without its line feed.
        number : int
            Its number, for the error.

        Returns
        -------
        bytes
            The line without terminal escapes and carriage return.
        """
        if len(line) > self.limits.line_bytes:
            self._check(len(line), number)
        return (_without_escapes(line) if b"\x1b" in line else line).rstrip(b"\r")

    def _check(self, length: int, number: int) -> None:
        limit = self.limits.line_bytes
        if length > limit:
            raise LimitExceededError(
                f"a line of more than {limit} bytes. Hint: raise the limit (limits=, "
                "or --limit line_bytes=N)",
                source=self.name,
                location=str(number),
            )


@dataclass(slots=True)
class _Recent:
    """The small file that was read last: sniffing, digest and parsing follow."""

    source: Source | None = None
    content: bytes = b""
    plain: bytes | None = None

    def keep(self, source: Source, content: bytes) -> None:
        """Keep a file, and say whether readers see it as it is stored."""
        first = content[:_PROBE]
        changed = b"\x1b" in content or (
            not content.startswith(_JSON)
            and (
                first.startswith(codecs.BOM_UTF8)
                or packing_of(first)
                or encoding_of(first)
            )
        )
        self.source, self.content = source, content
        self.plain = None if changed else content
        if not changed:
            # Where the cached property keeps it, whose lock costs more than the sum.
            source.__dict__["sha256"] = hashlib.sha256(content).hexdigest()


_recent = _Recent()


def _small_content(path: str | Path, facts: dict[str, object]) -> bytes | None:
    """Read a file unless it is large; note its size among the facts of its source."""
    # No stream: all is read at once, and there are thousands of such files.
    opened = os.open(path, _READ_BYTES)
    try:
        size = os.fstat(opened).st_size
        facts.setdefault("size", size)
        if size > _KEPT:
            return None
        content = os.read(opened, size + 1)
        if len(content) == size:
            return content
        # The file grew, is one that has no size, or came in parts.
        parts = [content]
        while part := os.read(opened, _KEPT):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(opened)


def _without_escapes(content: bytes) -> bytes:
    """Leave out what terminals act upon; bytes that are no text stay as they are."""
    if b"\x1b" not in content or b"\0" in content[:_BINARY_PROBE]:
        return content
    return _ESCAPES.sub(b"", content)
