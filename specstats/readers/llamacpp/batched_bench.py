"""llama-batched-bench: one row for each number of parallel sequences."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate, settings_text
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
    header=(
        *("PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s"),
        *("T_TG s", "S_TG t/s", "T s", "S t/s"),
    ),
    keys=(
        *("pp", "tg", "pl", "n_kv", "t_pp", "speed_pp"),
        *("t_tg", "speed_tg", "t", "speed"),
    ),
)
_TOGETHER = "of all B sequences together; divide by B for one of them"
_RATES = (
    ("speed_pp", "prompt_throughput", f"prompt tokens over T_PP, {_TOGETHER}"),
    ("speed_tg", "output_throughput", f"B x TG over T_TG, {_TOGETHER}"),
    ("speed", "total_throughput", f"all tokens over T, {_TOGETHER}"),
)
_ROUNDING = 0.0016


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = has_grid(head, _GRID) or has_record(head, _GRID)
    return Match(80 if known else 0, "no grid with PP, TG, B and N_KV")


def _parse(source: Source) -> Iterator[Batch]:
    last: Batch | None = None
    for batch, shared, values, trouble in grid_rows(source, _GRID):
        if last is not None and batch is not last:
            yield last
        last = batch
        if values:
            _add(batch, shared, values, trouble)
    if last is not None:
        yield last


def _add(batch: Batch, shared: Row, values: Values, trouble: Trouble) -> None:
    prompt, output = int(values["pp"]), int(values["tg"])
    parallel = int(values["pl"])
    told = json.loads(str(shared["settings"] or "{}"))
    is_shared = told.get("cfg.is_pp_shared") in (1, True)
    prompts = prompt if is_shared else prompt * parallel
    row: Row = {
        **shared,
        "prompt_id": f"pp{prompt}+tg{output} x{parallel}",
        "workload": f"x{parallel}",
        "settings": settings_text(told),
    }
    for key, metric, definition in _RATES:
        rate = positive_of(values, key)
        add_aggregate(
            batch,
            row,
            metric,
            "tok/s",
            "value",
            value=rate,
            n=1,
            scope="run",
            definition=definition,
        )
    row["ok"] = True
    prompt_s, decode_s = positive_of(values, "t_pp"), positive_of(values, "t_tg")
    if prompts and prompt_s:
        row.update(n_prompt=prompts, prompt_s=prompt_s)
    if output and parallel and decode_s:
        rate = positive_of(values, "speed_tg")
        row.update(
            n_output=output * parallel,
            decode_s=decode_s,
            engine_rate_tps=rate,
            rate_convention=None if rate is None else "n",
        )
    batch.add("requests", row)
    _check(values, prompts + output * parallel, int(str(row["entry"])), batch, trouble)


def _check(
    values: Values, tokens: int, line: int, batch: Batch, trouble: Trouble
) -> None:
    parts = values["t_pp"] + values["t_tg"]
    if abs(parts - values["t"]) > _ROUNDING + 1e-4 * parts:
        trouble.note(
            batch,
            "SPS006",
            line,
            "T is not the sum of T_PP and T_TG",
            observed=f"{values['t']:g} s",
            required=f"{parts:.3f} s",
        )
    if values["n_kv"] != tokens:
        trouble.note(
            batch,
            "SPS006",
            line,
            "N_KV is not the number of prompt and generated tokens",
            observed=f"{values['n_kv']:.0f} tokens",
            required=f"{tokens} tokens",
        )


READER = Reader(
    name="llama-batched-bench",
    label="llama-batched-bench (table or JSONL)",
    producers=("README (JSONL)", "2026 (is_tg_separate)"),
    levels=("sample", "aggregate"),
    boundary="proved: one process a table; a row that comes again, or another "
    "setting, in JSONL begins another",
    traps=(
        "S_TG is the rate of all B sequences together: divide by B for one user",
        (
            "one measurement a row, no repeats: a table is one launch, its rows are "
            "ordered"
        ),
        "PP of 0 prints a rate of 0, which is none",
        "wide numbers touch the next bar: cells are split at the bars",
        "the table does not name the model; the load log before it may",
    ),
    fields=(
        (
            "PP, B (pp, pl)",
            "requests.n_prompt: B x PP tokens, or PP where the prompt is shared",
        ),
        ("T_PP s (t_pp)", "requests.prompt_s: s, of all sequences"),
        ("TG, B (tg, pl)", "requests.n_output: B x TG, tokens of all sequences"),
        ("T_TG s (t_tg)", "requests.decode_s: s, of all sequences"),
        ("S_TG t/s (speed_tg)", "requests.engine_rate_tps: tok/s of all sequences"),
        (
            "S_PP, S_TG, S t/s (speed_pp, speed_tg, speed)",
            "aggregates.value: tok/s of all sequences, one measurement",
        ),
        ("B (pl)", "requests.workload: x4 for 4"),
        ("n_kv_max, n_batch, ...", "requests.settings: the line before the table"),
        ("loaded meta data ... from, build", "requests.settings: id.model, id.build"),
    ),
    marks=(b"S_TG t/s", b'"speed_tg"'),
    sniff=_sniff,
    parse=_parse,
)
