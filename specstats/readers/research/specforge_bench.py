"""SpecForge bench_model_speedup: one line a benchmark and configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    add_aggregate,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers.research.specforge import (
    BASELINE,
    config_arm,
    config_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_KEYS = ("acc_length", "throughput", "num_draft_tokens", "benchmark")
_ROWS_A_BATCH = 20_000
_TOLERANCE = 0.005
_SPREAD = 0.05
_LENGTH = (
    "tokens a verify step as the server counts them, bonus included, since that server "
    "began; 1.0 also where nothing was drafted"
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    if not entry:
        known = all(f'"{key}"'.encode() in head for key in _KEYS)
        return Match(50 if known else 0, "none of its keys")
    known = all(key in entry for key in _KEYS)
    return Match(90 if known else 0, "no acc_length and throughput")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    lengths: dict[str, list[float]] = {}
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if positive(entry.get("throughput")) is None:
            why = reason_of(value, "no throughput above 0")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        place = _place(source, line, entry)
        _add(batch, place, entry)
        _check(batch, entry, line, trouble)
        length = positive(entry.get("acc_length"))
        if length is not None and place["arm"] != BASELINE:
            key = f"{place['workload']}, {place['arm']}"
            lengths.setdefault(key, []).append(length)
        batch.parsed += 1
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    _note_spread(batch, lengths, trouble)
    trouble.close(batch)
    yield batch


def _place(source: Source, line: int, entry: Mapping[str, object]) -> Row:
    return {
        "source": source.name,
        "entry": line,
        "arm": config_arm(entry),
        "workload": text(entry.get("benchmark")),
        "settings": settings_text(config_settings(entry)),
    }


def _add(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    rate = positive(entry.get("throughput"))
    seconds = positive(entry.get("duration"))
    tokens = whole(entry.get("completion_tokens"))
    add_aggregate(
        batch,
        place,
        "output_throughput",
        "tok/s",
        "rate",
        value=rate,
        scope="run",
        definition="output tokens over the time of the whole set",
    )
    if place["arm"] != BASELINE:
        add_aggregate(
            batch,
            place,
            "mean_accepted_length",
            "tokens",
            "ratio",
            value=positive(entry.get("acc_length")),
            scope="lifetime",
            definition=_LENGTH,
        )
    if seconds is not None or tokens is not None:
        batch.add(
            "counters",
            {**place, "scope": "run", "duration_s": seconds, "n_output": tokens},
        )


def _check(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    rate, seconds = positive(entry.get("throughput")), positive(entry.get("duration"))
    tokens = whole(entry.get("completion_tokens"))
    if rate is None or seconds is None or not tokens:
        return
    if abs(rate * seconds - tokens) > _TOLERANCE * tokens:
        trouble.note(
            batch,
            "SPS006",
            line,
            "throughput times duration is not completion_tokens",
            observed=f"{rate * seconds:.0f} tokens",
            required=f"{tokens} tokens",
        )


def _note_spread(
    batch: Batch, lengths: Mapping[str, list[float]], trouble: Trouble
) -> None:
    for key, found in lengths.items():
        if max(found) - min(found) > _SPREAD * min(found):
            trouble.note(
                batch,
                "SPS308",
                1,
                f"{key}: lines of equal settings accept so differently that they had "
                "other draft models or prompts, and are no repeats",
                observed=f"acc_length {min(found):g} to {max(found):g}",
                required=f"a spread below {_SPREAD:.0%}",
                remedy="split the file by draft model and give each an arm",
            )


READER = Reader(
    name="specforge-bench",
    label="SpecForge bench_model_speedup results (*_result.jsonl)",
    producers=("SpecForge bench_model_speedup",),
    levels=("aggregate", "counter"),
    boundary="unknown: lines are appended, and repeated lines are repeats in launches "
    "that nothing names",
    traps=(
        (
            "acc_length is since the server began, so later benchmarks contain earlier "
            "ones"
        ),
        "the draft model is not in the file: lines of equal settings may have others",
        "steps 0 is the baseline, with acc_length 1.0",
    ),
    fields=(
        ("benchmark", "aggregates.workload"),
        (
            "batch_size, steps, topk, num_draft_tokens",
            "aggregates.arm: and settings cfg.*",
        ),
        ("throughput", "aggregates.value: output_throughput, tok/s"),
        ("acc_length", "aggregates.value: mean_accepted_length; not of a baseline"),
        ("duration", "counters.duration_s: s"),
        ("completion_tokens", "counters.n_output"),
    ),
    marks=(b'"acc_length"',),
    sniff=_sniff,
    parse=_parse,
)
