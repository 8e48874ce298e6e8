"""``vllm bench latency``: iterations of one batch in one process."""

from __future__ import annotations

import math
import re
import statistics
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    positive,
    process_of,
    reason_of,
)
from specstats.readers.vllm._checks import Checker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_KEYS = ("avg_latency", "latencies", "percentiles")
_PERCENTILE = re.compile(r"\d{1,2}(?:\.\d{1,3})?", re.ASCII)
_MOST = 1_000_000
_TOLERANCE = 1e-3
_MEANING = "one pass of the whole batch, prompt processing in it"


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = all(key in entry for key in _KEYS[:2]) and (
        "percentiles" in entry or len(entry) == len(_KEYS) - 1
    )
    return Match(90 if known else 0, "no avg_latency, latencies and percentiles")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    launch = 0
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        found = [positive(seconds) for seconds in items(entry.get("latencies"))]
        times = [seconds for seconds in found if seconds is not None]
        mean = positive(entry.get("avg_latency"))
        problem = reason_of(value, "") or _problem(found, times, mean)
        if problem:
            trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            continue
        place: Row = {
            "source": source.name,
            "entry": line,
            "process": process_of(source, launch),
            "prompt_id": "batch",
        }
        launch += 1
        batch.parsed += 1
        for index, seconds in enumerate(times):
            row: Row = {**place, "repetition": index, "ok": True, "e2e_s": seconds}
            batch.add("requests", row)
        _add_printed(batch, place, entry, len(times))
        _check(Checker(batch, trouble, line), times, mean, entry)
    trouble.close(batch)
    yield batch


def _problem(
    found: Sequence[float | None], times: Sequence[float], mean: float | None
) -> str:
    if len(found) > _MOST:
        return f"{len(found)} iterations"
    if len(times) != len(found):
        return "a time in latencies is no number of seconds"
    return "" if times or mean else "no latencies and no avg_latency"


def _add_printed(
    batch: Batch, place: Row, entry: Mapping[str, object], count: int
) -> None:
    printed = {"mean": entry.get("avg_latency")}
    for key, value in mapping(entry.get("percentiles")).items():
        if _PERCENTILE.fullmatch(key):
            printed["median" if key == "50" else f"p{key}"] = value
    for statistic, value in printed.items():
        add_aggregate(
            *(batch, place, "e2e", "s", statistic),
            value=positive(value),
            n=count or None,
            scope="run",
            definition=_MEANING,
        )


def _check(
    checker: Checker,
    times: Sequence[float],
    mean: float | None,
    entry: Mapping[str, object],
) -> None:
    if not times:
        return
    if mean is not None:
        right = math.fsum(times) / len(times)
        checker.compare(
            "avg_latency is not the mean of latencies",
            *(mean, right, _TOLERANCE * right),
        )
    middle = number(mapping(entry.get("percentiles")).get("50"))
    if middle is not None:
        right = statistics.median(times)
        checker.compare(
            "the 50th percentile is not the median of latencies",
            *(middle, right, _TOLERANCE * right),
        )


READER = Reader(
    name="vllm-bench-latency",
    label="vLLM bench latency results (JSON)",
    producers=("vllm 0.7", "vllm 0.10"),
    levels=("sample", "aggregate"),
    boundary="proved: one in-process engine a result",
    traps=(
        "a time is that of a whole batch; batch size, lengths and model are not in it",
        "all iterations share a process: they are not replicates of a setting",
        "the list may be as short as two, or empty",
    ),
    fields=(
        ("latencies", "requests.e2e_s: s, one pass of the batch; repetition: order"),
        ("avg_latency", "aggregates.value: e2e, mean, s"),
        ("percentiles", "aggregates.value: e2e, p.., s"),
    ),
    marks=(b'"avg_latency"',),
    sniff=_sniff,
    parse=_parse,
)
