"""Medusa, EAGLE and Hydra answers: turns with times, tokens and step indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader
from specstats.readers.research._answers import first_answer, parse_answers
from specstats.readers.research._turns import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_DIALECT = Dialect(
    steps="idxs", last_index=True, lengths=None, short_first=False, seconds="e2e_s"
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry, choice = first_answer(head)
    if "decoding_steps" in choice or "accept_lengths:" in choice:
        return Match(0, "answers of Spec-Bench or REST")
    if "idxs" in choice and ("new_tokens" in choice or "wall_time" in choice):
        return Match(90, "question_id and choices[].idxs")
    if not entry and b'"idxs"' in head and b'"accept_lengths:"' not in head:
        known = b'"new_tokens"' in head and b'"wall_time"' in head
        return Match(60 if known else 0, "idxs without times and tokens")
    return Match(0, "no choices[].idxs")


def _parse(source: Source) -> Iterator[Batch]:
    yield from parse_answers(source, _DIALECT)


READER = Reader(
    name="medusa",
    label="Medusa, EAGLE and Hydra answers (model_answer/*.jsonl)",
    producers=("Medusa e2a5d20",),
    levels=("request",),
    boundary="unknown: nothing in a file names the launch; question ids that come "
    "again in the order of time prove further sessions",
    traps=(
        (
            "idxs is the index of the last step from 0: steps are idxs + 1, and "
            "dividing by sum(idxs) overstates the tokens a step"
        ),
        "wall_time includes the prompt, so it is end-to-end latency and no decode time",
        "the number of drafted tokens is not written, so there is no acceptance rate",
        "tstamp is the end of the question, so only its last turn has an end",
    ),
    fields=(
        ("question_id", "requests.prompt_id: with /turn, from 1, when several"),
        ("choices[].wall_time", "requests.e2e_s: s"),
        ("choices[].new_tokens", "requests.n_output: tokens"),
        ("choices[].idxs", "requests.n_steps: one more"),
        ("choices[].turns", "requests.output_sha256: ERROR is a failed request"),
        ("answer_id", "requests.request_id"),
        ("model_id", "requests.settings: id.model, and what the name says"),
        ("tstamp", "requests.ended_s: of the last turn"),
    ),
    marks=(b'"idxs"',),
    sniff=_sniff,
    parse=_parse,
)
