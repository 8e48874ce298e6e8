"""Ratio of arithmetic means of two arms: delta method and Fieller."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.stats._arrays import ZeroSpreadError, as_values, mean_and_variance
from specstats.stats._quantiles import t_critical
from specstats.stats.contrast import Contrast
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

FiellerDf = Literal["welch", "pooled", "per_arm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiellerRatio:
    """A ratio of arithmetic means with Fieller's limits.

    Attributes
    ----------
    ratio : float
        Candidate mean over baseline mean.
    low, high : float or None
        Limits on the ratio scale; both None when the set is unbounded (g >= 1).
    df : float
        Degrees of freedom of t; those of the candidate where each arm has its own.
    g : float
        Squared relative half-width of the denominator.
    method : str
        In words for a report.
    """

    ratio: float
    low: float | None
    high: float | None
    df: float
    g: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arm:
    mean: float
    variance_of_mean: float
    df: float

    @property
    def relative(self) -> float:
        return self.variance_of_mean / self.mean**2


def delta_log_ratio_of_means(candidate: ArrayLike, baseline: ArrayLike, /) -> Contrast:
    """Log ratio of arithmetic means by the delta method.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One positive value per run (not logs), two runs or more in each arm.

    Returns
    -------
    Contrast
        Log of mean candidate over mean baseline.

    Notes
    -----
    Estimand: ratio of arithmetic means over launches. Unit: the run. Variance
    s^2 / (n mean^2) per arm, Satterthwaite df. Covers like Welch on logs.
    """
    top, bottom = _arm(candidate), _arm(baseline)
    return Contrast(
        estimate=math.log(top.mean / bottom.mean),
        std_error=math.sqrt(top.relative + bottom.relative),
        df=_ratio_df(top, bottom),
        method="delta method on the ratio of means",
    )


def fieller(
    candidate: ArrayLike,
    baseline: ArrayLike,
    /,
    *,
    df: FiellerDf = "welch",
    confidence_level: float = 0.95,
) -> FiellerRatio:
    """Ratio of arithmetic means with Fieller's limits.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One positive value per run (not logs), two runs or more in each arm.
    df : {"welch", "pooled", "per_arm"}
        Degrees of freedom: Satterthwaite's, n1 + n0 - 2, or each arm its own
        (the half-width of each mean from its own runs, as Kalibera and Jones do).
    confidence_level : float
        Level of the interval.

    Returns
    -------
    FiellerRatio
        Ratio and limits, or no limits when the set is unbounded.

    Notes
    -----
    Estimand: ratio of arithmetic means over launches. Unit: the run. With g at
    or above 1 the denominator is not told apart from zero, the set is unbounded
    and no limits are given. Sources: Fieller (1954); Kalibera and Jones (2013).
    """
    top, bottom = _arm(candidate), _arm(baseline)
    if df == "per_arm":
        used = (top.df, bottom.df)
    else:
        common = top.df + bottom.df if df == "pooled" else _ratio_df(top, bottom)
        used = (common, common)
    half_top = t_critical(used[0], confidence_level) ** 2 * top.variance_of_mean
    half_bottom = t_critical(used[1], confidence_level) ** 2 * bottom.variance_of_mean
    g = half_bottom / bottom.mean**2
    limits = _fieller_limits(top.mean, bottom.mean, half_top, half_bottom)
    return FiellerRatio(
        ratio=top.mean / bottom.mean,
        low=None if limits is None else limits[0],
        high=None if limits is None else limits[1],
        df=used[0],
        g=g,
        method=f"Fieller, {df.replace('_', ' ')} df",
    )


def _fieller_limits(
    top: float, bottom: float, half_top: float, half_bottom: float
) -> tuple[float, float] | None:
    """Roots of (top - r bottom)^2 = half_top + r^2 half_bottom; squared half-widths."""
    leading = bottom**2 - half_bottom
    if leading <= 0.0:
        return None
    product = top * bottom
    root = math.sqrt(product**2 - leading * (top**2 - half_top))
    return (product - root) / leading, (product + root) / leading


def _arm(values: ArrayLike) -> _Arm:
    data = as_values(values, minimum=2)
    if data.min() <= 0.0:
        msg = "expected positive values, not logs"
        raise ValueError(msg)
    mean, variance = mean_and_variance(data)
    return _Arm(
        mean=float(mean),
        variance_of_mean=float(variance) / data.size,
        df=float(data.size - 1),
    )


def _ratio_df(top: _Arm, bottom: _Arm) -> float:
    df = float(
        np.asarray(welch_df((top.relative, top.df), (bottom.relative, bottom.df)))
    )
    if df == 0.0:
        msg = "the runs of both arms show no spread"
        raise ZeroSpreadError(msg)
    return df
