"""Spec-Bench answers: turns with times, steps and the tokens of every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader
from specstats.readers.research._answers import first_answer, parse_answers
from specstats.readers.research._turns import TIMED, Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_DIALECT = Dialect(
    steps="decoding_steps",
    last_index=False,
    lengths="accept_lengths",
    short_first=False,
    seconds="e2e_s",
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry, choice = first_answer(head)
    if "decoding_steps" in choice and ("new_tokens" in choice or "wall_time" in choice):
        return Match(90, "question_id and choices[].decoding_steps")
    if not entry and b'"decoding_steps"' in head:
        known = b'"new_tokens"' in head and b'"wall_time"' in head
        return Match(60 if known else 0, "decoding_steps without times and tokens")
    if "turns" in choice and not any(key in choice for key in TIMED):
        return Match(
            0,
            "FastChat answers: question_id and texts without any timing, so there is "
            "nothing to measure; Spec-Bench and Medusa write the same file with "
            "wall_time and new_tokens",
        )
    return Match(0, "no choices[].decoding_steps")


def _parse(source: Source) -> Iterator[Batch]:
    yield from parse_answers(source, _DIALECT)


READER = Reader(
    name="spec-bench",
    label="Spec-Bench answers (model_answer/*.jsonl)",
    producers=("Spec-Bench fd2c1cd", "forks with NaN rows or article_idx"),
    levels=("request", "step"),
    boundary="proved when question ids come again in the order of time: each repeat "
    "begins another session (a pause alone is not enough); else unknown",
    traps=(
        "wall_time includes the prompt, so it is end-to-end latency and no decode time",
        (
            "running again appends to the file, also with other drafter settings "
            "under the same model_id"
        ),
        "ERROR turns keep the time and counts of the turn before",
        "accept lengths include the bonus token; plain decoding writes 1 for each step",
        (
            "sampling in half precision changes texts between methods, so token counts "
            "differ"
        ),
        "tstamp is the end of the question, so only its last turn has an end",
    ),
    fields=(
        (
            "question_id, article_idx",
            "requests.prompt_id: with /turn, from 1, when there are several",
        ),
        ("category", "requests.workload"),
        ("choices[].index", "requests.repetition: position in the list, from 0"),
        ("choices[].wall_time", "requests.e2e_s: s"),
        ("choices[].new_tokens", "requests.n_output: tokens"),
        ("choices[].decoding_steps", "requests.n_steps"),
        (
            "choices[].accept_lengths",
            (
                "steps.n_output: tokens, split over turns by decoding_steps; "
                "steps.n_accepted: one less; requests.n_accepted: new_tokens less "
                "steps where both agree; none where the model never accepts"
            ),
        ),
        ("choices[].turns", "requests.output_sha256: ERROR is a failed request"),
        ("answer_id", "requests.request_id"),
        ("model_id", "requests.settings: id.model, and what the name says"),
        ("tstamp", "requests.ended_s: of the last turn"),
    ),
    marks=(b'"decoding_steps"', b'"turns"'),
    sniff=_sniff,
    parse=_parse,
)
