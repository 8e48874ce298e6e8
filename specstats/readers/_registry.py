"""The ordered tuple of readers, and choosing one by content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.errors import (
    AmbiguousFormatError,
    DesignError,
    MalformedArtifactError,
    UnknownFormatError,
)
from specstats.readers import (
    llama_bench,
    llama_bench_table,
    llama_server,
    nvidia_smi,
    own_jsonl,
    own_parquet,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader
    from specstats.source import Source

__all__ = ["READERS", "choose", "formats"]

_PACKED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}

READERS: tuple[Reader, ...] = (
    llama_server.READER,
    llama_bench.READER,
    llama_bench_table.READER,
    nvidia_smi.READER,
    own_jsonl.READER,
    own_parquet.READER,
)


def formats() -> tuple[Reader, ...]:
    """Return the formats that specstats reads.

    Returns
    -------
    tuple of Reader
        In the order in which they are tried.

    Examples
    --------
    >>> import specstats
    >>> [reader.name for reader in specstats.formats()][:2]
    ['llama-server', 'llama-bench']
    """
    return READERS


def choose(source: Source, *, format_name: str | None = None) -> Reader:
    """Return the reader for an artifact, by content.

    Parameters
    ----------
    source : Source
        The artifact.
    format_name : str, optional
        Name of the format, to overrule the content.

    Returns
    -------
    Reader
        The reader with the best match.

    Raises
    ------
    UnknownFormatError
        If no reader claims the bytes.
    AmbiguousFormatError
        If two claim them equally.
    DesignError
        If `format_name` is no format.
    """
    if format_name is not None:
        for reader in READERS:
            if reader.name == format_name:
                return reader
        names = tuple(reader.name for reader in READERS)
        raise DesignError.not_listed("format", format_name, names)
    head = source.head()
    if not head.strip():
        raise MalformedArtifactError("the file is empty", source=source.name)
    for magic, how in _PACKED.items():
        if head.startswith(magic):
            raise UnknownFormatError.packed(source.name, how)
    matches = [(reader, reader.sniff(head, source.name)) for reader in READERS]
    best = max(match.score for _, match in matches)
    if best == 0:
        raise UnknownFormatError.no_reader(
            source.name, [(reader.name, match.why) for reader, match in matches]
        )
    winners = [reader for reader, match in matches if match.score == best]
    if len(winners) > 1:
        raise AmbiguousFormatError.between(
            source.name, [reader.name for reader in winners]
        )
    return winners[0]
