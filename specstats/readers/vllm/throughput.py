"""``vllm bench throughput``: one offline load in one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, whole
from specstats.readers._results import (
    add_aggregate,
    mapping,
    positive,
    process_of,
    reason_of,
    settings_text,
)
from specstats.readers.vllm._checks import Checker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_KEYS = ("elapsed_time", "num_requests", "total_num_tokens", "requests_per_second")
_TOLERANCE = 1e-3
_RATES = {
    "requests_per_second": ("request_throughput", "req/s", "requests over the time"),
    "tokens_per_second": (
        "total_throughput",
        "tok/s",
        "prompt and output tokens over the time",
    ),
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = all(key in entry for key in _KEYS)
    return Match(90 if known else 0, "no elapsed_time with requests_per_second")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    launch = 0
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        seconds, count = positive(entry.get("elapsed_time")), _count(entry)
        if seconds is None or count is None:
            why = reason_of(value, "no elapsed_time and num_requests above 0")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        place: Row = {
            "source": source.name,
            "entry": line,
            "process": process_of(source, launch),
            "settings": settings_text(
                {
                    "cfg.num_prompts": count,
                    "cfg.input_len": whole(entry.get("input")),
                    "cfg.output_len": _output_length(entry),
                }
            ),
        }
        launch += 1
        batch.parsed += 1
        _add(batch, place, entry, seconds, count)
        _check(Checker(batch, trouble, line), entry, seconds, count)
    trouble.close(batch)
    yield batch


def _count(entry: Mapping[str, object]) -> int | None:
    return whole(entry.get("num_requests")) or None


def _output_length(entry: Mapping[str, object]) -> int | None:
    found = whole(entry.get("output"))
    return whole(entry.get("ouput")) if found is None else found


def _split(entry: Mapping[str, object], count: int) -> tuple[int, int] | None:
    """Return prompt and output tokens where lengths of all requests are printed."""
    prompt, output = whole(entry.get("input")), _output_length(entry)
    total = whole(entry.get("total_num_tokens"))
    if prompt is None or output is None or (prompt + output) * count != total:
        return None
    return prompt * count, output * count


def _add(
    batch: Batch, place: Row, entry: Mapping[str, object], seconds: float, count: int
) -> None:
    row: Row = {
        **place,
        "scope": "run",
        "duration_s": seconds,
        "n_requests": count,
    }
    split = _split(entry, count)
    if split is not None:
        row["n_prompt"], row["n_output"] = split
    batch.add("counters", row)
    for key, (metric, unit, meaning) in _RATES.items():
        add_aggregate(
            *(batch, place, metric, unit, "rate"),
            value=positive(entry.get(key)),
            scope="run",
            definition=meaning,
        )
    tokens = whole(entry.get("total_num_tokens"))
    add_aggregate(
        *(batch, place, "total_tokens", "tokens", "total"),
        value=float(tokens) if tokens else None,
        scope="run",
        definition="prompt and output tokens",
    )


def _check(
    checker: Checker, entry: Mapping[str, object], seconds: float, count: int
) -> None:
    counted = {
        "requests_per_second": count,
        "tokens_per_second": whole(entry.get("total_num_tokens")),
    }
    for key, total in counted.items():
        rate = positive(entry.get(key))
        if rate and total:
            checker.compare(
                f"{key} times elapsed_time is not what was counted",
                *(rate * seconds, float(total), _TOLERANCE * total),
            )
    prompt, output = whole(entry.get("input")), _output_length(entry)
    if prompt is not None and output is not None and counted["tokens_per_second"]:
        checker.compare(
            "total_num_tokens is not num_requests times input and output",
            *(float(counted["tokens_per_second"]), float((prompt + output) * count)),
            0.5,
        )


READER = Reader(
    name="vllm-bench-throughput",
    label="vLLM bench throughput results (JSON)",
    producers=("vllm 0.7", "vllm 0.10", "a variant with input and ouput"),
    levels=("counter", "aggregate"),
    boundary="proved: one in-process engine a result",
    traps=(
        (
            "tokens_per_second counts prompt tokens too: it is no decode rate, and "
            "falls with the length of the answers"
        ),
        "the variant writes ouput for output",
        "model, engine arguments and dataset are not in the file",
    ),
    fields=(
        ("elapsed_time", "counters.duration_s: s"),
        ("num_requests", "counters.n_requests"),
        (
            "input, ouput",
            "counters.n_prompt: and n_output; times the requests if exact",
        ),
        ("total_num_tokens", "aggregates.value: total_tokens"),
        ("requests_per_second", "aggregates.value: request_throughput, req/s"),
        ("tokens_per_second", "aggregates.value: total_throughput, tok/s"),
    ),
    marks=(b'"elapsed_time"',),
    sniff=_sniff,
    parse=_parse,
)
