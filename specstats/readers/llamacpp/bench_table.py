"""llama-bench tables: CSV and Markdown, which hold means and deviations only."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import process_of, settings_text
from specstats.readers.llamacpp._bench_cells import (
    SHORT_NAMES,
    csv_row,
    csv_test,
    row_of,
    value_of,
)
from specstats.readers.llamacpp._preamble import Preamble, heading_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MEAN = re.compile(
    r"(\d{1,15}(?:\.\d{1,15})?)\s*(?:\u00c2?\u00b1|\+/-|\ufffd{1,2})"
    r"\s*(\d{1,15}(?:\.\d{1,15})?)",
    re.ASCII,
)
_OLD_LABEL = re.compile(r"\b(pp|tg) (?=\d)")
_FOOTER = re.compile(r"build: (\w{1,40}) \((\d{1,9})\)", re.ASCII)
_HEADER_CELLS = frozenset({"test", "t/s"})
_CSV_HEADER = frozenset({"avg_ts", "build_commit"})
_VARYING = frozenset({"test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"})
_CRASHED = re.compile(
    rb"^[^\n{]{0,200}\bllama-bench(?:\.exe)?\([^)\n]{0,80}\) ?\[0x", re.MULTILINE
)
_REMEMBERED = 4096  # settings of rows, as text


def _sniff(head: bytes, name: str) -> Match:
    del name
    for line in head.split(b"\n"):
        if b"t/s" not in line and b"avg_ts" not in line:
            continue
        header, is_csv = _header(_text(line))
        if header is not None and is_csv:
            return Match(90, "CSV header with avg_ts")
        if header is not None:
            return Match(80, "Markdown header with test and t/s")
    if _CRASHED.search(head) and b"samples_ns" not in head:
        return Match(70, "stack of a llama-bench that crashed")
    return Match(0, "no llama-bench table")


@dataclass(slots=True)
class _Table:
    """The table that the lines so far belong to."""

    builds: dict[int, Row]
    header: list[str] = field(default_factory=list)
    is_csv: bool = False
    is_interrupted: bool = False
    launch: int = -1
    number: int = -1
    line: int = 0
    is_empty: bool = False
    has_rows: bool = False
    empty: list[int] = field(default_factory=list)
    heading: str | None = None
    next_heading: str | None = None
    tests: dict[tuple[str, ...], Row | None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    preamble: Preamble = field(default_factory=Preamble)

    def open(self, header: list[str], line: int, *, is_csv: bool) -> None:
        self.close()
        self.line, self.is_empty = line, True
        self.header, self.is_csv, self.is_interrupted = header, is_csv, False
        self.launch, self.number = self.launch + 1, self.number + 1
        self.heading, self.next_heading = self.next_heading, None
        self.tests.clear()
        self.seen.clear()

    def close(self) -> None:
        if self.is_empty:
            self.empty.append(self.line)
        self.is_empty = False


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    table = _Table(_builds(source))
    for line, content in source.lines():
        text = _text(content)
        row = _row(text, line, table)
        if row is None:
            continue
        batch.entries += 1
        table.is_empty, table.has_rows = False, True
        if "why" in row:
            trouble.note(batch, "SPS002", line, f"row skipped: {row['why']}")
            continue
        if row.pop("wrapped", False):
            trouble.note(
                batch,
                "SPS009",
                line,
                f"{row['prompt_id']}: stddev_ns contradicts stddev_ts, which is used",
                remedy="write -o json or -o jsonl, which keep the samples",
            )
        row.update(
            source=source.name,
            entry=line,
            workload=table.heading,
            process=process_of(source, table.launch),
        )
        batch.add("aggregates", row)
        batch.parsed += 1
        if batch.parsed >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    _note_failure(table, batch, trouble)
    trouble.close(batch)
    yield batch


def _note_failure(table: _Table, batch: Batch, trouble: Trouble) -> None:
    crash = table.preamble.crash
    if table.has_rows:
        table.close()
        for line in table.empty:
            message = "a table header without a row: this launch counts as none"
            trouble.note(batch, "SPS014", line, message)
        table.preamble.note_crash(batch, trouble, "rows may be missing")
        return
    has_header = table.launch >= 0
    trouble.note(
        batch,
        "SPS014",
        table.preamble.crash_line or 1,
        "llama-bench left "
        + ("a table header without a row" if has_header else "no table")
        + (", it crashed" if crash else ""),
        observed=crash,
        required="a row for each test",
        remedy="this launch counts as none: run it again",
    )


def _builds(source: Source) -> dict[int, Row]:
    """Return the build that the footer of each table names, by its number."""
    builds: dict[int, Row] = {}
    number = -1
    for _, content in source.lines():
        if content.startswith(b"build: "):
            found = _FOOTER.fullmatch(_text(content))
            if found is not None:
                build: Row = {"id.build_commit": found[1], "id.build_number": found[2]}
                builds.setdefault(number, build)
        elif b"t/s" in content or b"avg_ts" in content:
            header, _ = _header(_text(content))
            number += header is not None
    return builds


def _header(text: str) -> tuple[list[str] | None, bool]:
    """Return the cells of a header and whether it is one of CSV."""
    cells = _markdown_cells(text)
    if cells is not None:
        return (cells if set(cells) >= _HEADER_CELLS else None), False
    if "avg_ts" in text:
        cells = _cells(text) or []
        if set(cells) >= _CSV_HEADER:
            return cells, True
    return None, False


def _row(text: str, line: int, table: _Table) -> Row | None:
    """Return a row of the table, one with ``why`` that cannot be read, or None."""
    if "t/s" in text or "avg_ts" in text:
        header, is_csv = _header(text)
        if header is not None:
            table.open(header, line, is_csv=is_csv)
            return None
    if not text:
        table.is_interrupted = True
        return None
    if table.header and table.is_csv:
        likely = text.startswith('"') or 2 * text.count(",") >= len(table.header)
        if likely:
            return _csv_row(text, table)
    elif table.header and text.startswith("|"):
        return _markdown_row(text, table)
    table.next_heading = heading_of(text) or table.next_heading
    table.is_interrupted = True
    table.preamble.take(line, text)
    return None


def _text(line: bytes) -> str:
    # Lines of the head keep the carriage return of a Windows line end.
    shown = line.rstrip(b"\r").rpartition(b"\r")[2]
    return shown.decode("utf-8-sig", "replace").replace("\0", "").strip()


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


def _csv_row(text: str, table: _Table) -> Row | None:
    cells, header = _cells(text), table.header
    if cells is None or len(cells) != len(header):
        return {"why": "it does not have the cells of the header"}
    kept = tuple(
        "" if name in _VARYING else cell
        for name, cell in zip(header, cells, strict=True)
    )
    if kept not in table.tests:
        if len(table.tests) >= _REMEMBERED:
            table.tests.clear()
        table.tests[kept] = csv_test(header, kept)
    row = csv_row(dict(zip(header, cells, strict=True)), table.tests[kept])
    if row is None:
        return {"why": "no test or no mean can be read"}
    key = f"{row['prompt_id']} {row['settings']}"
    if key in table.seen:
        table.launch += 1
        table.seen.clear()
    table.seen.add(key)
    return row


def _markdown_cells(line: str) -> list[str] | None:
    if len(line) < 2 or not (line.startswith("|") and line.endswith("|")):  # noqa: PLR2004
        return None
    return [cell.strip() for cell in line[1:-1].split("|")]


def _markdown_row(text: str, table: _Table) -> Row | None:
    if not set(text) - set("|-: "):
        return None
    # Behind other lines it may be a table of the reader's own notes.
    bad: Row | None = None
    if not table.is_interrupted:
        bad = {"why": "no mean can be read"}
    cells = _markdown_cells(text)
    if cells is None or len(cells) != len(table.header):
        return bad
    fields = dict(zip(table.header, cells, strict=True))
    mean = _MEAN.fullmatch(fields.pop("t/s"))
    label = _OLD_LABEL.sub(r"\1", fields.pop("test"))
    if mean is None or not label:
        return bad
    settings: Row = {}
    for key, cell in fields.items():
        name = SHORT_NAMES.get(key, key)
        if key in {"model", "backend"}:
            settings[f"id.{name}"] = cell
        elif key not in {"size", "params"}:
            settings[f"cfg.{name}"] = value_of(cell)
    devices = {
        key: value
        for key, value in table.preamble.settings.items()
        if key in {"id.gpu_info", "id.driver"}
    }
    build = table.builds.get(table.number, {})
    told = settings_text({**devices, **build, **settings})
    return {**row_of(label, told), "value": float(mean[1]), "sd": float(mean[2])}


READER = Reader(
    name="llama-bench-table",
    label="llama-bench tables (-o csv, -o md): means and deviations only",
    producers=("b7356", "b7941", "b9010"),
    levels=("aggregate",),
    boundary="proved: one process a table; a test that comes again in CSV begins "
    "another; nothing is estimated from aggregates",
    traps=(
        "the deviation is the spread inside one process",
        "the build stands below a Markdown table and belongs to the rows above it",
        "rows of two tables may agree in every column and differ in build or device",
        "a crash leaves a header without rows, or its report between the rows",
        "stddev_ns wraps at 2^64 and is not read; stddev_ts is right",
    ),
    fields=(
        ("avg_ts, t/s", "aggregates.value: tok/s, mean"),
        (
            "stddev_ts, the number behind the sign",
            "aggregates.sd: tok/s, inside one process",
        ),
        (
            "n_prompt, n_gen, n_depth, test",
            "aggregates.prompt_id: the label of the test",
        ),
        ("test", "aggregates.metric: prompt_rate, decode_rate or total_rate"),
        ("heading above a table", "aggregates.workload: as written"),
        ("build: (below a table)", "aggregates.settings: id.build_commit and number"),
        ("model, backend, devices", "aggregates.settings: id.*"),
        (
            "all other columns",
            "aggregates.settings: cfg.*, named as in the JSON output",
        ),
    ),
    marks=(b"t/s", b"avg_ts", b"llama-bench("),
    sniff=_sniff,
    parse=_parse,
)
