"""llama-bench -o sql: means and deviations as INSERT statements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import process_of
from specstats.readers._text import text_lines
from specstats.readers.llamacpp._bench_cells import csv_row, csv_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_INSERT = re.compile(
    r"INSERT INTO \w{1,60} \(([\w, ]{1,5000})\) VALUES \((.{1,100000})\);?\s*",
    re.ASCII,
)
_VALUE = re.compile(r"\s*(?:'((?:[^']|'')*)'|([-\w.]+))\s*(?:,|$)")


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = b"INSERT INTO" in head and b"build_commit" in head and b"avg_ts" in head
    return Match(80 if known else 0, "no INSERT statements with build_commit, avg_ts")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    launch, seen = 0, set[str]()
    for line, text in text_lines(source):
        if not text.startswith("INSERT INTO"):
            continue
        batch.entries += 1
        row = _row(text)
        if row is None:
            message = "entry skipped: no llama-bench record with a rate"
            trouble.note(batch, "SPS002", line, message)
            continue
        if row.pop("wrapped", False):
            trouble.note(
                batch,
                "SPS009",
                line,
                f"{row['prompt_id']}: stddev_ns contradicts stddev_ts, which is used",
                remedy="write -o json or -o jsonl, which keep the samples",
            )
        key = f"{row['prompt_id']} {row['settings']}"
        if key in seen:
            launch, seen = launch + 1, set()
        seen.add(key)
        row.update(source=source.name, entry=line, process=process_of(source, launch))
        batch.add("aggregates", row)
        batch.parsed += 1
        if batch.parsed >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _row(text: str) -> Row | None:
    found = _INSERT.fullmatch(text)
    if found is None:
        return None
    names = [name.strip() for name in found[1].split(",")]
    values = _values(found[2])
    if values is None or len(values) != len(names):
        return None
    cells = dict(zip(names, values, strict=True))
    return csv_row(cells, csv_test(list(cells), list(cells.values())))


def _values(text: str) -> list[str] | None:
    values: list[str] = []
    place = 0
    while place < len(text):
        found = _VALUE.match(text, place)
        if found is None:
            return None
        quoted = found[1]
        values.append(found[2] if quoted is None else quoted.replace("''", "'"))
        place = found.end()
    return values


READER = Reader(
    name="llama-bench-sql",
    label="llama-bench -o sql: means and deviations only",
    producers=("b5163",),
    levels=("aggregate",),
    boundary="proved: one process an invocation; a test that comes again begins "
    "another; nothing is estimated from aggregates",
    traps=(
        "there are no samples: write -o json or -o jsonl to compare",
        "stddev_ns wraps at 2^64 and is not read; stddev_ts is right",
    ),
    fields=(
        ("avg_ts", "aggregates.value: tok/s, mean of the rates of the repeats"),
        ("stddev_ts", "aggregates.sd: tok/s, inside one process"),
        ("n_prompt, n_gen, n_depth", "aggregates.prompt_id: the label of the test"),
        (
            "n_prompt, n_gen",
            "aggregates.metric: prompt_rate, decode_rate or total_rate",
        ),
        ("build_commit, model_filename, ...", "aggregates.settings: id.*"),
        ("all other columns", "aggregates.settings: cfg.*"),
    ),
    marks=(b"INSERT INTO",),
    sniff=_sniff,
    parse=_parse,
)
