"""AIPerf: summaries (JSON in three shapes, CSV), records, and runs aggregated."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    items,
    mapping,
    reason_of,
    settings_text,
)
from specstats.readers._text import clean_head
from specstats.readers.loadgen._aiperf_metrics import METRICS, Found, add_metrics
from specstats.readers.loadgen._aiperf_records import (
    add_raw,
    add_record,
    is_raw,
    is_record,
)
from specstats.readers.loadgen._aiperf_runs import (
    RUNS_HEADER,
    add_runs,
    is_runs,
    read_runs_table,
)
from specstats.readers.loadgen._distributions import flat, model_name
from specstats.readers.loadgen._metric_tables import (
    header_kind,
    read_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_CSV_ROUNDING = 0.0051
_GENAI_PERF = frozenset({"perf_analyzer", "service_kind", "formatted_model_name"})
_OWN = frozenset({"was_cancelled", "error_summary", "aiperf_version", "schema_version"})
_ADDRESSES = frozenset(
    {"url", "urls", "api_key", "headers", "model_names", "custom_endpoint", "file"}
)
_MAX_GPUS = 1000


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = first_entry(head)
    if first is not None:
        entry = mapping(first)
        known = (
            is_record(entry)
            or is_raw(entry)
            or is_runs(entry)
            or _summary(entry) is not None
        )
        return Match(90 if known else 0, "no record or summary of AIPerf")
    line = clean_head(head).lstrip().partition("\n")[0].strip()
    known = header_kind(line.split(",")) == "aiperf" or line == RUNS_HEADER
    return Match(85 if known else 0, "no header of an AIPerf table")


def _summary(entry: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the metrics of a summary by tag; None where it is none."""
    records = mapping(entry.get("records"))
    if records and any(_printed(records.get(tag)) for tag in METRICS):
        return records
    if not _GENAI_PERF.isdisjoint(mapping(entry.get("input_config"))):
        return None
    told = [tag for tag in METRICS if _printed(entry.get(tag))]
    own = not _OWN.isdisjoint(entry)
    return entry if len(told) > 1 or (told and own) else None


def _printed(value: object) -> bool:
    found = mapping(value)
    return isinstance(found.get("unit"), str) and "avg" in found


def _parse(source: Source) -> Iterator[Batch]:
    first = source.head().lstrip()[:1]
    trouble = Trouble(source)
    if first in (b"{", b"["):
        batch = Batch()
        for line, value in entries(source):
            _read(batch, source, line, value, trouble)
            if batch.count("requests") + batch.count("steps") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
    else:
        batch = _read_csv(source, trouble)
    trouble.close(batch)
    yield batch


def _read(
    batch: Batch, source: Source, line: int, value: object, trouble: Trouble
) -> None:
    entry = mapping(value)
    batch.entries += 1
    if not entry:
        done = False
    elif is_record(entry):
        done = add_record(batch, source.name, line, entry, trouble)
    elif is_raw(entry):
        done = add_raw(batch, source.name, line, entry, trouble)
    elif is_runs(entry):
        done = add_runs(batch, source.name, line, entry, trouble)
    else:
        done = _add_summary(batch, source.name, line, entry, trouble)
    batch.parsed += done
    if not done:
        why = reason_of(value, "no times of a request and no metrics")
        trouble.note(batch, "SPS002", line, f"entry skipped: {why}")


