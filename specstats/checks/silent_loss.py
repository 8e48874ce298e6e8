"""SPS306: the same texts at the same draft budget, with fewer tokens per step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from specstats.checks.acceptance import is_configured
from specstats.defaults import DEFAULTS
from specstats.design.steps import decode_steps
from specstats.diagnostics import finding
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.multiplicity import bonferroni_level
from specstats.stats.paired_acceptance import paired_length_difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["silent_loss"]

# What bounds a draft; one that differs makes tokens per step differ by construction.
_BUDGET = (
    *("depth", "n_draft_max", "n_draft_min", "num_speculative_tokens", "p_min"),
    *("draft_p_min", "spec_n_max", "spec_p_min", "draft_max", "draft_min"),
)


@dataclass(frozen=True, slots=True)
class _Generation:
    tokens: float
    steps: float


def silent_loss(view: View) -> Iterator[Finding]:
    """SPS306 for every pair of drafting arms of one budget."""
    if not (np.nan_to_num(view.column("n_draft")) > 0).any():
        return
    steps = decode_steps(view.bench, view.run)
    drafting = [
        arm
        for arm in view.arms
        if (view.column("n_draft")[view.rows_of(arm)] > 0).any()
        and not is_configured(view.bench, arm)
    ]
    made = {arm: _generations(view, arm, steps) for arm in drafting}
    pairs = [
        (first, second)
        for first, second in combinations(drafting, 2)
        if _same_budget(view, first, second, steps)
        and len(set(made[first]) & set(made[second])) >= DEFAULTS.min_prompts
    ]
    for first, second in pairs:
        yield from _of_pair(first, second, made, len(pairs))


def _of_pair(
    first: str,
    second: str,
    made: dict[str, dict[tuple[int, str], _Generation]],
    family: int,
) -> Iterator[Finding]:
    # A generation is matched by prompt and text.
    common = [key for key in made[first] if key in made[second]]
    counts = [
        np.array([getattr(made[arm][key], name) for key in common])
        for arm in (second, first)
        for name in ("tokens", "steps")
    ]
    try:
        found = paired_length_difference(*counts)
    except ZeroSpreadError:
        return
    if found is None:
        return
    low, high = found.interval(bonferroni_level(DEFAULTS.confidence_level, family))
    if low <= 0.0 <= high:
        return
    worse, better = (second, first) if high < 0.0 else (first, second)
    if high >= 0.0:
        low, high = -high, -low
    estimate = -abs(found.estimate)
    yield finding(
        "SPS306",
        f"{worse} writes the texts of {better} at the same draft budget with fewer "
        f"tokens per step: x{math.exp(estimate):.3f} [{math.exp(low):.3f}, "
        f"{math.exp(high):.3f}] over {len(common)} prompts",
        observed=f"log tokens per step {estimate:.3f} [{low:.3f}, {high:.3f}]",
        required="no loss of tokens per step where the output is the same",
        remedy="look at the drafter of that arm: its quantisation, its training "
        "target, its vocabulary; answers stay right whatever it drafts",
        subject=(worse,),
        metric="acceptance",
    )


def _generations(
    view: View, arm: str, steps: NDArray[np.float64]
) -> dict[tuple[int, str], _Generation]:
    """Return the first generation of each prompt and text of an arm."""
    tokens = view.column("n_output") - 1.0
    digests = view.bench.column("requests", "output_sha256")
    rows = view.rows_of(arm) & view.measured & view.known("output_sha256")
    rows &= np.isfinite(steps) & (tokens > 0)
    found: dict[tuple[int, str], _Generation] = {}
    for row in np.flatnonzero(rows).tolist():
        key = (int(view.prompt[row]), str(digests[row]))
        found.setdefault(key, _Generation(float(tokens[row]), float(steps[row])))
    return found


def _same_budget(
    view: View, first: str, second: str, steps: NDArray[np.float64]
) -> bool:
    """Whether two arms may draft alike: by settings, else by what they drafted."""
    told = _budget(view, first), _budget(view, second)
    if told[0] != told[1]:
        return False
    if any(values != ("None",) for values in told[0]):
        return True
    lengths = [_drafted_a_step(view, arm, steps) for arm in (first, second)]
    return max(lengths) <= DEFAULTS.draft_length_ratio * min(lengths)


def _drafted_a_step(view: View, arm: str, steps: NDArray[np.float64]) -> float:
    rows = view.rows_of(arm) & view.measured & np.isfinite(steps)
    drafted = np.nan_to_num(view.column("n_draft"))[rows]
    return float(drafted.sum() / steps[rows].sum()) if rows.any() else math.nan


def _budget(view: View, arm: str) -> tuple[object, ...]:
    """Return what bounds the drafts of an arm, as far as every launch records it."""
    runs = view.runs_of(arm)
    told = []
    for name in _BUDGET:
        values = {str(run.settings.get(f"cfg.{name}")) for run in runs}
        told.append(tuple(sorted(values)))
    return tuple(told)
