"""What a reader is, and what it hands over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from specstats.defaults import DEFAULTS
from specstats.diagnostics import Finding, finding
from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from specstats.readers._chunk import Chunk
    from specstats.source import Source

__all__ = ["NO_MATCH", "Batch", "Match", "Reader", "Row", "Trouble", "located"]

Row = dict[str, object]
_NAMES = {name: table.names for name, table in TABLES.items()}
Level_ = Literal[
    "run", "request", "step", "sample", "counter", "aggregate", "telemetry"
]


@dataclass(frozen=True, slots=True)
class Match:
    """A reader's answer to the first bytes of an artifact.

    Attributes
    ----------
    score : int
        0 for no; the highest score reads the artifact.
    why : str
        Reason, for the error when nobody claims the bytes.
    """

    score: int
    why: str


_LONGEST = 1000
NO_MATCH = Match(0, "none of its marks")


@dataclass(slots=True)
class Batch:
    """Rows of the canonical tables, as columns, and what went wrong on the way.

    Attributes
    ----------
    tables : dict
        For each table, a dict of equally long columns.
    entries, parsed : int
        Entries met and entries that gave rows.
    findings : list of Finding
        Located findings.
    """

    tables: dict[str, dict[str, list[object]]] = field(default_factory=dict)
    entries: int = 0
    parsed: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, table: str, row: Mapping[str, object]) -> None:
        """Append one row; columns that the row lacks are missing.

        Parameters
        ----------
        table : str
            Name of a canonical table.
        row : mapping
            Values by column name.
        """
        columns = self.tables.get(table)
        if columns is None:
            self.tables[table] = {name: [row.get(name)] for name in _NAMES[table]}
            return
        for name, values in columns.items():
            values.append(row.get(name))

    def count(self, table: str) -> int:
        """Count the rows of a table.

        Parameters
        ----------
        table : str
            Name of a canonical table.

        Returns
        -------
        int
            Rows added so far.
        """
        columns = self.tables.get(table)
        return 0 if columns is None else len(columns["source"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A format that specstats reads.

    Attributes
    ----------
    name : str
        Key for ``format=``.
    label : str
        What the format is, in words.
    producers : tuple of str
        Versions of the producer that were seen.
    levels : tuple of str
        Levels of the values that it carries.
    boundary : str
        How launches are told apart.
    traps : tuple of str
        What readers of such files must know.
    sniff : callable
        ``sniff(head, name) -> Match``; a pure function.
    parse : callable
        ``parse(source) -> iterator of Batch``; bad entries become findings.
    marks : tuple of bytes
        Byte strings, one of which stands in the first bytes of every such file; the
        reader is not asked about files without. Empty: always asked.
    fields : tuple of (str, str)
        Where the values come from: the producer's field, and ``table.column``, with
        the unit and what is done to it in words.
    experimental : bool
        Known from the producer's source alone; no real file was seen.
    columnar : callable or None
        ``columnar(source) -> iterator of Chunk``, the same as `parse` gives, much
        faster; or None for files that are left to `parse`.
    sole : callable or None
        ``sole(source) -> row of requests``, the same as `parse` gives of a file that is
        one good request and nothing else; or None for all other files.
    """

    name: str
    label: str
    producers: tuple[str, ...]
    levels: tuple[Level_, ...]
    boundary: str
    traps: tuple[str, ...]
    sniff: Callable[[bytes, str], Match]
    parse: Callable[[Source], Iterator[Batch]]
    marks: tuple[bytes, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    experimental: bool = False
    columnar: Callable[[Source], Generator[Chunk] | None] | None = None
    sole: Callable[[Source], Mapping[str, object] | None] | None = None

    def claim(self, head: bytes, name: str) -> Match:
        """Say how well the first bytes of an artifact fit.

        Parameters
        ----------
        head : bytes
            First bytes.
        name : str
            Display name.

        Returns
        -------
        Match
            Of `sniff`; a no without asking where no mark stands in the head.
        """
        if self.marks and not any(mark in head for mark in self.marks):
            return NO_MATCH
        return self.sniff(head, name)


class Trouble:
    """Collects located findings of a file, bounded a rule."""

    __slots__ = ("_counts", "_source")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._counts: dict[str, int] = {}

    def note(
        self, batch: Batch, code: str, line: int, message: str, **details: str
    ) -> None:
        """Add a finding at a line; beyond the limit it is only counted.

        Parameters
        ----------
        batch : Batch
            Where the finding goes.
        code : str
            Rule code.
        line : int
            Line in the file, from 1.
        message : str
            What was found.
        **details : str
            ``observed``, ``required``, ``remedy``.
        """
        seen = self._counts.get(code, 0) + 1
        self._counts[code] = seen
        if seen <= DEFAULTS.max_located_findings:
            where = f"{self._source.name}:{line}"
            batch.findings.append(located(code, where, message, **details))

    def close(self, batch: Batch) -> None:
        """Say how many findings were counted beyond the limit.

        Parameters
        ----------
        batch : Batch
            Where the closing findings go.
        """
        for code, seen in self._counts.items():
            more = seen - DEFAULTS.max_located_findings
            if more > 0:
                batch.findings.append(
                    located(
                        code, self._source.name, f"{more} more of the same, not listed"
                    )
                )


def located(code: str, where: str, message: str, **details: str) -> Finding:
    """Build a finding about a place in an artifact.

    Parameters
    ----------
    code : str
        Rule code.
    where : str
        ``file`` or ``file:line``.
    message : str
        What was found.
    **details : str
        ``observed``, ``required``, ``remedy``.

    Returns
    -------
    Finding
        The finding, at the level of its rule.
    """
    short = {name: _short(told) for name, told in details.items()}
    return finding(code, _short(message), where=(where,), **short)  # type: ignore[arg-type]


def _short(told: str) -> str:
    """Cut off what an artifact may have put into a message."""
    more = len(told) - _LONGEST
    return told if more <= 0 else f"{told[:_LONGEST]}... ({more} more characters)"
