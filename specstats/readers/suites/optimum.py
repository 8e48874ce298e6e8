"""optimum-benchmark: benchmark_report.json, benchmark.json, and the CSV of 0.0.x."""

from __future__ import annotations

import csv
import math
import re
import statistics
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    positive,
    process_of,
    reason_of,
    settings_text,
)
from specstats.readers._text import clean_head, real_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_MAX_VALUES = 100_000
_TOLERANCE = 1e-6
_COLUMN = re.compile(r"(\w+)\.(latency|throughput)\((s|samples/s|tokens/s)\)")
_CELL = re.compile(
    r"(?:\A|,)(?:forward|generate|prefill|decode)\.latency\(s\)(?:,|\s|\Z)"
)
_METRICS = {
    "forward": "e2e",
    "generate": "e2e",
    "call": "e2e",
    "prefill": "prompt",
    "decode": "decode",
    "per_token": "itl",
    "load": "load",
    "load_model": "load",
}
_TIMES = {"e2e": "e2e_s", "prompt": "prompt_s", "decode": "decode_s"}
_STATISTICS = {"p50": "median", "p90": "p90", "p95": "p95", "p99": "p99"}
_UNITS = {"tokens/s": "tok/s", "samples/s": "samples/s"}


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = first_entry(head)
    if first is not None:
        known = any(_phases(mapping(first)))
        return Match(90 if known else 0, "no phase with latency.values")
    line, _, _ = clean_head(head).lstrip().partition("\n")
    known = _CELL.search(line) is not None
    return Match(80 if known else 0, "no column such as forward.latency(s)")


def _phases(
    entry: Mapping[str, object],
) -> Iterator[tuple[str, Mapping[str, object]]]:
    report = mapping(entry.get("report")) or entry
    for phase, value in report.items():
        latency = mapping(mapping(value).get("latency"))
        if "stdev_" in latency or (
            "values" in latency and "unit" in latency and phase in _METRICS
        ):
            yield phase, mapping(value)


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    if source.head().lstrip()[:1] in (b"{", b"["):
        _read_documents(source, batch, trouble)
    else:
        _read_table(source, batch, trouble)
    trouble.close(batch)
    yield batch


def _read_documents(source: Source, batch: Batch, trouble: Trouble) -> None:
    for launch, (line, value) in enumerate(entries(source)):
        phases = list(_phases(mapping(value)))
        if not phases:
            batch.entries += 1
            why = reason_of(value, "no phase with latency.values")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        config = mapping(mapping(value).get("config"))
        shared: Row = {
            "source": source.name,
            "entry": line,
            "process": process_of(source, launch),
            "settings": settings_text(_settings(config)),
        }
        for phase, found in phases:
            batch.entries += 1
            if _add_phase(batch, shared, phase, found, config):
                batch.parsed += 1
                _check(batch, phase, line, found, trouble)
            else:
                message = f"entry skipped: {phase} has no times in seconds"
                trouble.note(batch, "SPS002", line, message)


def _scenario(config: Mapping[str, object]) -> Mapping[str, object]:
    return mapping(config.get("scenario")) or mapping(config.get("benchmark"))


def _settings(config: Mapping[str, object]) -> Row:
    backend, env = mapping(config.get("backend")), mapping(config.get("environment"))
    scenario = _scenario(config)
    values: Row = {
        f"cfg.{key}": value
        for key, value in backend.items()
        if key not in {"name", "version", "model", "processor", "_target_"}
    }
    for key in ("input_shapes", "generate_kwargs"):
        for name, value in mapping(scenario.get(key)).items():
            values[f"cfg.{text(name)}"] = value
    for key in ("warmup_runs", "iterations", "duration"):
        values[f"cfg.{key}"] = scenario.get(key)
    values["id.engine"] = backend.get("name")
    values["id.build"] = backend.get("version")
    values["id.model"] = file_name(backend.get("model"))
    gpus = [text(gpu) or "" for gpu in items(env.get("gpu"))]
    values["id.device"] = ", ".join(gpus) or env.get("cpu")
    values["id.optimum_benchmark"] = env.get("optimum_benchmark_version")
    values["id.transformers"] = env.get("transformers_version")
    return values


def _times(latency: Mapping[str, object]) -> list[float]:
    listed = items(latency.get("values"))
    if latency.get("unit") != "s" or len(listed) > _MAX_VALUES:
        return []
    found = [positive(value) for value in listed]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else []


def _add_phase(
    batch: Batch,
    shared: Row,
    phase: str,
    found: Mapping[str, object],
    config: Mapping[str, object],
) -> bool:
    latency = mapping(found.get("latency"))
    times = _times(latency)
    metric = _METRICS.get(phase, "duration")
    place: Row = {**shared, "prompt_id": text(phase)}
    if metric in _TIMES:
        _add_samples(batch, place, times, metric, config)
    added = _add_summary(batch, place, latency, metric, len(times))
    throughput = mapping(found.get("throughput"))
    unit = _UNITS.get(text(throughput.get("unit")) or "")
    if unit is not None:
        add_aggregate(
            batch,
            place,
            "output_throughput" if unit == "tok/s" else "sample_throughput",
            unit,
            "rate",
            value=positive(throughput.get("value")),
            scope="run",
            definition="of the whole batch, over the mean time",
        )
    return bool(times) or added


