"""AIPerf's records of single requests (profile_export.jsonl and the raw export)."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from specstats.readers._json import number, text, whole
from specstats.readers._results import items, mapping
from specstats.readers.loadgen._aiperf_metrics import seconds_of
from specstats.readers.loadgen._distributions import TIME_UNITS, not_negative

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row, Trouble

__all__ = ["add_raw", "add_record", "is_raw", "is_record"]

_NANO = 1e-9
_REL = 1e-3
_ABS = 1e-5
_MAX_CHUNKS = 1_000_000
_WARM = "warmup"


def is_record(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a line of profile_export.jsonl."""
    return _known(entry) and isinstance(entry.get("metrics"), dict)


def is_raw(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a line of profile_export_raw.jsonl."""
    raw = "start_perf_ns" in entry or "responses" in entry
    return _known(entry) and "metrics" not in entry and raw


def _known(entry: Mapping[str, object]) -> bool:
    keys = mapping(entry.get("metadata")).keys()
    return "x_request_id" in keys and bool(
        keys & {"benchmark_phase", "credit_phase", "record_processor_id"}
    )


def add_record(
    batch: Batch, source: str, line: int, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    """Add the row of one request, and its chunks.

    Parameters
    ----------
    batch : Batch
        Where they go.
    source : str
        Display name of the artifact.
    line : int
        Line of the entry.
    entry : mapping
        The record.
    trouble : Trouble
        Takes contradictions.

    Returns
    -------
    bool
        Whether the entry gave a row.
    """
    metrics = mapping(entry.get("metrics"))
    row = _shared(source, line, entry)
    failure = _failure(entry)
    if failure is not None:
        batch.add("requests", {**row, "ok": False, "error": failure})
        return True
    latency = _value(metrics, "request_latency")
    if latency is None:
        return False
    tokens = _tokens(metrics, "output_sequence_length")
    row.update(
        ok=True,
        n_prompt=_tokens(metrics, "input_sequence_length"),
        n_output=tokens,
        e2e_s=latency,
    )
    if tokens == 0:
        message = "a request succeeded without one output token"
        trouble.note(batch, "SPS007", line, message)
    else:
        _add_times(batch, row, metrics, trouble)
    batch.add("requests", row)
    return True


def _shared(source: str, line: int, entry: Mapping[str, object]) -> Row:
    metadata = mapping(entry.get("metadata"))
    phase = metadata.get("benchmark_phase") or metadata.get("credit_phase")
    started = metadata.get("request_start_ns", metadata.get("timestamp_ns"))
    conversation, turn = (
        text(metadata.get("conversation_id")),
        metadata.get("turn_index"),
    )
    named = conversation is not None and whole(turn) is not None
    return {
        "source": source,
        "entry": line,
        "workload": None,
        "prompt_id": f"{conversation}/{whole(turn)}" if named else None,
        "phase": _WARM if phase == _WARM else None,
        "request_id": text(metadata.get("x_request_id")),
        "started_s": not_negative(started, _NANO),
        "ended_s": not_negative(metadata.get("request_end_ns"), _NANO),
    }


def _failure(entry: Mapping[str, object]) -> str | None:
    error = entry.get("error")
    if error is not None and error != {}:
        said = mapping(error)
        named = text(said.get("type")) or "error"
        message = text(said.get("message")) or text(error) or ""
        return f"{named}: {message}" if message else named
    if mapping(entry.get("metadata")).get("was_cancelled") is True:
        return "cancelled"
    failed = mapping(mapping(entry.get("metrics")).get("error_request_count"))
    return "error" if whole(failed.get("value")) else None


def _value(metrics: Mapping[str, object], *tags: str) -> float | None:
    for tag in tags:
        found = seconds_of(metrics.get(tag), "value")
        if found is not None:
            return found
    return None


def _tokens(metrics: Mapping[str, object], tag: str) -> int | None:
    return whole(mapping(metrics.get(tag)).get("value"))


def _add_times(
    batch: Batch,
    row: Row,
    metrics: Mapping[str, object],
    trouble: Trouble,
) -> None:
    latency, tokens = not_negative(row["e2e_s"]) or 0.0, whole(row["n_output"])
    first = _value(metrics, "time_to_first_token", "ttft")
    row["ttft_s"] = first
    if first is None:
        return
    decode = latency - first
    if decode < 0:
        row["ttft_s"] = None
        what = "time to first token"
        _contradict(batch, trouble, row, what, value=first, right=latency)
        return
    if tokens is not None and tokens > 1:
        row["decode_s"] = decode
        between = _value(metrics, "inter_token_latency")
        if between is not None and not _same(between * (tokens - 1), decode):
            what = "inter_token_latency times (tokens - 1)"
            total = between * (tokens - 1)
            _contradict(batch, trouble, row, what, value=total, right=decode)
        rate = mapping(metrics.get("output_token_throughput_per_user")).get("value")
        _add_rate(row, number(rate), tokens, decode)
    _add_chunks(batch, row, metrics, decode, trouble)


def _add_rate(row: Row, rate: float | None, tokens: int, decode: float) -> None:
    if rate is None or decode <= 0 or not _same(rate * decode, tokens - 1):
        return
    row.update(engine_rate_tps=rate, rate_convention="n-1")


def _same(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=_REL, abs_tol=_ABS)


def _contradict(
    batch: Batch, trouble: Trouble, row: Row, what: str, *, value: float, right: float
) -> None:
    trouble.note(
        batch,
        "SPS006",
        whole(row["entry"]) or 1,
        f"{what} does not fit the latency of the request",
        observed=f"{value:.6g} s",
        required=f"{right:.6g} s",
    )


def _add_chunks(
    batch: Batch,
    row: Row,
    metrics: Mapping[str, object],
    decode: float,
    trouble: Trouble,
) -> None:
    found = mapping(metrics.get("inter_chunk_latency"))
    listed = items(found.get("value"))
    unit = found.get("unit")
    scale = TIME_UNITS.get(unit) if isinstance(unit, str) else None
    if not listed or scale is None or len(listed) > _MAX_CHUNKS:
        return
    gaps = [not_negative(value, scale) for value in listed]
    known = [gap for gap in gaps if gap is not None]
    whole_time = math.fsum(known)
    if len(known) != len(gaps) or not _same(whole_time, decode):
        what = f"the sum of {len(gaps)} values of inter_chunk_latency"
        _contradict(batch, trouble, row, what, value=whole_time, right=decode)
        return
    for step, gap in enumerate(known):
        batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "step_s": gap,
            },
        )


def add_raw(
    batch: Batch, source: str, line: int, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    """Add the row of one request of the raw export, which keeps times alone.

    Parameters
    ----------
    batch : Batch
        Where it goes.
    source : str
        Display name of the artifact.
    line : int
        Line of the entry.
    entry : mapping
        The record.
    trouble : Trouble
        Takes contradictions.

    Returns
    -------
    bool
        Whether the entry gave a row.
    """
    row = _shared(source, line, entry)
    failure = _failure(entry)
    status = whole(entry.get("status"))
    if failure is None and status is not None and status >= 400:  # noqa: PLR2004
        failure = f"HTTP status {status}"
    if failure is not None:
        batch.add("requests", {**row, "ok": False, "error": failure})
        return True
    began = number(entry.get("start_perf_ns"))
    moments = [
        number(mapping(response).get("perf_ns"))
        for response in items(entry.get("responses"))
    ]
    known = [moment for moment in moments if moment is not None]
    if began is None or not known:
        return False
    last = not_negative(known[-1] - began, _NANO)
    if last is None or any(a > b for a, b in itertools.pairwise(known)):
        message = "responses are not in order of time"
        trouble.note(batch, "SPS006", line, message)
        return False
    batch.add("requests", {**row, "ok": True, "e2e_s": last})
    return True
