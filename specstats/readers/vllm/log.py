"""vLLM server logs: what each window of ten seconds drafted and accepted."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.readers._base import NO_MATCH, Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate, process_of, settings_text
from specstats.readers._scan import marked_lines
from specstats.readers._text import real_in
from specstats.readers.vllm._arguments import SYNTHETIC, is_synthetic
from specstats.readers.vllm._launches import BEGINNINGS, Launch, launch_after
from specstats.readers.vllm._windows import Window, by_position, verified, window_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_SPEC = (b"SpecDecoding metrics:", b"Speculative metrics:")
_GENERATION = b"Avg generation throughput:"
_METRICS = (*_SPEC, _GENERATION)
_WANTED = (
    *_METRICS,
    *BEGINNINGS,
    "█  model ".encode(),
    b"non-default args:",
    b"rejection_sample_method",
    b"synthetic_acceptance",
)
# Reports of other tools that quote lines of this log.
_QUOTED = (b"decode_TPS=", b"wall_TPS=", b"Serving Benchmark Result")
_THROUGHPUT = re.compile(r"Avg generation throughput: ([\d.]{1,20}) tokens/s")
_RATE_ROUNDING = 0.000501
_V0_RATE = "counts positions after the first rejection; since the server began"


def _sniff(head: bytes, name: str) -> Match:
    del name
    if head.lstrip()[:1] == b"{" or any(mark in head for mark in _QUOTED):
        return NO_MATCH
    known = any(mark in head for mark in _METRICS)
    begun = any(mark in head for mark in BEGINNINGS)
    return Match(80 if known else 60 if begun else 0, "no metrics lines of vLLM")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    launch = Launch()
    for line, content in marked_lines(source, _WANTED):
        text = content.decode("utf-8", "replace")
        launch = launch_after(launch, text)
        _note_synthetic(launch, text, line, batch, trouble)
        if any(mark in content for mark in _SPEC):
            launch = _add_window(
                *(launch, text, line), source=source, batch=batch, trouble=trouble
            )
        if _GENERATION in content:
            _add_throughput(
                *(launch, text, line), source=source, batch=batch, trouble=trouble
            )
        if batch.count("counters") + batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _note_synthetic(
    launch: Launch, text: str, line: int, batch: Batch, trouble: Trouble
) -> None:
    if launch.synthetic or not is_synthetic(text):
        return
    launch.synthetic = True
    launch.settings[SYNTHETIC] = True
    trouble.note(
        batch,
        "SPS309",
        line,
        "the server accepts drafts at a configured rate",
        observed="rejection_sample_method synthetic, or synthetic acceptance rates",
        required="drafts that the model verifies",
        remedy="leave acceptance of this launch out, and do not call its speed one of "
        "the drafter",
    )


def _place(launch: Launch, line: int, source: Source) -> Row:
    return {
        "source": source.name,
        "entry": line,
        "process": process_of(source, launch.number) if launch.proved else None,
        "settings": settings_text(launch.settings),
    }


def _add_window(
    launch: Launch,
    text: str,
    line: int,
    *,
    source: Source,
    batch: Batch,
    trouble: Trouble,
) -> Launch:
    """Add the counts of a line; return its launch: counts that go back begin one."""
    batch.entries += 1
    window = window_in(text)
    if window is None:
        message = "entry skipped: no counts of accepted and drafted tokens"
        trouble.note(batch, "SPS002", line, message)
        return launch
    if window.accepted > window.drafted:
        trouble.note(
            batch,
            "SPS006",
            line,
            "entry skipped: more draft tokens accepted than drafted",
            observed=f"{window.accepted} accepted of {window.drafted}",
            required="accepted <= drafted",
        )
        return launch
    _check_rate(window, line, batch, trouble)
    if window.cumulative:
        launch, window = _since_the_last(launch, window, line, batch, trouble)
    launch.windows += 1
    place = _place(launch, line, source)
    batch.add("counters", {**place, "scope": "window", **_counts(launch, window)})
    batch.parsed += 1
    if window.rate is not None and window.cumulative:
        more = {"value": window.rate, "scope": "lifetime", "definition": _V0_RATE}
        add_aggregate(batch, place, "acceptance_rate", "1", "ratio", **more)  # type: ignore[arg-type]
    return launch


def _since_the_last(
    launch: Launch, found: Window, line: int, batch: Batch, trouble: Trouble
) -> tuple[Launch, Window]:
    before = launch.cumulative
    if before is not None and found.went_back(before):
        settings = launch.settings
        launch, before = launch.next(), None
        launch.settings = dict(settings)
    if before is None:
        trouble.note(
            batch,
            "SPS308",
            line,
            "the printed rate and number of accepted tokens count positions after "
            "the first rejection (vLLM V0): emitted tokens less steps are used",
        )
    launch.proved, launch.cumulative = True, found
    return launch, found if before is None else replace(
        found.since(before), rate=found.rate
    )


def _counts(launch: Launch, window: Window) -> Row:
    if launch.drafts_vary:
        window = replace(window, fixed=False)
    steps = verified(window)
    row: Row = {"n_draft": window.drafted, "n_verify": steps}
    if not window.cumulative:
        row["n_accepted"] = window.accepted
        if steps:
            found = by_position(window.rates, _RATE_ROUNDING, steps, window.accepted)
            row["accepted_by_position"] = None if found is None else json.dumps(found)
    elif window.emitted is not None:
        row["n_output"] = window.emitted
        if steps is not None and steps <= window.emitted <= steps + window.drafted:
            row["n_accepted"] = window.emitted - steps
    return row


def _check_rate(window: Window, line: int, batch: Batch, trouble: Trouble) -> None:
    if not window.drafted or window.rate is None:
        return
    right = window.accepted / window.drafted
    if abs(window.rate - right) > _RATE_ROUNDING:
        trouble.note(
            batch,
            "SPS006",
            line,
            "the printed acceptance rate is not accepted / drafted",
            observed=f"{window.rate:.4f}",
            required=f"{right:.4f} ({window.accepted} of {window.drafted})",
        )


def _add_throughput(
    launch: Launch,
    text: str,
    line: int,
    *,
    source: Source,
    batch: Batch,
    trouble: Trouble,
) -> None:
    launch.windows += 1
    found = _THROUGHPUT.search(text)
    value = None if found is None else real_in(found[1])
    if value == 0:  # an idle window
        return
    batch.entries += 1
    if value is None:
        message = "entry skipped: no number after Avg generation throughput"
        trouble.note(batch, "SPS002", line, message)
        return
    batch.parsed += 1
    add_aggregate(
        *(batch, _place(launch, line, source), "output_throughput", "tok/s", "rate"),
        value=value,
        scope="window",
        definition="tokens of a window of the log over its time, all requests",
    )


READER = Reader(
    name="vllm-log",
    label="vLLM server log: windows of draft and accepted tokens, throughput",
    producers=("0.5 (V0)", "V1, March 2025", "0.10", "0.20.0", "2026 (dynamic depth)"),
    levels=("counter", "aggregate"),
    boundary="proved: the version line or banner (without it the line that initialises "
    "the engine, another process number, or counts that go back) begins a launch; "
    "unknown in a log with none of these",
    traps=(
        (
            "windows are counts and add up to those of the load: do not average the "
            "printed lengths"
        ),
        (
            "the printed length is 1 + accepted / steps since May 2025; before that "
            "the bonus token was left out"
        ),
        (
            "V0 prints counts since the server began (differences are taken); its "
            "accepted tokens and rate count positions after a rejection (SPS308)"
        ),
        (
            "without bonus tokens, as in some versions of V0, emitted less steps is a "
            "lower bound of the accepted tokens"
        ),
        (
            "steps are derived where the drafter proposes equally many tokens a step; "
            "n-gram drafters do not"
        ),
        "throughputs of a window after idle time divide by the idle time too",
        "windows of one server are no replicates of a setting",
    ),
    fields=(
        ("Accepted, Number of accepted tokens", "counters.n_accepted: not of V0"),
        ("Drafted, Number of draft tokens", "counters.n_draft"),
        (
            "Number of emitted tokens",
            "counters.n_output: V0, bonus included; less steps: counters.n_accepted",
        ),
        (
            "Mean acceptance length, Per-position acceptance rate",
            (
                "counters.n_verify: drafted / positions where length and rates allow "
                "it, else the one number that they leave"
            ),
        ),
        (
            "Per-position acceptance rate",
            "counters.accepted_by_position: times steps, where rounding leaves one",
        ),
        ("Draft acceptance rate of V0", "aggregates.value: a fraction, as printed"),
        ("Avg generation throughput", "aggregates.value: tok/s of a window, not 0.0"),
        ("version, Initializing ... LLM engine, APIServer pid", "counters.process"),
        ("non-default args", "counters.settings"),
    ),
    marks=(*_METRICS, *BEGINNINGS),
    sniff=_sniff,
    parse=_parse,
)