def _add_summary(
    batch: Batch, source: str, line: int, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    found = _summary(entry)
    if found is None:
        return False
    place: Row = {
        "source": source,
        "entry": line,
        "settings": settings_text(_settings(entry)),
    }
    failed = _failed(entry)
    window = _window(entry)
    added = add_metrics(batch, place, found, trouble, failed=failed, window=window)
    if entry.get("was_cancelled") is True:
        trouble.note(batch, "SPS014", line, "the run was cancelled before its end")
    if mapping(entry.get("metadata")).get("submission_valid") is False:
        message = "AIPerf says that the submission is not valid"
        trouble.note(batch, "SPS014", line, message)
    return added > 0


def _window(entry: Mapping[str, object]) -> float | None:
    """Return the seconds from start_time to end_time, which name no time zone."""
    began, ended = entry.get("start_time"), entry.get("end_time")
    try:
        passed = datetime.fromisoformat(str(ended)) - datetime.fromisoformat(str(began))
    except (ValueError, TypeError):
        return None
    return max(passed.total_seconds(), 0.0)


def _failed(entry: Mapping[str, object]) -> int | None:
    errors = entry.get("error_summary")
    if not isinstance(errors, list):
        return None
    return whole(sum(whole(mapping(error).get("count")) or 0 for error in errors))


def _settings(entry: Mapping[str, object]) -> Row:
    config = mapping(entry.get("input_config"))
    endpoint, given = mapping(config.get("endpoint")), mapping(config.get("input"))
    values: Row = {
        "id.model": model_name(endpoint.get("model_names")),
        "id.aiperf": text(entry.get("aiperf_version")),
        "id.device": _devices(mapping(entry.get("telemetry_data"))),
        "cfg.scenario": config.get("scenario"),
    }
    values.update(flat("cfg.", config.get("loadgen"), without=_ADDRESSES))
    values.update(flat("cfg.endpoint.", endpoint, without=_ADDRESSES))
    values.update(flat("cfg.input.", given, without=_ADDRESSES))
    for pair in items(given.get("extra"))[:_MAX_GPUS]:
        if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004 - key and value
            values[f"cfg.extra.{text(pair[0])}"] = pair[1]
    return values


def _devices(telemetry: Mapping[str, object]) -> str | None:
    names = {
        text(mapping(gpu).get("gpu_name")): None
        for endpoint in list(mapping(telemetry.get("endpoints")).values())[:_MAX_GPUS]
        for gpu in list(mapping(mapping(endpoint).get("gpus")).values())[:_MAX_GPUS]
    }
    return ", ".join(name for name in names if name) or None


def _read_csv(source: Source, trouble: Trouble) -> Batch:
    batch = Batch()
    line = clean_head(source.head()).lstrip().partition("\n")[0].strip()
    if line == RUNS_HEADER:
        read_runs_table(batch, source, trouble)
        return batch
    found: Found = {}
    for number, tag, values in read_table(source):
        batch.entries += 1
        if values is None:
            message = "row skipped: cells do not fit the header"
            trouble.note(batch, "SPS002", number, message)
            continue
        batch.parsed += 1
        found.setdefault(tag, values)
    place: Row = {"source": source.name, "entry": 1}
    rounding = _CSV_ROUNDING
    add_metrics(batch, place, found, trouble, failed=None, rounding=rounding)
    return batch


READER = Reader(
    name="aiperf",
    label="AIPerf (profile_export_aiperf.json and .csv, profile_export.jsonl, "
    "profile_export_raw.jsonl, profile_export_aiperf_aggregate.json and .csv)",
    producers=("2025-10", "2025-11", "0.8.0", "aggregate and raw: source only"),
    levels=("request", "step", "counter", "aggregate"),
    boundary="unknown: AIPerf loads a server that runs already; the profile runs of "
    "one command share it",
    traps=(
        (
            "warm-up requests are in profile_export.jsonl: they keep their phase; the "
            "warmup_metrics of the summary are left out"
        ),
        (
            "--num-profile-runs are consecutive loads on one server: the interval that "
            "AIPerf prints over them leaves out the spread between launches"
        ),
        (
            "inter_token_latency is one number a request, (latency - ttft) / "
            "(tokens - 1): metric tpot; inter_chunk_latency is per chunk: metric itl"
        ),
        "a chunk is a step only where neither server nor proxy joins chunks",
        "chunk lists that do not add up to the decode time are left out (SPS006)",
        "the standard deviation over requests divides by n, over runs by n - 1",
        "the engine's version is nowhere in the file, the device in telemetry alone",
        "aggregate and raw exports are known from the source code alone",
    ),
    fields=(
        ("metrics.request_latency", "requests.e2e_s: s, from the unit beside it"),
        ("metrics.time_to_first_token, ttft", "requests.ttft_s: s"),
        (
            "metrics.request_latency - time_to_first_token",
            "requests.decode_s: s, with more than one token",
        ),
        (
            "metrics.output_token_throughput_per_user",
            "requests.engine_rate_tps: tok/s, convention n-1, checked",
        ),
        (
            "metrics.output_sequence_length, input_sequence_length",
            "requests.n_output: and n_prompt; tokens, reasoning included",
        ),
        ("metrics.inter_chunk_latency", "steps.step_s: s, where complete"),
        (
            "metadata.benchmark_phase, credit_phase",
            "requests.phase: 'warmup' or missing",
        ),
        (
            "metadata.request_start_ns, timestamp_ns, request_end_ns",
            "requests.started_s: and ended_s; Unix s",
        ),
        ("metadata.conversation_id, turn_index", "requests.prompt_id"),
        ("metadata.x_request_id", "requests.request_id"),
        ("error, metadata.was_cancelled", "requests.ok: and error"),
        (
            "<tag>.unit, avg, std, p1 .. p99, min, max, count",
            (
                "aggregates.value: ttft, tpot, itl, e2e, decode_rate, lengths; s, "
                "tok/s, tokens"
            ),
        ),
        (
            "request_throughput, output_token_throughput, ..",
            (
                "aggregates.value: request_throughput, output_throughput, .., rate "
                "of the run"
            ),
        ),
        (
            (
                "request_count, error_request_count, error_summary, total_isl, "
                "total_osl, benchmark_duration, min_request_timestamp, "
                "max_response_timestamp"
            ),
            "counters.*: scope run",
        ),
        (
            "input_config.loadgen, endpoint, input; telemetry_data; aiperf_version",
            "requests.settings: cfg.*, id.model, id.device, id.aiperf",
        ),
        (
            "metrics.<name>_<statistic>.mean, std, min, max (aggregate)",
            "aggregates.value: scope runs; mean over runs of that statistic",
        ),
        (
            "start_perf_ns, responses[].perf_ns (raw)",
            "requests.e2e_s: s, to the last response",
        ),
    ),
    marks=(
        b'"x_request_id"',
        b'"request_latency"',
        b'"aggregation_type"',
        b"Metric,avg,min,max",
        b"metric,mean,std,min,max,cv,se",
    ),
    sniff=_sniff,
    parse=_parse,
)
