"""Likelihood of a one-way layout with a random effect of each group.

V = within (I + ratio Z Z') with ratio = between / within. For a given ratio the mean
and `within` have closed forms, so one number is left to search.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from specstats.stats._roots import root

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from specstats.stats._sums import GroupSums

GRID = 80


class At(NamedTuple):
    """The likelihood at one ratio, mean and `within` profiled out."""

    criterion: float
    slope: float
    mean: float
    square: float
    weight: float


def profiled(
    sums: GroupSums, ratio: float, *, restricted: bool, mean: float | None = None
) -> At:
    """-2 log likelihood at a ratio, and its derivative by the ratio.

    Parameters
    ----------
    sums : GroupSums
        The data.
    ratio : float
        between / within.
    restricted : bool
        REML rather than ML.
    mean : float, optional
        Hold the mean here instead of at its estimate (ML only).
    """
    weights = sums.sizes / (1.0 + sums.sizes * ratio)
    total = float(sums.counts @ weights)
    centre = mean
    if centre is None:
        centre = float(sums.counts @ (weights * sums.class_means)) / total
    squares = sums.class_squares + sums.counts * (sums.class_means - centre) ** 2
    square = sums.within + float(weights @ squares)
    df = sums.n_values - int(restricted)
    growth = float(sums.counts @ np.log1p(sums.sizes * ratio))
    slope = total
    if restricted:
        growth += math.log(total)
        slope -= float(sums.counts @ weights**2) / total
    if square <= 0.0:
        return At(-math.inf, math.nan, centre, 0.0, total)
    slope -= df * float(weights**2 @ squares) / square
    criterion = df * (math.log(2.0 * math.pi * square / df) + 1.0) + growth
    return At(criterion, slope, centre, square, total)


def best_ratio(
    sums: GroupSums, *, restricted: bool, mean: float | None = None
) -> float:
    """Ratio of greatest likelihood; zero at the edge, infinite without `within`.

    Parameters
    ----------
    sums : GroupSums
        The data.
    restricted : bool
        REML rather than ML.
    mean : float, optional
        Hold the mean here.
    """
    at_zero = profiled(sums, 0.0, restricted=restricted, mean=mean)
    if at_zero.square <= 0.0:
        return 0.0
    if sums.within <= 0.0:
        return math.inf

    def at(log_ratio: float) -> At:
        return profiled(sums, math.exp(log_ratio), restricted=restricted, mean=mean)

    # Beyond this the groups cannot be told from fixed ones: ratio x within is the
    # whole spread of the means and more.
    top = at_zero.square / sums.within * max(1.0, sums.n_values - sums.n_groups)
    ends = math.log(1e-9 / float(sums.sizes.max())), math.log(1e3 * (1.0 + top))
    grid = np.linspace(*ends, GRID)
    found = [at(x).criterion for x in grid]
    best = int(np.argmin(found))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
    log_ratio = minimum_by_slope(lambda x: at(x).slope, low, high)
    if log_ratio is None or at(log_ratio).criterion >= at_zero.criterion:
        return 0.0
    return math.exp(log_ratio)


def minimum_by_slope(
    slope: Callable[[float], float], low: float, high: float
) -> float | None:
    """Where a slope turns from negative to positive; None where it does not.

    Parameters
    ----------
    slope : callable
        Derivative, or a positive multiple of it.
    low, high : float
        Bracket.
    """
    if not slope(low) < 0.0 < slope(high):
        return None
    return root(slope, low, high)


class Full(NamedTuple):
    """The likelihood at two variances, the mean profiled out."""

    criterion: float
    by_between: float
    by_within: float


def unprofiled(
    sums: GroupSums, between: float, within: float, *, restricted: bool
) -> Full:
    """-2 log likelihood at given variances, with its derivatives.

    Parameters
    ----------
    sums : GroupSums
        The data.
    between, within : float
        Variances; `within` above zero.
    restricted : bool
        REML rather than ML.
    """
    inverse, total, squares, _ = _pieces(sums, between, within)
    free = sums.n_values - sums.n_groups
    logs = float(sums.counts @ (np.log(sums.sizes) - np.log(inverse)))
    criterion = (sums.n_values - int(restricted)) * math.log(2.0 * math.pi)
    criterion += free * math.log(within) + logs + sums.within / within
    criterion += float(inverse @ squares)
    flow = sums.counts * inverse - inverse**2 * squares
    if restricted:
        criterion += math.log(total)
        flow = flow - sums.counts * inverse**2 / total
    by_within = free / within - sums.within / within**2 + float(flow @ (1 / sums.sizes))
    return Full(criterion, float(flow.sum()), by_within)


def mean_uncertainty(
    sums: GroupSums, between: float, within: float, *, restricted: bool
) -> tuple[float, float]:
    """Variance of the mean and its Satterthwaite degrees of freedom.

    Parameters
    ----------
    sums : GroupSums
        The data.
    between, within : float
        Estimated variances, above zero.
    restricted : bool
        REML rather than ML.

    Notes
    -----
    df = 2 v^2 / (g' A g) with v the variance of the mean, g its gradient by the two
    variances and A their covariance from the observed information.
    """
    inverse, total, squares, shifts = _pieces(sums, between, within)
    steps = np.stack([np.ones_like(sums.sizes), 1.0 / sums.sizes])
    quadratic = 2.0 * inverse**3 * squares - sums.counts * inverse**2
    hessian = (steps * quadratic) @ steps.T
    moved = steps @ (inverse**2 * shifts)
    hessian -= 2.0 * np.outer(moved, moved) / total
    fall = steps @ (sums.counts * inverse**2)
    if restricted:
        hessian += 2.0 * (steps * (sums.counts * inverse**3)) @ steps.T / total
        hessian -= np.outer(fall, fall) / total**2
    free = sums.n_values - sums.n_groups
    hessian[1, 1] += 2.0 * sums.within / within**3 - free / within**2
    variance = 1.0 / total
    gradient = fall * variance**2
    spread = float(gradient @ np.linalg.solve(hessian / 2.0, gradient))
    return variance, 2.0 * variance**2 / spread if spread > 0.0 else math.nan


def _pieces(
    sums: GroupSums, between: float, within: float
) -> tuple[NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64]]:
    """Inverse variance of a group mean, their sum, squares and sums of residuals."""
    inverse = 1.0 / (between + within / sums.sizes)
    total = float(sums.counts @ inverse)
    mean = float(sums.counts @ (inverse * sums.class_means)) / total
    shifts = sums.counts * (sums.class_means - mean)
    squares = sums.class_squares + shifts * (sums.class_means - mean)
    return inverse, total, squares, shifts
