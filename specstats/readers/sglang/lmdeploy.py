"""LMDeploy profilers: CSV of loads, experimental."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate, settings_text
from specstats.readers._text import clean_head, count_in, real_in, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MILLI = 1e-3
_MOST_CELLS = 200
_TOLERANCE = 0.01
_NEW = ("completed", "total_output_tokens", "request_throughput", "mean_tpot_ms")
_OLD = ("RPS", "RPM", "throughput(out tok/s)")
_TIMES = {
    "mean_e2e_latency_ms": ("e2e", _MILLI),
    "mean_ttft_ms": ("ttft", _MILLI),
    "mean_tpot_ms": ("tpot", _MILLI),
    "mean_itl_ms": ("itl", _MILLI),
    "FTL(ave)(s)": ("ttft", 1.0),
}
_RATES = {
    "request_throughput": ("request_throughput", "req/s"),
    "input_throughput": ("input_throughput", "tok/s"),
    "output_throughput": ("output_throughput", "tok/s"),
    "RPS": ("request_throughput", "req/s"),
    "throughput(out tok/s)": ("output_throughput", "tok/s"),
    "throughput(total tok/s)": ("total_throughput", "tok/s"),
}
_COUNTS = {
    "completed": "n_requests",
    "total_input_tokens": "n_prompt",
    "total_output_tokens": "n_output",
}
_OTHER = frozenset({"duration", "RPM"})
_COMPLETE = "only requests that gave all the tokens asked for"

Cells = dict[str, str]


def _sniff(head: bytes, name: str) -> Match:
    del name
    first, _, _ = head.lstrip().partition(b"\n")
    names = _cells(clean_head(first))
    known = all(key in names for key in _NEW) or all(key in names for key in _OLD)
    return Match(80 if known else 0, "no columns completed and mean_tpot_ms, or RPS")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    header: list[str] = []
    for line, content in text_lines(source):
        cells = _cells(content)
        if not cells:
            continue
        if not header or cells == header:
            header = cells
            continue
        batch.entries += 1
        row = (
            dict(zip(header, cells, strict=False)) if len(cells) == len(header) else {}
        )
        if row and _add(batch, source, line, row):
            _check(batch, row, line, trouble)
            batch.parsed += 1
        else:
            message = "row skipped: no numbers, or cells do not fit the header"
            trouble.note(batch, "SPS002", line, message)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _cells(content: str) -> list[str]:
    try:
        rows = list(csv.reader([content.replace("\0", "")]))
    except csv.Error:
        return []
    cells = [cell.strip() for cell in rows[0]] if rows else []
    return cells if any(cells) and len(cells) <= _MOST_CELLS else []


def _above_zero(cell: str | None, scale: float = 1.0) -> float | None:
    value = real_in(cell)
    return None if value is None or value <= 0 else value * scale


def _add(batch: Batch, source: Source, line: int, row: Cells) -> bool:
    settings: dict[str, object] = {"id.engine": "lmdeploy"}
    for key, cell in row.items():
        known = key in _TIMES or key in _RATES or key in _COUNTS or key in _OTHER
        if not known and key and cell:
            count = count_in(cell)
            settings[f"cfg.{key}"] = cell if count is None else count
    place: Row = {
        "source": source.name,
        "entry": line,
        "workload": row.get("dataset_name") or None,
        "settings": settings_text(settings),
    }
    n = count_in(row.get("completed"))
    added = False
    for key, (metric, scale) in _TIMES.items():
        added |= add_aggregate(
            *(batch, place, metric, "s", "mean"),
            value=_above_zero(row.get(key), scale),
            n=None if metric == "itl" else n,
            scope="request",
            definition=_COMPLETE,
        )
    for key, (metric, unit) in _RATES.items():
        value = _above_zero(row.get(key))
        added |= add_aggregate(
            *(batch, place, metric, unit, "rate"),
            value=value,
            scope="run",
            definition=_COMPLETE,
        )
    if added and n is not None:
        counts: Row = {name: count_in(row.get(key)) for key, name in _COUNTS.items()}
        seconds = _above_zero(row.get("duration"))
        batch.add(
            "counters", {**place, "scope": "run", "duration_s": seconds, **counts}
        )
    return added


def _check(batch: Batch, row: Cells, line: int, trouble: Trouble) -> None:
    seconds = _above_zero(row.get("duration"))
    for rate_key, count_key in (
        ("request_throughput", "completed"),
        ("output_throughput", "total_output_tokens"),
    ):
        rate, right = _above_zero(row.get(rate_key)), _above_zero(row.get(count_key))
        if not (seconds and rate and right):
            continue
        if abs(rate * seconds - right) > _TOLERANCE * right:
            trouble.note(
                *(batch, "SPS006", line),
                f"{rate_key} times duration is not {count_key}",
                observed=f"{rate * seconds:.6g}",
                required=f"{right:.6g}",
            )


READER = Reader(
    name="lmdeploy",
    label="LMDeploy profile_throughput, profile_pipeline_api, profile_restful_api CSV",
    producers=("source of 0.7 and 0.10",),
    levels=("counter", "aggregate"),
    boundary="unknown: rows are appended, and nothing names a launch",
    traps=(
        "requests that stopped early are not among the completed ones",
        "profile_restful_api writes this table into a file named .jsonl",
        "a dash stands for what was not measured, without streaming",
        "tokens a tick, which would show drafts, are only printed",
    ),
    fields=(
        (
            "mean_e2e_latency_ms, mean_ttft_ms, mean_tpot_ms, mean_itl_ms, FTL(ave)(s)",
            "aggregates.value: e2e, ttft, tpot, itl, s",
        ),
        (
            (
                "request_throughput, RPS, input_throughput, output_throughput, "
                "throughput(out tok/s), throughput(total tok/s)"
            ),
            "aggregates.value: req/s and tok/s",
        ),
        (
            "completed, total_input_tokens, total_output_tokens, duration",
            "counters.n_requests: and n_prompt, n_output, duration_s",
        ),
        ("all other columns", "aggregates.settings: cfg.*"),
    ),
    marks=(b"mean_tpot_ms", b"throughput(out tok/s)"),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
