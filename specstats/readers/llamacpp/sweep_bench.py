"""ik_llama.cpp's llama-sweep-bench: rates as the context fills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row
from specstats.readers.llamacpp._grids import (
    Grid,
    Values,
    grid_rows,
    has_grid,
    has_record,
    positive_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_GRID = Grid(
    header=("PP", "TG", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s"),
    keys=("pp", "tg", "n_kv", "t_pp", "speed_pp", "t_tg", "speed_tg"),
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = has_grid(head, _GRID) or has_record(head, _GRID)
    return Match(80 if known else 0, "no grid with PP, TG and N_KV")


def _parse(source: Source) -> Iterator[Batch]:
    last: Batch | None = None
    for batch, shared, values, _ in grid_rows(source, _GRID):
        if last is not None and batch is not last:
            yield last
        last = batch
        if values:
            batch.add("requests", _row(shared, values))
    if last is not None:
        yield last


def _row(shared: Row, values: Values) -> Row:
    prompt, output, depth = (int(values[key]) for key in ("pp", "tg", "n_kv"))
    row: Row = {
        **shared,
        "prompt_id": f"pp{prompt}+tg{output} @ d{depth}",
        "n_cached": depth,
        "ok": True,
    }
    prompt_s, decode_s = positive_of(values, "t_pp"), positive_of(values, "t_tg")
    if prompt and prompt_s:
        row.update(n_prompt=prompt, prompt_s=prompt_s)
    if output and decode_s:
        rate = positive_of(values, "speed_tg")
        row.update(
            n_output=output,
            decode_s=decode_s,
            engine_rate_tps=rate,
            rate_convention=None if rate is None else "n",
            n_steps=output,
        )
    return row


READER = Reader(
    name="ik-sweep-bench",
    label="ik_llama.cpp llama-sweep-bench (table or JSONL)",
    producers=("ik_llama.cpp 2025", "README (JSONL)"),
    levels=("sample",),
    boundary="proved: one process a table; a row that comes again, or another "
    "setting, in JSONL begins another",
    traps=(
        "N_KV is what the cache held before the row, not what it needs",
        "rows of a sweep share a process and are ordered: they are no repeats",
        "PP of 0 prints a rate of 0, which is none",
        "wide numbers touch the next bar: cells are split at the bars",
        "a sweep that crashed keeps its first rows",
    ),
    fields=(
        ("PP (pp)", "requests.n_prompt: tokens"),
        ("T_PP s (t_pp)", "requests.prompt_s: s"),
        ("TG (tg)", "requests.n_output: tokens"),
        ("TG (tg)", "requests.n_steps: one token a step"),
        ("T_TG s (t_tg)", "requests.decode_s: s"),
        ("S_TG t/s (speed_tg)", "requests.engine_rate_tps: tok/s, n over time"),
        ("N_KV (n_kv)", "requests.n_cached: tokens; part of the prompt_id"),
        ("n_kv_max, n_batch, ...", "requests.settings: the line before the table"),
        ("loaded meta data ... from", "requests.settings: id.model"),
    ),
    marks=(b"S_TG t/s", b'"speed_tg"'),
    sniff=_sniff,
    parse=_parse,
)
