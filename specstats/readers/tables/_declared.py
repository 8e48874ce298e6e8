"""A reader for plain tables whose columns the user declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader
from specstats.readers._json import first_entry, text
from specstats.readers.tables import csv, jsonl, parquet
from specstats.readers.tables._fields import FIELDS, TRAPS
from specstats.readers.tables._mapping import check_names, mapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.readers._base import Batch
    from specstats.readers.tables._aliases import Plan
    from specstats.source import Source

__all__ = ["table_reader"]

_SCORE = 100
_PROBE = 65_536
_BRACES = frozenset({b"{", b"["})


def table_reader(mapping: Mapping[str, str]) -> Reader:
    """Return a reader that uses exactly the columns that are declared.

    It reads delimited text, JSON objects, and Parquet and Arrow files, and claims
    those that have all the columns.

    Parameters
    ----------
    mapping : mapping of str to str
        Columns by canonical name, such as ``{"run": "launch_no", "arm": "method",
        "decode_rate": "tok/s", "ttft_ms": "latency"}``.

    Returns
    -------
    Reader
        Its launches are those of ``run``.

    Raises
    ------
    DesignError
        If a name is not known or nothing measured is declared.
    """
    declared = dict(mapping)
    check_names(declared)
    wanted = {column.strip() for column in declared.values()}

    def plan_for(header: Sequence[str]) -> Plan:
        return mapped(header, declared)

    def sniff(head: bytes, name: str) -> Match:
        del name
        found = {column.strip() for column in _header(head)}
        lacking = sorted(wanted - found)
        why = f"no column {', '.join(map(repr, lacking))}"
        if head.startswith(parquet.MAGICS):
            return Match(_SCORE, why)
        return Match(0 if lacking else _SCORE, why)

    def parse(source: Source) -> Iterator[Batch]:
        head = source.head()
        if head.startswith(parquet.MAGICS):
            yield from parquet.parse_with(source, plan_for)
        elif head.lstrip()[:1] in _BRACES:
            yield from jsonl.parse_with(source, plan_for)
        else:
            yield from csv.parse_with(source, plan_for)

    return Reader(
        name="table-declared",
        label="plain table whose columns are declared",
        producers=("any tool with such columns",),
        levels=("request", "counter", "aggregate"),
        boundary="declared: each value of the column 'run' is a launch",
        traps=TRAPS,
        fields=FIELDS,
        sniff=sniff,
        parse=parse,
    )


def _header(head: bytes) -> list[str]:
    if head.lstrip()[:1] in _BRACES:
        entry = first_entry(head)
        return [text(key) or "" for key in entry] if isinstance(entry, dict) else []
    return csv.header_in(head[:_PROBE].decode("utf-8", "replace"))
