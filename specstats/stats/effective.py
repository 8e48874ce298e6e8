"""Acceptance intervals on an effective number of independent tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.stats._acceptance import (
    AcceptanceInterval,
    rate_interval,
    spread_ratio,
)
from specstats.stats._clusters import Ratio, cluster_totals, ratio_of_totals
from specstats.stats._quantiles import t_critical
from specstats.stats.binomial import clopper_pearson, score_limits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def rao_scott_wilson(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> AcceptanceInterval | None:
    """Wilson interval on the effective number of tokens, with t(G - 1).

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
    n_eff = drafted / design effect. Source: Rao and Scott (1992).
    """
    ratio = spread_ratio(accepted, drafted)
    if ratio is None:
        return None
    effective = 1.0 / (ratio.variance * ratio.logit_slope)
    critical = t_critical(ratio.df, confidence_level)
    limits = score_limits(ratio.rate * effective, effective, critical=critical)
    return rate_interval(ratio, limits, method="Rao-Scott Wilson")


def korn_graubard(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> AcceptanceInterval | None:
    """Clopper-Pearson interval on the effective number of tokens.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval or None
        None with fewer than two clusters.

    Notes
    -----
    n_eff = p(1 - p) / V times (t(D - 1) / t(G - 1))^2, never above the D tokens
    drafted. Without spread between clusters n_eff = G: each cluster then counts as
    one trial, and `method` says so. Source: Korn and Graubard (1998).
    """
    hits, tries = cluster_totals(accepted, drafted)
    if hits.size < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    return effective_interval(
        ratio_of_totals(hits, tries), confidence_level=confidence_level
    )


def effective_interval(
    ratio: Ratio, /, *, confidence_level: float
) -> AcceptanceInterval:
    """Korn-Graubard interval of a ratio whose variance is known.

    Parameters
    ----------
    ratio : Ratio
        Rate, variance and number of clusters.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval
        With a method that says whether each cluster had to count as one trial.
    """
    if ratio.variance == 0.0:
        effective = min(float(ratio.n_clusters), ratio.drafted)
        method = "Korn-Graubard, no spread: each cluster one trial"
    else:
        tokens = t_critical(max(1.0, ratio.drafted - 1.0), confidence_level)
        shrink = tokens / t_critical(ratio.df, confidence_level)
        effective = min(ratio.drafted, shrink**2 / (ratio.variance * ratio.logit_slope))
        method = "Korn-Graubard"
    limits = clopper_pearson(
        min(ratio.rate * effective, effective),
        effective,
        confidence_level=confidence_level,
    )
    return rate_interval(ratio, limits, method=method)
