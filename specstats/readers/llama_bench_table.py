"""llama-bench tables: CSV and Markdown, which hold means and deviations only."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import number
from specstats.readers.llama_bench import settings_of, test_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_HEADER = re.compile(rb"^[ \t]*\|[^\n]*\btest\b[^\n]*\bt/s\b[^\n]*\|", re.MULTILINE)
_MEAN = re.compile(r"^([\d.]+)\s*(?:\u00b1|\+/-)\s*([\d.]+)$")

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    first, _, _ = head.partition(b"\n")
    if b"avg_ts" in first and b"build_commit" in first and first[:1] not in b"{[":
        return Match(90, "CSV header with avg_ts")
    if _HEADER.search(head):
        return Match(80, "Markdown header with test and t/s")
    return Match(0, "no llama-bench table")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    content = source.document().decode("utf-8-sig", "replace")
    first, _, _ = content.partition("\n")
    comma = "avg_ts" in first and "build_commit" in first
    rows = _csv_rows(content) if comma else _markdown_rows(content)
    for line, row in rows:
        batch.entries += 1
        if row is None:
            trouble.note(batch, "SPS002", line, "row skipped: no mean can be read")
            continue
        settings = json.dumps(row.pop("settings"), sort_keys=True)
        place = {"source": source.name, "entry": line, "settings": settings}
        batch.add("aggregates", {**row, **place})
        batch.parsed += 1
    if not batch.entries:
        trouble.note(batch, "SPS002", 1, "a table header without a row below it")
    elif batch.parsed:
        trouble.note(
            batch,
            "SPS004",
            1,
            "only means and deviations, no single values: nothing can be estimated",
            observed=f"{batch.parsed} aggregated rows",
            required="single samples",
            remedy="write llama-bench -o json or -o jsonl, which keep the samples",
        )
    trouble.close(batch)
    yield batch


def _metric(label: str) -> str:
    if label.startswith("pp") and "+" not in label:
        return "prompt_rate"
    return "decode_rate" if label.startswith("tg") else "total_rate"


def _csv_rows(content: str) -> Iterator[tuple[int, Row | None]]:
    reader = csv.DictReader(content.replace("\0", "").splitlines())
    try:
        for row in reader:
            yield reader.line_num, _csv_row(row)
    except csv.Error:
        yield reader.line_num, None


def _csv_row(row: Mapping[str | None, object]) -> Row | None:
    entry: Entry = {str(key): _csv_value(value) for key, value in row.items()}
    mean = number(entry.get("avg_ts"))
    if mean is None or not test_label(entry):
        return None
    label = test_label(entry)
    return {
        "prompt_id": label,
        "metric": _metric(label),
        "unit": "tok/s",
        "mean": mean,
        "sd": number(entry.get("stddev_ts")),
        "settings": settings_of(entry),
    }


def _csv_value(value: object) -> object:
    if not isinstance(value, str):
        return None
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def _markdown_rows(content: str) -> Iterator[tuple[int, Row | None]]:
    header: list[str] = []
    for line, raw in enumerate(content.splitlines(), start=1):
        stripped = raw.strip()
        if not (stripped.startswith("|") and stripped.endswith("|")):
            header = []
            continue
        cells = [cell.strip() for cell in stripped.strip("|").split("|")]
        if "test" in cells and "t/s" in cells:
            header = cells
        elif header and set(stripped) - set("|-: "):
            yield line, _markdown_row(header, cells)


def _markdown_row(header: list[str], cells: list[str]) -> Row | None:
    if len(cells) != len(header):
        return None
    fields = dict(zip(header, cells, strict=True))
    match = _MEAN.match(fields.pop("t/s"))
    label = fields.pop("test")
    if match is None or not label:
        return None
    try:
        mean, deviation = float(match[1]), float(match[2])
    except ValueError:
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
        "mean": mean,
        "sd": deviation,
        "settings": settings,
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
