"""Plain JSON objects, one a line or in an array, with known keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader
from specstats.readers._json import BadEntry, entries, first_entry, text
from specstats.readers.tables._aliases import plan_of
from specstats.readers.tables._fields import BOUNDARY, FIELDS, TRAPS
from specstats.readers.tables._rows import ROWS_A_BATCH, TableRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from specstats.readers.tables._aliases import Plan
    from specstats.source import Source

__all__ = ["READER", "parse_with"]

_SCORE = 5
_MOST_KEYS = 500
_FLAT = 4  # of so many values one may be nested
_FIRST = 50  # objects whose keys make up the header


def _is_flat(value: object) -> bool:
    if not isinstance(value, dict) or not 1 < len(value) <= _MOST_KEYS:
        return False
    nested = sum(isinstance(item, dict | list) for item in value.values())
    return nested * _FLAT <= len(value)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = (
        isinstance(entry, dict)
        and _is_flat(entry)
        and plan_of([text(key) or "" for key in entry]) is not None
    )
    return Match(
        _SCORE if known else 0,
        "no flat objects with a measured key and a key of runs, arms or prompts",
    )


def _parse(source: Source) -> Iterator[Batch]:
    yield from parse_with(source, plan_of)


def parse_with(
    source: Source, plan_for: Callable[[Sequence[str]], Plan | None]
) -> Iterator[Batch]:
    """Read objects as the rows of a table.

    Parameters
    ----------
    source : Source
        The artifact.
    plan_for : callable
        Gives the plan for a header: the keys of the first objects.

    Yields
    ------
    Batch
        Rows and findings.

    Raises
    ------
    MalformedArtifactError
        If nothing among the keys is known.
    """
    plan = plan_for(_header(source))
    if plan is None:
        raise MalformedArtifactError(
            "no known measured key. Hint: say what the keys are (columns=, or "
            "--columns NAME=KEY)",
            source=source.name,
        )
    rows, batch = TableRows(source, plan), Batch()
    known = frozenset(field.column for field in plan.fields.values())
    for entry, value in entries(source):
        if not isinstance(value, dict):
            batch.entries += 1
            why = value.reason if isinstance(value, BadEntry) else "not a JSON object"
            rows.skip(batch, entry, why)
            continue
        if known.isdisjoint(value):
            batch.entries += 1
            rows.skip(batch, entry, "none of the known keys")
            continue
        rows.add(batch, entry, value)
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    rows.say_notes(batch)
    rows.trouble.close(batch)
    yield batch


def _header(source: Source) -> list[str]:
    """Return the keys of the first objects, in order of first appearance."""
    keys: dict[str, None] = {}
    for seen, (_, value) in enumerate(entries(source)):
        if isinstance(value, dict) and len(value) <= _MOST_KEYS:
            keys.update(dict.fromkeys(text(key) or "" for key in value))
        if seen >= _FIRST or len(keys) > _MOST_KEYS:
            break
    return list(keys)


READER = Reader(
    name="table-jsonl",
    label="plain JSON objects, one a line or in an array, with known keys",
    producers=("any tool with such columns",),
    levels=("request", "counter", "aggregate"),
    boundary=BOUNDARY,
    traps=TRAPS,
    fields=FIELDS,
    marks=(b"{",),
    sniff=_sniff,
    parse=_parse,
)
