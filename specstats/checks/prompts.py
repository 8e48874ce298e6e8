"""Rules about prompts, warm-up and caches: SPS105, SPS107, SPS108, SPS402."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design.view import UNNAMED_PROMPT, metrics_of
from specstats.diagnostics import Level, counted, finding
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding

__all__ = [
    "cache_state",
    "disjoint_prompts",
    "failed_cells",
    "prompt_sets",
    "token_budgets",
]


def prompt_sets(matrix: RunMatrix, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS105: prompt sets follow the arm, or have gaps."""
    if not matrix.runs or matrix.fresh_prompts:
        return
    found = np.isfinite(matrix.logs)
    if found.all():
        return
    flags = matrix.of_arm(candidate)
    union = [set(np.flatnonzero(found[rows].any(axis=0))) for rows in (flags, ~flags)]
    common = matrix.common_prompts
    follow = union[0] != union[1]
    yield finding(
        "SPS105",
        f"prompt sets follow the arm: {len(union[1])} in {baseline}, "
        f"{len(union[0])} in {candidate}, {len(common)} in every run"
        if follow
        else f"prompts are missing from some runs: the {len(common)} of "
        f"{len(matrix.prompts)} that every run has are compared, while the tables "
        "of arms use each arm's own",
        level=Level.ERROR if follow or not common else Level.WARNING,
        observed=f"{len(common)} common prompts of {len(matrix.prompts)}",
        required="the same prompts in both arms",
        remedy="send every arm the same prompts",
        subject=(baseline, candidate),
    )


def disjoint_prompts(view: View) -> Iterator[Finding]:
    """SPS105: no prompt is in every run of an arm."""
    for arm in view.arms:
        for metric in metrics_of(view):
            matrix = view.matrix(metric, [arm])
            if len(matrix.runs) > 1 and matrix.disjoint_prompts:
                yield finding(
                    "SPS105",
                    f"{arm}: no prompt is in every run, so the {METRICS[metric].label} "
                    "of a run is that of its own prompts",
                    level=Level.WARNING,
                    observed=f"{len(matrix.prompts)} prompts over {len(matrix.runs)} "
                    "runs",
                    required="the same prompts in every run",
                    remedy="send every launch the same prompts, or split the arm",
                    subject=(arm,),
                    metric=metric,
                )


def prompts_are_told_apart(view: View, arm: str) -> bool:
    """Whether requests without a prompt name may be one prompt: one length."""
    return _unnamed_lengths(view, arm) <= 1


def _unnamed_lengths(view: View, arm: str) -> int:
    total = view.column("n_prompt") + view.column("n_cached")
    unnamed = np.array([name == UNNAMED_PROMPT for name in view.prompts], dtype=bool)
    rows = view.rows_of(arm) & view.measured & np.isfinite(total) & unnamed[view.prompt]
    return int(np.unique(total[rows]).size)


def unnamed_prompts(view: View) -> Iterator[Finding]:
    """SPS105: requests without a prompt name differ in their prompt tokens."""
    for arm in view.arms:
        lengths = _unnamed_lengths(view, arm)
        if lengths > 1:
            yield finding(
                "SPS105",
                f"{arm}: prompts have no names and {lengths} different lengths, but "
                "count as one prompt",
                level=Level.WARNING,
                observed=f"{lengths} prompt lengths",
                required="a name for each prompt",
                remedy="name them: prompt_id in each row, or {prompt} in the layout",
                subject=(arm,),
            )


def token_budgets(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS105: the arms were stopped at different token counts."""
    reasons = view.bench.column("requests", "finish_reason")
    tokens = view.column("n_output")
    budgets: list[set[float]] = []
    for arm in (baseline, candidate):
        rows = np.flatnonzero(view.rows_of(arm) & view.measured)
        if not rows.size or any(reasons[row] != "length" for row in rows):
            return
        budgets.append(set(tokens[rows].tolist()))
    if budgets[0] != budgets[1] and max(map(len, budgets)) == 1:
        shown = [f"{next(iter(budget)):.0f}" for budget in budgets]
        yield finding(
            "SPS105",
            f"token budgets follow the arm: {shown[0]} in {baseline}, {shown[1]} in "
            f"{candidate}",
            observed=f"{shown[0]} against {shown[1]} tokens",
            required="one budget",
            remedy="set the same max_tokens in both arms",
            subject=(baseline, candidate),
        )


def failed_cells(matrix: RunMatrix, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS402: cells that failed in some run were left out everywhere."""
    if matrix.dropped_cells:
        yield finding(
            "SPS402",
            f"{counted(matrix.dropped_cells, 'prompt x repeat cell')} failed in some "
            "run, left out of all runs compared",
            observed=f"{matrix.dropped_cells} cells",
            subject=(baseline, candidate),
        )


def cache_state(view: View) -> Iterator[Finding]:
    """SPS108: repeats of one prompt differ in cached prompt tokens."""
    cached = view.column("n_cached")
    for arm in view.arms:
        rows = view.rows_of(arm) & view.measured & np.isfinite(cached)
        differing = [
            view.prompts[code]
            for code in np.unique(view.prompt[rows])
            if np.unique(cached[rows & (view.prompt == code)]).size > 1
        ]
        if not differing:
            continue
        values = np.unique(cached[rows]).astype(int).tolist()
        yield finding(
            "SPS108",
            f"{arm}: repeats of {counted(len(differing), 'prompt')} differ in cached "
            f"prompt tokens ({', '.join(map(str, values[:6]))})",
            where=differing[:5],
            observed=f"cache_n of {values[:6]}",
            required="one cache state for all repeats",
            remedy="send cache_prompt: false, or compare first and later requests "
            "apart",
            subject=(arm,),
        )
