"""ik_llama.cpp's llama-spec-bench: attempts of tasks with counts by drafter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers.llamacpp._spec_attempts import Found, batches
from specstats.readers.llamacpp._spec_bench_json import has_rows, read_rows
from specstats.readers.llamacpp._spec_bench_table import has_table, read_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = has_table(head) or has_rows(head)
    return Match(85 if known else 0, "no table of attempts and no row_type")


def _parse(source: Source) -> Iterator[Batch]:
    found = Found(source, Batch(), Trouble(source))
    if has_table(source.head()):
        read_tables(found)
    else:
        read_rows(found)
    yield from batches(found)


READER = Reader(
    name="ik-spec-bench",
    label="ik_llama.cpp llama-spec-bench (table or JSONL, compact or detailed)",
    producers=("2026-07 (PR 2156)",),
    levels=("request", "counter", "aggregate"),
    boundary="proved: one process a table, or up to a summary row in JSONL",
    traps=(
        "repeats share one process and the state of the drafter: they are no launches",
        "a.len is 1 + accepted over rounds; accepted has no bonus tokens",
        "decode_tps counts all n tokens; the first is drawn from the prompt",
        "a drafter chain has a row for each drafter: their counts add up",
        "the table cuts names to 8 and positions to 28 characters",
        "the deviation of the repeat summary divides by n",
        "accepted by position follows from percentages only where drafts are full",
        "a failed attempt has no tokens, and its time of 0 is none",
    ),
    fields=(
        ("task, task_name", "requests.prompt_id: as written"),
        ("task_category", "requests.workload: as written"),
        ("run, repeat_index", "requests.repetition: from 0"),
        ("ok, stop = fail", "requests.ok: failed or not"),
        ("error, Errors:", "requests.error: as written"),
        ("stop, hit_eog", "requests.finish_reason: eog is stop, limit is length"),
        ("tokens, generated", "requests.n_output: the end of generation included"),
        ("time(s), decode_s", "requests.decode_s: s"),
        ("tok/s, decode_tps", "requests.engine_rate_tps: tok/s, n over time"),
        ("prompt tok, tokens.prompt", "requests.n_prompt: tokens"),
        ("prompt s, prompt_s", "requests.prompt_s: s"),
        ("total s, total_s", "requests.e2e_s: s"),
        ("accepted a/d, draft_tokens", "requests.n_draft: sum over drafters"),
        ("accepted a/d, accepted_tokens", "requests.n_accepted: sum over drafters"),
        ("rounds, drafts, num_drafts", "requests.n_steps: sum over drafters"),
        ("rounds, drafts, num_drafts", "counters.n_verify: verified drafts"),
        ("accepted a/d by stage", "counters.n_draft: and n_accepted, of a drafter"),
        ("pos accept, accepted_by_position", "counters.accepted_by_position: drafts"),
        ("draft s, t_draft_s", "aggregates.value: draft_time, s"),
        (
            "summary, repeat summary",
            "aggregates.value: rates; acceptance from percent to 1",
        ),
        ("tok/s mean/std, ...", "aggregates.sd: as printed, divided by n"),
        ("output", "requests.output_sha256: SHA-256 of the text"),
        ("stage, variant, runtime, sampler", "requests.settings: cfg.*, id.model"),
    ),
    marks=(b"pos accept", b'"row_type"'),
    sniff=_sniff,
    parse=_parse,
)
