"""Factorial study of speculative decoding: one JSON document a load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    mapping,
    positive,
    settings_text,
    unix_time,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_TOLERANCE = 0.005
_WHOLE = 1e-4
_LARGEST = 1e12  # beyond it a float has no such digits
_LATENCIES = {
    "ttft_ms": ("ttft", None),
    "itl_ms": ("itl", "between chunks of the stream; with drafting a chunk is a step"),
    "e2e_latency_ms": ("e2e", None),
}
_PARTIAL = "partial"
_STATISTICS = {"mean": "mean", "p50": "median", "p95": "p95", "p99": "p99"}
_RATES = {
    "throughput_tok_s": ("output_throughput", "rate", "output tokens over wall time"),
    "goodput_tok_s": ("goodput", "rate", "the same number as the throughput"),
    "request_decode_tok_s_mean": (
        "decode_rate",
        "mean",
        "all output tokens over the time after the first",
    ),
    "request_tok_s_mean": (
        "request_rate_tps",
        "mean",
        "output tokens over the time of the whole request",
    ),
}
_RATIOS = {
    "acceptance_rate": (
        "acceptance_rate",
        "1",
        "accepted over drafted tokens, no bonus token",
    ),
    "accepted_length_tau": (
        "mean_accepted_length",
        "tokens",
        "tokens a verify step, bonus included",
    ),
}
_CONFIG = ("concurrency", "decoding", "seed", "warmup_requests", "block", "gpu_target")
_ENGINE_SKIPPED = frozenset({"host", "port"})


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    config = mapping(entry.get("config"))
    known = isinstance(config.get("factors"), dict) and "repeat_idx" in config
    return Match(90 if known else 0, "no config.factors and config.repeat_idx")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if isinstance(value, BadEntry):
            trouble.note(batch, "SPS002", line, f"entry skipped: {value.reason}")
            continue
        measured = mapping(entry.get("measured"))
        before = batch.count("aggregates") + batch.count("counters")
        if measured and text(entry.get("status")) in {None, "ok", _PARTIAL}:
            place = _place(source, line, entry)
            _add(batch, place, measured)
            _add_counts(batch, place, entry, measured)
            _check(batch, measured, line, trouble)
            _note_errors(batch, measured, line, trouble)
        else:
            _note_failure(batch, entry, line, trouble)
        if batch.count("aggregates") + batch.count("counters") > before:
            batch.parsed += 1
        else:
            trouble.note(batch, "SPS002", line, "entry skipped: nothing measured")
    trouble.close(batch)
    yield batch


def _note_failure(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    trouble.note(
        batch,
        "SPS014",
        line,
        "the load failed and is not used",
        observed=f"status {text(entry.get('status'))!r}",
        required="status 'ok' or 'partial', and measured values",
    )


def _note_errors(
    batch: Batch, measured: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    errors = whole(measured.get("num_errors"))
    if errors:
        trouble.note(
            batch,
            "SPS007",
            line,
            "requests failed, and the numbers are those of the others",
            observed=f"{errors} of {whole(measured.get('num_requests'))}",
            required="0 failed",
        )


def _place(source: Source, line: int, entry: Mapping[str, object]) -> Row:
    config, env = mapping(entry.get("config")), mapping(entry.get("env"))
    values: Row = {f"cfg.{key}": config.get(key) for key in _CONFIG}
    for key in ("factors", "workload_params"):
        for name, value in mapping(config.get(key)).items():
            values[f"cfg.{text(name)}"] = value
    for name, value in mapping(config.get("engine_args")).items():
        if name not in _ENGINE_SKIPPED:
            values[f"cfg.{text(name)}"] = value
    values["id.engine"] = config.get("engine")
    values["id.model"] = file_name(config.get("model"))
    values["id.draft_model"] = file_name(config.get("draft_model"))
    values["id.build"] = env.get("engine_version")
    values["id.driver"] = env.get("driver")
    values["id.cuda"] = env.get("cuda")
    values["id.device"] = env.get("gpu_name")
    return {
        "source": source.name,
        "entry": line,
        "workload": text(config.get("workload")),
        "settings": settings_text(values),
    }


def _add(batch: Batch, place: Row, measured: Mapping[str, object]) -> None:
    requests = whole(measured.get("num_requests"))
    for key, (metric, meaning) in _LATENCIES.items():
        for name, statistic in _STATISTICS.items():
            value = positive(mapping(measured.get(key)).get(name), 1e-3)
            add_aggregate(
                batch,
                place,
                metric,
                "s",
                statistic,
                value=value,
                n=None if metric == "itl" else requests,
                scope="request",
                definition=meaning,
            )
    for key, (metric, statistic, meaning) in _RATES.items():
        add_aggregate(
            batch,
            place,
            metric,
            "tok/s",
            statistic,
            value=positive(measured.get(key)),
            scope="run" if statistic == "rate" else "request",
            definition=meaning,
        )
    for key, (metric, unit, meaning) in _RATIOS.items():
        value = number(measured.get(key))
        add_aggregate(
            batch,
            place,
            metric,
            unit,
            "ratio",
            value=value,
            scope="run",
            definition=meaning,
        )
    accuracy = number(measured.get("accuracy"))
    add_aggregate(batch, place, "accuracy", "1", "mean", value=accuracy, n=requests)


def _add_counts(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    measured: Mapping[str, object],
) -> None:
    arguments = mapping(mapping(entry.get("config")).get("engine_args"))
    verify = whole(measured.get("spec_num_drafts")) or None
    length = number(measured.get("accepted_length_tau"))
    accepted = None
    if verify is not None and length is not None:
        accepted = _as_whole((length - 1) * verify)
    drafted = None
    rate = positive(measured.get("acceptance_rate"))
    if accepted is not None and rate is not None and rate <= 1:
        drafted = _as_whole(accepted / rate)
    width = whole(arguments.get("num_speculative_tokens"))
    if drafted is not None and width and drafted > width * (verify or 0):
        drafted = None
    batch.add(
        "counters",
        {
            **place,
            "scope": "run",
            "ended_s": unix_time(mapping(entry.get("env")).get("timestamp_utc")),
            "duration_s": positive(measured.get("wall_time_s")),
            "n_requests": whole(measured.get("num_requests")),
            "n_failed": whole(measured.get("num_errors")),
            "n_output": whole(measured.get("total_completion_tokens")),
            "n_verify": verify,
            "n_draft": drafted,
            "n_accepted": accepted,
        },
    )


def _as_whole(value: float) -> int | None:
    """Return the count behind a printed ratio, if it is one to all digits."""
    if not abs(value) <= _LARGEST:
        return None
    nearest = round(value)
    return whole(nearest) if abs(value - nearest) <= _WHOLE else None


def _check(
    batch: Batch, measured: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    rate = positive(measured.get("throughput_tok_s"))
    seconds = positive(measured.get("wall_time_s"))
    tokens = whole(measured.get("total_completion_tokens"))
    if rate is None or seconds is None or not tokens:
        return
    if abs(rate * seconds - tokens) > _TOLERANCE * tokens:
        trouble.note(
            batch,
            "SPS006",
            line,
            "throughput_tok_s times wall_time_s is not total_completion_tokens",
            observed=f"{rate * seconds:.0f} tokens",
            required=f"{tokens} tokens",
        )


READER = Reader(
    name="specdecode-study",
    label="Factorial study of speculative decoding (one JSON a load)",
    producers=("specdecode study d96e4fb, vLLM 0.24.0",),
    levels=("aggregate", "counter"),
    boundary="unknown: a document is one load, and a sweep drives all loads of one "
    "launch command, repeats included, through one server",
    traps=(
        "greedy acceptance still differs between repeats",
        "repeats ran on different days: a session effect may hide in repeat_idx",
        (
            "measured is null where the load failed; with status 'partial' it is "
            "that of the requests that succeeded"
        ),
        "goodput_tok_s is the same number as throughput_tok_s",
        (
            "num_speculative_tokens stands in the arguments of loads without "
            "drafting too"
        ),
    ),
    fields=(
        ("config.factors.*", "aggregates.settings: cfg.*"),
        ("config.engine_args.*", "aggregates.settings: cfg.*, host and port left out"),
        ("config.workload", "aggregates.workload: and counters.workload"),
        ("env.*", "aggregates.settings: id.build, id.driver, id.cuda, id.device"),
        ("measured.ttft_ms, itl_ms, e2e_latency_ms", "aggregates.value: ms to s"),
        ("measured.throughput_tok_s", "aggregates.value: output_throughput, tok/s"),
        ("measured.goodput_tok_s", "aggregates.value: goodput, tok/s"),
        ("measured.request_decode_tok_s_mean", "aggregates.value: decode_rate, tok/s"),
        ("measured.request_tok_s_mean", "aggregates.value: request_rate_tps, tok/s"),
        ("measured.acceptance_rate", "aggregates.value: acceptance_rate"),
        ("measured.accepted_length_tau", "aggregates.value: mean_accepted_length"),
        ("measured.accuracy", "aggregates.value: accuracy"),
        ("measured.spec_num_drafts", "counters.n_verify"),
        (
            "measured.accepted_length_tau, acceptance_rate",
            (
                "counters.n_accepted: and n_draft; the whole numbers behind the "
                "ratios, where they are whole to all printed digits"
            ),
        ),
        ("measured.total_completion_tokens", "counters.n_output"),
        ("measured.num_requests, num_errors", "counters.n_requests: and n_failed"),
        ("measured.wall_time_s", "counters.duration_s: s"),
        ("env.timestamp_utc", "counters.ended_s: written after the load"),
    ),
    marks=(b'"repeat_idx"',),
    sniff=_sniff,
    parse=_parse,
)
