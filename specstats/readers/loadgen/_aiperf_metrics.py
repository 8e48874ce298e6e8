"""Metrics that AIPerf and genai-perf print, by tag, with the unit beside each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.readers._json import whole
from specstats.readers._results import mapping
from specstats.readers.loadgen._distributions import (
    TIME_UNITS,
    add_distribution,
    not_negative,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row, Trouble

__all__ = ["METRICS", "add_metrics", "scalar_of", "seconds_of", "tag_of"]

_TPOT = "(latency - ttft) / (tokens - 1), one number a request"
_ITL = "between chunks; under speculation a chunk is a step"
_PER_USER = "mean over requests of (tokens - 1) / (latency - ttft)"
_OF_LOAD = "over the whole load"
# tag: metric, kind of its unit, definition
METRICS = {
    "request_latency": ("e2e", "time", "to the last response"),
    "time_to_first_token": ("ttft", "time", None),
    "ttft": ("ttft", "time", None),
    "time_to_first_output_token": (
        "ttft_output",
        "time",
        "to the first token that is not reasoning",
    ),
    "time_to_second_token": ("second_token", "time", "first chunk to second"),
    "ttst": ("second_token", "time", "first chunk to second"),
    "inter_token_latency": ("tpot", "time", _TPOT),
    "inter_chunk_latency": ("itl", "time", _ITL),
    "output_token_throughput_per_user": ("decode_rate", "tokens", _PER_USER),
    "e2e_output_token_throughput": ("e2e_rate", "tokens", "tokens / latency"),
    "prefill_throughput": ("prompt_rate", "tokens", "prompt tokens / ttft"),
    "prefill_throughput_per_user": ("prompt_rate", "tokens", "prompt tokens / ttft"),
    "output_sequence_length": ("output_length", "count", "reasoning included"),
    "input_sequence_length": ("input_length", "count", None),
    "output_token_count": ("answer_length", "count", "reasoning left out"),
    "reasoning_token_count": ("reasoning_length", "count", None),
    "effective_concurrency": ("concurrency", "count", "weighted by time"),
    "request_throughput": ("request_throughput", "requests", _OF_LOAD),
    "goodput": ("request_goodput", "requests", _OF_LOAD),
    "request_goodput": ("request_goodput", "requests", _OF_LOAD),
    "output_token_throughput": ("output_throughput", "tokens", _OF_LOAD),
    "input_token_throughput": ("input_throughput", "tokens", _OF_LOAD),
    "total_token_throughput": ("total_throughput", "tokens", _OF_LOAD),
}
_RATES = frozenset({"requests", "tokens"})
_REQUEST_UNITS = frozenset({"requests/sec", "requests/s", "per sec", "req/s"})
_TOKEN_UNITS = frozenset(
    {"tokens/sec", "tokens/sec/user", "tokens/s", "tokens/s/user", "per sec"}
)
_COUNT_UNITS = frozenset({"tokens", "requests", "count", ""})
_ALIASES = {
    "total_input_sequence_length": "total_isl",
    "total_output_sequence_length": "total_osl",
    "minimum_request_timestamp": "min_request_timestamp",
    "maximum_response_timestamp": "max_response_timestamp",
}
_TOLERANCE = 0.02

Found = dict[str, dict[str, object]]


def tag_of(label: str) -> tuple[str, str]:
    """Return tag and unit of a label such as ``Request Latency (ms)``."""
    name, mark, rest = label.strip().rpartition(" (")
    if not mark or not rest.endswith(")"):
        name, rest = label.strip(), ")"
    tag = "_".join(name.lower().split())
    return _ALIASES.get(tag, tag), rest[:-1].strip()


def seconds_of(metric: object, key: str = "avg") -> float | None:
    """Return a statistic of a metric in seconds, by the unit beside it."""
    values = mapping(metric)
    unit = values.get("unit")
    scale = TIME_UNITS.get(unit) if isinstance(unit, str) else None
    return None if scale is None else not_negative(values.get(key), scale)


def scalar_of(found: Mapping[str, object], tag: str) -> float | None:
    """Return the only number of a metric of the whole load."""
    return not_negative(mapping(found.get(tag)).get("avg"))


def add_metrics(
    batch: Batch,
    place: Row,
    found: Mapping[str, object],
    trouble: Trouble,
    *,
    failed: int | None,
    rounding: float = 0.0,
    window: float | None = None,
) -> int:
    """Add all known metrics of a load, and what it counted.

    Parameters
    ----------
    batch : Batch
        Where they go.
    place : dict
        Columns that all rows of the entry share.
    found : mapping
        Metrics by tag: unit and statistics.
    trouble : Trouble
        Takes metrics in unknown units and contradictions.
    failed : int or None
        Requests that failed, where told beside the metrics.
    rounding : float
        How far a printed number may be from the exact one.
    window : float or None
        Seconds from start to end of the command, over which rates may be, too.

    Returns
    -------
    int
        Rows added.
    """
    added = 0
    for tag, (_, kind, _) in METRICS.items():
        values = mapping(found.get(tag))
        scale = _scale(kind, values.get("unit"))
        if not values:
            continue
        if scale is None:
            message = f"entry skipped: {tag} has an unknown unit"
            trouble.note(batch, "SPS002", _line(place), message)
            continue
        added += _add(batch, place, tag, scale, values)
    added += _count(batch, place, found, trouble, failed=failed)
    _check(batch, place, found, trouble, rounding=rounding, window=window)
    return added


def _scale(kind: str, unit: object) -> float | None:
    named = unit if isinstance(unit, str) else ""
    if kind == "time":
        return TIME_UNITS.get(named)
    known = {"requests": _REQUEST_UNITS, "tokens": _TOKEN_UNITS}.get(kind, _COUNT_UNITS)
    return 1.0 if named in known else None


def _line(place: Row) -> int:
    return whole(place.get("entry")) or 1


def _add(
    batch: Batch,
    place: Row,
    tag: str,
    scale: float,
    values: Mapping[str, object],
) -> int:
    metric, kind, definition = METRICS[tag]
    unit = {"time": "s", "requests": "req/s", "tokens": "tok/s"}.get(kind, "tokens")
    if metric == "concurrency":
        unit = "1"
    if definition == _OF_LOAD and kind in _RATES:
        values = {"avg": values.get("avg")}
        before = batch.count("aggregates")
        _add_rate(batch, place, metric, unit, values)
        return batch.count("aggregates") - before
    return add_distribution(
        batch,
        place,
        metric,
        unit,
        values,
        scale=scale,
        n=whole(values.get("count")),
        scope="run" if metric == "concurrency" else "request",
        definition=definition,
    )


def _add_rate(
    batch: Batch, place: Row, metric: str, unit: str, values: Mapping[str, object]
) -> None:
    value = not_negative(values.get("avg"))
    if value is None:
        return
    row: Row = {**place, "metric": metric, "unit": unit, "statistic": "rate"}
    row.update(value=value, scope="run", definition=_OF_LOAD)
    batch.add("aggregates", row)


def _count(
    batch: Batch,
    place: Row,
    found: Mapping[str, object],
    trouble: Trouble,
    *,
    failed: int | None,
) -> int:
    requests = whole(scalar_of(found, "request_count"))
    if requests is None:
        return 0
    told = whole(scalar_of(found, "error_request_count"))
    failed = failed if told is None else told
    row: Row = {
        **place,
        "scope": "run",
        "started_s": seconds_of(found.get("min_request_timestamp")),
        "ended_s": seconds_of(found.get("max_response_timestamp")),
        "duration_s": seconds_of(found.get("benchmark_duration")),
        "n_requests": requests,
        "n_failed": failed,
        "n_prompt": whole(scalar_of(found, "total_isl")),
        "n_output": whole(scalar_of(found, "total_osl")),
    }
    batch.add("counters", row)
    if failed:
        trouble.note(
            batch,
            "SPS007",
            _line(place),
            "requests failed; the printed numbers leave them out",
            observed=f"{failed} failed, {requests} answered",
        )
    return 1


def _check(
    batch: Batch,
    place: Row,
    found: Mapping[str, object],
    trouble: Trouble,
    *,
    rounding: float,
    window: float | None,
) -> None:
    duration = seconds_of(found.get("benchmark_duration"))
    for rate, total in (
        ("request_throughput", "request_count"),
        ("output_token_throughput", "total_osl"),
    ):
        printed, counted = scalar_of(found, rate), scalar_of(found, total)
        if not duration or printed is None or counted is None:
            continue
        right = counted / duration
        slack = max(rounding, _TOLERANCE * right)
        over = [right, counted / window] if window else [right]
        if not any(math.isclose(printed, one, abs_tol=slack) for one in over):
            trouble.note(
                batch,
                "SPS006",
                _line(place),
                f"{rate} is not {total} over benchmark_duration",
                observed=f"{printed:.6g} a second",
                required=f"{right:.6g} a second",
            )
