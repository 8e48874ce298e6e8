"""inference-perf: lifecycle metrics of stages and requests, Prometheus windows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers.loadgen._inference_perf_requests import is_request, request_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_TOLERANCE = 0.01
_WHOLE = 0.01
_LARGEST = 1 << 62
_STAGE = re.compile(r"stage_(\d{1,4})", re.ASCII)
_STATISTIC = re.compile(r"mean|median|min|max|p\d{1,2}(?:\.\d)?", re.ASCII)
_LATENCIES = {
    "request_latency": ("e2e", None),
    "time_to_first_token": ("ttft", None),
    "time_per_output_token": ("tpot", None),
    "normalized_time_per_output_token": (
        "normalized_tpot",
        "whole latency over output tokens, prefill included",
    ),
    "inter_token_latency": (
        "itl",
        "not usable: the client reads several events at once, so most gaps are near 0",
    ),
}
_RATES = {
    "requests_per_sec": ("request_throughput", "req/s"),
    "input_tokens_per_sec": ("input_throughput", "tok/s"),
    "output_tokens_per_sec": ("output_throughput", "tok/s"),
    "total_tokens_per_sec": ("total_throughput", "tok/s"),
}
_WINDOW = (
    "from Prometheus over a window of time: other requests than the load may be in "
    "it, and quantiles are interpolated inside buckets"
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = isinstance(entry.get("load_summary"), dict) or is_request(entry)
    return Match(90 if known else 0, "no load_summary")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        place: Row = {"source": source.name, "entry": line}
        if is_request(entry):
            _add_request(batch, {**place, **request_row(entry)}, trouble)
        elif not (entry and _add_report(batch, place, entry, trouble)):
            why = reason_of(value, "neither successes above 0 nor failures")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        batch.parsed += 1
        if max(batch.count("requests"), batch.count("aggregates")) >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _add_request(batch: Batch, row: Row, trouble: Trouble) -> None:
    batch.add("requests", row)
    if row["ok"] and row["n_output"] == 0:
        message = "the answer claims success and is empty: it gets no times"
        line = int(str(row["entry"]))
        trouble.note(batch, "SPS007", line, message, observed="0 output tokens")


def _add_report(
    batch: Batch, place: Row, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    load = mapping(entry.get("load_summary"))
    good, bad = mapping(entry.get("successes")), mapping(entry.get("failures"))
    if not load:
        return _add_window(batch, place, good)
    line = int(str(place["entry"]))
    _check_rate(batch, load, line, trouble)
    rate = positive(load.get("requested_rate"))
    place["workload"] = _stage(str(place["source"]), rate)
    place["settings"] = settings_text({"cfg.request_rate": rate})
    counted, failed = whole(good.get("count")), whole(bad.get("count"))
    if not counted and not failed:
        return False
    batch.add("counters", {**place, "scope": "run", **_counts(entry, good, failed)})
    if failed:
        trouble.note(
            *(batch, "SPS007", line, "requests failed; their times are left out"),
            observed=f"{failed} of {(counted or 0) + failed}",
        )
    _add_latencies(batch, place, mapping(good.get("latency")), counted)
    for key, (metric, unit) in _RATES.items():
        value = positive(mapping(good.get("throughput")).get(key))
        add_aggregate(*(batch, place, metric, unit, "rate"), value=value, scope="run")
    _add_delays(batch, place, load)
    _check(batch, entry, line, trouble)
    return True


def _stage(source: str, rate: float | None) -> str:
    """Return what tells the loads apart: the stage in the file's name, and its rate."""
    found = _STAGE.search(source)
    named = f"stage {found[1]}" if found else "all stages"
    return named if rate is None else f"{named}, {rate:g} req/s"


def _counts(
    entry: Mapping[str, object], good: Mapping[str, object], failed: int | None
) -> Row:
    return {
        "duration_s": positive(entry.get("benchmark_time_seconds")),
        "n_requests": whole(good.get("count")),
        "n_failed": failed,
        "n_prompt": _total(good, "prompt_tokens", "prompt_len"),
        "n_output": _total(good, "output_tokens", "output_len"),
    }


def _total(good: Mapping[str, object], counted: str, lengths: str) -> int | None:
    """Return a printed total, or the mean times the count where that is whole."""
    printed = whole(mapping(good.get(counted)).get("total"))
    if printed is not None:
        return printed
    count = whole(good.get("count"))
    product = positive(mapping(good.get(lengths)).get("mean"), count or 0)
    if product is None or product > _LARGEST or abs(product - round(product)) > _WHOLE:
        return None
    return round(product)


def _add_latencies(
    batch: Batch, place: Row, latency: Mapping[str, object], n: int | None
) -> bool:
    added = False
    for key, (metric, definition) in _LATENCIES.items():
        for statistic, value in mapping(latency.get(key)).items():
            if _STATISTIC.fullmatch(statistic):
                added |= add_aggregate(
                    *(
                        batch,
                        place,
                        metric,
                        "s",
                        "median" if statistic == "p50" else statistic,
                    ),
                    value=_time(value) if n else None,
                    n=None if metric == "itl" else n,
                    scope="request",
                    definition=definition,
                )
    return added


