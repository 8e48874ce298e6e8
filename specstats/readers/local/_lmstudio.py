"""What an LM Studio response says beside its times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._json import scalar, text, whole
from specstats.readers._results import items, mapping

if TYPE_CHECKING:
    from specstats.readers._base import Row
    from specstats.readers.local._sink import Sink

__all__ = [
    "LOAD",
    "STATS_BEGIN",
    "drafts",
    "is_stats",
    "outcome",
    "output_text",
    "settings_of",
    "whole_of",
]

LOAD = ("load", "s", "value")
STATS_BEGIN = re.compile(rb'\A\s{0,80}"?stats"?\s{0,8}[:=]?\s{0,8}\{')
_V0 = ("time_to_first_token", "generation_time", "stop_reason")
_FAILED = frozenset({"failed", "modelUnloaded"})
_COUNTS = ("total", "accepted", "rejected", "ignored")

Entry = dict[str, object]


def is_stats(stats: Entry) -> bool:
    """Whether an object is a stats object of LM Studio."""
    if "tokens_per_second" in stats:
        return any(name in stats for name in (*_V0, "time_to_first_token_seconds"))
    if "time_to_first_token_seconds" in stats:
        return "total_output_tokens" in stats
    return "predictedTokensCount" in stats and "stopReason" in stats


def whole_of(*places: tuple[Entry, str]) -> int | None:
    """Return the first count that stands in one of the places."""
    found = (whole(entry.get(name)) for entry, name in places)
    return next((count for count in found if count is not None), None)


def outcome(entry: Entry, stats: Entry) -> Row:
    """Return how a request ended, and its identifier."""
    choices = items(entry.get("choices"))
    first = mapping(choices[0]) if choices else {}
    reason = (
        text(stats.get("stop_reason"))
        or text(stats.get("stopReason"))
        or text(first.get("finish_reason"))
    )
    failed = reason in _FAILED
    return {
        "ok": not failed,
        "error": f"stop reason {reason}" if failed else None,
        "finish_reason": reason,
        "request_id": text(entry.get("id")) or text(entry.get("response_id")),
    }


def output_text(entry: Entry) -> str:
    """Return the text that the model wrote: reasoning, then messages."""
    parts: list[object] = []
    for choice in items(entry.get("choices"))[:1]:
        message = mapping(mapping(choice).get("message"))
        parts += [message.get("reasoning_content"), message.get("content")]
        parts.append(mapping(choice).get("text"))
    for item in items(entry.get("output")):
        if text(mapping(item).get("type")) in {"message", "reasoning"}:
            parts.append(mapping(item).get("content"))
    return "".join(part for part in parts if isinstance(part, str))


def settings_of(entry: Entry, stats: Entry) -> Entry:
    """Return identities and settings of a response."""
    about, runtime = mapping(entry.get("model_info")), mapping(entry.get("runtime"))
    drafting = stats.get("draft_model") or entry.get("draftModel")
    sdk_model = mapping(entry.get("modelInfo"))
    told = {
        "id.engine": "lmstudio",
        "id.model": entry.get("model")
        or entry.get("model_instance_id")
        or sdk_model.get("modelKey"),
        "id.arch": about.get("arch"),
        "id.quantisation": about.get("quant"),
        "id.format": about.get("format"),
        "id.runtime": runtime.get("name"),
        "id.build": runtime.get("version"),
        "cfg.context_length": about.get("context_length"),
        "cfg.draft_model": drafting,
    }
    kept = {key: scalar(value) for key, value in told.items()}
    return {key: value for key, value in kept.items() if value not in (None, "")}


def drafts(sink: Sink, line: int, stats: Entry, usage: Entry) -> Row:
    """Return draft and accepted tokens; none where nothing was drafted."""
    counts = {
        part: whole_of(
            *(
                (place, name)
                for place in (stats, usage)
                for name in (f"{part}DraftTokensCount", f"{part}_draft_tokens_count")
            )
        )
        for part in _COUNTS
    }
    total, accepted = counts["total"], counts["accepted"]
    if not total or accepted is None:
        return {}
    parts = [counts[part] for part in _COUNTS[1:]]
    known = [part for part in parts if part is not None]
    if accepted > total or (len(known) == len(parts) and sum(known) != total):
        sink.note(
            "SPS006",
            line,
            "accepted, rejected and ignored draft tokens are not the total: the "
            "counts are not used",
            observed=f"{' + '.join(map(str, known))} tokens",
            required=f"{total} tokens",
        )
        return {}
    return {"n_draft": total, "n_accepted": accepted}
