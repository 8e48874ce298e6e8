"""genai-bench: one file a scenario and concurrency, with each request."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    reason_of,
    settings_text,
)
from specstats.readers.loadgen._distributions import (
    add_distribution,
    begins_like,
    not_negative,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_UNITS = {"s": 1.0, "ms": 1e-3}
_TOLERANCE = 1e-3
_SETTINGS = ("scenario", "num_concurrency", "batch_size", "iteration_type")
# name in stats: metric, unit, whether a time, definition
_STATS = {
    "ttft": ("ttft", "s", True, None),
    "tpot": ("tpot", "s", True, "(e2e - ttft) / (tokens - 1)"),
    "e2e_latency": ("e2e", "s", True, None),
    "output_latency": ("decode", "s", True, "e2e - ttft"),
    "output_inference_speed": ("decode_rate", "tok/s", False, "1 / tpot"),
    "num_input_tokens": ("input_length", "tokens", False, None),
    "num_output_tokens": ("output_length", "tokens", False, None),
}
_RATES = {
    "mean_output_throughput_tokens_per_s": ("output_throughput", "tok/s"),
    "mean_input_throughput_tokens_per_s": ("input_throughput", "tok/s"),
    "mean_total_tokens_throughput_tokens_per_s": ("total_throughput", "tok/s"),
    "requests_per_second": ("request_throughput", "req/s"),
    "error_rate": ("error_rate", "1"),
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = first_entry(head)
    known = _is_result(mapping(first)) or (
        first is None
        and begins_like(head, b'"aggregated_metrics"', b'"scenario"', b'"stats"')
    )
    return Match(90 if known else 0, "no aggregated_metrics with a scenario")


def _is_result(entry: Mapping[str, object]) -> bool:
    found = mapping(entry.get("aggregated_metrics"))
    return "scenario" in found and ("stats" in found or "num_concurrency" in found)


def _parse(source: Source) -> Iterator[Batch]:
    trouble, number = Trouble(source), 0
    for line, value in entries(source):
        entry = mapping(value)
        scale = _UNITS.get(text(entry.get("_time_unit", "s")) or "")
        if not _is_result(entry) or scale is None:
            batch = Batch(entries=1)
            why = reason_of(value, "no aggregated_metrics, or an unknown _time_unit")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            yield batch
            continue
        yield from _read(source, entry, scale, number + 1, trouble)
        number += 1 + len(items(entry.get("individual_request_metrics")))
    last = Batch()
    trouble.close(last)
    yield last


def _read(
    source: Source,
    entry: Mapping[str, object],
    scale: float,
    first: int,
    trouble: Trouble,
) -> Iterator[Batch]:
    """Read a document: itself, then each of its requests, have a number."""
    total = mapping(entry.get("aggregated_metrics"))
    settings: Row = {f"cfg.{key}": total.get(key) for key in _SETTINGS}
    scenario = text(total.get("scenario"))
    shared: Row = {
        "source": source.name,
        "workload": scenario,
        "settings": settings_text(settings),
    }
    batch, times, failed = Batch(), list[float](), 0
    records = items(entry.get("individual_request_metrics"))
    for number, record in enumerate(records, start=first + 1):
        batch.entries += 1
        row: Row = {**shared, "entry": number}
        why = _fill(batch, row, mapping(record), scale, trouble)
        if why:
            trouble.note(batch, "SPS002", number, f"entry skipped: {why}")
            continue
        batch.add("requests", row)
        batch.parsed += 1
        failed += row["ok"] is False
        if isinstance(row.get("e2e_s"), float):
            times.append(not_negative(row["e2e_s"]) or 0.0)
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    batch.entries += 1
    batch.parsed += 1
    place: Row = {**shared, "entry": first}
    _add_total(batch, place, total, scale)
    _check(batch, total, trouble, scale=scale, times=times, line=first)
    errors = whole(total.get("num_error_requests"))
    if errors and errors > failed:
        trouble.note(
            batch,
            "SPS007",
            first,
            "requests failed that the file does not list",
            observed=f"{errors} failed, {failed} listed",
        )
    yield batch


def _fill(
    batch: Batch,
    row: Row,
    record: Mapping[str, object],
    scale: float,
    trouble: Trouble,
) -> str:
    """Fill in the row of one request; say why it gives none."""
    failure = _failure(record)
    if failure is not None:
        row.update(ok=False, error=failure)
        return ""
    latency = not_negative(record.get("e2e_latency"), scale)
    if latency is None:
        return "no e2e_latency"
    tokens = whole(record.get("num_output_tokens"))
    row.update(
        ok=True,
        e2e_s=latency,
        n_prompt=whole(record.get("num_input_tokens")),
        n_output=tokens,
    )
    number = whole(row["entry"]) or 1
    if tokens == 0:
        message = "a request succeeded without one output token"
        trouble.note(batch, "SPS007", number, message)
        return ""
    row["ttft_s"] = not_negative(record.get("ttft"), scale)
    decode = not_negative(record.get("output_latency"), scale)
    if tokens is not None and tokens > 1 and decode is not None:
        row["decode_s"] = decode
        _add_rate(batch, row, record, trouble, tokens=tokens, decode=decode)
    _check_parts(batch, row, trouble)
    return ""


def _failure(record: Mapping[str, object]) -> str | None:
    code, message = record.get("error_code"), text(record.get("error_message"))
    if code is None and not message:
        return None
    return ": ".join(part for part in (text(code), message) if part) or "error"


def _add_rate(
    batch: Batch,
    row: Row,
    record: Mapping[str, object],
    trouble: Trouble,
    *,
    tokens: int,
    decode: float,
) -> None:
    rate = not_negative(record.get("output_inference_speed"))
    if rate is None:
        return
    if math.isclose(rate * decode, tokens - 1, rel_tol=_TOLERANCE):
        row.update(engine_rate_tps=rate, rate_convention="n-1")
        return
    trouble.note(
        batch,
        "SPS006",
        whole(row["entry"]) or 1,
        "output_inference_speed times output_latency is not the tokens but one",
        observed=f"{rate * decode:.6g} tokens",
        required=f"{tokens - 1} tokens",
    )


def _check_parts(batch: Batch, row: Row, trouble: Trouble) -> None:
    first, decode = row.get("ttft_s"), row.get("decode_s")
    total = not_negative(row["e2e_s"]) or 0.0
    if not isinstance(first, float) or not isinstance(decode, float):
        return
    if not math.isclose(first + decode, total, rel_tol=_TOLERANCE, abs_tol=1e-6):
        trouble.note(
            batch,
            "SPS006",
            whole(row["entry"]) or 1,
            "ttft and output_latency do not add up to e2e_latency",
            observed=f"{first + decode:.6g} s",
            required=f"{total:.6g} s",
        )


def _add_total(
    batch: Batch, place: Row, total: Mapping[str, object], scale: float
) -> None:
    stats = mapping(total.get("stats"))
    answered = whole(total.get("num_completed_requests"))
    for key, (metric, unit, is_time, definition) in _STATS.items():
        add_distribution(
            batch,
            place,
            metric,
            unit,
            mapping(stats.get(key)),
            scale=scale if is_time else 1.0,
            n=answered,
            scope="request",
            definition=definition,
        )
    for key, (metric, unit) in _RATES.items():
        add_aggregate(
            *(batch, place, metric, unit),
            "ratio" if metric == "error_rate" else "rate",
            value=not_negative(total.get(key)),
            scope="run",
        )
    if answered is None:
        return
    row: Row = {**place, "scope": "run", "n_requests": answered}
    row["n_failed"] = whole(total.get("num_error_requests"))
    row["duration_s"] = not_negative(total.get("run_duration"))
    for column, key in (
        ("n_prompt", "num_input_tokens"),
        ("n_output", "num_output_tokens"),
    ):
        row[column] = whole(mapping(stats.get(key)).get("sum"))
    batch.add("counters", row)


def _check(
    batch: Batch,
    total: Mapping[str, object],
    trouble: Trouble,
    *,
    scale: float,
    times: list[float],
    line: int,
) -> None:
    latency = mapping(mapping(total.get("stats")).get("e2e_latency"))
    printed = not_negative(latency.get("mean"), scale)
    answered = whole(total.get("num_completed_requests"))
    if printed is not None and times and answered == len(times):
        mean = math.fsum(times) / len(times)
        if not math.isclose(mean, printed, rel_tol=_TOLERANCE):
            trouble.note(
                batch,
                "SPS006",
                line,
                "the printed mean of e2e_latency is not that of the requests",
                observed=f"{printed:.6g} s",
                required=f"{mean:.6g} s",
            )
    rate = not_negative(total.get("requests_per_second"))
    duration = not_negative(total.get("run_duration"))
    if rate is None or not duration or answered is None:
        return
    right = answered / duration
    if not math.isclose(rate, right, rel_tol=_TOLERANCE):
        trouble.note(
            batch,
            "SPS006",
            line,
            "requests_per_second is not num_completed_requests over run_duration",
            observed=f"{rate:.6g} a second",
            required=f"{right:.6g} a second",
        )


READER = Reader(
    name="genai-bench",
    label="genai-bench results (one JSON a scenario and concurrency)",
    producers=("0.0.2",),
    levels=("request", "counter", "aggregate"),
    boundary="unknown: genai-bench loads a server that runs already",
    traps=(
        "_time_unit says whether times are s or ms; rates do not follow it",
        (
            "engine, version and device are in experiment_metadata.json alone, typed "
            "by the user"
        ),
        "error_rate is a fraction",
        "output_inference_speed is (tokens - 1) / output_latency",
        "stddev divides by n",
    ),
    fields=(
        ("individual_request_metrics[].e2e_latency", "requests.e2e_s: _time_unit to s"),
        ("individual_request_metrics[].ttft", "requests.ttft_s: _time_unit to s"),
        (
            "individual_request_metrics[].output_latency",
            "requests.decode_s: _time_unit to s, with more than one token",
        ),
        (
            "individual_request_metrics[].output_inference_speed",
            "requests.engine_rate_tps: tok/s, convention n-1, checked",
        ),
        (
            "individual_request_metrics[].num_input_tokens, num_output_tokens",
            "requests.n_prompt: and n_output",
        ),
        (
            "individual_request_metrics[].error_code, error_message",
            "requests.ok: and error",
        ),
        (
            "aggregated_metrics.stats.<name>.mean, stddev, p25 .. p99, min, max",
            "aggregates.value: ttft, tpot, e2e, decode, decode_rate, lengths",
        ),
        (
            "aggregated_metrics.mean_output_throughput_tokens_per_s, ..",
            "aggregates.value: output_throughput, request_throughput, error_rate, ..",
        ),
        (
            (
                "aggregated_metrics.num_completed_requests, num_error_requests, "
                "run_duration; stats.num_output_tokens.sum"
            ),
            "counters.*: scope run",
        ),
        (
            "aggregated_metrics.scenario, num_concurrency, batch_size",
            "requests.workload: also settings cfg.*",
        ),
    ),
    marks=(b'"aggregated_metrics"',),
    sniff=_sniff,
    parse=_parse,
)
