"""REST: answers with mistyped accept lengths, and the summary of its HumanEval test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate
from specstats.readers._text import clean_head, real_in, text_lines
from specstats.readers.research._answers import first_answer, parse_answers
from specstats.readers.research._turns import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_DIALECT = Dialect(
    steps="idxs",
    last_index=True,
    lengths="accept_lengths:",
    short_first=True,
    seconds="decode_s",
)
_LINE = re.compile(r"(avg_time_per_token|accept_lengths_tree_average)(_micro)?: +(\S+)")
_SUMMARY = re.compile(r"^avg_time_per_token(?:_micro)?: +[\d.]", re.MULTILINE)
_METRICS = {
    "avg_time_per_token": ("time_per_token", "s", "time over tokens, prompt left out"),
    "accept_lengths_tree_average": (
        "mean_accepted_length",
        "tokens",
        "tokens a step, bonus included; an extra 1 stands before each sample",
    ),
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry, choice = first_answer(head)
    if "accept_lengths:" in choice:
        return Match(90, "choices[] with the key 'accept_lengths:'")
    if entry:
        return Match(0, "no choices[] with the key 'accept_lengths:'")
    if b'"accept_lengths:"' in head and b'"idxs"' in head:
        return Match(60, "the key 'accept_lengths:'")
    known = _SUMMARY.search(clean_head(head)) is not None
    return Match(80 if known else 0, "no line avg_time_per_token:")


def _parse(source: Source) -> Iterator[Batch]:
    if _SUMMARY.search(clean_head(source.head())) is None:
        yield from parse_answers(source, _DIALECT)
    else:
        yield _summary(source)


def _summary(source: Source) -> Batch:
    batch, trouble = Batch(), Trouble(source)
    for line, content in text_lines(source):
        found = _LINE.match(content.strip())
        if found is None:
            continue
        batch.entries += 1
        metric, unit, meaning = _METRICS[found[1]]
        value = real_in(found[3])
        if value is None or value <= 0:
            trouble.note(batch, "SPS002", line, "entry skipped: no number above 0")
            continue
        place: Row = {"source": source.name, "entry": line}
        micro = found[2] is not None
        add_aggregate(
            batch,
            place,
            metric,
            unit,
            "ratio" if micro else "mean",
            value=value,
            scope="run" if micro else "request",
            definition=f"{meaning}; {'pooled' if micro else 'mean over samples'}",
        )
        batch.parsed += 1
    trouble.close(batch)
    return batch


READER = Reader(
    name="rest",
    label="REST answers (model_answer/*.jsonl) and HumanEval summary (results/*.txt)",
    producers=("REST 50a5fc1",),
    levels=("request", "step", "aggregate"),
    boundary="unknown: nothing in a file names the launch; question ids that come "
    "again in the order of time prove further sessions",
    traps=(
        (
            "the clock starts after the prompt was processed, so wall_time is decode "
            "time, unlike in Medusa's files"
        ),
        "the key is 'accept_lengths:', with the colon",
        (
            "the first step of each turn is written one token short (0 where it gave "
            "one); it is put right where the sum shows it"
        ),
        "idxs is the index of the last step from 0",
        (
            "means over samples and pooled means differ (2.98 and 2.65 tokens a step "
            "in one file)"
        ),
    ),
    fields=(
        ("question_id", "requests.prompt_id: with /turn, from 1, when several"),
        ("category", "requests.workload"),
        ("choices[].wall_time", "requests.decode_s: s"),
        ("choices[].new_tokens", "requests.n_output: tokens"),
        ("choices[].idxs", "requests.n_steps: one more"),
        (
            "choices[].accept_lengths:",
            (
                "steps.n_output: tokens, split over turns by idxs; steps.n_accepted: "
                "one less; requests.n_accepted: new_tokens less steps where both agree"
            ),
        ),
        ("choices[].turns", "requests.output_sha256: ERROR is a failed request"),
        ("answer_id", "requests.request_id"),
        ("model_id", "requests.settings: id.model, and what the name says"),
        ("tstamp", "requests.ended_s: of the last turn"),
        ("avg_time_per_token", "aggregates.value: time_per_token, s, mean and pooled"),
        (
            "accept_lengths_tree_average",
            "aggregates.value: mean_accepted_length, mean and pooled",
        ),
    ),
    marks=(b'"accept_lengths:"', b"avg_time_per_token"),
    sniff=_sniff,
    parse=_parse,
)
