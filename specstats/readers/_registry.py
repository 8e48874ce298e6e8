"""The ordered tuple of readers, and choosing one by content."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from specstats.errors import (
    AmbiguousFormatError,
    DesignError,
    MalformedArtifactError,
    UnknownFormatError,
)
from specstats.readers import (
    devices,
    harness,
    llamacpp,
    loadgen,
    local,
    own,
    research,
    sglang,
    suites,
    tables,
    vllm,
)
from specstats.readers._base import Reader
from specstats.readers._json import is_cut_json
from specstats.readers._marks import Marks
from specstats.readers.llamacpp.server import READER as LLAMA_SERVER
from specstats.readers.llamacpp.server import is_sole_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.source import Source

__all__ = ["READERS", "Choice", "choose", "formats"]

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_MAGIC = slice(257, 262)
ENTRY_POINTS = "specstats.readers"

READERS: tuple[Reader, ...] = (
    *llamacpp.READERS,
    *local.READERS,
    *vllm.READERS,
    *sglang.READERS,
    *loadgen.READERS,
    *research.READERS,
    *harness.READERS,
    *suites.READERS,
    *devices.READERS,
    *own.READERS,
    *tables.READERS,
)


def formats() -> tuple[Reader, ...]:
    """Return the formats that specstats reads, those of installed packages last.

    Returns
    -------
    tuple of Reader
        In the order in which they are listed.

    Raises
    ------
    DesignError
        If an installed package offers something that is no reader, or a name twice.

    Examples
    --------
    >>> import specstats
    >>> [reader.name for reader in specstats.formats()][:2]
    ['llama-server', 'llama-bench']
    """
    return (*READERS, *_installed())


@cache
def _installed() -> tuple[Reader, ...]:
    """Load the readers of other packages, from their entry points."""
    from importlib.metadata import entry_points

    found: dict[str, Reader] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda item: item.name):
        where = f"entry point {point.name!r} of group {ENTRY_POINTS!r}"
        try:
            reader = point.load()
        except Exception as error:
            raise DesignError(
                f"{where} cannot be loaded ({type(error).__name__}: {error}). "
                "Expected a specstats.readers Reader. Hint: update or remove the "
                "package that brings it"
            ) from error
        if not isinstance(reader, Reader):
            raise DesignError(
                f"{where} is a {type(reader).__name__}. Expected a Reader"
            )
        if reader.name in found or any(own.name == reader.name for own in READERS):
            raise DesignError(
                f"{where}: there is a reader {reader.name!r} already. Expected a name "
                "of its own"
            )
        found[reader.name] = reader
    return tuple(found.values())


@cache
def _marks() -> Marks:
    return Marks(formats())


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the user says of the format of all files of a call.

    Attributes
    ----------
    format_name : str or None
        Name of a format, to overrule the content.
    columns : mapping of str to str or None
        Columns of plain tables by what they mean; other files keep their format.
    """

    format_name: str | None = None
    columns: Mapping[str, str] | None = None

    def reader_of(self, source: Source) -> Reader:
        """Return the reader of an artifact: the stated one, else by content.

        Parameters
        ----------
        source : Source
            The artifact.

        Returns
        -------
        Reader
            The reader.
        """
        if self.columns is None:
            return choose(source, format_name=self.format_name)
        from specstats.readers.tables import table_reader

        if self.format_name is not None:
            raise DesignError(
                "format= and columns= (--as and --columns) contradict each other: "
                "columns are those of a plain table. Expected one of them"
            )
        reader = table_reader(self.columns)
        # Telemetry beside the tables is read by its own reader.
        if source.named or reader.claim(source.head(), source.name).score:
            return reader
        return choose(source)


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
        for reader in formats():
            if reader.name == format_name:
                return reader
        names = tuple(reader.name for reader in formats())
        raise DesignError.not_listed("format", format_name, names)
    head = source.head()
    # A response to its last key: no other reader may claim it, so none is asked.
    if not _installed() and head is source.small() and is_sole_response(head):
        return LLAMA_SERVER
    if not head.strip():
        raise MalformedArtifactError("the file is empty", source=source.name)
    if head.startswith(_ARCHIVES) or head[_TAR_MAGIC] == b"ustar":
        raise UnknownFormatError.archive(source.name)
    asked = _marks().asked(head)
    claims = [(reader.sniff(head, source.name), reader) for reader in asked]
    best = max((match.score for match, _ in claims), default=0)
    if best == 0 and is_cut_json(head, source.size):
        raise MalformedArtifactError(
            "JSON that ends in the middle, before anything that tells its format. "
            "Hint: the writer was stopped, or the copy was; write it again",
            source=source.name,
        )
    if best == 0:
        raise UnknownFormatError.no_reader(
            source.name,
            # Those without marks are asked about everything: they tell nothing.
            [(reader.name, match.why) for match, reader in claims if reader.marks],
        )
    winners = [reader for match, reader in claims if match.score == best]
    if len(winners) > 1:
        raise AmbiguousFormatError.between(
            source.name, [reader.name for reader in winners]
        )
    return winners[0]
