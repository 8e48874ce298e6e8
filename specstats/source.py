"""Opening artifacts: paths, folders, globs and bytes; digests and limits."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from specstats.defaults import DEFAULTS
from specstats.errors import ArtifactError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Source", "expand"]

_CHUNK = 1 << 20
_FOLDERS_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Source:
    """One artifact that can be opened any number of times.

    Attributes
    ----------
    name : str
        Display name, unique among the artifacts of one call: the path relative to
        what the user named, with a folder before it where two would be the same.
    relative : str
        Path relative to what the user named, for layouts and globs; `name` by
        default.
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
    relative: str = ""
    root: str = ""
    path: Path | None = None
    data: bytes = field(default=b"", repr=False)
    named: bool = True

    def __post_init__(self) -> None:
        if not self.relative:
            object.__setattr__(self, "relative", self.name)

    def open(self) -> BinaryIO:
        """Open the artifact for reading bytes: a fresh stream, at the start."""
        if self.path is None:
            return io.BytesIO(self.data)
        with _os_errors(self.name):
            return self.path.open("rb")

    def head(self) -> bytes:
        """Return the first bytes, as many as readers may see when they decide."""
        with self.open() as stream, _os_errors(self.name):
            return stream.read(DEFAULTS.sniff_bytes)

    @cached_property
    def size(self) -> int:
        """Length in bytes."""
        if self.path is None:
            return len(self.data)
        with _os_errors(self.name):
            return self.path.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        digest = hashlib.sha256()
        with self.open() as stream, _os_errors(self.name):
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
        limit = DEFAULTS.max_document_bytes
        with self.open() as stream, _os_errors(self.name):
            content = stream.read(limit + 1) if self.size <= limit else None
        if content is None or len(content) > limit:
            raise LimitExceededError(
                f"{self.size} bytes as one document; the limit is {limit}. Hint: write "
                "one entry a line (JSONL)",
                source=self.name,
            )
        return content

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
        number, rest = 0, b""
        with self.open() as stream:
            while chunk := self._chunk(stream):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    number += 1
                    yield number, self._checked(line, number)
                self._checked(rest, number + 1)
        if rest:
            yield number + 1, self._checked(rest, number + 1)

    def _chunk(self, stream: BinaryIO) -> bytes:
        with _os_errors(self.name):
            return stream.read(_CHUNK)

    def _checked(self, line: bytes, number: int) -> bytes:
        if len(line) > DEFAULTS.max_line_bytes:
            raise LimitExceededError(
                f"a line of more than {DEFAULTS.max_line_bytes} bytes",
                source=self.name,
                location=str(number),
            )
        return line.rstrip(b"\r")


@contextmanager
def _os_errors(name: str) -> Iterator[None]:
    """Turn the errors of the operating system into ours."""
    try:
        yield
    except ArtifactError:
        raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ArtifactError(f"cannot be opened ({why})", source=name) from error


def expand(source: str | Path | bytes | Sequence[str | Path]) -> list[Source]:
    """Return the artifacts that the user named, in a stable order.

    Parameters
    ----------
    source : path, glob, folder, bytes, or a list of paths
        What to read. Folders are searched through, hidden files and links left out.

    Returns
    -------
    list of Source
        At least one, each with a name of its own.

    Raises
    ------
    ArtifactError
        If a path does not exist or a folder holds no file.
    LimitExceededError
        If a folder or glob brings more than `Defaults.max_files` files.
    """
    if isinstance(source, bytes):
        return [Source(name="<bytes>", root="<bytes>", data=source)]
    if isinstance(source, str | Path):
        return _expand_one(source)
    found = [item for part in source for item in _expand_one(part)]
    if not found:
        raise ArtifactError("nothing to read. Expected a path", source="<empty list>")
    return _with_own_names(found)


def _expand_one(named: str | Path) -> list[Source]:
    path, shown = Path(named), _printable(str(named))
    if not str(named):
        raise ArtifactError("an empty path. Expected a file or a folder", source="''")
    with _os_errors(shown):
        if path.is_dir():
            return _folder(path)
        if path.exists() and not path.is_file():
            raise ArtifactError(
                "not a regular file, and readers go through a file more than once. "
                "Hint: save it first, or pass its bytes",
                source=shown,
            )
        if path.exists():
            return [Source(name=_printable(path.name), root=shown, path=path)]
        matches = _glob(path)
    if matches:
        return matches
    raise ArtifactError(
        "no such file or folder. Expected a path, a folder or a glob that matches",
        source=shown,
    )


def _glob(pattern: Path) -> list[Source]:
    parts = pattern.parts
    fixed = 0
    while fixed < len(parts) and not any(mark in parts[fixed] for mark in "*?["):
        fixed += 1
    if fixed == len(parts):
        return []
    base = Path(*parts[:fixed])
    wanted_hidden = any(part.startswith(".") for part in parts[fixed:])
    found = (
        item
        for item in base.glob("/".join(parts[fixed:]))
        if item.is_file() and (wanted_hidden or not _is_hidden(item.relative_to(base)))
    )
    return _listed(found, base, named=True)


def _folder(folder: Path) -> list[Source]:
    found = (
        item
        for item in folder.rglob("*")
        if not _is_hidden(item.relative_to(folder))
        and not item.is_symlink()
        and item.is_file()
    )
    listed = _listed(found, folder, named=False)
    if not listed:
        raise ArtifactError("the folder holds no file", source=_printable(str(folder)))
    return listed


def _is_hidden(relative: Path) -> bool:
    return any(part.startswith(".") for part in relative.parts)


def _listed(found: Iterable[Path], base: Path, *, named: bool) -> list[Source]:
    root = _printable(str(base))
    paths: list[Path] = []
    for path in found:
        paths.append(path)
        if len(paths) > DEFAULTS.max_files:
            raise LimitExceededError(
                f"more than {DEFAULTS.max_files} files", source=root
            )
    return _with_own_names(
        [
            Source(
                name=_printable(path.relative_to(base).as_posix()),
                root=root,
                path=path,
                named=named,
            )
            for path in sorted(paths)
        ]
    )


def _printable(name: str) -> str:
    """Return a file name as text that can be stored: bytes that are no UTF-8 as ?."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _with_own_names(sources: list[Source]) -> list[Source]:
    """Tell files of one name apart by the folders before them, else by a number."""
    for above in range(1, _FOLDERS_SHOWN + 1):
        paths: dict[str, set[Path | None]] = {}
        for source in sources:
            paths.setdefault(source.name, set()).add(source.path)
        if all(len(found) == 1 for found in paths.values()):
            break
        sources = [_with_folders(source, above) for source in sources]
    turns: Counter[str] = Counter()
    for place, source in enumerate(sources):
        turns[source.name] += 1
        if turns[source.name] > 1:
            name = f"{source.name} ({turns[source.name]})"
            sources[place] = replace(source, name=name)
    return sources


def _with_folders(source: Source, above: int) -> Source:
    parts = () if source.path is None else source.path.absolute().parts[1:]
    shown = "/".join(parts[-(source.relative.count("/") + 1 + above) :])
    return replace(source, name=_printable(shown) or source.name)
