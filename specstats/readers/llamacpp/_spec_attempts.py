"""Attempts of llama-spec-bench: rows, counters and what is compared."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Row, Trouble
from specstats.readers._json import whole
from specstats.readers._results import process_of, settings_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["MOST_STAGES", "Attempt", "Found", "Stage", "batches", "named_arms"]

MOST_STAGES = 16  # of one chain of drafters

_ROWS_A_BATCH = 10_000
_FINISH = {"eog": "stop", "limit": "length"}

Entry = dict[str, object]


@dataclass(slots=True)
class Stage:
    """Counts of one drafter over an attempt.

    Attributes
    ----------
    kind : str
        Its type, such as ``mtp``.
    rounds, drafted, accepted : int or None
        Verified drafts, draft tokens, accepted ones without bonus tokens.
    positions : list of int or None
        For each position, drafts whose token there was accepted.
    rate : tuple of float, or None
        Printed accepted / drafted, and what rounding allows.
    length : tuple of float, or None
        Printed 1 + accepted / rounds, and what rounding allows.
    draft_s : float or None
        Time of drafting.
    """

    kind: str
    rounds: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    positions: list[int] | None = None
    rate: tuple[float, float] | None = None
    length: tuple[float, float] | None = None
    draft_s: float | None = None


@dataclass(slots=True)
class Attempt:
    """One run of one task.

    Attributes
    ----------
    line : int
        Where it stands.
    launch : int
        Number of the process.
    row : dict
        Columns of its request that need no further work.
    stop : str or None
        ``eog``, ``limit`` or ``fail``.
    rate : tuple of float, or None
        Printed decode rate, and what rounding allows, as a fraction.
    chain : str or None
        Drafters, joined by plus signs; empty for none; None where it is unknown.
    settings : dict
        Settings and identities.
    stages : list of Stage
        Counts.
    """

    line: int
    launch: int
    row: Row
    stop: str | None = None
    rate: tuple[float, float] | None = None
    chain: str | None = None
    settings: Entry = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """What a file holds.

    Attributes
    ----------
    source : Source
        The artifact.
    batch : Batch
        Where findings of reading it go.
    trouble : Trouble
        Findings of the file.
    attempts : list of Attempt
        In order.
    aggregates : list of dict
        Printed summaries, with the number of their launch as ``launch``.
    """

    source: Source
    batch: Batch
    trouble: Trouble
    attempts: list[Attempt] = field(default_factory=list)
    aggregates: list[Row] = field(default_factory=list)

    def note(self, code: str, line: int, message: str, **details: str) -> None:
        """Add a finding."""
        self.trouble.note(self.batch, code, line, message, **details)


def named_arms(attempts: Sequence[Attempt]) -> dict[int, str]:
    """Return the arm of each launch, where launches differ in their drafters."""
    chains: dict[int, str] = {}
    for attempt in attempts:
        if attempt.chain is not None:
            chains.setdefault(attempt.launch, attempt.chain or "baseline")
    return chains if len(set(chains.values())) > 1 else {}


def batches(found: Found) -> Iterator[Batch]:
    """Yield the rows of a file.

    Parameters
    ----------
    found : Found
        What it holds.

    Yields
    ------
    Batch
        Requests, counters and aggregates.
    """
    batch = found.batch
    arms = named_arms(found.attempts)
    for attempt in found.attempts:
        place: Row = {
            "source": found.source.name,
            "entry": attempt.line,
            "arm": arms.get(attempt.launch),
            "process": process_of(found.source, attempt.launch),
        }
        _check(attempt, found)
        _add(attempt, place, batch, found)
        batch.parsed += 1
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = found.batch = Batch()
    for row in found.aggregates:
        launch = row.pop("launch", 0)
        number = launch if isinstance(launch, int) else 0
        batch.add(
            "aggregates",
            {
                "source": found.source.name,
                "arm": arms.get(number),
                "process": process_of(found.source, number),
                **row,
            },
        )
    found.trouble.close(batch)
    yield batch


def _add(attempt: Attempt, place: Row, batch: Batch, found: Found) -> None:
    row: Row = {**place, **attempt.row, "settings": settings_text(attempt.settings)}
    stages = [stage for stage in attempt.stages if _is_sound(stage)]
    if row.get("ok") is True and not row.get("n_output"):
        found.note("SPS007", attempt.line, "an attempt succeeded without one token")
        for name in ("decode_s", "e2e_s"):
            row[name] = None
    elif row.get("ok") is True:
        row["finish_reason"] = _FINISH.get(attempt.stop or "", attempt.stop)
        seconds = row.get("decode_s")
        if attempt.rate is not None and isinstance(seconds, float):
            row["engine_rate_tps"], row["rate_convention"] = attempt.rate[0], "n"
        _add_drafts(row, stages)
    batch.add("requests", row)
    failed = row.get("ok") is False
    for stage in stages:
        told = {**attempt.settings, "cfg.stage": stage.kind}
        positions = None if stage.positions is None else json.dumps(stage.positions)
        counts: Row = {
            **place,
            "prompt_id": row.get("prompt_id"),
            "workload": row.get("workload"),
            "scope": "run",
            "n_requests": int(not failed),
            "n_failed": 1 if failed else None,
            "n_verify": stage.rounds,
            "n_draft": stage.drafted,
            "n_accepted": stage.accepted,
            "accepted_by_position": positions,
            "settings": settings_text(told),
        }
        batch.add("counters", counts)
        if stage.draft_s:
            batch.add(
                "aggregates",
                {
                    **place,
                    "prompt_id": row.get("prompt_id"),
                    "metric": "draft_time",
                    "unit": "s",
                    "statistic": "total",
                    "value": stage.draft_s,
                    "scope": "request",
                    "definition": "time of drafting in the attempt",
                    "settings": settings_text(told),
                },
            )


def _add_drafts(row: Row, stages: Sequence[Stage]) -> None:
    if not any(stage.drafted for stage in stages):
        return
    row["n_draft"] = whole(sum(stage.drafted or 0 for stage in stages))
    row["n_accepted"] = whole(sum(stage.accepted or 0 for stage in stages))
    if all(stage.rounds is not None for stage in stages):
        row["n_steps"] = sum(stage.rounds or 0 for stage in stages) or None


def _is_sound(stage: Stage) -> bool:
    if stage.drafted is None or stage.accepted is None:
        return False
    return stage.accepted <= stage.drafted


def _check(attempt: Attempt, found: Found) -> None:
    def note(message: str, observed: str, required: str) -> None:
        found.note(
            "SPS006", attempt.line, message, observed=observed, required=required
        )

    tokens, seconds = attempt.row.get("n_output"), attempt.row.get("decode_s")
    if (
        attempt.rate is not None
        and isinstance(tokens, int)
        and isinstance(seconds, float)
        and tokens
    ):
        printed, allowed = attempt.rate
        right = tokens / seconds
        if not math.isclose(printed, right, rel_tol=allowed, abs_tol=0.006):
            note(
                "the printed rate is not tokens over decode time",
                f"{printed:g} tok/s",
                f"{right:.2f} tok/s ({tokens} in {seconds:g} s)",
            )
    for stage in attempt.stages:
        for message, observed, required in _contradictions(stage):
            note(f"{stage.kind}: {message}", observed, required)


def _contradictions(stage: Stage) -> Iterator[tuple[str, str, str]]:
    drafted, accepted, rounds = stage.drafted, stage.accepted, stage.rounds
    if drafted is None or accepted is None:
        return
    if accepted > drafted:
        yield (
            "more draft tokens accepted than drafted: the counts are not used",
            f"{accepted} accepted of {drafted}",
            "accepted <= drafted",
        )
        return
    if drafted and stage.rate is not None:
        printed, allowed = stage.rate
        right = accepted / drafted
        if abs(printed - right) > allowed:
            yield (
                "the printed acceptance is not accepted over drafted",
                f"{printed:.4f}",
                f"{right:.4f}",
            )
    if rounds and stage.length is not None:
        printed, allowed = stage.length
        right = 1 + accepted / rounds
        if abs(printed - right) > allowed:
            yield (
                "the printed accepted length is not 1 + accepted over rounds",
                f"{printed:.4g}",
                f"{right:.4g}",
            )
    if stage.positions is not None and sum(stage.positions) != accepted:
        yield (
            "accepted tokens by position do not add up",
            f"{sum(stage.positions)} over the positions",
            f"{accepted}",
        )
