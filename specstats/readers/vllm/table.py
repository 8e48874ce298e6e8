"""spec-bench-vllm: a line of benchmark_serving for each draft length and load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers._json import entries, first_entry, number, text
from specstats.readers._results import mapping, reason_of
from specstats.readers.vllm._checks import Checker
from specstats.readers.vllm._result import (
    add_result,
    kind_of,
    place_of,
    result_settings,
)
from specstats.readers.vllm.serve import check_result, note_synthetic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MOST_DRAFTED = 100_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = kind_of(mapping(first_entry(head))) == "table"
    return Match(90 if known else 0, "no NUM_SPEC_TOKENS beside a benchmark result")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if kind_of(entry) != "table":
            why = reason_of(value, "no result with NUM_SPEC_TOKENS")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        length = number(entry.get("NUM_SPEC_TOKENS"))
        if length is None or length != int(length) or abs(length) > _MOST_DRAFTED:
            why = "NUM_SPEC_TOKENS is no number of tokens"
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        batch.parsed += 1
        settings = _settings(entry, int(length))
        place = place_of(source.name, line, settings)
        place["arm"] = f"{int(length)} draft tokens" if length > 0 else "no drafting"
        place["workload"] = text(entry.get("subtask")) or text(entry.get("task"))
        checker = Checker(batch, trouble, line)
        note_synthetic(checker, settings)
        add_result(batch, place, entry)
        check_result(checker, entry)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _settings(entry: Mapping[str, object], length: int) -> dict[str, object]:
    settings = result_settings(entry)
    settings["cfg.num_speculative_tokens"] = max(length, 0)
    return settings


READER = Reader(
    name="spec-bench-vllm",
    label="spec-bench-vllm tables (JSONL, benchmark_serving by draft length and load)",
    producers=("December 2024",),
    levels=("counter", "aggregate"),
    boundary="unknown: nothing tells which lines one server answered",
    traps=(
        "NUM_SPEC_TOKENS -1 means no drafting",
        (
            "the published tables mix models: compare lines of one id.model only, a "
            "ratio across models is no speedup"
        ),
        (
            "total_throughput holds prompt tokens, and answers differ in length "
            "between arms: speedups of it are not those of decoding"
        ),
        "one load a line, no repeats",
        "the key request_goodput: has a colon",
    ),
    fields=(
        ("NUM_SPEC_TOKENS", "aggregates.arm: and settings cfg.num_speculative_tokens"),
        ("task, subtask", "aggregates.workload: as written"),
        ("model_id", "aggregates.settings: id.model"),
        ("max_concurrency", "aggregates.settings: cfg.max_concurrency"),
        ("everything else", "aggregates.*: as in vllm-bench-serve"),
    ),
    marks=(b'"NUM_SPEC_TOKENS"',),
    sniff=_sniff,
    parse=_parse,
)