def _time(value: object) -> float | None:
    """Return a time; the least of many may be 0."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def _add_delays(batch: Batch, place: Row, load: Mapping[str, object]) -> None:
    for statistic, value in mapping(load.get("schedule_delay")).items():
        if _STATISTIC.fullmatch(statistic):
            add_aggregate(
                *(batch, place, "schedule_delay", "s", statistic),
                value=number(value),
                scope="request",
                definition="sent later than planned; seconds mean that the rate asked "
                "for was not reached",
            )
    for key, metric in (
        ("requested_rate", "requested_rate"),
        ("achieved_rate", "achieved_rate"),
    ):
        value = positive(load.get(key))
        add_aggregate(
            *(batch, place, metric, "req/s", "rate"), value=value, scope="run"
        )


def _add_window(batch: Batch, place: Row, good: Mapping[str, object]) -> bool:
    place["workload"] = _stage(str(place["source"]), None) + ", Prometheus"
    n = whole(good.get("count"))
    added = False
    for key, (metric, _) in _LATENCIES.items():
        for statistic, value in mapping(good.get(key)).items():
            if _STATISTIC.fullmatch(statistic):
                added |= add_aggregate(
                    *(batch, place, metric, "s", statistic),
                    value=positive(value),
                    n=n,
                    scope="window",
                    definition=_WINDOW,
                )
    rates = (
        (good.get("rate"), "request_throughput", "req/s"),
        (mapping(good.get("prompt_len")).get("rate"), "input_throughput", "tok/s"),
        (mapping(good.get("output_len")).get("rate"), "output_throughput", "tok/s"),
    )
    for value, metric, unit in rates:
        added |= add_aggregate(
            *(batch, place, metric, unit, "rate"),
            value=positive(value),
            scope="window",
            definition=_WINDOW,
        )
    return added


def _check_rate(
    batch: Batch, load: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    rate = load.get("requested_rate")
    if rate is not None and positive(rate) is None:
        trouble.note(
            *(batch, "SPS006", line, "requested_rate is no rate above 0"),
            observed=(text(rate) or type(rate).__name__)[:40],
            required="requests a second",
        )


def _check(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    load, good = mapping(entry.get("load_summary")), mapping(entry.get("successes"))
    failed = mapping(entry.get("failures")).get("count")
    counted = whole(good.get("count")) or 0
    parts = float(counted + (whole(failed) or 0))
    total = number(load.get("count"))
    seconds = positive(entry.get("benchmark_time_seconds"))
    throughput = mapping(good.get("throughput"))
    output = _total(good, "output_tokens", "output_len")
    pairs = (
        ("count of the load is not successes and failures together", total, parts),
        (
            "requests_per_sec times benchmark_time_seconds is not the successes",
            _times(throughput.get("requests_per_sec"), seconds),
            float(counted),
        ),
        (
            "output_tokens_per_sec times benchmark_time_seconds is not the tokens",
            _times(throughput.get("output_tokens_per_sec"), seconds),
            None if output is None else float(output),
        ),
        (
            "achieved_rate times send_duration is not the count of the load",
            _times(load.get("achieved_rate"), positive(load.get("send_duration"))),
            total,
        ),
    )
    for message, found, right in pairs:
        if found is None or right is None:
            continue
        if abs(found - right) > _TOLERANCE * abs(right):
            trouble.note(
                *(batch, "SPS006", line, message),
                observed=f"{found:.6g}",
                required=f"{right:.6g}",
            )


def _times(rate: object, seconds: float | None) -> float | None:
    value = positive(rate)
    return None if value is None or seconds is None else value * seconds


READER = Reader(
    name="inference-perf",
    label="inference-perf reports (lifecycle metrics, requests, Prometheus metrics)",
    producers=("0.1", "0.5.0"),
    levels=("request", "counter", "aggregate"),
    boundary="unknown: reports do not name the server that was under load",
    traps=(
        (
            "stages are different loads and no repeats; across arms their rates "
            "differ, so stages are never paired by number"
        ),
        "the stage stands in the name of the file only",
        (
            "the client reads several events at once: the median of "
            "inter_token_latency is some microseconds with and without speculation, "
            "so use time_per_output_token"
        ),
        (
            "Prometheus files are windows of time with other counts than the load, "
            "and their quantiles are interpolated inside buckets"
        ),
        "under an open load latencies are queueing once schedule_delay grows",
        "times of requests are of a clock without an epoch in most versions",
    ),
    fields=(
        (
            (
                "successes.latency.request_latency, time_to_first_token, "
                "time_per_output_token, inter_token_latency"
            ),
            "aggregates.value: e2e, ttft, tpot, itl, s",
        ),
        (
            "successes.latency.normalized_time_per_output_token",
            "aggregates.value: normalized_tpot, s",
        ),
        ("successes.throughput", "aggregates.value: req/s, tok/s"),
        ("load_summary.schedule_delay", "aggregates.value: schedule_delay, s"),
        (
            "load_summary.requested_rate, achieved_rate",
            "aggregates.value: req/s; the requested one also settings cfg.request_rate",
        ),
        (
            "successes.count, failures.count, prompt_tokens, output_tokens",
            (
                "counters.n_requests: and n_failed, n_prompt, n_output (older: "
                "mean times count)"
            ),
        ),
        ("benchmark_time_seconds", "counters.duration_s: s"),
        ("start_time, end_time", "requests.e2e_s: s"),
        (
            "output_token_times, chunk_times",
            (
                "requests.ttft_s: and decode_s; s, first and last less start_time "
                "and first"
            ),
        ),
        (
            "server_usage, output_tokens, input_tokens",
            "requests.n_prompt: and n_output",
        ),
        ("error", "requests.ok: and error"),
    ),
    marks=(b'"load_summary"', b'"output_token_times"', b'"request_metrics"'),
    sniff=_sniff,
    parse=_parse,
)
