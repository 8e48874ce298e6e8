"""JSON lines of llama-spec-bench, compact and detailed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, decoded, number, text, whole
from specstats.readers._results import (
    file_name,
    items,
    mapping,
    positive,
    settings_text,
)
from specstats.readers._text import text_lines
from specstats.readers.llamacpp._spec_attempts import (
    MOST_STAGES,
    Attempt,
    Found,
    Stage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Row

__all__ = ["has_rows", "read_rows"]

_TOLERANCE = 1e-3
_POSITIONS = 1024  # more than any drafter drafts
_SAMPLER = (
    *("seed", "temp", "top_k", "top_p", "min_p", "typical_p", "top_n_sigma"),
    *("penalty_repeat", "penalty_freq", "penalty_present", "mirostat"),
)
_RUNTIME = (
    *("n_ctx", "n_predict", "n_batch", "n_ubatch", "n_threads"),
    *("n_threads_batch", "n_gpu_layers", "flash_attn"),
)

Entry = dict[str, object]


@dataclass(slots=True)
class _Launch:
    """What the attempts of the process so far add up to."""

    number: int = 0
    attempts: int = 0
    failures: int = 0
    generated: int = 0
    settings: Entry = field(default_factory=dict)


def has_rows(head: bytes) -> bool:
    """Whether a row of the tool stands in the head of a file."""
    for line in head.split(b"\n"):
        if b'"row_type"' not in line or not line.lstrip().startswith(b"{"):
            continue
        row = decoded(line.strip())
        if isinstance(row, dict):
            return _is_ours(row)
        return False
    return False


def _is_ours(row: Mapping[str, object]) -> bool:
    kind = row.get("row_type")
    if kind == "attempt":
        compact = "stages" in row and "task" in row and "decode_tps" in row
        return compact or ("task_id" in row and "timing" in row and "quality" in row)
    return kind == "summary" and "attempts" in row and "speculative" in row


def read_rows(found: Found) -> None:
    """Read the attempts and summaries of a file; other lines are diagnostics.

    Parameters
    ----------
    found : Found
        Where they go.
    """
    launch = _Launch()
    for line, content in text_lines(found.source):
        stripped = content.strip()
        if not stripped.startswith("{") or '"row_type"' not in stripped:
            continue
        found.batch.entries += 1
        row = decoded(stripped.encode("utf-8", "replace"))
        told = mapping(row)
        kind = told.get("row_type")
        if kind == "attempt":
            attempt = _attempt(told, line, launch.number)
            if attempt is not None:
                _count(launch, attempt)
                found.attempts.append(attempt)
                continue
        elif kind == "summary":
            _add_summary(told, line, launch, found)
            found.batch.parsed += 1
            launch = _Launch(launch.number + 1)
            continue
        why = row.reason if isinstance(row, BadEntry) else "no attempt or summary"
        found.note("SPS002", line, f"entry skipped: {why}")


def _count(launch: _Launch, attempt: Attempt) -> None:
    launch.attempts += 1
    launch.failures += attempt.row["ok"] is False
    launch.generated += whole(attempt.row.get("n_output")) or 0
    if attempt.chain is not None:
        launch.settings = attempt.settings


def _attempt(told: Mapping[str, object], line: int, launch: int) -> Attempt | None:
    is_detailed = "timing" in told
    timing = mapping(told.get("timing")) if is_detailed else told
    tokens = mapping(told.get("tokens"))
    quality = mapping(told.get("quality")) if is_detailed else told
    task = text(told.get("task_name" if is_detailed else "task"))
    ok = quality.get("ok")
    generated = whole(tokens.get("generated") if is_detailed else told.get("generated"))
    if task is None or not isinstance(ok, bool) or (ok and generated is None):
        return None
    run = whole(told.get("repeat_index" if is_detailed else "run"))
    if run is not None and not is_detailed:
        run = max(run - 1, 0)
    row: Row = {"prompt_id": task, "repetition": run, "ok": ok}
    attempt = Attempt(line, launch, row)
    stages = mapping(told.get("speculative")).get("stages") if is_detailed else None
    attempt.stages = [
        _stage(mapping(stage))
        for stage in items(stages or told.get("stages"))[:MOST_STAGES]
    ]
    attempt.chain = _chain(told, attempt, ok=ok)
    attempt.settings = _settings(told, attempt.chain)
    if not ok:
        row["error"] = text(quality.get("error")) or "failed"
        return attempt
    row.update(n_output=generated, decode_s=positive(timing.get("decode_s")))
    rate = positive(timing.get("decode_tps"))
    attempt.rate = None if rate is None else (rate, _TOLERANCE)
    if is_detailed:
        attempt.stop = "eog" if quality.get("hit_eog") is True else "limit"
        row.update(
            workload=text(told.get("task_category")),
            n_prompt=whole(tokens.get("prompt")) or None,
            prompt_s=positive(timing.get("prompt_s")),
            e2e_s=positive(timing.get("total_s")),
        )
        output = told.get("output")
        if isinstance(output, str):
            digest = hashlib.sha256(output.encode("utf-8", "replace"))
            row["output_sha256"] = digest.hexdigest()
    else:
        attempt.stop = text(told.get("stop"))
    return attempt


def _chain(told: Mapping[str, object], attempt: Attempt, *, ok: bool) -> str | None:
    variant = mapping(told.get("variant"))
    if variant:
        kinds = [
            text(kind) or "?" for kind in items(variant.get("spec_types"))[:MOST_STAGES]
        ]
        return "" if variant.get("is_baseline") is True else "+".join(kinds)
    if attempt.stages or ok:
        return "+".join(stage.kind for stage in attempt.stages)
    return None


def _settings(told: Mapping[str, object], chain: str | None) -> Entry:
    runtime, sampler = mapping(told.get("runtime")), mapping(told.get("sampler"))
    settings: Entry = {f"cfg.{name}": runtime.get(name) for name in _RUNTIME}
    settings.update({f"cfg.{name}": sampler.get(name) for name in _SAMPLER})
    settings["cfg.max_tokens"] = told.get("max_tokens")
    settings["cfg.stages"] = "none" if chain == "" else chain
    settings["cfg.stage_chain"] = mapping(told.get("variant")).get("stage_chain")
    settings["cfg.prompts"] = file_name(told.get("prompts"))
    settings["id.model"] = file_name(runtime.get("model"))
    return settings


def _stage(told: Mapping[str, object]) -> Stage:
    def first(*names: str) -> object:
        return next((told[name] for name in names if name in told), None)

    percent, fraction = number(told.get("accept_percent")), told.get("acceptance_rate")
    rate = percent / 100 if percent is not None else number(fraction)
    length = number(first("accept_length", "acceptance_length"))
    return Stage(
        text(told.get("type")) or "?",
        rounds=whole(first("drafts", "num_drafts")),
        drafted=whole(told.get("draft_tokens")),
        accepted=whole(first("accepted", "accepted_tokens")),
        positions=_positions(told.get("accepted_by_position")),
        rate=None if rate is None else (rate, _TOLERANCE),
        length=None if length is None else (length, _TOLERANCE),
        draft_s=positive(told.get("t_draft_s")),
    )


def _positions(value: object) -> list[int] | None:
    counts = [whole(item) for item in items(value)[:_POSITIONS]]
    known = [count for count in counts if count is not None]
    return known if known and len(known) == len(counts) else None


def _add_summary(
    told: Mapping[str, object], line: int, launch: _Launch, found: Found
) -> None:
    timing = mapping(told.get("timing")) or told
    tokens = mapping(told.get("tokens"))
    generated = (tokens or told).get("generated")
    speculative = mapping(told.get("speculative"))
    drafted = whole(speculative.get("draft_tokens"))
    shared: Row = {
        "entry": line,
        "launch": launch.number,
        "n": whole(told.get("successes")),
        "scope": "run",
        "settings": settings_text(launch.settings),
    }
    for metric, unit, statistic, value, definition in (
        (
            *("decode_rate", "tok/s", "rate", positive(timing.get("decode_tps"))),
            "tokens of all attempts over their decode times",
        ),
        (
            *("acceptance_rate", "1", "ratio"),
            number(speculative.get("acceptance_rate")) if drafted else None,
            "accepted over draft tokens of all attempts, without bonus tokens",
        ),
        (
            *("mean_accepted_length", "tokens", "ratio"),
            number(speculative.get("acceptance_length")) if drafted else None,
            "1 + accepted over rounds of all attempts, bonus tokens included",
        ),
    ):
        if value is not None:
            row = {"metric": metric, "unit": unit, "statistic": statistic}
            more = {"value": value, "definition": definition}
            found.aggregates.append({**shared, **row, **more})
    sums = (
        ("attempts", told.get("attempts"), launch.attempts),
        ("failures", told.get("failures"), launch.failures),
        ("generated tokens", generated, launch.generated),
    )
    for name, printed, right in sums:
        value = whole(printed)
        failed_tokens = name == "generated tokens" and launch.failures
        if value is not None and value != right and not failed_tokens:
            found.note(
                "SPS006",
                line,
                f"the {name} of the summary are not those of the attempts before it",
                observed=str(value),
                required=str(right),
            )
