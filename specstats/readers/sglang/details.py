"""SGLang responses: meta_info, and sglext.spec_tokens_details of a request."""

from __future__ import annotations

import hashlib
import json
from itertools import accumulate
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    file_name,
    items,
    mapping,
    positive,
    reason_of,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_DEEPEST = 1024
_TOLERANCE = 0.005
_ACCEPTED = ("spec_num_correct_drafts", "spec_accept_token_num")
_PROPOSED = ("spec_num_proposed_drafts", "spec_draft_token_num")
_HISTOGRAM = ("spec_correct_drafts_histogram", "spec_accept_histogram")

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    meta = mapping(entry.get("meta_info"))
    known = "spec_verify_ct" in entry or (
        "completion_tokens" in meta and ("e2e_latency" in meta or "id" in meta)
    )
    known = known or "spec_tokens_details" in mapping(entry.get("sglext"))
    return Match(95 if known else 0, "no meta_info and no spec_tokens_details")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        meta, details = _meta(entry), _details(entry)
        if not meta and not details and not mapping(entry.get("usage")):
            why = reason_of(value, "no meta_info and no spec_tokens_details")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        _add(batch, source, line, (entry, meta, details), trouble)
        batch.parsed += 1
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _meta(entry: Mapping[str, object]) -> Mapping[str, object]:
    choices = items(entry.get("choices"))
    inside = mapping(choices[0]).get("meta_info") if choices else None
    return mapping(entry.get("meta_info")) or mapping(inside)


def _details(entry: Mapping[str, object]) -> Mapping[str, object]:
    """Return the object with the counts: of the extension, of meta_info or bare."""
    extended = mapping(mapping(entry.get("sglext")).get("spec_tokens_details"))
    for found in (extended, _meta(entry), entry):
        if found.get("spec_verify_ct") is not None:
            return found
    return {}


def _add(
    batch: Batch,
    source: Source,
    line: int,
    parts: tuple[Mapping[str, object], ...],
    trouble: Trouble,
) -> None:
    entry, meta, details = parts
    row: Row = {
        "source": source.name,
        "entry": line,
        "settings": settings_text(
            {"id.engine": "sglang", "id.model": file_name(entry.get("model"))}
        ),
    }
    row.update(_identity(entry, meta))
    error = _error(entry, meta)
    row.update(ok=error is None, error=error)
    if error is None:
        row.update(_measured(entry, meta))
        row["output_sha256"] = _digest(batch, row, entry, line, trouble)
    counts = _counts(details)
    _check(batch, counts, details, line, trouble)
    row.update({key: counts[key] for key in ("n_steps", "n_draft", "n_accepted")})
    batch.add("requests", row)
    if counts["accepted_by_position"] is not None:
        batch.add(
            "counters",
            {
                **{key: row[key] for key in ("source", "entry", "settings")},
                "prompt_id": row.get("request_id"),
                "scope": "run",
                "n_requests": 1,
                "n_output": row.get("n_output"),
                "n_verify": counts["n_steps"],
                **counts,
            },
        )


def _identity(entry: Mapping[str, object], meta: Mapping[str, object]) -> Row:
    reason = meta.get("finish_reason")
    choices = items(entry.get("choices"))
    if reason is None and choices:
        reason = mapping(choices[0]).get("finish_reason")
    named = mapping(reason).get("type") if isinstance(reason, dict) else reason
    return {
        "request_id": text(meta.get("id")) or text(entry.get("id")),
        "finish_reason": text(named),
        "started_s": positive(meta.get("request_received_ts")),
        "ended_s": positive(meta.get("request_finished_ts")),
    }


def _error(entry: Mapping[str, object], meta: Mapping[str, object]) -> str | None:
    status = text(entry.get("status"))
    if status is not None and status.lower() not in {"ok", "success", "completed"}:
        return text(entry.get("error")) or status
    reason = mapping(meta.get("finish_reason"))
    if text(reason.get("type")) == "abort":
        return text(reason.get("message")) or "aborted"
    return None


def _measured(entry: Mapping[str, object], meta: Mapping[str, object]) -> Row:
    usage = mapping(entry.get("usage"))
    prompt = whole(meta.get("prompt_tokens", usage.get("prompt_tokens")))
    told = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    cached = whole(meta.get("cached_tokens", told))
    left = prompt if prompt is None or cached is None else max(prompt - cached, 0)
    return {
        "n_prompt": left,
        "n_cached": cached,
        "n_output": whole(
            meta.get("completion_tokens", usage.get("completion_tokens"))
        ),
        "e2e_s": positive(meta.get("e2e_latency")),
        "engine_rate_tps": positive(meta.get("decode_throughput")),
    }


