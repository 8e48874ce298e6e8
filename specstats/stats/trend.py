"""Trend over run order: Mann-Kendall test, Theil-Sen slope and tau-b."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_values
from specstats.stats._quantiles import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MAX_EXACT = 10
"""Most values without ties for which the null distribution of S is counted."""

MAX_VALUES = 2000
"""Most values: every pair is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A monotone trend over order.

    Attributes
    ----------
    n : int
        Values.
    statistic : int
        Kendall's S: pairs that rise less pairs that fall.
    variance : float
        Variance of S without a trend, ties taken into account.
    z : float
        S drawn 1 towards 0, over its SD.
    p_value : float
        Two-sided p of no trend.
    exact : bool
        Whether the p-value counts all orders; else it is the normal one.
    tau_b : float
        Kendall's tau with ties.
    slope : float
        Theil-Sen: the median slope of all pairs, per unit of order.
    low, high : float or None
        Limits of the slope; None when no interval of the asked level exists with so
        few values, or when it would have no width.
    achieved_level : float or None
        Exact level of the limits for few values without ties, else the nominal one.
    """

    n: int
    statistic: int
    variance: float
    z: float
    p_value: float
    exact: bool
    tau_b: float
    slope: float
    low: float | None
    high: float | None
    achieved_level: float | None


def mann_kendall(
    values: ArrayLike,
    /,
    *,
    order: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Trend:
    """Test a trend over order and estimate its slope.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value per run, at least 3; log values for a slope as a relative change.
    order : array_like, shape (n,), optional
        Place or time of each value, all different; 0, 1, 2, ... by default.
    confidence_level : float
        Level of the interval of the slope.

    Returns
    -------
    Trend
        Test, slope and interval.

    Raises
    ------
    ZeroSpreadError
        All values are equal.
    ValueError
        Fewer than 3 or more than 2000 values, or places that are not distinct.

    Notes
    -----
    Estimand: the median slope over all pairs of values. Unit: the value, so the run
    when run values are given. Without a trend the values are exchangeable in time;
    positive autocorrelation makes the test reject too often. With up to 10 values
    and no ties the distribution of S is counted: 4 values cannot reach p < .05, and
    5 only when every pair agrees (p .0167). Otherwise the normal approximation with
    continuity and tie corrections is used. The interval takes order statistics of
    the slopes at the quantiles of the same distribution. Checked against the printed
    values of pymannkendall and scipy.stats.theilslopes on the Nile data, and by
    simulation. Sources: Mann (1945), Kendall (1975), Sen (1968).

    Examples
    --------
    >>> found = mann_kendall([30.7, 30.9, 31.4, 31.6, 31.9])
    >>> found.statistic, round(found.p_value, 4), round(found.slope, 3)
    (10, 0.0167, 0.3)
    """
    data = as_values(values, minimum=3)
    if data.size > MAX_VALUES:
        msg = f"expected at most {MAX_VALUES} values, got {data.size}"
        raise ValueError(msg)
    level = check_level(confidence_level)
    places = _places(order, data.size)
    if np.ptp(data) <= ROUNDING * float(np.abs(data).max()):
        msg = "all values are equal, so they show no trend and no spread"
        raise ZeroSpreadError(msg)
    sequence = np.argsort(places, kind="stable")
    data, places = data[sequence], places[sequence]
    first, second = np.triu_indices(data.size, 1)
    rises = data[second] - data[first]
    score = int(np.sign(rises).sum())
    _, ties = np.unique(data, return_counts=True)
    variance = _variance(data.size, ties)
    z = math.copysign(max(abs(score) - 1, 0), score) / math.sqrt(variance)
    exact = data.size <= MAX_EXACT and bool((ties == 1).all())
    pairs = first.size
    untied = pairs - int((ties * (ties - 1) // 2).sum())
    slopes = np.sort(rises / (places[second] - places[first]))
    low, high, achieved = _limits(slopes, data.size, None if exact else variance, level)
    return Trend(
        n=data.size,
        statistic=score,
        variance=variance,
        z=z,
        p_value=exact_p(score, data.size)
        if exact
        else min(1.0, 2.0 * float(special.ndtr(-abs(z)))),
        exact=exact,
        tau_b=score / math.sqrt(float(pairs) * untied),
        slope=float(np.median(slopes)),
        low=low,
        high=high,
        achieved_level=achieved,
    )


def exact_p(statistic: int, size: int) -> float:
    """Two-sided p of Kendall's S when all orders are equally likely.

    Parameters
    ----------
    statistic : int
        S of values without ties.
    size : int
        Values.

    Returns
    -------
    float
        Share of the orders with a statistic at least as far from 0.

    Examples
    --------
    >>> round(exact_p(10, 5), 4), round(exact_p(6, 4), 4)
    (0.0167, 0.0833)
    """
    below = _inversions(size)
    pairs = size * (size - 1) // 2
    falls = (pairs - abs(statistic)) // 2
    return min(1.0, 2.0 * math.fsum(below[: falls + 1]))


@lru_cache(maxsize=64)
def _inversions(size: int) -> tuple[float, ...]:
    """Share of the orders of `size` values with 0, 1, 2, ... falling pairs."""
    counts = np.ones(1)
    for item in range(2, size + 1):
        counts = np.convolve(counts, np.ones(item) / item)
    return tuple(counts.tolist())


def _variance(size: int, ties: NDArray[np.intp]) -> float:
    tied = (ties * (ties - 1) * (2 * ties + 5)).sum()
    return float(size * (size - 1) * (2 * size + 5) - tied) / 18.0


def _places(order: ArrayLike | None, size: int) -> NDArray[np.float64]:
    places = np.arange(float(size)) if order is None else as_values(order)
    if places.size != size or np.unique(places).size < size:
        msg = f"expected {size} different places, got {places.tolist()[:10]}"
        raise ValueError(msg)
    return places


def _limits(
    slopes: NDArray[np.float64], size: int, variance: float | None, level: float
) -> tuple[float | None, float | None, float | None]:
    """Order statistics of the slopes; `variance` is None where S is counted."""
    pairs = slopes.size
    if variance is None:
        below = np.cumsum(_inversions(size))
        tail = (1.0 - level) / 2.0 * (1.0 + 1e-12)
        lower = int(np.searchsorted(below, tail, side="right")) - 1
        upper = pairs - 1 - lower
        achieved = 1.0 - 2.0 * float(below[lower]) if lower >= 0 else None
    else:
        width = float(special.ndtri(0.5 + level / 2.0)) * math.sqrt(variance)
        lower = round((pairs - width) / 2.0) - 1
        upper = round((pairs + width) / 2.0)
        achieved = level
    if lower < 0 or upper >= pairs:
        return None, None, None
    low, high = float(slopes[lower]), float(slopes[upper])
    if high - low <= ROUNDING * float(np.abs(slopes).max()):
        return None, None, None
    return low, high, achieved
