"""LM Studio responses: REST v0, REST v1 and the statistics of its SDKs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import BadEntry, decoded, entries, first_entry
from specstats.readers._results import mapping
from specstats.readers.local._lmstudio import (
    LOAD,
    STATS_BEGIN,
    drafts,
    is_stats,
    outcome,
    output_text,
    settings_of,
    whole_of,
)
from specstats.readers.local._sink import Sink, digest, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_STOPPED = "userStopped"
_FLAT = re.compile(r"\{([^{}]*)\}")
_RATES = ("tokens_per_second", "tokensPerSecond")
_FIRST_TOKENS = (
    "time_to_first_token",
    "time_to_first_token_seconds",
    "timeToFirstTokenSec",
)

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if isinstance(entry, dict):
        known = is_stats(mapping(entry.get("stats"))) or is_stats(entry)
        return Match(90 if known else 0, "no stats with a rate and a first token")
    if entry is None and STATS_BEGIN.search(head) is not None:
        known = b'"predictedTokensCount"' in head and b'"stopReason"' in head
        return Match(80 if known else 0, "no predictedTokensCount and stopReason")
    return Match(0, "no LM Studio stats object")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    for line, value in _values(source):
        sink.batch.entries += 1
        if isinstance(value, BadEntry):
            sink.skip(line, value.reason)
        elif not isinstance(value, dict):
            sink.skip(line, "not a JSON object")
        else:
            _add(sink, line, value)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _values(source: Source) -> Iterator[tuple[int, object]]:
    """Yield JSON entries; of pasted text the stats objects in it."""
    if isinstance(first_entry(source.head()), dict):
        yield from entries(source)
        return
    content = source.document().decode("utf-8", "replace")
    line, counted, found = 1, 0, False
    for flat in _FLAT.finditer(content):
        if '"predictedTokensCount"' not in flat[1]:
            continue
        line += content.count("\n", counted, flat.start())
        counted, found = flat.start(), True
        yield line, decoded(flat[0].encode())
    if not found:
        yield 1, BadEntry("no complete stats object")


def _add(sink: Sink, line: int, entry: Entry) -> None:
    stats = mapping(entry.get("stats"))
    if not is_stats(stats):
        stats = entry if is_stats(entry) else {}
    if not stats:
        sink.skip(line, "no stats with a rate, a count or a time")
        return
    usage = mapping(entry.get("usage"))
    rate = _first(stats, _RATES)
    count = whole_of(
        (usage, "completion_tokens"),
        (stats, "total_output_tokens"),
        (stats, "predictedTokensCount"),
    )
    ttft = _first(stats, _FIRST_TOKENS)
    if count is None and rate is None and ttft is None:
        sink.skip(line, "no stats with a rate, a count or a time")
        return
    settings = settings_of(entry, stats)
    shared: Row = {
        "settings": json.dumps(settings, sort_keys=True) if settings else None
    }
    row: Row = {
        **shared,
        **outcome(entry, stats),
        "n_prompt": whole_of(
            (usage, "prompt_tokens"),
            (stats, "input_tokens"),
            (stats, "promptTokensCount"),
        ),
    }
    if row["ok"]:
        content = output_text(entry)
        row.update(
            n_output=count,
            e2e_s=positive(stats.get("totalTimeSec")),
            output_sha256=digest(content) if content else None,
        )
        if count == 0:
            sink.says_nothing(line)
        else:
            row.update(engine_rate_tps=rate, ttft_s=ttft)
        row.update(drafts(sink, line, stats, usage))
    if row["finish_reason"] == _STOPPED:
        sink.note(
            "SPS014",
            line,
            "the user stopped the request: its length is no property of the model",
            observed=_STOPPED,
        )
    _check_total(sink, line, stats)
    sink.request(line, row)
    _add_times(sink, line, shared, stats)


def _first(stats: Entry, names: tuple[str, ...]) -> float | None:
    found = (positive(stats.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _add_times(sink: Sink, line: int, shared: Row, stats: Entry) -> None:
    told = "as printed; times the rate it need not give the completion tokens"
    sink.aggregate(
        line,
        {**shared, "scope": "request", "definition": told},
        ("generation_time", "s", "value"),
        positive(stats.get("generation_time")),
    )
    told = "time of loading the model for this request"
    sink.aggregate(
        line,
        {**shared, "scope": "request", "definition": told},
        LOAD,
        positive(stats.get("model_load_time_seconds")),
    )


def _check_total(sink: Sink, line: int, stats: Entry) -> None:
    names = ("promptTokensCount", "predictedTokensCount", "totalTokensCount")
    prompt, output, total = (whole_of((stats, name)) for name in names)
    if prompt is not None and output is not None and total is not None:
        message = "totalTokensCount is not prompt plus predicted tokens"
        sink.compare(line, message, (total, prompt + output), 0.5)


READER = Reader(
    name="lmstudio",
    label="LM Studio responses (REST v0 and v1) and SDK prediction statistics",
    producers=("runtime 1.3.0", "runtime 1.51.0", "REST v1 (0.4)", "lmstudio-js"),
    levels=("request", "aggregate"),
    boundary="unknown: a response does not name the server, so a file counts as one "
    "run",
    traps=(
        (
            "acceptance is accepted over all drafted tokens, which are accepted, "
            "rejected and ignored ones together: llama.cpp puts its rejects among the "
            "ignored"
        ),
        (
            "rate times generation_time need not be the completion tokens: the "
            "engine's rate is kept, its convention is not known, and no decode time is "
            "taken"
        ),
        "a missing tokensPerSecond was NaN or infinite",
        "numGpuLayers is documented as wrong and is not read",
        "a v1 response with tool calls covers several predictions",
    ),
    fields=(
        ("stats.tokens_per_second, tokensPerSecond", "requests.engine_rate_tps: tok/s"),
        (
            "stats.time_to_first_token(_seconds), timeToFirstTokenSec",
            "requests.ttft_s: s",
        ),
        ("stats.totalTimeSec", "requests.e2e_s: s"),
        ("stats.generation_time", "aggregates.value: s, metric generation_time"),
        ("stats.model_load_time_seconds", "aggregates.value: s, metric load"),
        (
            "usage.completion_tokens, total_output_tokens, predictedTokensCount",
            "requests.n_output: tokens",
        ),
        (
            "usage.prompt_tokens, input_tokens, promptTokensCount",
            "requests.n_prompt: tokens, cached ones perhaps in it",
        ),
        (
            "totalDraftTokensCount, total_draft_tokens_count",
            "requests.n_draft: tokens; 0 is missing",
        ),
        (
            "acceptedDraftTokensCount, accepted_draft_tokens_count",
            "requests.n_accepted: tokens, no bonus",
        ),
        (
            "stats.stop_reason, stopReason",
            "requests.finish_reason: 'failed' gives ok false",
        ),
        ("choices.message, output", "requests.output_sha256: texts joined"),
        ("id, response_id", "requests.request_id"),
        ("model, model_info, runtime, draft_model", "requests.settings: id.*, cfg.*"),
    ),
    marks=(
        b'"time_to_first_token',
        b'"generation_time"',
        b'"timeToFirstTokenSec"',
        b'"predictedTokensCount"',
    ),
    sniff=_sniff,
    parse=_parse,
)
