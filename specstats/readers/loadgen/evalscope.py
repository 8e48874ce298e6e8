"""evalscope perf: summaries and percentile tables with units in their keys."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    reason_of,
    settings_text,
)
from specstats.readers.loadgen._distributions import TIME_UNITS, not_negative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_KEY = re.compile(r"([^()]{1,80}?)(?: \(([a-z/]{1,10})\))?", re.ASCII | re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,2})(?:\.(\d{1,2}))?%", re.ASCII)
_DURATIONS = ("test duration", "time taken for tests")
_SUCCEEDED = ("success requests", "succeed requests")
_CONCURRENCY = ("concurrency", "number of concurrency", "parallel")
_APPROXIMATE = "approximate: from the chunks that the client saw"
# name without unit: metric, statistic, unit, definition
_PRINTED = {
    "avg latency": ("e2e", "mean", "s", None),
    "average latency": ("e2e", "mean", "s", None),
    "ttft": ("ttft", "mean", "s", "the latency itself where nothing was streamed"),
    "average time to first token": (
        "ttft",
        "mean",
        "s",
        "the latency itself where nothing was streamed",
    ),
    "tpot": ("tpot", "mean", "s", "first token left out"),
    "average time per output token": ("tpot", "mean", "s", "first token left out"),
    "itl": ("itl", "mean", "s", None),
    "average inter-token latency": ("itl", "mean", "s", None),
    "output throughput": ("output_throughput", "rate", "tok/s", None),
    "output token throughput": ("output_throughput", "rate", "tok/s", None),
    "input throughput": ("input_throughput", "rate", "tok/s", None),
    "input token throughput": ("input_throughput", "rate", "tok/s", None),
    "total throughput": ("total_throughput", "rate", "tok/s", None),
    "total token throughput": ("total_throughput", "rate", "tok/s", None),
    "req throughput": ("request_throughput", "rate", "req/s", None),
    "request throughput": ("request_throughput", "rate", "req/s", None),
    "avg input tokens": ("input_length", "mean", "tokens", None),
    "average input tokens per request": ("input_length", "mean", "tokens", None),
    "avg output tokens": ("output_length", "mean", "tokens", None),
    "average output tokens per request": ("output_length", "mean", "tokens", None),
    "average decoded tokens per iter": (
        "decode_tokens_per_chunk",
        "mean",
        "tokens",
        _APPROXIMATE,
    ),
    "approx speculative decoding acceptance rate": (
        "acceptance_rate",
        "mean",
        "1",
        _APPROXIMATE,
    ),
}
_COLUMNS = {
    "ttft": ("ttft", "s"),
    "tpot": ("tpot", "s"),
    "itl": ("itl", "s"),
    "latency": ("e2e", "s"),
    "input tokens": ("input_length", "tokens"),
    "output tokens": ("output_length", "tokens"),
    "throughput": ("e2e_rate", "tok/s"),
    "output": ("e2e_rate", "tok/s"),
}
_TOKEN_RATES = frozenset({"tok/s", "tokens/s"})
_REQUEST_RATES = frozenset({"req/s", "requests/s"})
_TOLERANCE = 0.02
_MAX_ROWS = 1000

Named = dict[str, tuple[str, object]]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = _is_summary(_named(entry)) or _is_table(entry) or _is_runs(entry)
    return Match(88 if known else 0, "no summary or percentiles of evalscope")


def _named(entry: Mapping[str, object]) -> Named:
    """Return values by key in small letters without its unit, and that unit."""
    found: Named = {}
    for key, value in list(entry.items())[:_MAX_ROWS]:
        matched = _KEY.fullmatch(key)
        if matched:
            found.setdefault(matched[1].lower(), (matched[2] or "", value))
    return found


def _is_summary(named: Named) -> bool:
    duration = any(key in named for key in _DURATIONS)
    return duration and any(key in named for key in _SUCCEEDED)


def _is_table(entry: Mapping[str, object]) -> bool:
    percentiles = "Percentiles" in entry or "Percentile" in entry
    return percentiles and any(key.startswith(("TTFT (", "Latency (")) for key in entry)


def _is_runs(entry: Mapping[str, object]) -> bool:
    runs = items(entry.get("runs"))
    return "percentile_columns" in mapping(runs[0] if runs else None)


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        entry = mapping(value)
        place: Row = {"source": source.name, "entry": line}
        if _is_runs(entry):
            for offset, run in enumerate(items(entry.get("runs"))):
                batch.entries += 1
                place = {"source": source.name, "entry": line + offset}
                done = _add_run(batch, place, mapping(run))
                _note(batch, place, trouble, done=done, why="no percentiles")
            continue
        batch.entries += 1
        if _is_table(entry):
            percent = entry.get("Percentiles", entry.get("Percentile"))
            done = _add_row(batch, place, percent, list(entry.items()))
        else:
            done = _add_summary(batch, place, _named(entry), trouble)
        why = reason_of(value, "neither a summary nor percentiles")
        _note(batch, place, trouble, done=done, why=why)
    trouble.close(batch)
    yield batch


def _note(batch: Batch, place: Row, trouble: Trouble, *, done: bool, why: str) -> None:
    batch.parsed += done
    if not done:
        line = whole(place["entry"]) or 1
        trouble.note(batch, "SPS002", line, f"entry skipped: {why}")


def _scale(unit: str, printed: str) -> float | None:
    if unit == "s":
        return TIME_UNITS.get(printed)
    known = {"tok/s": _TOKEN_RATES, "req/s": _REQUEST_RATES}.get(unit)
    return 1.0 if known is None or printed in known else None


def _first(named: Named, keys: Sequence[str]) -> object:
    return next((named[key][1] for key in keys if key in named), None)


def _add_summary(batch: Batch, place: Row, named: Named, trouble: Trouble) -> bool:
    if not _is_summary(named):
        return False
    rate = number(_first(named, ("request rate",)))
    settings: Row = {"cfg.concurrency": _first(named, _CONCURRENCY)}
    settings["cfg.request_rate"] = rate if rate is not None and rate > 0 else None
    place = {**place, "settings": settings_text(settings)}
    answered = whole(_first(named, _SUCCEEDED))
    values: dict[str, float] = {}
    for key, (metric, statistic, unit, definition) in _PRINTED.items():
        printed, value = named.get(key, ("", None))
        scale = _scale(unit, printed)
        real = None if scale is None else not_negative(value, scale)
        if real is None:
            continue
        values[metric] = real
        add_aggregate(
            *(batch, place, metric, unit, statistic),
            value=real,
            n=answered if statistic == "mean" else None,
            scope="request" if statistic == "mean" else "run",
            definition=definition,
        )
    duration = not_negative(_first(named, _DURATIONS))
    if answered is not None:
        failed = whole(_first(named, ("failed requests",)))
        row: Row = {**place, "scope": "run", "duration_s": duration}
        batch.add("counters", {**row, "n_requests": answered, "n_failed": failed})
        if failed:
            trouble.note(
                batch,
                "SPS007",
                whole(place["entry"]) or 1,
                "requests failed; the printed numbers leave them out",
                observed=f"{failed} failed, {answered} answered",
            )
    _check(batch, place, values, trouble, answered=answered, duration=duration)
    return bool(values) or answered is not None


def _check(
    batch: Batch,
    place: Row,
    values: Mapping[str, float],
    trouble: Trouble,
    *,
    answered: int | None,
    duration: float | None,
) -> None:
    line = whole(place["entry"]) or 1
    rate = values.get("request_throughput")
    if rate is not None and answered and duration:
        right = answered / duration
        if not math.isclose(rate, right, rel_tol=_TOLERANCE, abs_tol=1e-4):
            trouble.note(
                batch,
                "SPS006",
                line,
                "the request throughput is not the requests over the duration",
                observed=f"{rate:.6g} a second",
                required=f"{right:.6g} a second",
            )
    parts = [values.get(f"{part}_throughput") for part in ("input", "output", "total")]
    if None in parts:
        return
    given, output, total = (part or 0.0 for part in parts)
    if not math.isclose(given + output, total, rel_tol=1e-3, abs_tol=0.02):
        trouble.note(
            batch,
            "SPS006",
            line,
            "input and output throughput do not add up to the total",
            observed=f"{total:.6g} tok/s",
            required=f"{given + output:.6g} tok/s",
        )


def _add_run(batch: Batch, place: Row, run: Mapping[str, object]) -> bool:
    settings: Row = {
        "cfg.concurrency": run.get("parallel"),
        "cfg.request_rate": run.get("rate"),
    }
    place = {
        **place,
        "workload": text(run.get("name")),
        "settings": settings_text(settings),
    }
    total, answered = (
        whole(run.get("total_requests")),
        whole(run.get("succeed_requests")),
    )
    if answered is not None:
        failed = None if total is None or total < answered else total - answered
        row: Row = {**place, "scope": "run", "n_requests": answered}
        batch.add("counters", {**row, "n_failed": failed})
    columns = [text(name) or "" for name in items(run.get("percentile_columns"))]
    added = False
    for cells in items(run.get("percentile_rows"))[:_MAX_ROWS]:
        listed = items(cells)
        if len(listed) == len(columns) and listed:
            pairs = list(zip(columns[1:], listed[1:], strict=True))
            added |= _add_row(batch, {**place, "n": answered}, listed[0], pairs)
    return added or answered is not None


def _add_row(
    batch: Batch, place: Row, percent: object, cells: Sequence[tuple[str, object]]
) -> bool:
    matched = _PERCENT.fullmatch(percent) if isinstance(percent, str) else None
    if matched is None:
        return False
    decimals = f".{matched[2]}" if matched[2] else ""
    statistic = f"p{int(matched[1])}{decimals}"
    statistic = "median" if statistic == "p50" else statistic
    added = False
    for key, value in cells:
        parts = _KEY.fullmatch(key)
        column = _COLUMNS.get(parts[1].lower()) if parts else None
        if column is None or parts is None:
            continue
        metric, unit = column
        scale = _scale(unit, parts[2] or "")
        added |= add_aggregate(
            *(batch, place, metric, unit, statistic),
            value=None if scale is None else not_negative(value, scale),
            scope="request",
        )
    return added


READER = Reader(
    name="evalscope-perf",
    label="evalscope perf (benchmark_summary.json, benchmark_percentile.json, runs)",
    producers=("1.8.1", "1.0: source only"),
    levels=("counter", "aggregate"),
    boundary="unknown: evalscope loads a server that runs already",
    traps=(
        "units stand in the keys and differ between keys of one file",
        "without streaming the time to first token is the latency",
        "a request rate of -1 means as fast as the concurrency allows",
        "the files seen are the project's own fixtures",
        "the single requests are in an SQLite file, which is not read",
    ),
    fields=(
        (
            "TTFT, TPOT, ITL, Avg Latency and their older names",
            "aggregates.value: ttft, tpot, itl, e2e, mean: unit of the key to s",
        ),
        (
            "Output Throughput, Total Throughput, Req Throughput ..",
            "aggregates.value: output_throughput, total_throughput, request_throughput",
        ),
        ("Avg Input Tokens, Avg Output Tokens", "aggregates.value: lengths, tokens"),
        (
            "Success Requests, Failed Requests, Test Duration",
            "counters.n_requests: and n_failed, duration_s",
        ),
        (
            "Percentiles, TTFT (s), ..; runs[].percentile_rows",
            "aggregates.value: p10 .. p99",
        ),
        (
            "Concurrency, Request Rate",
            "aggregates.settings: cfg.concurrency, cfg.request_rate",
        ),
    ),
    marks=(b'"Percentile', b" Requests", b" requests", b'"percentile_columns"'),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
