"""llama.cpp server responses: chat, /completion, JSONL, streams, error bodies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers._json import (
    BadEntry,
    entries,
    first_entry,
    is_line_by_line,
    line_value,
    text,
)
from specstats.readers.llamacpp._counts import Context, add_steps, times
from specstats.readers.llamacpp._identity import (
    digest,
    finish_reason,
    identity,
    settings_of,
)
from specstats.readers.llamacpp._sole import sole_response, sole_row
from specstats.readers.llamacpp._stream import is_stream, stream_entries

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from specstats.readers._chunk import Chunk
    from specstats.source import Source

__all__ = ["READER", "is_sole_response"]

_ROWS_A_BATCH = 20_000
_ERROR_KEYS = frozenset({"error", "status", "request_id", "spec"})

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


def is_sole_response(head: bytes) -> bool:
    """Whether a file is one response with no key but those that the server writes.

    Parameters
    ----------
    head : bytes
        First bytes of the file.

    Returns
    -------
    bool
        True where no other reader need be asked.
    """
    return sole_response(head) is not None


def _sole(source: Source) -> dict[str, object] | None:
    content = source.small()
    response = None if content is None else sole_response(content)
    return None if response is None else sole_row(source.name, response)


def _parse(source: Source) -> Iterator[Batch]:
    row = _sole(source)
    if row is None:
        yield from _parse_entries(source)
        return
    batch = Batch(entries=1, parsed=1)
    batch.add("requests", row)
    yield batch


def _parse_entries(source: Source) -> Iterator[Batch]:
    trouble = Trouble(source)
    batch = Batch()
    stream = is_stream(source.head())
    found = stream_entries(source) if stream else entries(source)
    for line, value in found:
        _add_value(source, line, value, batch, trouble)
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _columnar(source: Source) -> Generator[Chunk] | None:
    from specstats.readers.llamacpp._columnar import chunks

    if is_stream(source.head()) or not is_line_by_line(source):
        return None
    return chunks(source, _add_line)


def _add_line(
    source: Source, line: int, content: bytes, batch: Batch, trouble: Trouble
) -> None:
    value = line_value(source.cleaned(content, line), line)
    if value is not None:
        _add_value(source, line, value, batch, trouble)


def _add_value(
    source: Source, line: int, value: object, batch: Batch, trouble: Trouble
) -> None:
    batch.entries += 1
    if isinstance(value, BadEntry):
        trouble.note(batch, "SPS002", line, f"entry skipped: {value.reason}")
    else:
        _add_entry(Context(source, line, batch, trouble), value)


def _add_entry(context: Context, value: object) -> None:
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
    row = identity(context, value)
    if timings is None:
        row.update(ok=False, error=error)
    else:
        row.update(ok=True, finish_reason=finish_reason(value))
        row.update(times(context, timings, value))
        row["output_sha256"] = digest(value, context.extras)
        add_steps(context, row)
        if value.get("truncated_stream") is True:
            row["output_sha256"] = None
            context.note(
                "SPS002",
                "the stream ends before its finish_reason: its last timings are used",
                observed=f"{row['n_output']} tokens received",
            )
    row["settings"] = json.dumps(settings_of(value, context.extras), sort_keys=True)
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
        return text(error)
    if isinstance(error, dict) and ("message" in error or "code" in error):
        code, message = text(error.get("code")), text(error.get("message"))
        return " ".join(part for part in (code, message) if part) or "error"
    return None


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
    fields=(
        ("timings.prompt_n, prompt_ms", "requests.n_prompt: and prompt_s, ms to s"),
        (
            "timings.cache_n, usage.prompt_tokens_details.cached_tokens",
            "requests.n_cached: tokens",
        ),
        (
            "timings.predicted_n, predicted_ms",
            "requests.n_output: and decode_s, ms to s",
        ),
        (
            "timings.predicted_per_second",
            "requests.engine_rate_tps: its convention by arithmetic",
        ),
        (
            "timings.draft_n, draft_n_accepted",
            "requests.n_draft: and n_accepted; tokens, no bonus",
        ),
        (
            "choices.message, content, reasoning_content",
            "requests.output_sha256: the texts joined",
        ),
        (
            "choices.finish_reason, stop_type",
            "requests.finish_reason: in the words of the chat API",
        ),
        ("error", "requests.error: and ok false"),
        ("id, created", "requests.request_id: and ended_s, Unix time"),
        ("pid, process_start of a harness", "requests.process: both prove the launch"),
        ("arm, run, block, prompt_id, repeat of a harness", "requests.*: as written"),
        (
            "n_steps, drafted, accepted, step_ms of a harness",
            "steps.*: a row a step, ms to s",
        ),
        (
            "model, system_fingerprint, generation_settings",
            "requests.settings: id.*, cfg.*",
        ),
    ),
    sniff=_sniff,
    parse=_parse,
    columnar=_columnar,
    sole=_sole,
)
