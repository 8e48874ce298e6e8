"""Ollama responses: chat and generate, one object, NDJSON or a saved stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import BadEntry, entries, first_entry, text, whole
from specstats.readers._results import mapping, settings_text
from specstats.readers.local._ollama import (
    COUNT_IS_AMBIGUOUS,
    LOAD,
    add_prompt_tokens,
    check_parts,
    started,
)
from specstats.readers.local._sink import NANO, Sink, digest, positive, unix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_LOADING = frozenset({"load", "unload"})
_WHY = "no Ollama response (done, model and message or response)"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if isinstance(entry, dict):
        if _is_response(entry):
            return Match(90, "done, model and message or response")
        only_error = isinstance(entry.get("error"), str) and len(entry) == 1
        if only_error and b'"done"' in head and b'"total_duration"' in head:
            return Match(60, "Ollama responses behind an error")
    return Match(0, _WHY)


def _is_response(entry: Entry) -> bool:
    if not isinstance(entry.get("done"), bool) or "model" not in entry:
        return False
    told = isinstance(entry.get("response"), str) or isinstance(
        entry.get("message"), dict
    )
    return told or ("eval_count" in entry and "total_duration" in entry)


@dataclass(slots=True)
class _Stream:
    """Text of a response whose last object is still to come."""

    line: int = 0
    thoughts: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        message = mapping(entry.get("message")) or entry
        for key, parts in (("thinking", self.thoughts), ("content", self.answer)):
            part = message.get(key)
            if part is None and key == "content":
                part = entry.get("response")
            if isinstance(part, str) and part:
                parts.append(part)

    @property
    def content(self) -> str:
        return "".join((*self.thoughts, *self.answer))


def _parse(source: Source) -> Iterator[Batch]:
    sink, stream = Sink(source), _Stream()
    for line, value in entries(source):
        problem = _problem(value)
        if problem is not None or not isinstance(value, dict):
            sink.batch.entries += 1
            sink.skip(line, problem or "not a JSON object")
            continue
        if isinstance(value.get("error"), str):
            _add_failure(sink, line, value)
            stream = _Stream()
        else:
            stream.line = stream.line or line
            stream.take(value)
            if value.get("done") is True:
                _add(sink, line, value, stream.content)
                stream = _Stream()
        if sink.is_full:
            yield sink.take()
    if stream.line:
        sink.batch.entries += 1
        sink.skip(
            stream.line,
            "the stream ends before its last object, which has the times",
            remedy="record it to its end",
        )
    yield sink.close()


def _problem(value: object) -> str | None:
    if isinstance(value, BadEntry):
        return value.reason
    if not isinstance(value, dict):
        return "not a JSON object"
    if not isinstance(value.get("error"), str) and not isinstance(
        value.get("done"), bool
    ):
        return "neither done nor an error"
    return None


def _add_failure(sink: Sink, line: int, entry: Entry) -> None:
    sink.batch.entries += 1
    message = text(entry.get("error")) or "error"
    sink.request(line, {"ok": False, "error": message, "settings": _settings(entry)})


def _settings(entry: Entry) -> str | None:
    return settings_text(
        {
            "id.engine": "ollama",
            "id.model": text(entry.get("model")),
            "id.remote_model": text(entry.get("remote_model")),
        }
    )


def _add(sink: Sink, line: int, entry: Entry, content: str) -> None:
    sink.batch.entries += 1
    shared: Row = {"settings": _settings(entry)}
    load = positive(entry.get("load_duration"), NANO)
    reason = text(entry.get("done_reason"))
    if reason in _LOADING:
        if load is None:
            sink.skip(line, f"it only tells of a model's {reason}, without a time")
            return
        sink.aggregate(
            line, shared, LOAD, load, scope="request", definition="no answer followed"
        )
        sink.batch.parsed += 1
        return
    total = positive(entry.get("total_duration"), NANO)
    ended = unix(entry.get("created_at"))
    row: Row = {
        **shared,
        "finish_reason": reason,
        "ended_s": ended,
        "started_s": started(ended, total),
        "prompt_s": positive(entry.get("prompt_eval_duration"), NANO),
        "e2e_s": total,
        "output_sha256": digest(content) if content else None,
    }
    count = whole(entry.get("eval_count"))
    if count:
        row["n_output"] = count
        row["decode_s"] = positive(entry.get("eval_duration"), NANO)
    elif not content:
        row["n_output"] = 0
        sink.says_nothing(line)
    check_parts(sink, line, row, load)
    sink.request(line, row)
    told = "time of loading the model, small where it was loaded"
    sink.aggregate(line, shared, LOAD, load, scope="request", definition=told)
    add_prompt_tokens(sink, line, shared, whole(entry.get("prompt_eval_count")))


READER = Reader(
    name="ollama-api",
    label="Ollama API responses (chat and generate; JSON, NDJSON, saved streams)",
    producers=("2025-08", "2025-09 (hosted models)"),
    levels=("request", "aggregate"),
    boundary="unknown: a response does not name the server, so a file counts as one "
    "run",
    traps=(
        (
            "eval_duration begins at the first token in the engine of 2026: n tokens "
            "in n-1 steps; the rate is recomputed as (n-1)/time"
        ),
        COUNT_IS_AMBIGUOUS,
        (
            "fields that are 0 are left out, and hosted models leave out times: a "
            "missing count or time is missing, not 0"
        ),
        (
            "total_duration contains the loading of the model; so does the first "
            "request's latency"
        ),
        "draft counts are not told, though drafting can be switched on",
        "no version, quantisation or device stands in a response",
    ),
    fields=(
        ("eval_count", "requests.n_output: tokens; 0 only where there is no text"),
        ("eval_duration", "requests.decode_s: ns to s"),
        ("prompt_eval_count", "aggregates.value: tokens, cached ones perhaps in it"),
        ("prompt_eval_duration", "requests.prompt_s: ns to s"),
        ("total_duration", "requests.e2e_s: ns to s, as the server saw it"),
        ("created_at of the last object", "requests.ended_s: Unix time"),
        (
            "created_at less total_duration",
            "requests.started_s: Unix time, a difference of two printed values",
        ),
        ("load_duration", "aggregates.value: ns to s, metric load"),
        ("done_reason", "requests.finish_reason: load and unload give no request"),
        ("error", "requests.error: a request that failed"),
        ("thinking, response or message.content", "requests.output_sha256: joined"),
        ("model", "requests.settings: id.model"),
    ),
    marks=(b'"done"',),
    sniff=_sniff,
    parse=_parse,
)
