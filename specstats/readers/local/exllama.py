"""Results of exllamav2 and exllamav3 generator jobs, saved as JSON or JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import BadEntry, entries, first_entry, text, whole
from specstats.readers.local._sink import Sink, digest, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset({"new_tokens", "time_prefill", "time_generate"})

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = isinstance(entry, dict) and set(entry) >= _NEEDED
    return Match(85 if known else 0, "no new_tokens, time_prefill and time_generate")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    for line, value in entries(source):
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


def _add(sink: Sink, line: int, entry: Entry) -> None:
    count, decode_s = (
        whole(entry.get("new_tokens")),
        positive(entry.get("time_generate")),
    )
    if count is None or (decode_s is None and count > 1):
        sink.skip(line, "no new_tokens and time_generate")
        return
    prompt, cached = (
        whole(entry.get("prompt_tokens")),
        whole(entry.get("cached_tokens")),
    )
    prompt_s = positive(entry.get("time_prefill"))
    output = entry.get("full_completion")
    row: Row = {
        "settings": '{"id.engine": "exllama"}',
        "request_id": text(entry.get("identifier")),
        "finish_reason": text(entry.get("eos_reason")),
        "n_cached": cached,
        "n_prompt": prompt,
        "prompt_s": prompt_s,
        "n_output": count,
        "output_sha256": digest(output) if isinstance(output, str) and output else None,
    }
    if prompt is not None and cached is not None:
        row["n_prompt"] = max(prompt - cached, 0)
    if count:
        row["decode_s"] = decode_s
        row["e2e_s"] = _whole_time(entry)
    else:
        sink.says_nothing(line)
    accepted, rejected = (
        whole(entry.get(name))
        for name in ("accepted_draft_tokens", "rejected_draft_tokens")
    )
    if accepted is not None and rejected is not None:
        drafted = whole(accepted + rejected)
        if drafted:
            row.update(n_draft=drafted, n_accepted=accepted)
    sink.request(line, row)


def _whole_time(entry: Entry) -> float | None:
    names = ("time_enqueued", "time_prefill", "time_generate")
    parts = [positive(entry.get(name)) for name in names]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(names) else None


READER = Reader(
    name="exllama-job",
    label="exllamav2 and exllamav3 job results (JSON, JSONL)",
    producers=("source of exllamav2 and exllamav3",),
    levels=("request",),
    boundary="unknown: a result does not name its process",
    traps=(
        "time_generate is first token to last: n tokens over it are n in n-1 steps",
        "draft counts are there only with a draft model or n-gram drafting",
        "prompt_tokens has the cached tokens in it, which are taken off",
    ),
    fields=(
        ("new_tokens", "requests.n_output: tokens"),
        ("time_generate", "requests.decode_s: s"),
        ("time_prefill", "requests.prompt_s: s"),
        (
            "time_enqueued + time_prefill + time_generate",
            "requests.e2e_s: s, where all three are told",
        ),
        ("prompt_tokens less cached_tokens", "requests.n_prompt: tokens"),
        ("cached_tokens", "requests.n_cached: tokens"),
        ("accepted_draft_tokens", "requests.n_accepted: tokens, no bonus"),
        ("accepted_ + rejected_draft_tokens", "requests.n_draft: tokens"),
        ("full_completion", "requests.output_sha256"),
        ("eos_reason", "requests.finish_reason"),
        ("identifier", "requests.request_id"),
    ),
    marks=(b'"time_generate"',),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
