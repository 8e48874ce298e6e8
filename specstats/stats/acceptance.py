"""Acceptance rates of drafted tokens, with clusters as the unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.stats._acceptance import (
    AcceptanceInterval,
    logit_interval,
    rate_interval,
    spread_ratio,
)
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._clusters import (
    cluster_totals,
    jackknife_logit,
    ratio_of_totals,
)
from specstats.stats._quantiles import t_critical
from specstats.stats.binomial import clopper_pearson, wilson
from specstats.stats.contrast import Contrast
from specstats.stats.effective import (
    effective_interval,
    korn_graubard,
    rao_scott_wilson,
)
from specstats.stats.twoway_acceptance import two_way_rate
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "AcceptanceInterval",
    "clopper_pearson",
    "cluster_rate",
    "cluster_rate_logit",
    "korn_graubard",
    "linearised_t",
    "rao_scott_wilson",
    "rate_difference",
    "two_way_rate",
    "wilson",
]


def cluster_rate(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> AcceptanceInterval | None:
    """Estimate acceptance with the leave-one-cluster-out jackknife on the logit.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval or None
        None with fewer than two clusters: no statement about a workload is possible.

    Notes
    -----
    Estimand: accepted over drafted tokens in a workload of clusters like these. Unit:
    the cluster (prompt or run), never the token: tokens of one generation stand and
    fall together. t(G - 1) on the jackknife standard error. Where that is not finite
    (a single cluster holds all rejections or all acceptances) or zero,
    :func:`korn_graubard` instead, and `method` says so. Covers .93-.95 for
    G = 3, 5, 10, where pooled-token Wilson covers .17-.67.
    """
    hits, tries = cluster_totals(accepted, drafted)
    if hits.size < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    ratio = ratio_of_totals(hits, tries)
    variance = float(jackknife_logit(hits, tries)[1])
    if ratio.variance == 0.0 or not math.isfinite(variance):
        return effective_interval(ratio, confidence_level=confidence_level)
    return logit_interval(
        ratio,
        math.sqrt(variance),
        confidence_level=confidence_level,
        method="cluster jackknife on the logit",
    )


def cluster_rate_logit(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> AcceptanceInterval | None:
    """Estimate acceptance with the linearised standard error on the logit.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval or None
        None with fewer than two clusters or without any spread.

    Notes
    -----
    Estimand and unit as :func:`cluster_rate`. Variance G/(G-1) sum u^2 / (sum d)^2
    with u = a - p d, carried to the logit by the delta method; t(G - 1).
    """
    ratio = spread_ratio(accepted, drafted)
    if ratio is None:
        return None
    return logit_interval(
        ratio,
        math.sqrt(ratio.variance) * ratio.logit_slope,
        confidence_level=confidence_level,
        method="linearised on the logit",
    )


def linearised_t(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> AcceptanceInterval | None:
    """Estimate acceptance with the linearised standard error and t on the rate.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval or None
        None with fewer than two clusters or without any spread.

    Notes
    -----
    As :func:`cluster_rate_logit` without the logit: near 0 or 1 it covers too little
    (.86 at a rate of .95 and 5 clusters). Limits are cut at 0 and 1.
    """
    ratio = spread_ratio(accepted, drafted)
    if ratio is None:
        return None
    half_width = t_critical(ratio.df, confidence_level) * math.sqrt(ratio.variance)
    limits = max(0.0, ratio.rate - half_width), min(1.0, ratio.rate + half_width)
    return rate_interval(ratio, limits, method="linearised, t")


def rate_difference(
    candidate_accepted: ArrayLike,
    candidate_drafted: ArrayLike,
    baseline_accepted: ArrayLike,
    baseline_drafted: ArrayLike,
    /,
) -> Contrast | None:
    """Difference of two acceptance rates, linearised Welch.

    Parameters
    ----------
    candidate_accepted, candidate_drafted : array_like, shape (G1,)
        Totals of each cluster of the candidate.
    baseline_accepted, baseline_drafted : array_like, shape (G0,)
        Totals of each cluster of the baseline.

    Returns
    -------
    Contrast or None
        Candidate rate minus baseline rate, on the scale of the rate; None with fewer
        than two clusters in an arm or without any spread.

    Notes
    -----
    Estimand: difference of accepted over drafted tokens between two settings. Unit:
    the cluster, independent between arms. Compare rates only at the same draft
    budget: they fall with its length by construction.
    """
    arms = (
        cluster_totals(candidate_accepted, candidate_drafted),
        cluster_totals(baseline_accepted, baseline_drafted),
    )
    if min(hits.size for hits, _ in arms) < 2:  # noqa: PLR2004 - spread needs two
        return None
    first, second = (ratio_of_totals(hits, tries) for hits, tries in arms)
    try:
        return Contrast(
            estimate=first.rate - second.rate,
            std_error=math.sqrt(first.variance + second.variance),
            df=float(
                welch_df((first.variance, first.df), (second.variance, second.df))
            ),
            method="linearised Welch on rates",
        )
    except ZeroSpreadError:
        return None
