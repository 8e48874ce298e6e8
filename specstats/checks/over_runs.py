"""Rules about runs as a series and as a sample: SPS203, SPS206, SPS207, SPS209."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.checks.run_values import order_of, primary_metric, run_values
from specstats.defaults import DEFAULTS
from specstats.diagnostics import Level, counted, finding
from specstats.stats.autocorrelation import autocorrelation
from specstats.stats.drift import additive_residuals, drift_of
from specstats.stats.robust import grubbs_outlier
from specstats.stats.states import largest_gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.checks.run_values import RunValues
    from specstats.design import View
    from specstats.diagnostics import Finding
    from specstats.stats.drift import Drift

__all__ = ["over_runs", "planned"]


def over_runs(view: View, metric: str | None = None) -> Iterator[Finding]:
    """SPS203, SPS206 and SPS207 in one metric, by default the primary one."""
    metric = metric or primary_metric(view)
    if metric is None:
        return
    found = run_values(view, metric)
    if not found.runs:
        return
    yield from _drift(view, found)
    for arms, names, values in _samples(found):
        yield from _outlier(metric, arms, names, values)
        yield from _states(metric, arms, names, values)


def _drift(view: View, found: RunValues) -> Iterator[Finding]:
    """SPS203: the runs drift, or neighbours in time are alike."""
    blocks = found.blocks
    order = order_of(found.runs, blocks)
    if order is None:
        return
    drift = drift_of(found.values, [run.arm for run in found.runs], order, blocks)
    if drift is None:
        return
    p_value = drift.slope.p_value()
    change = 100.0 * math.expm1(drift.slope.estimate)
    remedy = (
        "let the machine settle and cool between launches, interleave the arms, and "
        "look at clocks and temperatures over the session"
    )
    if p_value < DEFAULTS.drift_p:
        within = "" if blocks is None else " of a block"
        yield finding(
            "SPS203",
            f"{found.metric} changes by {change:+.2g} % from one launch{within} to the "
            f"next (p {p_value:.2g} over {len(found.runs)} launches, arms taken out)",
            observed=f"slope {drift.slope.estimate:.4f} on the log scale, "
            f"p {p_value:.2g}",
            required=f"no trend over launch order (p {DEFAULTS.drift_p:g} or more)",
            remedy=remedy,
            metric=found.metric,
        )
    elif blocks is None:
        yield from _alike(view, found, drift, remedy)


def _alike(
    view: View, found: RunValues, drift: Drift, remedy: str
) -> Iterator[Finding]:
    if drift.residuals.size < DEFAULTS.autocorrelation_min_runs:
        return
    # A fit with a slope has residuals that vary.
    alike = autocorrelation(
        drift.residuals, rng=np.random.default_rng(view.design.seed)
    )
    if alike.p_value < DEFAULTS.autocorrelation_p:
        yield finding(
            "SPS203",
            f"launches that follow each other are alike in {found.metric} "
            f"(autocorrelation {alike.rho:.2f}, p {alike.p_value:.2g}): {alike.n} "
            f"launches are worth {alike.n_effective:.1f}",
            observed=f"autocorrelation {alike.rho:.3f}",
            required=f"none (p {DEFAULTS.autocorrelation_p:g} or more)",
            remedy=remedy,
            metric=found.metric,
        )


def _samples(
    found: RunValues,
) -> Iterator[tuple[tuple[str, ...], list[str], NDArray[np.float64]]]:
    """Yield the arms, names and values of what should be one normal sample."""
    blocks = found.blocks
    if blocks is None:
        for arm in found.arms:
            own = found.of_arm(arm)
            yield (arm,), [f"launch {run.run_id}" for run in own.runs], own.values
        return
    cells = [(run.arm, run.block) for run in found.runs]
    paired = len(found.arms) == 2 and len(set(cells)) == len(cells)  # noqa: PLR2004
    if paired:
        # The residuals of one arm would mirror those of the other.
        value = dict(zip(cells, found.values.tolist(), strict=True))
        first, second = found.arms
        common = [
            block
            for block in dict.fromkeys(blocks)
            if (first, block) in value and (second, block) in value
        ]
        ratios = [value[second, block] - value[first, block] for block in common]
        yield found.arms, [f"block {name}" for name in common], np.array(ratios)
        return
    residuals = additive_residuals(
        found.values, [run.arm for run in found.runs], blocks
    )
    if residuals is None:
        return
    for arm in found.arms:
        rows = [index for index, run in enumerate(found.runs) if run.arm == arm]
        yield (
            (arm,),
            [f"launch {found.runs[row].run_id}" for row in rows],
            residuals[rows],
        )


def _outlier(
    metric: str, arms: tuple[str, ...], names: list[str], values: NDArray[np.float64]
) -> Iterator[Finding]:
    """SPS206: one run stands apart."""
    index = None
    if values.size:
        index = grubbs_outlier(values, alpha=DEFAULTS.outlier_p)
    if index is None:
        return
    others = np.delete(values, index)
    gap, spread = float(values[index] - others.mean()), float(others.std(ddof=1))
    subject = " and ".join(arms)
    yield finding(
        "SPS206",
        f"{subject}: {names[index]} stands apart, {metric} at "
        f"x{math.exp(gap):.3g} of the others; it stays in",
        where=(names[index],),
        observed=f"{abs(gap) / spread:.1f} SDs of the other {others.size} from their "
        "mean"
        if spread > 0.0
        else f"the other {others.size} are equal",
        required=f"no outlier by Grubbs' test at {DEFAULTS.outlier_p:g}",
        remedy="look for what was different then; do not drop it for its value",
        subject=arms,
        metric=metric,
    )


def _states(
    metric: str, arms: tuple[str, ...], names: list[str], values: NDArray[np.float64]
) -> Iterator[Finding]:
    """SPS207: the runs fall into two groups."""
    states = None if not values.size else largest_gap(values)
    if states is None or not states.two:
        return
    low = [name for name, flag in zip(names, states.in_low, strict=True) if flag]
    high = [name for name, flag in zip(names, states.in_low, strict=True) if not flag]
    fewer = min(low, high, key=len)
    factor = math.exp(states.high_mean - states.low_mean)
    yield finding(
        "SPS207",
        f"{' and '.join(arms)}: {metric} falls into two groups, {len(high)} of "
        f"{values.size} launches at x{factor:.3g} of the other {len(low)}: a normal "
        "interval misleads",
        where=fewer[:5],
        observed=f"a gap of {states.ratio:.3g} SDs within the groups"
        if math.isfinite(states.ratio)
        else "a gap, and no spread within the groups",
        required=f"at most {states.threshold:.3g} with {values.size} launches",
        remedy="find the state (clocks, power limit, placement, tuned kernels) and fix "
        "or record it; more launches in both states widen the interval honestly",
        subject=arms,
        metric=metric,
    )


def planned(view: View) -> Iterator[Finding]:
    """SPS209: another number of launches than was planned."""
    plan = view.design.planned_runs
    if plan is None:
        return
    for arm in view.arms:
        runs = len(view.runs_of(arm))
        if runs == plan:
            continue
        more = runs > plan
        yield finding(
            "SPS209",
            f"{arm} has {counted(runs, 'launch', 'launches')} and {plan} were planned: "
            + (
                "a p-value assumes that launches were not added after a look"
                if more
                else "a look before the plan is done; what it shows may not stop it"
            ),
            level=Level.WARNING if more else Level.NOTE,
            observed=counted(runs, "launch", "launches"),
            required=f"{plan}, as planned",
            remedy="report the verdict at the planned number, or plan a sequential "
            "analysis beforehand"
            if more
            else "complete the plan before drawing a verdict",
            subject=(arm,),
        )
