"""PyTorch HUD benchmark records, as vLLM and other projects write them for CI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, entries, first_entry, number, text
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    settings_text,
)
from specstats.readers._text import real_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MAX_VALUES = 100_000
_LATENCY = re.compile(r"(mean|median|std|p\d{1,2}(?:\.\d)?)_(ttft|tpot|itl|e2el)_ms")
_NAMES = {"e2el": "e2e", "ttft": "ttft", "tpot": "tpot", "itl": "itl"}
_UNIT = re.compile(r"(.{1,200})\(([A-Za-z/%]{1,20})\)")
_RATES = {
    "request_throughput": ("request_throughput", "req/s"),
    "requests_per_second": ("request_throughput", "req/s"),
    "output_throughput": ("output_throughput", "tok/s"),
    "total_token_throughput": ("total_throughput", "tok/s"),
    "tokens_per_second": ("total_throughput", "tok/s"),
}
_PERCENT = "spec_decode_acceptance_rate"
_LENGTH = "spec_decode_acceptance_length"
_MILLI = 1e-3


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = "benchmark" in entry and "benchmark_values" in mapping(entry.get("metric"))
    return Match(90 if known else 0, "no benchmark and metric.benchmark_values")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        for record in value if isinstance(value, list) else [value]:
            batch.entries += 1
            problem = _add(batch, source, line, record, trouble)
            if problem is None:
                batch.parsed += 1
            else:
                trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            if batch.count("aggregates") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
    trouble.close(batch)
    yield batch


def _add(
    batch: Batch, source: Source, line: int, record: object, trouble: Trouble
) -> str | None:
    """Add the values of a record; return why there are none."""
    if isinstance(record, BadEntry):
        return record.reason
    entry = mapping(record)
    metric = mapping(entry.get("metric"))
    named, values = text(metric.get("name")), items(metric.get("benchmark_values"))
    if not named or not values:
        return "no metric.name and benchmark_values"
    if len(values) > _MAX_VALUES:
        return f"{len(values)} values of one metric"
    known = [found for value in values if (found := _real(value)) is not None]
    if not known:
        return f"{named[:60]}: no finite number in benchmark_values"
    if len(known) < len(values):
        message = f"{named[:60]}: values left out that are no finite numbers"
        trouble.note(batch, "SPS002", line, message)
    place: Row = {
        "source": source.name,
        "entry": line,
        "workload": text(mapping(entry.get("benchmark")).get("name")),
        "settings": settings_text(_settings(entry)),
    }
    metric_name, unit, statistic, scale = _meaning(named)
    for value in known:
        add_aggregate(
            batch,
            place,
            metric_name,
            unit,
            statistic,
            value=value * scale,
            scope="run",
            definition=f"{named} as the producer names it",
        )
    return None


def _real(value: object) -> float | None:
    return real_in(value) if isinstance(value, str) else number(value)


def _meaning(named: str) -> tuple[str, str, str, float]:
    """Return metric, unit, statistic and scale of a metric's name."""
    latency = _LATENCY.fullmatch(named)
    if latency is not None:
        statistic = "sd" if latency[1] == "std" else latency[1]
        return _NAMES[latency[2]], "s", statistic, _MILLI
    if named in _RATES:
        metric, unit = _RATES[named]
        return metric, unit, "rate", 1.0
    if named == _PERCENT:
        return "acceptance_rate", "1", "ratio", 0.01
    if named == _LENGTH:
        return "mean_accepted_length", "tokens", "ratio", 1.0
    found = _UNIT.fullmatch(named)
    if found is not None:
        return found[1].strip(), found[2], "value", 1.0
    return named, "", "value", 1.0


def _settings(entry: Mapping[str, object]) -> Row:
    benchmark, model = mapping(entry.get("benchmark")), mapping(entry.get("model"))
    extra = mapping(benchmark.get("extra_info"))
    values: Row = {
        f"cfg.{text(key)}": value
        for key, value in (*extra.items(), *mapping(extra.get("args")).items())
        if key not in {"host", "base_url", "benchmark_config", "description"}
    }
    for key in ("mode", "dtype"):
        values[f"cfg.{key}"] = benchmark.get(key)
    values["cfg.method"] = mapping(mapping(entry.get("metric")).get("extra_info")).get(
        "method"
    )
    values["id.benchmark"] = benchmark.get("name")
    values["id.model"] = file_name(model.get("name"))
    values["id.backend"] = model.get("backend")
    runners = [mapping(runner) for runner in items(entry.get("runners"))]
    values["id.device"] = runners[0].get("name") if runners else None
    return values


READER = Reader(
    name="pytorch-hud",
    label="PyTorch HUD benchmark records (*.pytorch.json and others)",
    producers=("HUD v3 test files", "vLLM (source)"),
    levels=("aggregate",),
    boundary="unknown: benchmark_values are repeats in principle, of launches that "
    "nothing names",
    traps=(
        "one list, one record a line, and a line that is itself a list are all valid",
        "infinity is written as the text 'inf' and left out",
        "metric.extra_info of vLLM repeats every other field and is not read",
        "records of other benchmarks have no meaning for inference and stay as named",
    ),
    fields=(
        (
            "metric.benchmark_values",
            "aggregates.value: one row a value; *_ms to s, acceptance percent to 1",
        ),
        ("metric.name", "aggregates.metric: and unit and statistic"),
        ("benchmark.name", "aggregates.workload: also settings id.benchmark"),
        ("benchmark.extra_info, its args", "aggregates.settings: cfg.*"),
        ("model.name, model.backend", "aggregates.settings: id.model, id.backend"),
        ("runners[0].type", "aggregates.settings: id.device"),
    ),
    marks=(b'"benchmark_values"',),
    sniff=_sniff,
    parse=_parse,
)
