"""Describing arms: counts, settings, metrics, acceptance and telemetry."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.acceptance import acceptance_of
from specstats.analysis.aggregates import aggregates_of
from specstats.analysis.components import components
from specstats.analysis.spread import mean_of, spread_of
from specstats.analysis.telemetry import telemetry_of
from specstats.checks.settings import settings_of
from specstats.defaults import DEFAULTS
from specstats.design import View, view_of
from specstats.design.view import metrics_of
from specstats.results import ArmSummary, Interval, MetricSummary
from specstats.units import METRICS, metric_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench
    from specstats.design import Design
    from specstats.results import Spread
    from specstats.stats.contrast import Contrast

__all__ = ["arm_summary", "describe", "metric_summary", "spread"]


def describe(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    confidence_level: float = DEFAULTS.confidence_level,
) -> tuple[ArmSummary, ...]:
    """Describe every arm.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    confidence_level : float
        Level of all intervals.

    Returns
    -------
    tuple of ArmSummary
        Arms in order of first appearance.

    Notes
    -----
    Estimand: geometric mean of run values. Unit of replication: the launch.
    Assumes independent launches with lognormal values. No interval with one launch.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("pascal-p5200")
    >>> [(arm.arm, arm.n_runs) for arm in specstats.describe(bench)]
    [('target', 5), ('mtp', 6)]
    """
    view = view_of(bench, design)
    names = dict.fromkeys((*view.arms, *view.bench.arms))
    return tuple(
        arm_summary(view, arm, confidence_level=confidence_level) for arm in names
    )


def spread(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    metric: str = "decode_rate",
    confidence_level: float = DEFAULTS.confidence_level,
) -> dict[str, Spread]:
    """Return the spread between launches of every arm that has one.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    metric : str
        Name of a metric.
    confidence_level : float
        Level of all intervals.

    Returns
    -------
    dict of str to Spread
        Arms with at least two launches that differ.

    Notes
    -----
    Estimand: SD of the log value of one launch. Unit: the launch. Assumes lognormal
    run values. Arms with one launch have no spread and are left out.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("pascal-p5200")
    >>> round(specstats.spread(bench)["mtp"].run_sd_log, 4)
    0.0663
    """
    metric_named(metric)
    view = view_of(bench, design)
    found = {
        arm: metric_summary(view, arm, metric, confidence_level=confidence_level)
        for arm in view.arms
    }
    return {
        arm: item.spread
        for arm, item in found.items()
        if item is not None and item.spread is not None
    }


def arm_summary(
    view: View,
    arm: str,
    *,
    confidence_level: float,
    metrics: Sequence[str] = (),
    in_parts: bool = True,
) -> ArmSummary:
    """Describe one arm of a view.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    confidence_level : float
        Level of all intervals.
    metrics : sequence of str
        Metrics to describe; all that the requests have by default.
    in_parts : bool
        Whether spreads are split into components.

    Returns
    -------
    ArmSummary
        Its summary.
    """
    rows = np.flatnonzero(view.rows_of(arm))
    runs = view.runs_of(arm)
    digests = view.bench.column("requests", "output_sha256")
    told = rows[view.known("output_sha256")[rows]].tolist()
    known = {digests[row] for row in told}
    found = {
        name: metric_summary(
            view, arm, name, confidence_level=confidence_level, in_parts=in_parts
        )
        for name in metrics or metrics_of(view)
    }
    return ArmSummary(
        arm=arm,
        n_runs=len(runs),
        n_blocks=len({run.block for run in runs if run.block is not None}),
        n_prompts=len(np.unique(view.prompt[rows[view.ok[rows]]])),
        n_requests=len(rows),
        n_failed=int((~view.ok[rows]).sum()),
        n_distinct_outputs=len(known) if known else None,
        settings=settings_of(runs),
        metrics={name: item for name, item in found.items() if item is not None},
        acceptance=acceptance_of(view, arm, confidence_level=confidence_level),
        telemetry=telemetry_of(view.bench, arm),
        aggregates=aggregates_of(view.bench, arm),
    )


def without_intervals(arm: ArmSummary) -> ArmSummary:
    """Return an arm without what needs launches of one setting.

    Parameters
    ----------
    arm : ArmSummary
        An arm whose launches differ in a setting, or are no launches.

    Returns
    -------
    ArmSummary
        Its means, without interval and spread.
    """
    metrics = {
        name: replace(item, interval=None, spread=None)
        for name, item in arm.metrics.items()
    }
    return replace(arm, metrics=metrics)


def metric_summary(
    view: View,
    arm: str,
    metric: str,
    *,
    confidence_level: float,
    in_parts: bool = True,
) -> MetricSummary | None:
    """Describe one metric of one arm.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    metric : str
        Name of a metric.
    confidence_level : float
        Level of all intervals.
    in_parts : bool
        Whether the spread is split into components.

    Returns
    -------
    MetricSummary or None
        None when no request of the arm has the metric.
    """
    values = view.values(metric)
    rows = view.rows_of(arm) & view.timed & np.isfinite(values)
    if not rows.any():
        return None
    matrix = view.matrix(metric, [arm])
    logs = matrix.own_values() if matrix.disjoint_prompts else matrix.run_values()
    usable = np.isfinite(logs)
    logs = logs[usable]
    if not logs.size:
        return None
    runs = [run for run, kept in zip(matrix.runs, usable, strict=True) if kept]
    centre = mean_of(logs, runs)
    counted = values[rows] if METRICS[metric].quantile is None else np.exp(logs)
    return MetricSummary(
        metric=metric,
        unit=METRICS[metric].unit,
        rate_convention=view.convention(metric),
        estimate=math.exp(logs.mean()),
        mean=float(counted.mean()),
        interval=None if centre is None else _interval(centre, confidence_level),
        minimum=float(counted.min()),
        maximum=float(counted.max()),
        n_runs=logs.size,
        n_requests=int(rows.sum()),
        run_values=tuple(np.exp(logs).tolist()),
        spread=spread_of(
            logs,
            runs,
            confidence_level=confidence_level,
            parts=components(view, arm, metric, confidence_level=confidence_level)
            if in_parts and METRICS[metric].quantile is None
            else None,
        ),
    )


def _interval(centre: Contrast, confidence_level: float) -> Interval:
    low, high = centre.interval(confidence_level)
    return Interval(
        low=_exp(low),
        high=_exp(high),
        confidence_level=confidence_level,
        method=centre.method,
    )


def _exp(value: float) -> float:
    return math.exp(min(max(value, -700.0), 700.0))
