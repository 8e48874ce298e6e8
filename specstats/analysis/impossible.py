"""SPS307: a speedup beyond the tokens per step that were counted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.scopes import scopes
from specstats.design.steps import drafting_runs
from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.analysis.options import Options
    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["impossible_gain"]

_CONCURRENCY = ("cfg.concurrency", "cfg.max_concurrency", "cfg.num_concurrent")


def impossible_gain(
    view: View,
    baseline: str,
    candidate: str,
    *,
    options: Options,
    workload: str | None = None,
) -> Iterator[Finding]:
    """Yield SPS307 where a drafting arm takes its steps faster than the plain one.

    Parameters
    ----------
    view : View
        The data.
    baseline, candidate : str
        The arms.
    options : Options
        What is asked.
    workload : str, optional
        Group of prompts.

    Yields
    ------
    Finding
        At most one. A verify step costs at least a plain step, so the speedup is at
        most the tokens of a step: steps a second cannot go up. An error where the
        interval says so, a warning with requests at a time, and words where each arm
        is a single launch.
    """
    drafting = drafting_runs(view.bench, view.run)
    drafts = {
        arm: any(
            bool(drafting[code]) for code, run in enumerate(view.runs) if run.arm == arm
        )
        for arm in (baseline, candidate)
    }
    if drafts[baseline] or not drafts[candidate]:
        return
    arms = (baseline, candidate)
    matrix = view.matrix("step_rate", arms, workload=workload)
    flags = matrix.of_arm(candidate)
    values = matrix.run_values()
    if not flags.any() or flags.all() or not np.isfinite(values).all():
        return
    gap = float(values[flags].mean() - values[~flags].mean())
    single = min(int(flags.sum()), int((~flags).sum())) < 2  # noqa: PLR2004
    if single:
        above = gap > math.log1p(options.margin or 0.0)
    else:
        headline = next(iter(scopes(matrix, values, candidate, options)))
        contrast = headline.contrast
        above = contrast is not None and (
            contrast.interval(options.confidence_level)[0] > 0.0
        )
    if not above:
        return
    several = any(
        (run.settings.get(key) or 1) not in {1, "1"}
        for run in matrix.runs
        for key in _CONCURRENCY
    )
    yield finding(
        "SPS307",
        f"{candidate} gains more than its tokens per step allow: it takes its decode "
        f"steps x{math.exp(gap):.3f} as fast as {baseline}"
        + (" (observed numbers inconsistent: one launch an arm)" if single else ""),
        level=Level.WARNING if several or single else Level.ERROR,
        observed=f"steps per second x{math.exp(gap):.4f}",
        required="at most x1: a verify step is no cheaper than a plain one",
        remedy="look whether both arms run one target, one build and one clock; a "
        "baseline that is too slow makes any drafter look good",
        subject=arms,
        metric="decode_rate",
    )
