"""GuideLLM's benchmarks.json, of four generations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry
from specstats.readers._results import mapping, reason_of
from specstats.readers.loadgen import (
    _guidellm_v01,
    _guidellm_v02,
    _guidellm_v04,
    _guidellm_v08,
)
from specstats.readers.loadgen._distributions import begins_like
from specstats.readers.loadgen._guidellm_metrics import add_load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers.loadgen._guidellm_rows import Load
    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_CUT_OFF = (
    (b'"benchmarks"', b'"guidellm_version"'),
    (b'"benchmarks"', b'"generative_benchmark"', b'"request_loader"'),
    (b'"benchmarks"', b'"decode_times"', b'"first_token_time"'),
)
_GENERATIONS = (_guidellm_v01, _guidellm_v02, _guidellm_v08, _guidellm_v04)


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = first_entry(head)
    if first is None:
        known = any(begins_like(head, *marks) for marks in _CUT_OFF)
        return Match(70 if known else 0, "no beginning of GuideLLM's benchmarks")
    entry = mapping(first)
    known = any(generation.is_report(entry) for generation in _GENERATIONS)
    return Match(90 if known else 0, "no benchmarks of GuideLLM")


def _parse(source: Source) -> Iterator[Batch]:
    trouble = Trouble(source)
    number = 0
    for line, value in entries(source):
        entry = mapping(value)
        found = next((one for one in _GENERATIONS if one.is_report(entry)), None)
        if found is None:
            batch = Batch(entries=1)
            why = reason_of(value, "no benchmarks of GuideLLM")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            yield batch
            continue
        for load in found.loads(entry):
            yield from _read(source, load, number + 1, trouble)
            number += 1 + sum(len(listed) for listed in load.lists())
    last = Batch()
    trouble.close(last)
    yield last


def _read(source: Source, load: Load, first: int, trouble: Trouble) -> Iterator[Batch]:
    """Read one load level: itself, then each of its requests, have a number."""
    batch, times = Batch(), list[float]()
    shared: Row = {
        "source": source.name,
        "workload": load.workload,
        "settings": load.settings,
    }
    for number, (status, record) in enumerate(load.recorded(), start=first + 1):
        batch.entries += 1
        place: Row = {**shared, "entry": number}
        why = load.add(batch, place, status, mapping(record))
        if why:
            trouble.note(batch, "SPS002", number, f"entry skipped: {why}")
        else:
            batch.parsed += 1
            times.extend(_measured(batch))
        if batch.count("requests") + batch.count("steps") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    if load.metrics or load.state:
        batch.entries += 1
        place = {**shared, "entry": first}
        added = add_load(batch, place, load, trouble, times)
        batch.parsed += added
        if not added:
            message = "entry skipped: a benchmark without metrics and counts"
            trouble.note(batch, "SPS002", first, message)
    yield batch


def _measured(batch: Batch) -> Iterator[float]:
    """Yield the latency of the last request if it counts."""
    columns = batch.tables["requests"]
    latency = columns["e2e_s"][-1]
    if columns["phase"][-1] is None and isinstance(latency, float):
        yield latency


READER = Reader(
    name="guidellm",
    label="GuideLLM benchmarks.json",
    producers=("0.1", "0.2", "0.5", "0.8"),
    levels=("request", "step", "counter", "aggregate"),
    boundary="unknown: GuideLLM loads a server that runs already; run_id joins the "
    "load levels of one command, which share it",
    traps=(
        (
            "the entries of benchmarks are load levels, not repeats: workload tells "
            "them apart"
        ),
        "the requests may be a sample: the printed numbers are over more",
        "incomplete requests were cut off at the time limit: not answered, no times",
        (
            "requests that ended before the measured window are warm-up; GuideLLM "
            "leaves them out of its numbers"
        ),
        (
            "the measured window may end after the last request (negative "
            "cooldown_duration): the request rate is recomputed (SPS006)"
        ),
        (
            "of rates only the mean is a throughput; maxima such as 838860.8 are one "
            "over the resolution of the clock and are left out"
        ),
        (
            "TPOT includes the first token (metric e2e_per_token), ITL is one number a "
            "request (metric tpot)"
        ),
        "distributions with count 0 print zeros and are left out",
        (
            "tokens per iteration are per chunk that the client saw: 1.0 where a proxy "
            "cuts the stream anew"
        ),
    ),
    fields=(
        (
            "results[].start_time, end_time (0.1)",
            "requests.started_s: and ended_s, e2e_s; s",
        ),
        ("results[].first_token_time (0.1)", "requests.ttft_s: s"),
        (
            "results[].decode_times.data (0.1)",
            "steps.step_s: s; their sum is requests.decode_s",
        ),
        ("request_latency", "requests.e2e_s: s"),
        ("time_to_first_token_ms", "requests.ttft_s: ms to s"),
        (
            (
                "first_token_time, last_token_time; "
                "info.timings.first_token_iteration, last_token_iteration"
            ),
            "requests.decode_s: s, the difference",
        ),
        (
            "prompt_tokens, output_tokens; prompt_token_count, output_token_count",
            "requests.n_prompt: and n_output",
        ),
        ("output", "requests.output_sha256"),
        ("prompt, request_args.body", "requests.prompt_id: beginning of its SHA-256"),
        ("strategy.type_, rate; mode, rate", "requests.workload"),
        (
            "requests.successful, errored, incomplete; info.error, error",
            "requests.ok: and error",
        ),
        (
            "scheduler_metrics.measure_start_time",
            "requests.phase: 'warmup' where the request ended before",
        ),
        (
            "metrics.<name>.successful.mean, std_dev, min, max, percentiles, count",
            (
                "aggregates.value: ttft, tpot, e2e, e2e_per_token, lengths, "
                "tokens_per_chunk"
            ),
        ),
        (
            "metrics.requests_per_second, output_tokens_per_second, ..mean",
            (
                "aggregates.value: request_throughput, output_throughput, .., rate "
                "of the run"
            ),
        ),
        (
            "scheduler_metrics.requests_made, run_stats.requests_made",
            "counters.n_requests: and n_failed (errored and incomplete)",
        ),
        (
            "metrics.prompt_token_count, output_token_count: total_sum",
            "counters.n_prompt: and n_output, where all requests were measured",
        ),
        (
            "args, config.spec, config.strategy, config.backend.model, worker",
            "requests.settings: cfg.*, id.model, id.guidellm",
        ),
    ),
    marks=(b'"benchmarks"', b'"guidellm_version"'),
    sniff=_sniff,
    parse=_parse,
)
