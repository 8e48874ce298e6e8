"""TensorRT-LLM trtllm-bench: report JSON and the block it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text
from specstats.readers._results import (
    add_aggregate,
    file_name,
    mapping,
    positive,
    process_of,
    reason_of,
    settings_text,
)
from specstats.readers.sglang._trtllm_text import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MILLI = 1e-3
_TOLERANCE = 0.005
_LARGEST = 1 << 62
_MARK = b"= PERFORMANCE OVERVIEW"
_BEGUN = b"Preparing to run throughput benchmark"
_ISSUE = 1e-18  # nanoseconds between requests, times 1e9 as if it were a rate
_STATISTICS = {
    "average": "mean",
    "p50": "median",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "minimum": "min",
    "maximum": "max",
}
_FLOOR = "percentiles are sorted[int(n * p)], so of few requests the maximum"
_RATES = {
    "request_throughput_req_s": ("request_throughput", "req/s", "rate"),
    "system_output_throughput_tok_s": ("output_throughput", "tok/s", "rate"),
    "system_total_throughput_tok_s": ("total_throughput", "tok/s", "rate"),
    "output_throughput_per_gpu_tok_s": ("output_throughput_per_gpu", "tok/s", "rate"),
    "output_throughput_per_user_tok_s": ("request_output_throughput", "tok/s", "mean"),
}
_RATE = (
    "a lower bound: proposed is max_draft_len times the iterations, not what was "
    "drafted; accepted is output tokens less iterations"
)
_LENGTH = "output tokens over iterations of a request; bonus and first token included"
_MEASURED = ("performance", "streaming_metrics", "decoding_stats")

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    if b'"world_info"' in head:
        entry = mapping(first_entry(head))
        known = all(mapping(entry.get(key)) for key in ("engine", "world_info"))
        return Match(90 if known else 0, "no engine and world_info")
    printed = _MARK in head and b"TensorRT" in head
    # In a long log the block stands beyond the head.
    begun = _BEGUN in head and b"TRT-LLM" in head
    return Match(85 if printed or begun else 0, "no PERFORMANCE OVERVIEW")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    is_json = b'"world_info"' in source.head()
    found: Iterator[tuple[int, object]] = entries(source) if is_json else blocks(source)
    launches = 0
    for line, value in found:
        batch.entries += 1
        entry = mapping(value)
        if not any(mapping(entry.get(key)) for key in _MEASURED):
            why = reason_of(value, "no performance above 0")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            launches += 1
            continue
        place: Row = {
            "source": source.name,
            "entry": line,
            "process": process_of(source, launches),
            "settings": settings_text(_settings(entry)),
        }
        launches += 1
        if _add(batch, place, entry):
            _check(batch, entry, line, trouble)
            batch.parsed += 1
        else:
            why = reason_of(value, "no performance above 0")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    if not launches and not is_json:
        batch.entries = 1
        message = "the log ends before a result was printed"
        trouble.note(batch, "SPS002", 1, message)
    trouble.close(batch)
    yield batch


def _settings(entry: Mapping[str, object]) -> Entry:
    engine, world = mapping(entry.get("engine")), mapping(entry.get("world_info"))
    info = mapping(entry.get("dataset"))
    values: Entry = {
        f"cfg.{key}": world.get(key)
        for key in (
            *("tp_size", "pp_size", "ep_size", "world_size", "max_batch_size"),
            *("max_num_tokens", "scheduling_policy", "kv_cache_percentage"),
        )
    }
    for key in ("backend", "kv_cache_dtype", "max_input_length", "max_sequence_length"):
        values[f"cfg.{key}"] = _named(engine.get(key))
    values["cfg.dtype"] = _named(engine.get("dtype"))
    values["cfg.dataset"] = file_name(_named(info.get("dataset_path")))
    values["cfg.speculative_mode"] = text(
        mapping(entry.get("decoding_stats")).get("mode")
    )
    values["id.engine"] = "TensorRT-LLM"
    values["id.build"] = text(engine.get("version"))
    values["id.model"] = file_name(_named(engine.get("model")))
    values["id.quantisation"] = _named(engine.get("quantization"))
    values["id.device"] = text(mapping(entry.get("machine")).get("name"))
    return values


def _named(value: object) -> object:
    """Return a value that is missing as None, not as the text of None."""
    return None if value == "None" else value


def _add(batch: Batch, place: Row, entry: Mapping[str, object]) -> bool:
    performance = mapping(entry.get("performance"))
    streaming = mapping(entry.get("streaming_metrics"))
    info = mapping(entry.get("request_info"))
    n = _count(positive(info.get("num_requests")))
    added = False
    for key, (metric, unit, statistic) in _RATES.items():
        value = positive(performance.get(key))
        added |= add_aggregate(
            *(batch, place, metric, unit, statistic), value=value, n=n, scope="run"
        )
    groups = (
        (
            performance,
            "request_latency_percentiles_ms",
            "avg_request_latency_ms",
            "e2e",
        ),
        (streaming, "ttft_percentiles", "avg_ttft_ms", "ttft"),
        (streaming, "tpot_percentiles", "avg_tpot_ms", "tpot"),
    )
    for section, group, average, metric in groups:
        values = {"average": section.get(average), **mapping(section.get(group))}
        added |= _add_group(batch, place, values, (metric, "s", _MILLI, n, _FLOOR))
    speeds = mapping(streaming.get("gen_tps_percentiles"))
    median = {"p50": speeds.get("p50")}
    meaning = "generated tokens less one over the time after the first, a request"
    added |= _add_group(batch, place, median, ("decode_rate", "tok/s", 1.0, n, meaning))
    issued = number(mapping(entry.get("world_info")).get("issue_rate"))
    add_aggregate(
        *(batch, place, "issue_interval", "s", "mean"),
        value=issued * _ISSUE if issued is not None and issued > 0 else None,
        n=n,
        scope="run",
        definition="time between requests; printed times 1e18 as issue_rate",
    )
    added |= _add_decoding(batch, place, mapping(entry.get("decoding_stats")), n)
    _add_counts(batch, place, info, performance)
    return added


def _add_group(
    batch: Batch,
    place: Row,
    values: Mapping[str, object],
    what: tuple[str, str, float, int | None, str],
) -> bool:
    metric, unit, scale, n, definition = what
    added = False
    for key, statistic in _STATISTICS.items():
        added |= add_aggregate(
            *(batch, place, metric, unit, statistic),
            value=positive(values.get(key), scale),
            n=n,
            scope="request",
            definition=definition,
        )
    return added


def _add_decoding(
    batch: Batch, place: Row, decoding: Mapping[str, object], n: int | None
) -> bool:
    rates = mapping(decoding.get("draft_acceptance_rate_percentiles"))
    lengths = mapping(decoding.get("acceptance_length_percentiles"))
    added = _add_group(batch, place, rates, ("acceptance_rate", "1", 1.0, n, _RATE))
    what = ("mean_accepted_length", "tokens", 1.0, n, _LENGTH)
    return _add_group(batch, place, lengths, what) or added


def _add_counts(
    batch: Batch,
    place: Row,
    info: Mapping[str, object],
    performance: Mapping[str, object],
) -> None:
    n = _count(positive(info.get("num_requests")))
    if n is None:
        return
    prompt, output = (
        _count(positive(info.get(key), n))
        for key in ("avg_input_length", "avg_output_length")
    )
    batch.add(
        "counters",
        {
            **place,
            "scope": "run",
            "n_requests": n,
            "n_prompt": prompt,
            "n_output": output,
            "duration_s": positive(performance.get("total_latency_ms"), _MILLI),
        },
    )


def _count(value: float | None) -> int | None:
    """Return a count that came as a float or as a mean times a count."""
    if value is None or value > _LARGEST or abs(value - round(value)) > _TOLERANCE:
        return None
    return round(value)


def _check(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    performance = mapping(entry.get("performance"))
    info = mapping(entry.get("request_info"))
    seconds = positive(performance.get("total_latency_ms"), _MILLI)
    n = positive(info.get("num_requests"))
    length = positive(info.get("avg_output_length"))
    if seconds is None or n is None:
        return
    pairs = (
        ("request_throughput_req_s", n, "requests"),
        ("system_output_throughput_tok_s", n * length if length else None, "tokens"),
    )
    for key, right, unit in pairs:
        rate = positive(performance.get(key))
        if rate and right and abs(rate * seconds - right) > _TOLERANCE * right:
            trouble.note(
                *(batch, "SPS006", line),
                f"{key} times total_latency_ms is not what was counted",
                observed=f"{rate * seconds:.6g} {unit}",
                required=f"{right:.6g} {unit}",
            )


READER = Reader(
    name="trtllm-bench",
    label="TensorRT-LLM trtllm-bench (report JSON, or its log)",
    producers=("0.16.0", "1.2.0"),
    levels=("counter", "aggregate"),
    boundary="proved: the engine runs inside the benchmark, so each report is a launch",
    traps=(
        (
            "a percentile is sorted[int(n * p)]: of 20 requests p95 and p99 are the "
            "maximum"
        ),
        (
            "token_output_speed_tok_s explodes where tokens arrive in a burst and is "
            "left out, as are all gen_tps but the median"
        ),
        (
            "issue_rate is no rate: nanoseconds between requests, times 1e9; 1.5e17 "
            "is a request every 0.15 s"
        ),
        "model_path, or a cache type, may be the text None; machine may be null",
        (
            "decoding_stats (experimental: known from the source only): proposed "
            "tokens are max_draft_len times iterations, so the acceptance rate is a "
            "lower bound"
        ),
        "times after the first token are missing without --streaming",
    ),
    fields=(
        ("performance.request_latency_percentiles_ms", "aggregates.value: e2e, s"),
        (
            "streaming_metrics.ttft_percentiles, tpot_percentiles",
            "aggregates.value: ttft, tpot, s; printed in ms",
        ),
        (
            "streaming_metrics.gen_tps_percentiles.p50",
            "aggregates.value: decode_rate, median",
        ),
        (
            "performance.request_throughput_req_s, system_.._throughput_tok_s",
            "aggregates.value: request_throughput, output_throughput, total_throughput",
        ),
        (
            "performance.output_throughput_per_user_tok_s",
            "aggregates.value: request_output_throughput, prefill included",
        ),
        (
            "request_info",
            "counters.n_requests: and n_prompt, n_output as mean times count",
        ),
        ("performance.total_latency_ms", "counters.duration_s: s"),
        ("decoding_stats", "aggregates.value: acceptance_rate, mean_accepted_length"),
        ("world_info.issue_rate", "aggregates.value: issue_interval, s: times 1e-18"),
        ("engine, machine, world_info", "aggregates.settings: id.*, cfg.*"),
        (
            "PERFORMANCE OVERVIEW in a log",
            "aggregates.*: the same, by the labels of 0.16 and 1.x",
        ),
    ),
    marks=(b'"world_info"', _MARK, _BEGUN),
    sniff=_sniff,
    parse=_parse,
)
