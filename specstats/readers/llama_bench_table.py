"""llama-bench tables: CSV and Markdown, which hold means and deviations only."""

from __future__ import annotations

import csv
import json
import re
from itertools import chain
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import number
from specstats.readers.llama_bench import IDENTITIES, settings_of, test_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_MEAN = re.compile(
    r"(\d{1,15}(?:\.\d{1,15})?)\s*(?:\u00b1|\+/-)\s*(\d{1,15}(?:\.\d{1,15})?)", re.ASCII
)
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_REAL = re.compile(r"-?\d{1,15}\.\d{1,15}", re.ASCII)
_HEADER_CELLS = frozenset({"test", "t/s"})
_VARYING = frozenset({"test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"})
_CSV_HEADER = frozenset({"avg_ts", "build_commit"})
_REMEMBERED = 4096  # settings of rows, as text

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    first, _, _ = head.partition(b"\n")
    if set(_cells(_text(first)) or ()) >= _CSV_HEADER:
        return Match(90, "CSV header with avg_ts")
    for line in head.split(b"\n"):
        likely = line.lstrip(b" \t").startswith(b"|") and b"t/s" in line
        if likely and set(_markdown_cells(_text(line)) or ()) >= _HEADER_CELLS:
            return Match(80, "Markdown header with test and t/s")
    return Match(0, "no llama-bench table")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    lines = ((place, _text(line)) for place, line in source.lines())
    first = next(lines, (1, ""))
    header = _cells(first[1]) or []
    comma = set(header) >= _CSV_HEADER
    rows = _csv_rows(header, lines) if comma else _markdown_rows(chain([first], lines))
    for line, row in rows:
        batch.entries += 1
        if row is None:
            trouble.note(batch, "SPS002", line, "row skipped: no mean can be read")
            continue
        row["source"], row["entry"] = source.name, line
        batch.add("aggregates", row)
        batch.parsed += 1
    if not batch.entries:
        trouble.note(batch, "SPS002", 1, "a table header without a row below it")
    trouble.close(batch)
    yield batch


def _text(line: bytes) -> str:
    return line.decode("utf-8-sig", "replace").replace("\0", "").strip()


def _cells(line: str) -> list[str] | None:
    """Split a CSV line; None when it breaks off inside quotes."""
    if '"' not in line:
        return line.split(",")
    if line.count('"') % 2:
        return None
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return None


def _metric(label: str) -> str:
    if label.startswith("pp") and "+" not in label:
        return "prompt_rate"
    return "decode_rate" if label.startswith("tg") else "total_rate"


def _csv_rows(
    header: list[str], lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, Row | None]]:
    remembered: dict[tuple[str, ...], Row | None] = {}
    vary = [name in _VARYING for name in header]
    for place, line in lines:
        if not line:
            continue
        cells = _cells(line)
        if cells is None or len(cells) != len(header):
            yield place, None
            continue
        kept = tuple(
            "" if varies else cell for cell, varies in zip(cells, vary, strict=True)
        )
        if kept not in remembered:
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            remembered[kept] = _csv_test(header, kept)
        yield place, _csv_row(dict(zip(header, cells, strict=True)), remembered[kept])


def _csv_test(header: list[str], cells: Sequence[str]) -> Row | None:
    """Return what all rows of a test with the same settings share."""
    entry: Entry = {
        name: cell if name in IDENTITIES else _csv_value(cell)
        for name, cell in zip(header, cells, strict=True)
    }
    label = test_label(entry)
    if not label:
        return None
    return {
        "prompt_id": label,
        "metric": _metric(label),
        "unit": "tok/s",
        "settings": json.dumps(settings_of(entry), sort_keys=True),
    }


def _csv_row(cells: Mapping[str, str], test: Row | None) -> Row | None:
    mean = number(_csv_value(cells["avg_ts"]))
    if mean is None or mean < 0 or test is None:
        return None
    return {**test, "mean": mean, "sd": number(_csv_value(cells.get("stddev_ts", "")))}


def _csv_value(cell: str) -> float | str:
    if _WHOLE.fullmatch(cell):
        return int(cell)
    return float(cell) if _REAL.fullmatch(cell) else cell


def _markdown_cells(line: str) -> list[str] | None:
    if not (line.startswith("|") and line.endswith("|")):
        return None
    return [cell.strip() for cell in line.strip("|").split("|")]


def _markdown_rows(
    lines: Iterable[tuple[int, str]],
) -> Iterator[tuple[int, Row | None]]:
    header: list[str] = []
    for place, line in lines:
        cells = _markdown_cells(line)
        if cells is None:
            header = []
        elif set(cells) >= _HEADER_CELLS:
            header = cells
        elif header and set(line) - set("|-: "):
            yield place, _markdown_row(header, cells)


def _markdown_row(header: list[str], cells: list[str]) -> Row | None:
    if len(cells) != len(header):
        return None
    fields = dict(zip(header, cells, strict=True))
    match = _MEAN.fullmatch(fields.pop("t/s"))
    label = fields.pop("test")
    if match is None or not label:
        return None
    settings: Entry = {
        ("id." if key in {"model", "backend"} else "cfg.") + key: value
        for key, value in fields.items()
        if key not in {"size", "params"}
    }
    return {
        "prompt_id": label,
        "metric": _metric(label),
        "unit": "tok/s",
        "mean": float(match[1]),
        "sd": float(match[2]),
        "settings": json.dumps(settings, sort_keys=True),
    }


READER = Reader(
    name="llama-bench-table",
    label="llama-bench tables (-o csv, -o md): means and deviations only",
    producers=("b7941", "b9010"),
    levels=("aggregate",),
    boundary="not needed: nothing is estimated from aggregates",
    traps=("the deviation is the spread inside one process",),
    sniff=_sniff,
    parse=_parse,
)
