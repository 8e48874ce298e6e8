"""Interval of an acceptance rate, and how its forms are filled in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from specstats.stats._clusters import Ratio, cluster_totals, ratio_of_totals
from specstats.stats._quantiles import t_critical

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceInterval:
    """A ratio of accepted to drafted tokens over clusters.

    Attributes
    ----------
    rate : float
        Sum of accepted over sum of drafted tokens.
    low, high : float
        Limits on the scale of the rate.
    std_error_logit : float or None
        Standard error on the logit scale; None where it is zero or not finite.
    df : float
        Number of clusters less one.
    method : str
        In words for a report.
    n_clusters : int
        Clusters that drafted anything.
    """

    rate: float
    low: float
    high: float
    std_error_logit: float | None
    df: float
    method: str
    n_clusters: int


def spread_ratio(accepted: ArrayLike, drafted: ArrayLike) -> Ratio | None:
    """Ratio with spread between two clusters or more, else None."""
    hits, tries = cluster_totals(accepted, drafted)
    if hits.size < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    ratio = ratio_of_totals(hits, tries)
    return ratio if ratio.variance > 0.0 else None


def logit_interval(
    ratio: Ratio, std_error: float, *, confidence_level: float, method: str
) -> AcceptanceInterval:
    centre = special.logit(ratio.rate)
    half_width = t_critical(ratio.df, confidence_level) * std_error
    low, high = special.expit(np.array([centre - half_width, centre + half_width]))
    return AcceptanceInterval(
        rate=ratio.rate,
        low=float(low),
        high=float(high),
        std_error_logit=std_error,
        df=ratio.df,
        method=method,
        n_clusters=ratio.n_clusters,
    )


def rate_interval(
    ratio: Ratio, limits: tuple[float, float], *, method: str
) -> AcceptanceInterval:
    std_error = math.sqrt(ratio.variance) * ratio.logit_slope
    known = ratio.variance > 0.0 and math.isfinite(std_error)
    return AcceptanceInterval(
        rate=ratio.rate,
        low=limits[0],
        high=limits[1],
        std_error_logit=std_error if known else None,
        df=ratio.df,
        method=method,
        n_clusters=ratio.n_clusters,
    )