def _digest(
    batch: Batch, row: Row, entry: Mapping[str, object], line: int, trouble: Trouble
) -> str | None:
    content = entry.get("text")
    choices = items(entry.get("choices"))
    if content is None and choices:
        message = mapping(choices[0])
        content = mapping(message.get("message")).get("content", message.get("text"))
    tokens = items(entry.get("output_ids"))
    n_output = row.get("n_output")
    if tokens and isinstance(n_output, int) and len(tokens) < n_output:
        trouble.note(
            *(batch, "SPS006", line),
            "output_ids and text were cut short after the request: no digest is taken",
            observed=f"{len(tokens)} output_ids",
            required=f"completion_tokens {n_output}",
        )
        return None
    if not isinstance(content, str) or not content:
        return None
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def _first(details: Mapping[str, object], names: Sequence[str]) -> int | None:
    found = (whole(details.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _histogram(details: Mapping[str, object]) -> list[int]:
    """Return the verify steps by how many draft tokens they accepted."""
    for name in _HISTOGRAM:
        listed = items(details.get(name))
        counts = [whole(value) for value in listed[:_DEEPEST]]
        known = [count for count in counts if count is not None]
        if known and len(known) == len(listed):
            return known
    return []


def _counts(details: Mapping[str, object]) -> Row:
    histogram = _histogram(details)
    longer = list(accumulate(reversed(histogram[1:])))[::-1]
    fits = histogram and longer and sum(histogram) < 1 << 62
    return {
        "n_steps": whole(details.get("spec_verify_ct")),
        "n_draft": _first(details, _PROPOSED),
        "n_accepted": _first(details, _ACCEPTED),
        "accepted_by_position": json.dumps(longer) if fits else None,
    }


def _check(
    batch: Batch,
    counts: Row,
    details: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    histogram = _histogram(details)
    steps, accepted = counts["n_steps"], counts["n_accepted"]
    pairs = (
        (
            "sum of j times histogram[j]",
            sum(j * n for j, n in enumerate(histogram)),
            "accepted draft tokens",
            accepted,
        ),
        ("sum of the histogram", sum(histogram), "spec_verify_ct", steps),
    )
    for what, found, against, right in pairs:
        if histogram and isinstance(right, int) and found != right:
            trouble.note(
                *(batch, "SPS006", line, f"{what} is not {against}"),
                observed=str(found),
                required=str(right),
            )
    _check_rate(batch, counts, details, line, trouble)


def _check_rate(
    batch: Batch,
    counts: Row,
    details: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    rate = number(details.get("spec_accept_rate"))
    steps, accepted, draft = (
        counts[key] for key in ("n_steps", "n_accepted", "n_draft")
    )
    if rate is None or not isinstance(draft, int) or not draft:
        return
    if not isinstance(accepted, int) or not isinstance(steps, int):
        return
    right = accepted / draft
    if abs(rate - right) <= _TOLERANCE:
        return
    with_bonus = (accepted + steps) / (draft + steps)
    bonus = abs(rate - with_bonus) <= _TOLERANCE
    trouble.note(
        *(batch, "SPS308" if bonus else "SPS006", line),
        "spec_accept_rate counts the bonus token of every step"
        if bonus
        else "spec_accept_rate is not accepted over proposed draft tokens",
        observed=f"{rate:.4g}",
        required=f"{accepted} / {draft} = {right:.4g}",
    )


READER = Reader(
    name="sglang-response",
    label="SGLang responses with meta_info or sglext.spec_tokens_details",
    producers=("sglang 0.5.10.post1", "sglext of 2026"),
    levels=("request", "counter"),
    boundary="unknown: a response does not name the server that gave it",
    traps=(
        "inference_time is no duration (11 days in a real file): it is ignored",
        (
            "histogram[j] counts verify steps that accepted j draft tokens; their "
            "order is lost, so there are no rows of steps"
        ),
        (
            "spec_accept_length includes the bonus token, spec_accept_rate does not; "
            "older rates did, which is told by arithmetic"
        ),
        "harnesses save the same request twice, as a response and as a run",
        "decode_throughput is the engine's, and its token convention is not known",
    ),
    fields=(
        ("meta_info.e2e_latency", "requests.e2e_s: s"),
        ("meta_info.completion_tokens, usage.completion_tokens", "requests.n_output"),
        (
            "meta_info.prompt_tokens, cached_tokens",
            "requests.n_prompt: less the cached ones; and n_cached",
        ),
        ("meta_info.decode_throughput", "requests.engine_rate_tps: tok/s"),
        (
            "meta_info.request_received_ts, request_finished_ts",
            "requests.started_s: and ended_s",
        ),
        ("meta_info.finish_reason, id", "requests.finish_reason: and request_id"),
        ("spec_verify_ct", "requests.n_steps: also counters.n_verify"),
        (
            "spec_num_proposed_drafts, spec_num_correct_drafts",
            "requests.n_draft: and n_accepted, bonus not included",
        ),
        (
            "spec_correct_drafts_histogram",
            "counters.accepted_by_position: steps that accepted more than i",
        ),
        ("text, choices", "requests.output_sha256: unless output_ids is cut short"),
        ("status, finish_reason abort", "requests.ok: and error"),
    ),
    marks=(b'"meta_info"', b'"spec_verify_ct"', b'"spec_tokens_details"'),
    sniff=_sniff,
    parse=_parse,
)
