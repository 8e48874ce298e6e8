"""specstats' own JSONL: a header line that names the table, then one row a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import (
    BadEntry,
    decoded,
    entries,
    first_entry,
    number,
    scalar,
    text,
    whole,
)
from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["ALIASES", "HEADER_KEY", "READER", "typed"]

HEADER_KEY = "specstats.table"
ALIASES = {
    "run": "run_id",
    "prompt": "prompt_id",
    "repeat": "repetition",
    "condition": "arm",
    "mean": "value",
}
_SETTINGS = ("cfg.", "id.")
_POSITIONS = "accepted_by_position"
_ROWS_A_BATCH = 20_000
_KINDS = {
    name: {column.name: column.kind for column in table.columns}
    for name, table in TABLES.items()
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = isinstance(entry, dict) and _table_of(entry) is not None
    return Match(100 if known else 0, f"no {HEADER_KEY!r} in the first line")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    table: str | None = None
    for line, value in entries(source):
        if isinstance(value, dict) and HEADER_KEY in value:
            table = _table_of(value)
            if table is None:
                trouble.note(batch, "SPS002", line, "a header for an unknown table")
            continue
        batch.entries += 1
        if isinstance(value, BadEntry) or not isinstance(value, dict) or table is None:
            why = value.reason if isinstance(value, BadEntry) else "no row of a table"
            trouble.note(batch, "SPS002", line, f"row skipped: {why}")
            continue
        row, wrong = typed(table, value)
        if wrong:
            trouble.note(
                batch, "SPS002", line, f"row skipped: wrong type in {', '.join(wrong)}"
            )
            continue
        row["source"] = source.name
        row["entry"] = line
        batch.add(table, row)
        batch.parsed += 1
        if batch.count(table) >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _table_of(header: dict[str, object]) -> str | None:
    name = header.get(HEADER_KEY)
    return name if isinstance(name, str) and name in TABLES else None


def typed(table: str, value: dict[str, object]) -> tuple[Row, list[str]]:
    """Return a row of a canonical table and the columns that do not fit it.

    Parameters
    ----------
    table : str
        Name of the table.
    value : dict
        Values by column name or alias; ``cfg.*`` and ``id.*`` become settings.

    Returns
    -------
    row : dict
        Values by column name.
    wrong : list of str
        Names of columns whose value has another type than declared.
    """
    named = {ALIASES.get(key, key): item for key, item in value.items()}
    row: Row = {}
    wrong: list[str] = []
    kinds = _KINDS[table]
    for name, item in named.items():
        kind = kinds.get(name)
        if kind is None or item is None:
            continue
        cast = _cast(kind, item)
        if cast is None:
            wrong.append(name)
        row[name] = cast
    if "settings" in kinds:
        settings = _settings(named)
        if settings is None:
            wrong.append("settings")
        elif settings or named.get("settings") is not None:
            row["settings"] = json.dumps(settings, sort_keys=True)
    if not _is_counts(row.get(_POSITIONS)):
        wrong.append(_POSITIONS)
    if not row and not wrong:
        wrong.append("every column: none is known")
    if table == "requests":
        row.setdefault("ok", row.get("error") is None)
    return row, wrong


def _is_counts(written: object) -> bool:
    """Whether a column is missing or a JSON list of counts."""
    if not isinstance(written, str):
        return True
    counts = decoded(written.encode("utf-8", "replace"))
    return isinstance(counts, list) and all(
        isinstance(count, int) and whole(count) is not None for count in counts
    )


def _settings(named: dict[str, object]) -> Row | None:
    """Return the settings column and the columns ``cfg.*`` and ``id.*`` as one."""
    written = named.get("settings")
    recorded = (
        decoded(written.encode("utf-8", "replace")) if isinstance(written, str) else {}
    )
    if not isinstance(recorded, dict) or not isinstance(written, str | None):
        return None
    if not all(str(key).startswith(_SETTINGS) for key in recorded):
        return None
    columns = {key: item for key, item in named.items() if key.startswith(_SETTINGS)}
    both = {**recorded, **columns}
    values = {text(key) or "": scalar(item) for key, item in both.items()}
    return {
        key: value
        for key, value in values.items()
        if value is not None or both.get(key, 0) is None
    }


def _cast(kind: str, item: object) -> object:
    if kind == "bool":
        return item if isinstance(item, bool) else None
    if kind == "int":
        return whole(item)
    return number(item) if kind == "float" else text(item)


READER = Reader(
    name="specstats-jsonl",
    label="specstats' own JSONL (specstats convert --to jsonl)",
    producers=("specstats 0.1",),
    levels=("request", "step", "counter", "aggregate", "telemetry"),
    boundary="the run column",
    traps=(),
    fields=(
        ("columns of requests", "requests.*: as written"),
        ("columns of steps", "steps.*: as written"),
        ("columns of counters", "counters.*: as written"),
        ("columns of aggregates", "aggregates.*: as written"),
        ("columns of telemetry", "telemetry.*: as written"),
        (
            "run, prompt, repeat, condition",
            "requests.*: short for run_id, prompt_id, repetition, arm",
        ),
        ("cfg.*, id.*", "requests.settings: joined with the settings column"),
    ),
    sniff=_sniff,
    parse=_parse,
)
