"""What the user named: paths, folders, archives, globs, standard input and bytes."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from specstats.errors import ArtifactError, LimitExceededError
from specstats.limits import LIMITS, Limits
from specstats.source._archive import archive_kind, members
from specstats.source._source import Source
from specstats.source._streams import os_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["expand"]

_FOLDERS_SHOWN = 3
# In a folder, files of these names are not asked whether they are archives.
_TEXT = frozenset(
    {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".log", ".md", ".parquet"}
)
STDIN = "-"


def expand(
    source: str | Path | bytes | Sequence[str | Path], *, limits: Limits = LIMITS
) -> list[Source]:
    """Return the artifacts that the user named, in a stable order.

    Parameters
    ----------
    source : path, glob, folder, bytes, or a list of paths
        What to read. Folders are searched through, hidden files and links left out;
        so are zip and tar archives; ``-`` is standard input.
    limits : Limits
        Limits on what is opened.

    Returns
    -------
    list of Source
        At least one, each with a name of its own.

    Raises
    ------
    ArtifactError
        If a path does not exist or a folder holds no file.
    LimitExceededError
        If a folder, glob or archive brings more than `limits` allow.
    MalformedArtifactError
        If an archive is broken.
    """
    if isinstance(source, bytes):
        return _in_memory("<bytes>", source, limits)
    if isinstance(source, str | Path):
        return _with_own_names(_expand_one(source, limits))
    found = [item for part in source for item in _expand_one(part, limits)]
    if not found:
        raise ArtifactError("nothing to read. Expected a path", source="<empty list>")
    return _with_own_names(found)


def _in_memory(name: str, content: bytes, limits: Limits) -> list[Source]:
    whole = Source(name=name, root=name, data=content, limits=limits)
    return _with_own_names(_from_archive(whole) or [whole])


def _stdin(limits: Limits) -> list[Source]:
    stream = getattr(sys.stdin, "buffer", None)
    content = b"" if stream is None else stream.read(limits.document_bytes + 1)
    if len(content) > limits.document_bytes:
        raise LimitExceededError(
            f"more than {limits.document_bytes} bytes. Hint: save it as a file, which "
            "is streamed, or raise the limit (--limit document_bytes=N)",
            source="<stdin>",
        )
    return _in_memory("<stdin>", content, limits)


def _from_archive(whole: Source, *, below: str = "") -> list[Source]:
    """Return the members of an archive as sources; none if it is no archive."""
    with _stored(whole) as stream, os_errors(whole.name):
        kind = archive_kind(stream, whole)
    if not kind:
        return []
    with _stored(whole) as stream:
        found = members(stream, kind, whole)
    if not found:
        raise ArtifactError("the archive holds no file", source=whole.name)
    return [
        Source(
            name=_printable(below + member),
            root=whole.root,
            data=content,
            named=False,
            limits=whole.limits,
        )
        for member, content in found
    ]


def _stored(whole: Source) -> BinaryIO:
    with os_errors(whole.name):
        return io.BytesIO(whole.data) if whole.path is None else whole.path.open("rb")


def _expand_one(named: str | Path, limits: Limits) -> list[Source]:
    if str(named) == STDIN and not Path(STDIN).exists():
        return _stdin(limits)
    path, shown = Path(named), _printable(str(named))
    if not str(named):
        raise ArtifactError("an empty path. Expected a file or a folder", source="''")
    with os_errors(shown):
        if path.is_dir():
            return _folder(path, limits)
        if path.exists() and not path.is_file():
            raise ArtifactError(
                "not a regular file, and readers go through a file more than once. "
                "Hint: save it first, or pass its bytes",
                source=shown,
            )
        if path.exists():
            name = _printable(path.name)
            return _unpacked([Source(name=name, root=shown, file=path, limits=limits)])
        matches = _glob(path, limits)
    if matches:
        return matches
    raise ArtifactError(
        "no such file or folder. Expected a path, a folder or a glob that matches",
        source=shown,
    )


def _unpacked(sources: list[Source]) -> list[Source]:
    """Put the members of archives in the place of the archives."""
    found: list[Source] = []
    for source in sources:
        inside: list[Source] = []
        if source.named or _suffix(source.name).lower() not in _TEXT:
            below = "" if source.named else f"{source.relative}/"
            inside = _from_archive(source, below=below)
        found.extend(inside or [source])
    return found


def _glob(pattern: Path, limits: Limits) -> list[Source]:
    parts = pattern.parts
    fixed = 0
    while fixed < len(parts) and not any(mark in parts[fixed] for mark in "*?["):
        fixed += 1
    if fixed == len(parts):
        return []
    base = Path(*parts[:fixed])
    wanted_hidden = any(part.startswith(".") for part in parts[fixed:])
    found = (
        item.relative_to(base).as_posix()
        for item in base.glob("/".join(parts[fixed:]))
        if item.is_file() and (wanted_hidden or not _is_hidden(item.relative_to(base)))
    )
    return _listed(found, base, limits, named=True)


def _folder(folder: Path, limits: Limits) -> list[Source]:
    listed = _listed(_files_below(folder), folder, limits, named=False)
    if not listed:
        raise ArtifactError("the folder holds no file", source=_printable(str(folder)))
    return listed


def _files_below(folder: Path, above: str = "") -> Iterator[str]:
    """Yield the relative paths of files that are neither hidden nor links."""
    below: list[str] = []
    shown = _printable(str(folder))
    with os_errors(shown), os.scandir(folder) as found:
        for item in found:
            if item.name.startswith("."):
                continue
            if item.is_file(follow_symlinks=False):
                yield above + item.name
            elif item.is_dir(follow_symlinks=False):
                below.append(item.name)
    for name in below:
        yield from _files_below(folder / name, f"{above}{name}/")


def _is_hidden(relative: Path) -> bool:
    return any(part.startswith(".") for part in relative.parts)


def _listed(
    found: Iterable[str], base: Path, limits: Limits, *, named: bool
) -> list[Source]:
    root = _printable(str(base))
    prefix = str(base / "_")[:-1]
    names: list[str] = []
    for name in found:
        names.append(name)
        if len(names) > limits.files:
            raise LimitExceededError(
                f"more than {limits.files} files. Hint: raise the limit (limits=, or "
                "--limit files=N)",
                source=root,
            )
    return _unpacked(
        [
            Source(
                name=_printable(name),
                root=root,
                file=prefix + name,
                named=named,
                limits=limits,
            )
            for name in sorted(names, key=_by_folder)
        ]
    )


def _suffix(name: str) -> str:
    """Return what `Path.suffix` gives, at a tenth of its price."""
    place = name.rfind(".", name.rfind("/") + 2)
    return name[place:] if 0 < place < len(name) - 1 else ""


def _by_folder(name: str) -> str:
    """Return what puts the files of a folder before those whose names go on."""
    return name.replace("/", "\0")


def _printable(name: str) -> str:
    """Return a file name as text that can be stored: bytes that are no UTF-8 as ?."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _with_own_names(sources: list[Source]) -> list[Source]:
    """Tell files of one name apart by the folders before them, else by a number."""
    if len({source.name for source in sources}) == len(sources):
        return sources
    for above in range(1, _FOLDERS_SHOWN + 1):
        paths: dict[str, set[Path | str]] = {}
        for source in sources:
            paths.setdefault(source.name, set()).add(source.path or source.root)
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
    path = Path(source.root, source.relative) if source.path is None else source.path
    parts = path.absolute().parts[1:]
    shown = "/".join(parts[-(source.relative.count("/") + 1 + above) :])
    return replace(source, name=_printable(shown) or source.name)