def _add_samples(
    batch: Batch,
    place: Row,
    times: Sequence[float],
    metric: str,
    config: Mapping[str, object],
) -> None:
    scenario = _scenario(config)
    shapes = mapping(scenario.get("input_shapes"))
    single = whole(shapes.get("batch_size")) == 1
    phase = place["prompt_id"]
    prompt = whole(shapes.get("sequence_length")) if single else None
    tokens = mapping(scenario.get("generate_kwargs")).get("max_new_tokens")
    output = whole(tokens) if single and phase in {"generate", "decode"} else None
    for index, seconds in enumerate(times):
        batch.add(
            "requests",
            {
                **place,
                "repetition": index,
                "ok": True,
                "n_prompt": prompt if metric == "prompt" else None,
                "n_output": output,
                _TIMES[metric]: seconds,
            },
        )


def _add_summary(
    batch: Batch, place: Row, latency: Mapping[str, object], metric: str, count: int
) -> bool:
    if latency.get("unit") != "s":
        return False
    n = whole(latency.get("count")) or count or None
    added = add_aggregate(
        batch,
        place,
        metric,
        "s",
        "mean",
        value=positive(latency.get("mean")),
        sd=_deviation(latency),
        n=n,
        scope="request",
        definition="sd divides by n",
    )
    for key, statistic in _STATISTICS.items():
        value = positive(latency.get(key))
        added |= add_aggregate(
            batch, place, metric, "s", statistic, value=value, n=n, scope="request"
        )
    return added


def _deviation(latency: Mapping[str, object]) -> float | None:
    printed = number(latency.get("stdev"))
    return printed if printed is not None and printed >= 0 else None


def _check(
    batch: Batch, phase: str, line: int, found: Mapping[str, object], trouble: Trouble
) -> None:
    latency = mapping(found.get("latency"))
    times = _times(latency)
    if not times:
        return
    mean, printed = statistics.fmean(times), positive(latency.get("mean"))
    if printed is not None and abs(printed - mean) > _TOLERANCE * mean:
        trouble.note(
            batch,
            "SPS006",
            line,
            f"{phase}: the printed mean is not that of the values",
            observed=f"{printed:.6g} s",
            required=f"{mean:.6g} s",
        )
    printed_sd, sd = _deviation(latency), statistics.pstdev(times)
    if printed_sd is not None and not math.isclose(
        printed_sd, sd, rel_tol=1e-3, abs_tol=_TOLERANCE * mean
    ):
        trouble.note(
            batch,
            "SPS009",
            line,
            f"{phase}: the printed standard deviation is not that of the values",
            observed=f"{printed_sd:.6g} s",
            required=f"{sd:.6g} s",
        )


def _read_table(source: Source, batch: Batch, trouble: Trouble) -> None:
    header: list[str] | None = None
    for line, content in source.lines():
        cells = _cells(content)
        if not cells:
            continue
        if header is None:
            header = cells
            continue
        batch.entries += 1
        place: Row = {"source": source.name, "entry": line}
        if len(cells) == len(header) and _add_cells(batch, place, header, cells):
            batch.parsed += 1
        else:
            message = "row skipped: no times, or cells do not fit the header"
            trouble.note(batch, "SPS002", line, message)


def _cells(content: bytes) -> list[str]:
    decoded = content.decode("utf-8", "replace").replace("\0", "")
    if not decoded.strip():
        return []
    try:
        rows = list(csv.reader([decoded]))
    except csv.Error:
        return [decoded]
    return [cell.strip() for cell in rows[0]]


def _add_cells(
    batch: Batch, place: Row, header: Sequence[str], cells: Sequence[str]
) -> bool:
    added = False
    for name, cell in zip(header, cells, strict=True):
        column = _COLUMN.fullmatch(name)
        value = real_in(cell)
        if column is None or value is None or value <= 0:
            continue
        phase, kind, unit = column.groups()
        metric = _METRICS.get(phase, "duration")
        if kind == "throughput":
            metric = "output_throughput" if unit == "tokens/s" else "sample_throughput"
        added |= add_aggregate(
            batch,
            {**place, "prompt_id": phase},
            metric,
            "s" if kind == "latency" else _UNITS.get(unit, unit),
            "mean" if kind == "latency" else "rate",
            value=value,
            scope="request" if kind == "latency" else "run",
        )
    return added


READER = Reader(
    name="optimum-benchmark",
    label="optimum-benchmark (benchmark_report.json, benchmark.json, CSV of 0.0.x)",
    producers=("optimum-benchmark 0.2 to 0.6", "0.0.x"),
    levels=("sample", "aggregate"),
    boundary="proved: a report comes from one process, so its values are repeats "
    "inside it",
    traps=(
        "values are repeats in one process, not launches",
        "stdev divides by n; 'stdev_' is the same in percent of the mean",
        "throughput is of the whole batch",
        "token counts are in benchmark.json only, and used for batches of 1",
    ),
    fields=(
        (
            "forward, generate, call: latency.values",
            "requests.e2e_s: s; prompt_id is the phase",
        ),
        ("prefill: latency.values", "requests.prompt_s: s"),
        ("decode: latency.values", "requests.decode_s: s"),
        (
            "latency.mean, p50, p90, p95, p99, stdev",
            "aggregates.value: e2e, prompt, decode, itl, load, s",
        ),
        (
            "throughput",
            (
                "aggregates.value: output_throughput, tok/s, or sample_throughput, "
                "samples/s"
            ),
        ),
        (
            "config.scenario.input_shapes, generate_kwargs",
            "requests.n_prompt: and n_output; settings cfg.*",
        ),
        ("config.backend", "requests.settings: cfg.*, id.engine, id.build, id.model"),
        ("config.environment", "requests.settings: id.device, id.transformers"),
        ("<phase>.latency(s), .throughput(..)", "aggregates.value: of the 0.0.x table"),
    ),
    marks=(b'"latency"', b".latency(s)"),
    sniff=_sniff,
    parse=_parse,
)
