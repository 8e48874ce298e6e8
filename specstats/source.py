"""Opening artifacts: paths, folders, globs and bytes; digests and limits."""

from __future__ import annotations

import fnmatch
import hashlib
import io
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from specstats.defaults import DEFAULTS
from specstats.errors import ArtifactError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Source", "expand"]

_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Source:
    """One artifact that can be opened any number of times.

    Attributes
    ----------
    name : str
        Display name: the path relative to what the user named.
    root : str
        What the user named: a folder, a file, or ``<bytes>``.
    path : Path or None
        Where it lies; None for bytes in memory.
    data : bytes
        Content when there is no path.
    named : bool
        Whether the user named this very file (rather than its folder).
    """

    name: str
    root: str = ""
    path: Path | None = None
    data: bytes = field(default=b"", repr=False)
    named: bool = True

    def open(self) -> BinaryIO:
        """Open the artifact for reading bytes.

        Returns
        -------
        BinaryIO
            A fresh stream at the start.

        Raises
        ------
        ArtifactError
            If the file cannot be opened.
        """
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise ArtifactError(
                f"cannot be opened ({error.strerror})", source=self.name
            ) from error

    def head(self) -> bytes:
        """Return the first bytes, as many as readers may see when they decide."""
        with self.open() as stream:
            return stream.read(DEFAULTS.sniff_bytes)

    @cached_property
    def size(self) -> int:
        """Length in bytes."""
        return len(self.data) if self.path is None else self.path.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def document(self) -> bytes:
        """Return all bytes, for formats that are one document.

        Returns
        -------
        bytes
            The whole content.

        Raises
        ------
        LimitExceededError
            If the file is larger than `Defaults.max_document_bytes`.
        """
        if self.size > DEFAULTS.max_document_bytes:
            raise LimitExceededError(
                f"{self.size} bytes as one document; the limit is "
                f"{DEFAULTS.max_document_bytes}. Hint: write one entry a line (JSONL)",
                source=self.name,
            )
        with self.open() as stream:
            return stream.read()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line with its number, from 1, without its line end.

        Yields
        ------
        tuple of int and bytes
            Line number and content.

        Raises
        ------
        LimitExceededError
            If a line is longer than `Defaults.max_line_bytes`.
        """
        limit = DEFAULTS.max_line_bytes
        with self.open() as stream:
            number = 0
            while line := stream.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    raise LimitExceededError(
                        f"a line of more than {limit} bytes",
                        source=self.name,
                        location=str(number),
                    )
                yield number, line.rstrip(b"\r\n")


def expand(source: str | Path | bytes | Sequence[str | Path]) -> list[Source]:
    """Return the artifacts that the user named, in a stable order.

    Parameters
    ----------
    source : path, glob, folder, bytes, or a list of paths
        What to read. Folders are searched through, hidden files left out.

    Returns
    -------
    list of Source
        At least one.

    Raises
    ------
    ArtifactError
        If a path does not exist or a folder holds no file.
    LimitExceededError
        If a folder brings more than `Defaults.max_files` files.
    """
    if isinstance(source, bytes):
        return [Source(name="<bytes>", root="<bytes>", data=source)]
    if isinstance(source, str | Path):
        return _expand_one(Path(source))
    return [found for item in source for found in _expand_one(Path(item))]


def _expand_one(path: Path) -> list[Source]:
    if path.is_dir():
        return _folder(path)
    if path.exists():
        return [Source(name=path.name, root=str(path), path=path)]
    matches = _glob(path)
    if matches:
        return matches
    raise ArtifactError(
        "no such file or folder. Expected a path, a folder or a glob that matches",
        source=str(path),
    )


def _glob(pattern: Path) -> list[Source]:
    text = str(pattern)
    if not any(mark in text for mark in "*?["):
        return []
    parts = pattern.parts
    fixed = 0
    while fixed < len(parts) and not any(mark in parts[fixed] for mark in "*?["):
        fixed += 1
    base = Path(*parts[:fixed]) if fixed else Path()
    rest = "/".join(parts[fixed:])
    return [
        Source(name=item.relative_to(base).as_posix(), root=str(base), path=item)
        for item in sorted(base.glob(rest))
        if item.is_file()
    ]


def _folder(folder: Path) -> list[Source]:
    found: list[Source] = []
    for item in sorted(folder.rglob("*")):
        relative = item.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if hidden or item.is_symlink() or not item.is_file():
            continue
        found.append(
            Source(name=relative.as_posix(), root=str(folder), path=item, named=False)
        )
        if len(found) > DEFAULTS.max_files:
            raise LimitExceededError(
                f"more than {DEFAULTS.max_files} files", source=str(folder)
            )
    if not found:
        raise ArtifactError("the folder holds no file", source=str(folder))
    return found


def matches_glob(source: Source, pattern: str) -> bool:
    """Whether a glob, absolute or relative to what the user named, fits a source.

    Parameters
    ----------
    source : Source
        The artifact.
    pattern : str
        Glob; ``*`` does not cross a folder boundary unless written ``**``.

    Returns
    -------
    bool
        True when it fits the absolute path, the relative name, or the file name.
    """
    if Path(pattern).is_absolute():
        return source.path is not None and _fits(str(source.path.absolute()), pattern)
    if _fits(source.name, pattern):
        return True
    return source.path is not None and _fits(source.path.as_posix(), pattern)


def _fits(name: str, pattern: str) -> bool:
    names, patterns = name.split("/"), pattern.split("/")
    return _fits_parts(names, patterns)


def _fits_parts(names: list[str], patterns: list[str]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(
            _fits_parts(names[skip:], patterns[1:]) for skip in range(len(names) + 1)
        )
    return (
        bool(names)
        and fnmatch.fnmatchcase(names[0], patterns[0])
        and _fits_parts(names[1:], patterns[1:])
    )
