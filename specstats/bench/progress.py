"""How far reading has come, for bars and logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.source import Source

__all__ = ["Progress", "Reading", "ShowProgress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far reading has come.

    Attributes
    ----------
    name : str
        Artifact that is being read.
    files, total_files : int
        Artifacts done, and all of them.
    bytes, total_bytes : int
        Stored bytes gone through, and all of them.
    rows : int
        Rows read.
    """

    name: str
    files: int
    total_files: int
    bytes: int
    total_bytes: int
    rows: int


ShowProgress = Callable[[Progress], None]


@dataclass(slots=True)
class Reading:
    """Counts what was read and tells whoever shows it.

    Attributes
    ----------
    sources : list of Source
        What is going to be read.
    show : callable or None
        Called at every file and every batch.
    """

    sources: list[Source]
    show: ShowProgress | None
    _files: int = 0
    _bytes: int = 0
    _rows: int = 0
    _total: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.show is not None:
            self._total = sum(source.size for source in self.sources)

    def tell(self, source: Source, rows: int = 0) -> None:
        """Say that some rows of a source were read.

        Parameters
        ----------
        source : Source
            The artifact.
        rows : int
            Rows since the last call.
        """
        self._rows += rows
        if self.show is not None:
            self.show(
                Progress(
                    name=source.name,
                    files=self._files,
                    total_files=len(self.sources),
                    bytes=self._bytes + source.position,
                    total_bytes=self._total,
                    rows=self._rows,
                )
            )

    def done(self, source: Source) -> None:
        """Say that a source was read or passed over.

        Parameters
        ----------
        source : Source
            The artifact.
        """
        self._files += 1
        if self.show is not None:
            self._bytes += source.size
