"""Hugging Face inference-benchmarker: report JSON, experimental."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    positive,
    reason_of,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MILLI = 1e-3
_TOLERANCE = 0.02
_PERCENTILE = re.compile(r"p\d{1,2}", re.ASCII)
_TIMES = {
    "time_to_first_token_ms": "ttft",
    "inter_token_latency_ms": "itl",
    "e2e_latency_ms": "e2e",
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    results = items(entry.get("results"))
    first = mapping(results[0]) if results else {}
    known = "executor_type" in first and "config" in entry
    return Match(90 if known else 0, "no results with an executor_type")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        report = mapping(value)
        results = items(report.get("results"))
        if not results:
            batch.entries += 1
            why = reason_of(value, "no results")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        shared = _settings(mapping(report.get("config")))
        for result in results:
            batch.entries += 1
            if _add(batch, source, line, shared, mapping(result)):
                _check(batch, mapping(result), line, trouble)
                batch.parsed += 1
            else:
                message = "result skipped: no number above 0"
                trouble.note(batch, "SPS002", line, message)
            if batch.count("aggregates") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
    trouble.close(batch)
    yield batch


def _settings(config: Mapping[str, object]) -> Row:
    values: Row = {
        f"cfg.{key}": config.get(key)
        for key in ("benchmark_kind", "max_vus", "profile")
    }
    for side in ("prompt_options", "decode_options"):
        for key in ("num_tokens", "min_tokens", "max_tokens", "variance"):
            values[f"cfg.{side}.{key}"] = mapping(config.get(side)).get(key)
    values["id.model"] = file_name(config.get("model_name"))
    values["id.tokenizer"] = file_name(config.get("tokenizer"))
    return values


def _add(
    batch: Batch, source: Source, line: int, shared: Row, result: Mapping[str, object]
) -> bool:
    executor = mapping(result.get("config"))
    settings: Row = {**shared, "cfg.executor_type": result.get("executor_type")}
    settings.update({f"cfg.{key}": executor.get(key) for key in ("rate", "max_vus")})
    place: Row = {
        "source": source.name,
        "entry": line,
        "workload": text(result.get("id")),
        "settings": settings_text(settings),
    }
    good = whole(result.get("successful_requests"))
    added = False
    for key, metric in _TIMES.items():
        for name, value in mapping(result.get(key)).items():
            if name != "avg" and not _PERCENTILE.fullmatch(name):
                continue
            statistic = {"avg": "mean", "p50": "median"}.get(name, name)
            added |= add_aggregate(
                *(batch, place, metric, "s", statistic),
                value=positive(value, _MILLI),
                n=None if metric == "itl" else good,
                scope="request",
            )
    for key, metric, unit in (
        ("token_throughput_secs", "output_throughput", "tok/s"),
        ("request_rate", "request_throughput", "req/s"),
    ):
        value = positive(result.get(key))
        added |= add_aggregate(
            *(batch, place, metric, unit, "rate"), value=value, scope="run"
        )
    counts: Row = {
        "n_requests": good,
        "n_failed": whole(result.get("failed_requests")),
        "n_prompt": whole(result.get("total_tokens_sent")),
        "n_output": whole(result.get("total_tokens")),
        "duration_s": positive(result.get("duration_ms"), _MILLI),
    }
    if added:
        batch.add("counters", {**place, "scope": "run", **counts})
    return added


def _check(
    batch: Batch, result: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    failed, total = (
        whole(result.get(key)) for key in ("failed_requests", "total_requests")
    )
    shown = text(result.get("id")) or "a result"
    if failed:
        trouble.note(
            *(batch, "SPS007", line, f"{shown}: requests failed"),
            observed=f"{failed} of {total if total is not None else '?'}",
        )
    seconds = positive(result.get("duration_ms"), _MILLI)
    rate = positive(result.get("token_throughput_secs"))
    tokens = positive(result.get("total_tokens"))
    if (
        seconds
        and rate
        and tokens
        and abs(rate * seconds - tokens) > _TOLERANCE * tokens
    ):
        trouble.note(
            *(batch, "SPS006", line),
            f"{shown}: token_throughput_secs times duration_ms is not total_tokens",
            observed=f"{rate * seconds:.6g} tokens",
            required=f"{tokens:.6g} tokens",
        )


READER = Reader(
    name="inference-benchmarker",
    label="Hugging Face inference-benchmarker report (JSON)",
    producers=("source of 1.x",),
    levels=("counter", "aggregate"),
    boundary="unknown: results are loads on one endpoint that nothing identifies",
    traps=(
        (
            "results are load levels of one command, not repeats; the first may be "
            "the warm-up, with id warmup"
        ),
        "the host name in system is not read",
    ),
    fields=(
        (
            "time_to_first_token_ms, inter_token_latency_ms, e2e_latency_ms",
            "aggregates.value: ttft, itl, e2e, s",
        ),
        (
            "token_throughput_secs, request_rate",
            "aggregates.value: output_throughput, request_throughput",
        ),
        (
            "successful_requests, failed_requests, total_tokens, total_tokens_sent",
            "counters.n_requests: and n_failed, n_output, n_prompt",
        ),
        ("duration_ms", "counters.duration_s: s"),
        ("id", "aggregates.workload: as written"),
        ("config, executor_type", "aggregates.settings: cfg.*, id.model"),
    ),
    marks=(b'"executor_type"',),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
