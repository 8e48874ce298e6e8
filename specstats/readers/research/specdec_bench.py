"""specdec_bench (NVIDIA Model Optimizer): timing.json and the acceptance files."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    mapping,
    positive,
    process_of,
)
from specstats.readers._text import count_in, real_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_LONGEST = 10_000
_TOLERANCE = 1e-6
_BLOCKS = {
    "E2E Request Time": ("e2e", "s", "request to last token"),
    "TTFT Time": ("ttft", "s", "request to first tokens"),
    "Request Generation Step Time": (
        "step_time",
        "s",
        "between deliveries of tokens, the first of each request included",
    ),
    "Request Generation Tokens Per Second": (
        "decode_rate",
        "tok/s",
        "(tokens - 1) over the time from first to last delivery",
    ),
    "Number of Output Tokens": ("output_tokens", "tokens", "of a request"),
}
_QUANTILES = {"0.25": "p25", "0.5": "median", "0.75": "p75"}
_MEANS = "mean of tokens a step, bonus included"


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    timed = "Output TPS" in entry and any(key in entry for key in _BLOCKS)
    accepted = "Request_AL" in entry and (
        "Average_AL" in entry or "Acceptance_Length_Histogram" in entry
    )
    return Match(90 if timed or accepted or _is_cut(entry) else 0, "none of its keys")


def _is_cut(entry: Mapping[str, object]) -> bool:
    """Whether the head ends inside the first of the keys, which may be long."""
    return list(entry) == ["Request_AL"] and bool(mapping(entry["Request_AL"]))


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for launch, (line, value) in enumerate(entries(source)):
        batch.entries += 1
        entry = mapping(value)
        place: Row = {"source": source.name, "entry": line}
        place["process"] = process_of(source, launch)
        before = batch.count("aggregates") + batch.count("counters")
        if isinstance(value, BadEntry):
            trouble.note(batch, "SPS002", line, f"entry skipped: {value.reason}")
            continue
        if entry:
            _add_timing(batch, place, entry)
            _add_lengths(batch, place, entry)
            _add_histogram(batch, place, entry, line, trouble)
        if batch.count("aggregates") + batch.count("counters") == before:
            message = "entry skipped: neither timing nor acceptance lengths"
            trouble.note(batch, "SPS002", line, message)
            continue
        batch.parsed += 1
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _real(value: object) -> float | None:
    """Return a number, 0 or above; the blocks write it as text with four decimals."""
    real = real_in(value) if isinstance(value, str) else number(value)
    return real if real is not None and real >= 0 else None


def _add_timing(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    for key, metric in (
        ("Output TPS", "output_throughput"),
        ("Output TPS/gpu", "output_throughput_per_gpu"),
    ):
        value = positive(_real(entry.get(key)))
        meaning = "tokens of all requests over first start to last token"
        add_aggregate(
            batch,
            place,
            metric,
            "tok/s",
            "rate",
            value=value,
            scope="run",
            definition=meaning,
        )
    for key, (metric, unit, meaning) in _BLOCKS.items():
        block = mapping(entry.get(key))
        more = {"scope": "request", "definition": meaning}
        sd = _real(block.get("std"))
        mean = _real(block.get("mean"))
        add_aggregate(batch, place, metric, unit, "mean", value=mean, sd=sd, **more)
        for name in ("min", "max"):
            value = _real(block.get(name))
            add_aggregate(batch, place, metric, unit, name, value=value, **more)
        for quantile, name in _QUANTILES.items():
            value = _real(mapping(block.get("quantiles")).get(quantile))
            add_aggregate(batch, place, metric, unit, name, value=value, **more)


def _add_lengths(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    for request, found in mapping(entry.get("Request_AL")).items():
        turns = mapping(found)
        pairs = (
            [(f"{request}/{turn}", value) for turn, value in turns.items()]
            if turns
            else [(request, found)]
        )
        for prompt, value in pairs:
            add_aggregate(
                batch,
                {**place, "prompt_id": text(prompt)},
                "mean_accepted_length",
                "tokens",
                "mean",
                value=positive(value),
                scope="request",
                definition=_MEANS,
            )
    for category, value in mapping(entry.get("Category_AL")).items():
        add_aggregate(
            batch,
            {**place, "workload": text(category)},
            "mean_accepted_length",
            "tokens",
            "mean",
            value=positive(value),
            scope="run",
            definition="mean over questions of the means over their steps",
        )
    add_aggregate(
        batch,
        place,
        "mean_accepted_length",
        "tokens",
        "mean",
        value=positive(entry.get("Average_AL")),
        scope="run",
        definition="mean over turns or questions of the means over their steps, so "
        "long answers do not weigh more; bonus included",
    )


def _add_histogram(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    counts = _histogram(entry)
    steps = sum(counts.values())
    if not steps:
        return
    tokens = sum(length * count for length, count in counts.items())
    if whole(tokens) is None:
        return
    longer = _at_least(counts)
    batch.add(
        "counters",
        {
            **place,
            "scope": "run",
            "n_output": tokens,
            "n_steps": steps,
            "n_verify": steps,
            "n_accepted": tokens - steps,
            "accepted_by_position": json.dumps(longer[1:]),
        },
    )
    add_aggregate(
        batch,
        place,
        "mean_accepted_length",
        "tokens",
        "ratio",
        value=tokens / steps,
        n=steps,
        scope="run",
        definition="from the histogram, every step once; bonus included",
    )
    rates = [after / before for before, after in itertools.pairwise(longer)]
    for position, rate in enumerate(rates):
        add_aggregate(
            batch,
            place,
            f"conditional_acceptance_rate_at_{position}",
            "1",
            "ratio",
            value=rate,
            n=longer[position],
            scope="run",
            definition="rebuilt from the histogram: draft tokens at this position "
            "accepted, of those whose predecessors were",
        )
    _check_ladder(batch, entry, rates, line, trouble)


def _histogram(entry: Mapping[str, object]) -> dict[int, int]:
    found: dict[int, int] = {}
    for key, value in mapping(entry.get("Acceptance_Length_Histogram")).items():
        length, count = count_in(key), whole(value)
        if length and length <= _LONGEST and count:
            found[length] = count
    return dict(sorted(found.items()))


def _at_least(counts: Mapping[int, int]) -> list[int]:
    """Return how many steps gave at least 1, 2, ... tokens."""
    totals, running = [], 0
    for length in range(max(counts), 0, -1):
        running += counts.get(length, 0)
        totals.append(running)
    return totals[::-1]


def _check_ladder(
    batch: Batch,
    entry: Mapping[str, object],
    rates: list[float],
    line: int,
    trouble: Trouble,
) -> None:
    for key, value in mapping(entry.get("Conditional_Acceptance_Rate")).items():
        length, printed = count_in(key), number(value)
        if not length or printed is None or not 1 < length <= len(rates) + 1:
            continue
        right = rates[length - 2]
        if abs(printed - right) > _TOLERANCE:
            trouble.note(
                batch,
                "SPS006",
                line,
                "Conditional_Acceptance_Rate leaves out lengths that never occurred, "
                "which shifts it; it was rebuilt from the histogram",
                observed=f"{printed:.4f} at length {length}",
                required=f"{right:.4f}",
            )
            return


READER = Reader(
    name="specdec-bench",
    label="specdec_bench timing.json, acceptance_rate.json and specbench.json",
    producers=("Model-Optimizer a2fbac7 (source)",),
    levels=("aggregate", "counter"),
    boundary="proved: each run into the same directory appends one element",
    traps=(
        "numbers in blocks are text with four decimals",
        "std divides by n",
        "the step time includes the interval to the first token",
        "lengths include the bonus token, and Average_AL is a mean of means",
        "conditional rates skip lengths that never occurred and are rebuilt",
        "configuration.json is overwritten, so it belongs to the last run only",
    ),
    fields=(
        ("Output TPS", "aggregates.value: output_throughput, tok/s"),
        ("Output TPS/gpu", "aggregates.value: output_throughput_per_gpu, tok/s"),
        ("E2E Request Time", "aggregates.value: e2e, s"),
        ("TTFT Time", "aggregates.value: ttft, s"),
        ("Request Generation Step Time", "aggregates.value: step_time, s"),
        (
            "Request Generation Tokens Per Second",
            "aggregates.value: decode_rate, tok/s",
        ),
        ("Number of Output Tokens", "aggregates.value: output_tokens"),
        (
            "Request_AL, Category_AL, Average_AL",
            "aggregates.value: mean_accepted_length",
        ),
        (
            "Acceptance_Length_Histogram",
            (
                "counters.n_steps: and n_output, n_accepted (one less a step), "
                "accepted_by_position; aggregates "
                "conditional_acceptance_rate_at_<j>"
            ),
        ),
    ),
    marks=(b'"Output TPS"', b'"Request_AL"'),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
