"""Streams that unpack, count and recode what they read."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from specstats.errors import ArtifactError, LimitExceededError, MalformedArtifactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from specstats.limits import Limits

__all__ = ["MAGIC", "Recoded", "Unpacked", "encoding_of", "os_errors", "packing_of"]

_FREE_BYTES = 32 * 1024 * 1024
_RECODED_CHUNK = 1 << 16

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}


def packing_of(first: bytes) -> str | None:
    """Return how a file is compressed, by its first bytes; None if it is not."""
    for magic, kind in MAGIC.items():
        if first.startswith(magic):
            return kind
    return None


def encoding_of(first: bytes) -> str | None:
    """Return the UTF-16 encoding of a text, by its first bytes; None if it is none.

    Windows shells write redirected output as UTF-16, with a mark or without.
    """
    if first.startswith(codecs.BOM_UTF16_LE) and first[2:4] != b"\0\0":
        return "utf-16-le"
    if first.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    pairs = first[:8]
    if len(pairs) == 8:  # noqa: PLR2004 - four characters tell
        if not any(pairs[1::2]) and all(pairs[::2]):
            return "utf-16-le"
        if not any(pairs[::2]) and all(pairs[1::2]):
            return "utf-16-be"
    return None


@contextmanager
def os_errors(name: str) -> Iterator[None]:
    """Turn the errors of the operating system and of unpackers into ours."""
    try:
        yield
    except ArtifactError:
        raise
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _broken(error, name) from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is None:  # of bzip2 and zstd
            raise _broken(error, name) from error
        why = error.strerror if isinstance(error, OSError) else error
        raise ArtifactError(
            f"cannot be opened ({why or error})", source=name
        ) from error


def _broken(error: Exception, name: str) -> MalformedArtifactError:
    return MalformedArtifactError(
        f"the compressed data are broken or cut off ({error})", source=name
    )


def _zstd(stream: BinaryIO) -> BinaryIO:
    import pyarrow as pa

    return cast("BinaryIO", pa.CompressedInputStream(stream, "zstd"))


_OPENERS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    "gzip": lambda stream: cast("BinaryIO", gzip.GzipFile(fileobj=stream)),
    "bzip2": lambda stream: cast("BinaryIO", bz2.BZ2File(stream)),
    "xz": lambda stream: cast("BinaryIO", lzma.LZMAFile(stream)),  # noqa: SIM115 - the same
    "zstd": _zstd,
}


class Unpacked(io.RawIOBase):
    """A compressed stream, unpacked as it is read, within limits."""

    def __init__(
        self, stream: BinaryIO, kind: str, *, name: str, size: int, limits: Limits
    ) -> None:
        self._packed = stream
        self._name = name
        self._limits = limits
        by_ratio = max(_FREE_BYTES, size * limits.unpacked_ratio)
        self._allowed = min(by_ratio, limits.unpacked_bytes)
        self._read = 0
        with os_errors(name):
            self._stream = _OPENERS[kind](stream)

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read unpacked bytes into a buffer."""
        view = memoryview(cast("bytearray", buffer))
        with os_errors(self._name):
            found = self._stream.read(len(view))
        self._read += len(found)
        if self._read > self._allowed:
            raise LimitExceededError(
                f"unpacks to more than {self._allowed} bytes. Hint: if you trust it, "
                "raise unpacked_ratio or unpacked_bytes (limits=, or --limit "
                "unpacked_ratio=1000)",
                source=self._name,
            )
        view[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Close it and what it reads from."""
        if not self.closed:
            self._stream.close()
            self._packed.close()
        super().close()


class Recoded(io.RawIOBase):
    """A UTF-16 text, read as UTF-8; what is no UTF-16 becomes the sign for it."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = b""
        self._first = True

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read UTF-8 bytes into a buffer."""
        view = memoryview(cast("bytearray", buffer))
        while not self._ready:
            chunk = self._stream.read(_RECODED_CHUNK)
            text = self._decoder.decode(chunk, final=not chunk)
            if self._first and text:
                text, self._first = text.removeprefix("\ufeff"), False
            self._ready = text.encode("utf-8", "replace")
            if not chunk:
                break
        taken = self._ready[: len(view)]
        self._ready = self._ready[len(taken) :]
        view[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        """Close it and what it reads from."""
        if not self.closed:
            self._stream.close()
        super().close()
