"""Counts, times and steps of a llama.cpp response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._json import number, whole

if TYPE_CHECKING:
    from specstats.readers._base import Batch, Row, Trouble
    from specstats.source import Source

__all__ = ["Context", "add_steps", "times"]

_CONVENTION_TOLERANCE = 0.3
_MAX_STEPS = 1_000_000
_MILLI = 1e-3

Entry = dict[str, object]


@dataclass(slots=True)
class Context:
    """An entry on its way to a row.

    Attributes
    ----------
    source : Source
        The artifact.
    line : int
        Where the entry begins.
    batch : Batch
        Where rows and findings go.
    trouble : Trouble
        Findings of the file.
    extras : dict
        Keys of the entry and of its ``spec`` object.
    """

    source: Source
    line: int
    batch: Batch
    trouble: Trouble
    extras: Entry = field(default_factory=dict)

    def note(self, code: str, message: str, **details: str) -> None:
        """Add a finding at the entry."""
        self.trouble.note(self.batch, code, self.line, message, **details)


def times(context: Context, timings: Entry, entry: Entry) -> Row:
    """Return the counts and times of a response.

    Parameters
    ----------
    context : Context
        Where the entry stands.
    timings : dict
        Its timings object.
    entry : dict
        The whole response.

    Returns
    -------
    dict
        Values by column name.
    """
    n_output = whole(timings.get("predicted_n"))
    decode_s = _time(context, timings, "predicted_ms")
    rate = number(timings.get("predicted_per_second"))
    draft, accepted = _draft_counts(context, timings)
    cached = whole(timings.get("cache_n"))
    return {
        "n_cached": _usage_cached(entry) if cached is None else cached,
        "n_prompt": whole(timings.get("prompt_n")),
        "prompt_s": _time(context, timings, "prompt_ms"),
        "n_output": n_output,
        "decode_s": decode_s,
        "engine_rate_tps": rate if rate is not None and rate >= 0 else None,
        "rate_convention": _convention(context, n_output, decode_s, rate),
        "n_draft": draft,
        "n_accepted": accepted,
    }


def _time(context: Context, timings: Entry, key: str) -> float | None:
    value = number(timings.get(key))
    if value is not None and value < 0:
        context.note(
            "SPS006",
            f"{key} is negative: the time is not used",
            observed=f"{value:.6g} ms",
            required="0 ms or more",
        )
    return _seconds(value)


def _seconds(value: object) -> float | None:
    milliseconds = number(value)
    if milliseconds is None or milliseconds < 0:
        return None
    return milliseconds * _MILLI


def _usage_cached(entry: Entry) -> int | None:
    usage = entry.get("usage")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return whole(details.get("cached_tokens")) if isinstance(details, dict) else None


def _draft_counts(context: Context, timings: Entry) -> tuple[int | None, int | None]:
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
    context: Context, n_output: int | None, decode_s: float | None, rate: float | None
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


def add_steps(context: Context, row: Row) -> None:
    """Add the steps that a harness wrote beside a response.

    Parameters
    ----------
    context : Context
        Where the entry stands.
    row : dict
        Row of the request; its number of steps is filled in.
    """
    extras = context.extras
    row["n_steps"] = whole(extras.get("n_steps"))
    accepted = _counts(extras.get("accepted"))
    drafted = _counts(extras.get("drafted"))
    durations = _seconds_of(extras.get("step_ms"))
    length = max(len(accepted), len(drafted), len(durations))
    if _too_many(context, row, length):
        return
    for step in range(length):
        context.batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "n_draft": drafted[step] if step < len(drafted) else None,
                "n_accepted": accepted[step] if step < len(accepted) else None,
                "step_s": durations[step] if step < len(durations) else None,
            },
        )
    if accepted:
        _check_steps(context, row, accepted)
        row["n_steps"] = len(accepted)


def _too_many(context: Context, row: Row, length: int) -> bool:
    """Whether there are more steps than tokens: each step gives one at least."""
    n_output = row["n_output"]
    allowed = n_output if isinstance(n_output, int) else _MAX_STEPS
    if length <= min(allowed, _MAX_STEPS):
        return False
    context.note(
        "SPS006",
        "more steps than output tokens: the steps are not used",
        observed=f"{length} steps",
        required=f"at most {min(allowed, _MAX_STEPS)}",
    )
    return True


def _check_steps(context: Context, row: Row, accepted: list[int | None]) -> None:
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


def _seconds_of(value: object) -> list[float | None]:
    return [_seconds(item) for item in value] if isinstance(value, list) else []
