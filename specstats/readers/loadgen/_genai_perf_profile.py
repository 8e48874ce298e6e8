"""genai-perf's profile_export.json: single requests with the time of each response."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, decoded, text, whole
from specstats.readers._results import items, mapping, settings_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.readers._base import Batch, Row

__all__ = ["Request", "add_experiment", "is_profile"]

_NANO = 1e-9
_MAX_RESPONSES = 1_000_000
_END = "[DONE]"


def is_profile(entry: Mapping[str, object]) -> bool:
    """Whether an entry is profile_export.json."""
    listed = items(entry.get("experiments"))
    first = mapping(listed[0]) if listed else {}
    return "requests" in first and ("experiment" in first or "service_kind" in entry)


@dataclass(frozen=True, slots=True)
class Request:
    """One request of an experiment, with the columns that all share."""

    shared: Row
    values: Mapping[str, object]

    def add(self, batch: Batch, number: int) -> bool:
        """Add its rows; False where its times are missing or out of order."""
        began, moments = _moments(self.values)
        if began is None:
            return False
        row: Row = {**self.shared, "entry": number, "started_s": began * _NANO}
        if not moments:
            batch.add("requests", {**row, "ok": False, "error": "no response"})
            return True
        row["ok"] = True
        row["ended_s"] = moments[-1] * _NANO
        row["e2e_s"] = (moments[-1] - began) * _NANO
        parts = [_part(output) for output in items(self.values.get("response_outputs"))]
        if len(parts) == len(moments):
            _add_text(batch, row, began, moments, parts)
        batch.add("requests", row)
        return True


def add_experiment(
    source: str, entry: Mapping[str, object], experiment: object
) -> Iterator[Request]:
    """Yield the requests of one load level."""
    found = mapping(experiment)
    level = mapping(found.get("experiment"))
    mode, value = text(level.get("mode")), text(level.get("value"))
    settings: Row = {
        "cfg.service_kind": entry.get("service_kind"),
        f"cfg.{mode or 'load'}": level.get("value"),
    }
    shared: Row = {
        "source": source,
        "workload": f"{mode} {value}" if mode and value else None,
        "settings": settings_text(settings),
    }
    for request in items(found.get("requests")):
        yield Request(shared, mapping(request))


def _moments(request: Mapping[str, object]) -> tuple[int | None, list[int]]:
    began = whole(request.get("timestamp"))
    listed = items(request.get("response_timestamps"))
    if began is None or len(listed) > _MAX_RESPONSES:
        return None, []
    known = [moment for value in listed if (moment := whole(value)) is not None]
    ordered = all(a <= b for a, b in zip([began, *known], known, strict=False))
    return (began, known) if ordered and len(known) == len(listed) else (None, [])


def _part(output: object) -> tuple[str, Mapping[str, object]]:
    """Return the text of one response, and what the server counted in it."""
    found = mapping(output)
    plain = text(found.get("text_output"))
    if plain is not None:
        return plain, {}
    sent = text(found.get("response")) or ""
    pieces: list[str] = []
    usage: Mapping[str, object] = {}
    for line in sent.splitlines() or [sent]:
        payload = line.strip().removeprefix("data:").strip()
        if not payload or payload == _END:
            continue
        value = decoded(payload.encode("utf-8", "replace"))
        if isinstance(value, BadEntry):
            continue
        usage = mapping(mapping(value).get("usage")) or usage
        pieces.extend(_said(choice) for choice in items(mapping(value).get("choices")))
    return "".join(pieces), usage


def _said(choice: object) -> str:
    found = mapping(choice)
    for holder in (mapping(found.get("delta")), mapping(found.get("message")), found):
        for key in ("content", "text", "reasoning_content"):
            value = holder.get(key)
            if isinstance(value, str) and value:
                return text(value) or ""
    return ""


def _add_text(
    batch: Batch,
    row: Row,
    began: int,
    moments: Sequence[int],
    parts: Sequence[tuple[str, Mapping[str, object]]],
) -> None:
    answer = "".join(part for part, _ in parts)
    usages = [usage for _, usage in parts if usage]
    if usages:
        row["n_output"] = whole(usages[-1].get("completion_tokens"))
        row["n_prompt"] = whole(usages[-1].get("prompt_tokens"))
    spoken = [at for at, (part, _) in zip(moments, parts, strict=True) if part]
    if not spoken:
        return
    row["output_sha256"] = hashlib.sha256(answer.encode("utf-8", "replace")).hexdigest()
    if len(spoken) == 1:
        return
    row["ttft_s"] = (spoken[0] - began) * _NANO
    row["decode_s"] = (spoken[-1] - spoken[0]) * _NANO
    for step, (before, after) in enumerate(itertools.pairwise(spoken)):
        batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "step_s": (after - before) * _NANO,
            },
        )
