"""One pair of arms in acceptance: paired by prompt where that can be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.analysis.acceptance_obstacles import (
    beside,
    no_spread,
    one_cluster,
    too_wide,
    without_counts,
)
from specstats.analysis.clustered import log_interval
from specstats.analysis.drafted import Counted, counted_of
from specstats.checks import settings
from specstats.diagnostics import Findings, counted
from specstats.results import AcceptanceDifference, Estimate, Interval
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.acceptance import rate_difference
from specstats.stats.length import length_difference
from specstats.stats.paired_acceptance import (
    Crossed,
    crossed_difference,
    paired_length_difference,
    paired_odds_ratio,
    paired_rate_difference,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.options import Options
    from specstats.design import View
    from specstats.diagnostics import Finding
    from specstats.results import AcceptanceMetric, AcceptanceScale, ArmSummary
    from specstats.stats.contrast import Contrast

__all__ = ["METRICS", "acceptance_pair", "with_differences"]

METRICS: tuple[AcceptanceMetric, ...] = ("rate", "length")
_NAMES = {"rate": "acceptance rate", "length": "tokens per step"}


def acceptance_pair(
    view: View,
    baseline: str,
    candidate: str,
    metric: AcceptanceMetric,
    *,
    confidence_level: float,
    allow: Sequence[str] = (),
) -> AcceptanceDifference:
    """Compare the acceptance of two arms.

    Parameters
    ----------
    view : View
        The data.
    baseline, candidate : str
        The arms.
    metric : {"rate", "length"}
        Accepted over drafted tokens, or tokens per step.
    confidence_level : float
        Level of the interval.
    allow : sequence of str
        Rule codes whose errors about settings the user allows.

    Returns
    -------
    AcceptanceDifference
        Refused, as data, where the arms lack counts, clusters or spread, or differ in
        more than the setting.
    """
    arms = {name: counted_of(view, name, metric) for name in (baseline, candidate)}
    first, second = arms[candidate], arms[baseline]
    findings = [
        *_settings(view, baseline, candidate).allowed(allow),
        *without_counts(view, arms, metric),
        *one_cluster(arms),
        *beside(view, arms, metric),
    ]
    contrast, scale = None, _scale(metric)
    paired = first is not None and second is not None and _pairs(first, second)
    if first is not None and second is not None and not _refused(findings):
        try:
            contrast, scale = _contrast(first, second, metric, paired=paired)
        except ZeroSpreadError:
            findings.append(no_spread(baseline, candidate))
    estimate = _estimate(contrast, scale, confidence_level)
    if contrast is not None and estimate is None:
        findings.append(too_wide(baseline, candidate))
    told = _told(arms, metric, estimate, scale, paired=paired)
    return AcceptanceDifference(
        metric=metric,
        baseline=baseline,
        candidate=candidate,
        baseline_value=None if second is None else second.value,
        candidate_value=None if first is None else first.value,
        scale=scale,
        estimate=estimate,
        method=None if estimate is None else estimate.interval.method,
        n_clusters_baseline=0 if second is None else second.n_clusters,
        n_clusters_candidate=0 if first is None else first.n_clusters,
        n_pairs=len(first.prompts) if first is not None and paired else None,
        sentence=told
        if estimate is not None
        else f"{told}: {'; '.join(item.message for item in findings if item.is_error)}",
        findings=Findings(findings),
    )


def with_differences(
    view: View,
    arms: Mapping[str, ArmSummary],
    candidates: Sequence[str],
    options: Options,
) -> dict[str, ArmSummary]:
    """Fill in the differences of candidates to the baseline, where both drafted.

    Parameters
    ----------
    view : View
        The data.
    arms : mapping of str to ArmSummary
        The arms.
    candidates : sequence of str
        Arms to compare.
    options : Options
        Level of the intervals, and rules whose errors are allowed.

    Returns
    -------
    dict of str to ArmSummary
        Other arms as they were.
    """
    found, baseline = dict(arms), view.design.baseline
    if baseline is None or baseline not in arms or arms[baseline].acceptance is None:
        return found
    for name in candidates:
        own = arms[name].acceptance if name in arms else None
        if own is not None:
            made = tuple(
                acceptance_pair(
                    view,
                    baseline,
                    name,
                    metric,
                    confidence_level=options.confidence_level,
                    allow=options.allow,
                )
                for metric in METRICS
            )
            found[name] = replace(arms[name], acceptance=replace(own, differences=made))
    return found


def _settings(view: View, baseline: str, candidate: str) -> Findings:
    """SPS102 and SPS112: launches of an arm differ, or the arms in more than asked."""
    return Findings(
        [
            *(
                item
                for item in settings.inside_arms(view)
                if item.concerns((baseline, candidate))
            ),
            *settings.between_arms(view, baseline, candidate),
        ]
    )


def _scale(metric: AcceptanceMetric) -> AcceptanceScale:
    return "difference" if metric == "rate" else "ratio"


def _refused(findings: list[Finding]) -> bool:
    return any(item.is_error for item in findings)


def _pairs(first: Counted, second: Counted) -> bool:
    """Whether both arms vary by prompt, and sent the same named prompts."""
    return (
        "run" not in {first.cluster, second.cluster}
        and first.named
        and second.named
        and first.prompts == second.prompts
    )


def _contrast(
    first: Counted, second: Counted, metric: AcceptanceMetric, *, paired: bool
) -> tuple[Contrast | None, AcceptanceScale]:
    if not paired:
        counts = *first.by_cluster(), *second.by_cluster()
        if metric == "length":
            return length_difference(*counts), "ratio"
        return rate_difference(*counts), "difference"
    counts = *first.by_prompt(), *second.by_prompt()
    if metric == "rate":
        odds = (
            crossed_difference(_crossed(first), _crossed(second), scale="logit")
            if _crosses(first, second)
            else paired_odds_ratio(*counts)
        )
        if odds is not None:
            return odds, "odds ratio"
        return paired_rate_difference(*counts), "difference"
    if _crosses(first, second):
        return crossed_difference(_crossed(first), _crossed(second), scale="log"), (
            "ratio"
        )
    return paired_length_difference(*counts), "ratio"


def _crosses(first: Counted, second: Counted) -> bool:
    return "prompt and run" in {first.cluster, second.cluster}


def _crossed(arm: Counted) -> Crossed:
    varies = arm.cluster == "prompt and run"
    return Crossed(
        part=arm.part,
        whole=arm.whole,
        run=arm.run if varies else None,
        prompt=arm.prompt,
    )


def _estimate(
    contrast: Contrast | None, scale: AcceptanceScale, level: float
) -> Estimate | None:
    if contrast is None:
        return None
    limits = contrast.interval(level)
    method = contrast.method
    if not method.startswith(("paired", "independent")):
        method = "independent, linearised Welch"
    interval = (
        Interval(
            low=max(-1.0, limits[0]),
            high=min(1.0, limits[1]),
            confidence_level=level,
            method=method,
        )
        if scale == "difference"
        else log_interval(limits, level, method)
    )
    if interval is None:
        return None
    centre = contrast.estimate
    return Estimate(
        value=centre if scale == "difference" else math.exp(centre),
        std_error=contrast.std_error,
        interval=interval,
        df=contrast.df,
    )


def _told(
    arms: dict[str, Counted | None],
    metric: AcceptanceMetric,
    estimate: Estimate | None,
    scale: AcceptanceScale,
    *,
    paired: bool,
) -> str:
    baseline, candidate = arms
    values = [
        "unknown" if known is None else f"{known.value:.4f}" for known in arms.values()
    ]
    told = (
        f"{candidate} against {baseline}, {_NAMES[metric]} {values[1]} against "
        f"{values[0]}"
    )
    if estimate is None:
        return told
    limits = estimate.interval
    clusters = [
        counted(known.n_clusters, known.cluster)
        for known in arms.values()
        if known is not None
    ]
    over = (
        counted(len(found.prompts), "prompt")
        if paired and (found := arms[candidate]) is not None
        else f"{clusters[1]} against {clusters[0]}"
    )
    low, value, high = (
        _number(number, scale) for number in (limits.low, estimate.value, limits.high)
    )
    return (
        f"{told}: {scale} {value} [{low}, {high}] ({limits.confidence_level:.0%}, "
        f"{limits.method}, {over})"
    )


def _number(value: float, scale: AcceptanceScale) -> str:
    if scale == "difference":
        return f"{value:+.4f}"
    return f"{value:.4f}" if 1e-3 <= value < 1e4 else f"{value:.3g}"  # noqa: PLR2004
