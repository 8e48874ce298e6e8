"""nvidia-smi telemetry CSV, with and without header, units in cells or header."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble, located

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_TIME = re.compile(rb"\A\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?\s*,")
_NUMBER = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)\s*(?:MiB|W|%|C|MHz)?", re.ASCII)
_CLOCK = re.compile(
    r"(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII
)
_COLUMNS = {
    "temperature.gpu": "temperature_c",
    "power.draw": "power_w",
    "utilization.gpu": "utilisation_pct",
    "memory.used": "memory_mib",
}
_MISSING = frozenset({"", "[n/a]", "n/a", "[not supported]", "[unknown error]"})
_PROBE_ROWS = 2_000
_ROWS_A_BATCH = 50_000
_MAX_PERCENT = 100
_COLDEST = 15


def _sniff(head: bytes, name: str) -> Match:
    del name
    first, _, _ = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    if b"timestamp" in first and any(key.encode() in first for key in _COLUMNS):
        return Match(90, "nvidia-smi header")
    if _TIME.match(first):
        return Match(50, "rows that begin with an nvidia-smi timestamp")
    return Match(0, "no nvidia-smi header or timestamp")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    columns: list[str | None] | None = None
    for line, content in source.lines():
        cells = _cells(content)
        if not cells:
            continue
        if columns is None:
            columns = _header(cells)
            if columns is not None:
                continue
            columns = _infer(source, batch)
        batch.entries += 1
        row = _row(cells, columns)
        if row is None:
            trouble.note(batch, "SPS002", line, "row skipped: cells do not fit")
            continue
        batch.add("telemetry", {"source": source.name, "entry": line, **row})
        batch.parsed += 1
        if batch.count("telemetry") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _cells(content: bytes) -> list[str]:
    decoded = content.decode("utf-8-sig", "replace").replace("\0", "")
    if '"' not in decoded:
        return [cell.strip() for cell in decoded.split(",")] if decoded.strip() else []
    if decoded.count('"') % 2:
        return [decoded]
    try:
        rows = list(csv.reader([decoded]))
    except csv.Error:
        return [decoded]
    return [cell.strip() for cell in rows[0]] if rows and decoded.strip() else []


def _header(cells: Sequence[str]) -> list[str | None] | None:
    if "timestamp" not in cells:
        return None
    names = [cell.split(" [", maxsplit=1)[0] for cell in cells]
    return [
        "timestamp"
        if name == "timestamp"
        else ("gpu" if name == "index" else _COLUMNS.get(name))
        for name in names
    ]


def _infer(source: Source, batch: Batch) -> list[str | None]:
    """Name the columns of a headerless table from their values.

    Power is the only column with decimals, memory the only one beyond 100; of the
    two that remain the temperature never comes near zero.
    """
    values = _probe(source)
    columns: list[str | None] = ["timestamp", *(None for _ in values)]
    whole_numbers = []
    for index, column in enumerate(values, start=1):
        if any(value != int(value) for value in column):
            columns[index] = "power_w"
        elif column and max(column) > _MAX_PERCENT:
            columns[index] = "memory_mib"
        elif column:
            whole_numbers.append(index)
    if len(whole_numbers) == 2:  # noqa: PLR2004 - temperature and utilisation
        low, high = sorted(whole_numbers, key=lambda index: min(values[index - 1]))
        if min(values[low - 1]) < _COLDEST <= min(values[high - 1]):
            columns[low], columns[high] = "utilisation_pct", "temperature_c"
    named = [name for name in columns if name]
    if len(set(named)) != len(named):
        columns = ["timestamp", *(None for _ in values)]
    batch.findings.append(
        located(
            "SPS011",
            source.name,
            "no header: columns were named from their values",
            observed=", ".join(name or "unknown" for name in columns),
            remedy="record with nvidia-smi --format=csv, which writes a header",
        )
    )
    return columns


def _probe(source: Source) -> list[list[float]]:
    values: list[list[float]] = []
    for seen, (_, content) in enumerate(source.lines()):
        numbers = [_value(cell) for cell in _cells(content)[1:]]
        values.extend([] for _ in range(min(len(numbers), 32) - len(values)))
        for column, value in zip(values, numbers, strict=False):
            if value is not None:
                column.append(value)
        if seen >= _PROBE_ROWS:
            break
    return values


def _value(cell: str) -> float | None:
    match = _NUMBER.fullmatch(cell)
    return float(match[1]) if match else None


def _row(cells: Sequence[str], columns: Sequence[str | None]) -> Row | None:
    if len(cells) != len(columns):
        return None
    row: Row = {}
    for cell, name in zip(cells, columns, strict=True):
        if name is None:
            continue
        if name == "timestamp":
            row["local_time_s"] = _clock(cell)
        elif name == "gpu":
            row["gpu"] = cell
        else:
            value = _value(cell)
            if value is None and cell.lower() not in _MISSING:
                return None
            row[name] = value
    return row if row.get("local_time_s") is not None else None


def _clock(cell: str) -> float | None:
    match = _CLOCK.fullmatch(cell)
    if match is None:
        return None
    *parts, fraction = match.groups()
    year, month, day, hour, minute, second = map(int, parts)
    micros = int((fraction or "0").ljust(6, "0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, micros, tzinfo=UTC)
    except ValueError:
        return None
    return moment.timestamp()


READER = Reader(
    name="nvidia-smi",
    label="nvidia-smi --query-gpu telemetry CSV",
    producers=("header with units in cells", "header with units", "no header"),
    levels=("telemetry",),
    boundary="not needed: rows belong to an arm or run by declaration or by time",
    traps=(
        "timestamps are local time without a zone",
        "column order is the user's; without a header it is inferred",
    ),
    fields=(
        ("timestamp", "telemetry.local_time_s: local, without a zone"),
        ("index", "telemetry.gpu: as written"),
        ("temperature.gpu", "telemetry.temperature_c: C"),
        ("power.draw", "telemetry.power_w: W"),
        ("utilization.gpu", "telemetry.utilisation_pct: %"),
        ("memory.used", "telemetry.memory_mib: MiB"),
    ),
    sniff=_sniff,
    parse=_parse,
)
