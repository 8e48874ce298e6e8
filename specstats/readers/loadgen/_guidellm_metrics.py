"""GuideLLM's printed distributions of a load level, its counts and its checks."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from specstats.readers._json import number, whole
from specstats.readers._results import add_aggregate, mapping
from specstats.readers.loadgen._distributions import add_distribution, not_negative

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.readers._base import Batch, Row, Trouble
    from specstats.readers.loadgen._guidellm_rows import Load

__all__ = ["add_load"]

_MILLI = 1e-3
_WEIGHTED = "sd divides by n, weighted by probability"
# metric, unit, factor, definition
_DISTRIBUTIONS = {
    "request_latency": ("e2e", "s", 1.0, None),
    "time_to_first_token_ms": ("ttft", "s", _MILLI, None),
    "time_to_first_output_token_ms": (
        "ttft_output",
        "s",
        _MILLI,
        "to the first token that is not reasoning",
    ),
    "time_per_output_token_ms": (
        "e2e_per_token",
        "s",
        _MILLI,
        "GuideLLM's TPOT: time to the last token / tokens, the first included",
    ),
    "inter_token_latency_ms": (
        "tpot",
        "s",
        _MILLI,
        "GuideLLM's ITL: (last token - first token) / (tokens - 1) of a request",
    ),
    "prompt_token_count": ("input_length", "tokens", 1.0, None),
    "output_token_count": ("output_length", "tokens", 1.0, None),
    "output_tokens_per_iteration": (
        "tokens_per_chunk",
        "tokens",
        1.0,
        (
            "of a request, the first chunk included; a chunk is a step where nothing "
            "joins them"
        ),
    ),
    "iter_tokens_per_iteration": (
        "decode_tokens_per_chunk",
        "tokens",
        1.0,
        (
            "of a request, the first chunk left out; a chunk is a step where nothing "
            "joins them"
        ),
    ),
}
_RATES = {
    "requests_per_second": ("request_throughput", "req/s"),
    "output_tokens_per_second": ("output_throughput", "tok/s"),
    "prompt_tokens_per_second": ("input_throughput", "tok/s"),
    "tokens_per_second": ("total_throughput", "tok/s"),
}
_OF_WINDOW = "mean over time of the measured window"
_PERCENTILE = re.compile(r"p(0?\d{2})(\d?)", re.ASCII)
_NAMED = {"p001": "p0p1", "p999": "p99p9"}
_LATE = 1.0
_TOLERANCE = 1e-3


def add_load(
    batch: Batch, place: Row, load: Load, trouble: Trouble, times: Sequence[float]
) -> bool:
    """Add what a load level prints and counts, and check it.

    Parameters
    ----------
    batch : Batch
        Where it goes.
    place : dict
        Columns that all rows of the level share.
    load : Load
        The level.
    trouble : Trouble
        Takes contradictions.
    times : sequence of float
        Latencies of the answered requests that the file lists and that count.

    Returns
    -------
    bool
        Whether rows were added.
    """
    line = whole(place.get("entry")) or 1
    before = batch.count("aggregates") + batch.count("counters")
    for key, (metric, unit, scale, definition) in _DISTRIBUTIONS.items():
        found = _successful(load, key)
        values = _flattened(found)
        add_distribution(
            batch,
            place,
            metric,
            unit,
            values,
            scale=scale,
            n=whole(found.get("count")),
            scope="request",
            definition=f"{definition}; {_WEIGHTED}" if definition else _WEIGHTED,
        )
    late = _window_too_long(load)
    for key, (metric, unit) in _RATES.items():
        value = not_negative(_successful(load, key).get("mean"))
        if late and key == "requests_per_second":
            _recompute(batch, place, load, trouble, printed=value)
            continue
        _add_rate(batch, place, metric, unit, value)
    if not late:
        found = _successful(load, "request_concurrency")
        mean = not_negative(found.get("mean"))
        add_aggregate(
            *(batch, place, "concurrency", "1", "mean"),
            value=mean,
            scope="run",
            definition="weighted by time",
        )
    _count(batch, place, load, trouble, line)
    _check(batch, load, trouble, line, times)
    return batch.count("aggregates") + batch.count("counters") > before


def _successful(load: Load, key: str) -> Mapping[str, object]:
    """Return the distribution over answered requests; nothing where there are none."""
    found = mapping(mapping(load.metrics.get(key)).get("successful"))
    return found if whole(found.get("count")) else {}


def _flattened(found: Mapping[str, object]) -> dict[str, object]:
    values = {key: found.get(key) for key in ("mean", "std_dev", "median", "min")}
    values["max"] = found.get("max")
    for key, value in mapping(found.get("percentiles")).items():
        matched = _PERCENTILE.fullmatch(key)
        if key in _NAMED:
            values[_NAMED[key]] = value
        elif matched and not matched[2]:
            values[f"p{int(matched[1])}"] = value
    return values


def _add_rate(
    batch: Batch, place: Row, metric: str, unit: str, value: float | None
) -> None:
    add_aggregate(
        *(batch, place, metric, unit, "rate"),
        value=value,
        scope="run",
        definition=_OF_WINDOW,
    )


def _time(load: Load, key: str) -> float | None:
    return number(load.state.get(key))


def _window_too_long(load: Load) -> bool:
    measured, ended = _time(load, "measure_end_s"), _time(load, "ended_s")
    return measured is not None and ended is not None and measured > ended + _LATE


def _recompute(
    batch: Batch,
    place: Row,
    load: Load,
    trouble: Trouble,
    *,
    printed: float | None,
) -> None:
    answered = whole(mapping(load.state.get("made")).get("successful"))
    began, ended = _time(load, "started_s"), _time(load, "ended_s")
    if answered is None or began is None or ended is None or ended <= began:
        return
    right = answered / (ended - began)
    add_aggregate(
        *(batch, place, "request_throughput", "req/s", "rate"),
        value=right,
        scope="run",
        definition="recomputed: answered requests from first start to last end, "
        "warm-up included",
    )
    trouble.note(
        batch,
        "SPS006",
        whole(place.get("entry")) or 1,
        "the measured window ends after the last request: requests_per_second was "
        "recomputed and the concurrency left out",
        observed="none" if printed is None else f"{printed:.4f} requests/s",
        required=f"{right:.4f} requests/s",
        remedy="use warm-up and cool-down as numbers of requests, or none",
    )


def _count(batch: Batch, place: Row, load: Load, trouble: Trouble, line: int) -> None:
    made = mapping(load.state.get("made"))
    answered, errored = whole(made.get("successful")), whole(made.get("errored"))
    if answered is None:
        return
    incomplete = whole(made.get("incomplete"))
    measured = mapping(load.state.get("measured"))
    all_measured = whole(measured.get("successful")) == answered
    began, ended = _time(load, "started_s"), _time(load, "ended_s")
    known = began is not None and ended is not None and ended >= began
    failed = None if errored is None else whole(errored + (incomplete or 0))
    row: Row = {
        **place,
        "scope": "run",
        "started_s": began,
        "ended_s": ended,
        "duration_s": (ended or 0.0) - (began or 0.0) if known else None,
        "n_requests": answered,
        "n_failed": failed,
    }
    if all_measured:
        for column, key in (
            ("n_prompt", "prompt_token_count"),
            ("n_output", "output_token_count"),
        ):
            row[column] = whole(_successful(load, key).get("total_sum"))
    batch.add("counters", row)
    if errored and errored > len(load.errored):
        trouble.note(
            batch,
            "SPS007",
            line,
            "requests failed that the file does not list",
            observed=f"{errored} failed, {len(load.errored)} listed",
        )


def _check(
    batch: Batch, load: Load, trouble: Trouble, line: int, times: Sequence[float]
) -> None:
    """Compare the printed mean latency with the requests, where all are there."""
    found = _successful(load, "request_latency")
    printed = not_negative(found.get("mean"))
    if printed is None or not times or whole(found.get("count")) != len(times):
        return
    mean = math.fsum(times) / len(times)
    if not math.isclose(mean, printed, rel_tol=_TOLERANCE):
        trouble.note(
            batch,
            "SPS006",
            line,
            "the printed mean of request_latency is not that of the requests",
            observed=f"{printed:.6g} s",
            required=f"{mean:.6g} s",
        )
