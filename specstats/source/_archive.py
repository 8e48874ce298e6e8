"""The members of zip and tar archives, read into memory and never onto the disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, cast

from specstats.errors import LimitExceededError, MalformedArtifactError
from specstats.source._streams import Unpacked, os_errors, packing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source._source import Source

__all__ = ["archive_kind", "members"]

_TAR_MAGIC = slice(257, 262)
_HEAD = 512
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    KeyError,
    RuntimeError,  # NotImplementedError too: compression that Python does not have
    OverflowError,
    UnicodeError,
)


class _Strict(tarfile.TarInfo):
    """A header that says so when it is broken or missing: tarfile ends silently."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Strict:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):  # the end, as it should
                raise
            why = "no end" if not buf else str(error)
            raise tarfile.ReadError(f"{why}: cut off?") from error


def archive_kind(stream: BinaryIO, whole: Source) -> str:
    """Return ``zip``, ``tar`` or an empty string, by the first bytes.

    Parameters
    ----------
    stream : binary stream
        The file, at its start; it is left somewhere else.
    whole : Source
        The file, for its name, size and limits.

    Returns
    -------
    str
        Kind of archive.
    """
    first = stream.read(_HEAD)
    if first.startswith(_ZIP):
        return "zip"
    packing = packing_of(first)
    if packing is not None:
        stream.seek(0)
        unpacked = _unpacked(stream, packing, whole)
        try:
            first = unpacked.read(_HEAD) or b""
        except MalformedArtifactError:
            return ""
    return "tar" if first[_TAR_MAGIC] == b"ustar" else ""


def members(stream: BinaryIO, kind: str, whole: Source) -> list[tuple[str, bytes]]:
    """Return the regular files in an archive: names and contents.

    Parameters
    ----------
    stream : binary stream
        The archive; it is rewound.
    kind : str
        ``zip`` or ``tar``.
    whole : Source
        The archive, for its name, size and limits.

    Returns
    -------
    list of (str, bytes)
        In the order of their names; hidden files, links and devices are left out.

    Raises
    ------
    LimitExceededError
        If there are too many members, or they unpack to too much.
    MalformedArtifactError
        If the archive is broken or encrypted.
    """
    found: list[tuple[str, bytes]] = []
    name, limits = whole.name, whole.limits
    left = limits.document_bytes
    with _errors(name):
        stream.seek(0)
        listed = _zip(stream, name) if kind == "zip" else _tar(stream, whole)
        for count, (member, content) in enumerate(listed, start=1):
            if count > limits.members:
                raise LimitExceededError(
                    f"more than {limits.members} members. Hint: raise the limit "
                    "(limits=, or --limit members=N)",
                    source=name,
                )
            shown = _inside(member)
            if shown is None:
                continue
            data = content.read(left + 1)
            left -= len(data)
            if left < 0:
                raise LimitExceededError(
                    f"its members unpack to more than {limits.document_bytes} bytes. "
                    "Hint: unpack it, or raise the limit (limits=, or --limit "
                    "document_bytes=N)",
                    source=name,
                )
            found.append((shown, data))
    return sorted(found)


def _inside(member: str) -> str | None:
    """Return the name of a member without what would lead out; None if hidden."""
    parts = PurePosixPath(member.replace("\\", "/")).parts
    kept = [part for part in parts if part not in {"/", ".."} and ":" not in part]
    if not kept or any(part.startswith(".") for part in kept):
        return None
    return "/".join(kept)


def _zip(stream: BinaryIO, name: str) -> Iterator[tuple[str, BinaryIO]]:
    with zipfile.ZipFile(stream) as archive:
        for item in archive.infolist():
            if item.is_dir():
                continue
            if item.flag_bits & _ENCRYPTED:
                raise MalformedArtifactError(
                    f"its member {item.filename!r} is encrypted. Expected an archive "
                    "without a password",
                    source=name,
                )
            with archive.open(item) as content:
                yield item.filename, cast("BinaryIO", content)


def _tar(stream: BinaryIO, whole: Source) -> Iterator[tuple[str, BinaryIO]]:
    packing = packing_of(stream.read(8))
    stream.seek(0)
    if packing is not None:
        unpacked = _unpacked(stream, packing, whole)
        stream = cast("BinaryIO", io.BufferedReader(unpacked))
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Strict) as archive:
        for item in archive:
            content = archive.extractfile(item) if item.isreg() else None
            if content is not None:
                yield item.name, cast("BinaryIO", content)


def _unpacked(stream: BinaryIO, packing: str, whole: Source) -> Unpacked:
    return Unpacked(
        stream, packing, name=whole.name, size=whole.size, limits=whole.limits
    )


@contextmanager
def _errors(name: str) -> Iterator[None]:
    try:
        with os_errors(name):
            yield
    except _BROKEN as error:
        raise MalformedArtifactError(
            f"the archive is broken ({error})", source=name
        ) from error
