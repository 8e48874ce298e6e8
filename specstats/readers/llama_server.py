"""llama.cpp server responses: chat, /completion, JSONL, streams, error bodies."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import (
    BadEntry,
    entries,
    first_entry,
    number,
    text,
    whole,
)
from specstats.readers._stream import is_stream, stream_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_PROMPT_NAME_LIMIT = 80
_CONVENTION_TOLERANCE = 0.3
_SAMPLING = ("temperature", "top_k", "top_p", "min_p")
_SPECULATION = ("speculative.n_max", "speculative.n_min", "speculative.p_min")
_HARNESS_SETTINGS = (
    "engine",
    "depth",
    "drafter",
    "draft_model",
    "n_max",
    "n_min",
    "p_min",
    "cache_prompt",
    "sigma",
)
_ERROR_KEYS = frozenset({"error", "status", "request_id"})
_MILLI = 1e-3

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    if is_stream(head):
        known = b'"timings"' in head or b"chat.completion.chunk" in head
        return Match(70 if known else 0, "a stream without llama.cpp timings")
    entry = first_entry(head)
    if isinstance(entry, dict):
        if _timings(entry) is not None:
            return Match(90, "timings object")
        if _error(entry) is not None and set(entry) <= _ERROR_KEYS:
            return Match(40, "error body")
    looks = b'"timings"' in head and b'"predicted_n"' in head
    if looks and (entry is None or b'}\n{"' in head):
        return Match(60, "timings object behind a broken first entry")
    return Match(0, "no timings object")


def _parse(source: Source) -> Iterator[Batch]:
    trouble = Trouble(source)
    batch = Batch()
    stream = is_stream(source.head())
    found = stream_entries(source) if stream else entries(source)
    for line, value in found:
        batch.entries += 1
        if isinstance(value, BadEntry):
            trouble.note(batch, "SPS002", line, f"entry skipped: {value.reason}")
            continue
        _add_entry(_Context(source, line, batch, trouble), value)
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


@dataclass(slots=True)
class _Context:
    source: Source
    line: int
    batch: Batch
    trouble: Trouble
    extras: Entry = field(default_factory=dict)

    def note(self, code: str, message: str, **details: str) -> None:
        self.trouble.note(self.batch, code, self.line, message, **details)


def _add_entry(context: _Context, value: object) -> None:
    if not isinstance(value, dict):
        context.note("SPS002", "entry skipped: not a JSON object")
        return
    timings = _timings(value)
    error = _error(value)
    if timings is None and error is None:
        context.note(
            "SPS002",
            "entry skipped: neither a timings object nor an error body",
            remedy="llama-server adds timings to every response; other engines "
            "need their own format",
        )
        return
    spec = value.get("spec")
    context.extras = {**(spec if isinstance(spec, dict) else {}), **value}
    row = _identity(context, value)
    if timings is None:
        row.update(ok=False, error=error)
    else:
        row.update(ok=True, finish_reason=_finish_reason(value))
        row.update(_times(context, timings, value))
        row["output_sha256"] = _digest(value, context.extras)
        _add_steps(context, row)
        if value.get("truncated_stream") is True:
            context.note(
                "SPS002",
                "the stream ends before its finish_reason: its last timings are used",
                observed=f"{row['n_output']} tokens received",
            )
    row["settings"] = json.dumps(_settings(value, context.extras), sort_keys=True)
    context.batch.add("requests", row)
    context.batch.parsed += 1


def _timings(entry: Mapping[str, object]) -> Entry | None:
    timings = entry.get("timings")
    if isinstance(timings, dict) and (
        "predicted_n" in timings or "prompt_n" in timings
    ):
        return timings
    if "predicted_n" in entry and "predicted_ms" in entry:
        return dict(entry)
    return None


def _error(entry: Mapping[str, object]) -> str | None:
    error = entry.get("error")
    if isinstance(error, str):
        return error
    if isinstance(error, dict) and ("message" in error or "code" in error):
        code, message = text(error.get("code")), text(error.get("message"))
        return " ".join(part for part in (code, message) if part) or "error"
    return None


def _identity(context: _Context, entry: Entry) -> Row:
    extras = context.extras
    started = number(extras.get("process_start"))
    pid = whole(extras.get("pid"))
    proved = started is not None and pid is not None
    return {
        "source": context.source.name,
        "entry": context.line,
        "arm": text(extras.get("arm")),
        "run_id": _first_text(extras, "run", "run_index"),
        "block": text(extras.get("block")),
        "workload": _first_text(extras, "workload", "prompt_class"),
        "prompt_id": _prompt(extras),
        "repetition": _first_whole(extras, "repetition", "repeat", "rep"),
        "process": f"{pid}@{started}" if proved else None,
        "process_started_s": started,
        "request_id": text(entry.get("id")),
        "started_s": number(extras.get("request_start")),
        "ended_s": number(entry.get("created")),
    }


def _first_text(extras: Entry, *names: str) -> str | None:
    found = (text(extras.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _first_whole(extras: Entry, *names: str) -> int | None:
    found = (whole(extras.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _prompt(extras: Entry) -> str | None:
    name = text(extras.get("prompt_id"))
    prompt = extras.get("prompt")
    if name is not None or not isinstance(prompt, str):
        return name
    if len(prompt) <= _PROMPT_NAME_LIMIT and "\n" not in prompt:
        return text(prompt)
    return "sha256:" + _sha256(prompt)[:12]


def _times(context: _Context, timings: Entry, entry: Entry) -> Row:
    n_output = whole(timings.get("predicted_n"))
    decode_s = _seconds(timings.get("predicted_ms"))
    rate = number(timings.get("predicted_per_second"))
    draft, accepted = _draft_counts(context, timings)
    cached = whole(timings.get("cache_n"))
    return {
        "n_cached": _usage_cached(entry) if cached is None else cached,
        "n_prompt": whole(timings.get("prompt_n")),
        "prompt_s": _seconds(timings.get("prompt_ms")),
        "n_output": n_output,
        "decode_s": decode_s,
        "engine_rate_tps": rate,
        "rate_convention": _convention(context, n_output, decode_s, rate),
        "n_draft": draft,
        "n_accepted": accepted,
    }


def _seconds(value: object) -> float | None:
    milliseconds = number(value)
    if milliseconds is None or milliseconds < 0:
        return None
    return milliseconds * _MILLI


def _usage_cached(entry: Entry) -> int | None:
    usage = entry.get("usage")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return whole(details.get("cached_tokens")) if isinstance(details, dict) else None


def _draft_counts(
    context: _Context, timings: Entry
) -> tuple[int | None, int | None]:
    draft = whole(timings.get("draft_n"))
    accepted = whole(timings.get("draft_n_accepted"))
    if draft is None or accepted is None:
        return None, None
    if accepted > draft:
        context.note(
            "SPS006",
            "more draft tokens accepted than drafted: the counts are not used",
            observed=f"{accepted} accepted of {draft}",
            required="accepted <= drafted",
        )
        return None, None
    return draft, accepted


def _convention(
    context: _Context, n_output: int | None, decode_s: float | None, rate: float | None
) -> str | None:
    if not n_output or not decode_s or not rate:
        return None
    implied = rate * decode_s
    gap, convention = min(
        (abs(implied - n_output), "n"), (abs(implied - n_output + 1), "n-1")
    )
    if gap <= max(_CONVENTION_TOLERANCE, 1e-3 * n_output):
        return convention
    context.note(
        "SPS006",
        "the printed decode rate times the decode time gives another token count",
        observed=f"{implied:.4g} tokens",
        required=f"{n_output} or {n_output - 1}",
    )
    return None


def _finish_reason(entry: Entry) -> str | None:
    choices = entry.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return text(choices[0].get("finish_reason"))
    if entry.get("stop_type") == "limit" or entry.get("stopped_limit") is True:
        return "length"
    stopped = entry.get("stop_type") in {"eos", "word"} or entry.get("stopped_eos")
    return "stop" if stopped else None


def _digest(entry: Entry, extras: Entry) -> str | None:
    message: object = entry
    choices = entry.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message", choices[0])
    if isinstance(message, dict):
        ready = message.get("content_sha256")
        if isinstance(ready, str):
            return text(ready)
        parts = [message.get(key) for key in ("content", "reasoning_content", "text")]
        written = [part for part in parts if isinstance(part, str)]
        if written:
            return _sha256("".join(written))
    for key in ("output_sha256", "sha256"):
        if isinstance(extras.get(key), str):
            return text(extras[key])
    return None


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def _add_steps(context: _Context, row: Row) -> None:
    extras = context.extras
    row["n_steps"] = whole(extras.get("n_steps"))
    accepted = _counts(extras.get("accepted"))
    drafted = _counts(extras.get("drafted"))
    durations = extras.get("step_ms")
    times = durations if isinstance(durations, list) else []
    length = max(len(accepted), len(drafted), len(times))
    for step in range(length):
        context.batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "n_draft": drafted[step] if step < len(drafted) else None,
                "n_accepted": accepted[step] if step < len(accepted) else None,
                "step_s": _seconds(times[step]) if step < len(times) else None,
            },
        )
    if accepted:
        _check_steps(context, row, accepted)
        row["n_steps"] = len(accepted)


def _check_steps(context: _Context, row: Row, accepted: list[int | None]) -> None:
    total = sum(value or 0 for value in accepted)
    if row["n_accepted"] is not None and total != row["n_accepted"]:
        context.note(
            "SPS006",
            "accepted tokens of the steps do not add up to those of the request",
            observed=f"{total} over the steps",
            required=f"{row['n_accepted']} in the timings",
        )


def _counts(value: object) -> list[int | None]:
    return [whole(item) for item in value] if isinstance(value, list) else []


def _settings(entry: Entry, extras: Entry) -> Entry:
    settings: Entry = {}
    model = text(entry.get("model"))
    if model:
        settings["id.model"] = model.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
    build = text(entry.get("system_fingerprint"))
    if build:
        settings["id.build"] = build
    generation = entry.get("generation_settings")
    if isinstance(generation, dict):
        for key in (*_SAMPLING, *_SPECULATION):
            if isinstance(generation.get(key), int | float | str):
                settings[f"cfg.{key}"] = generation[key]
    for key in _HARNESS_SETTINGS:
        if key in extras and isinstance(
            extras[key], int | float | str | bool | None
        ):
            settings[f"cfg.{key}"] = extras[key]
    return settings


READER = Reader(
    name="llama-server",
    label="llama.cpp server responses (chat and /completion; JSON, JSONL, streams)",
    producers=("b6531", "b8642", "b9862", "ik_llama.cpp 2025-09"),
    levels=("request", "step"),
    boundary="proved by pid and process_start where a harness adds them; else "
    "declared, else unknown (counted as one run)",
    traps=(
        "predicted_per_second counts all n tokens before b10423 and n-1 after it",
        "draft_n is absent, not 0, when nothing was drafted",
        "text may stand in reasoning_content alone",
        "the model is compared by file name, not by folder",
    ),
    sniff=_sniff,
    parse=_parse,
)
