"""Limits of an interval from the values that a statistic takes over resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from specstats.stats._arrays import ROUNDING
from specstats.stats._quantiles import check_level
from specstats.stats._resampling import weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray


def percentile_limits(
    draws: NDArray[np.float64],
    weights: NDArray[np.float64],
    confidence_level: float,
    /,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equal-tailed quantiles of the draws, on the last axis."""
    tail = (1.0 - check_level(confidence_level)) / 2.0
    return (
        weighted_quantile(draws, weights, tail),
        weighted_quantile(draws, weights, 1.0 - tail),
    )


def bca_limits(
    draws: NDArray[np.float64],
    weights: NDArray[np.float64],
    confidence_level: float,
    /,
    *,
    estimate: NDArray[np.float64],
    acceleration: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles of the draws at levels corrected for bias and acceleration."""
    tail = (1.0 - check_level(confidence_level)) / 2.0
    bias = bias_correction(draws, weights, estimate)
    low, high = (
        weighted_quantile(draws, weights, bca_level(bias, acceleration, level))
        for level in (tail, 1.0 - tail)
    )
    return low, high


def bias_correction(
    draws: NDArray[np.float64],
    weights: NDArray[np.float64],
    estimate: NDArray[np.float64],
    /,
) -> NDArray[np.float64]:
    """Return the normal score of the share of draws below the estimate, ties half."""
    noise = ROUNDING * np.abs(draws).max(axis=-1, keepdims=True)
    gaps = draws - np.asarray(estimate)[..., None]
    share = (np.where(np.abs(gaps) <= noise, 0.5, gaps < 0.0) * weights).sum(axis=-1)
    edge = float(weights.min()) / 2.0
    return np.asarray(special.ndtri(np.clip(share, edge, 1.0 - edge)))


def bca_level(
    bias: NDArray[np.float64], acceleration: NDArray[np.float64], level: float, /
) -> NDArray[np.float64]:
    """Probability at which BCa reads the distribution of the draws.

    Where the acceleration is so large that its formula turns over, the outermost
    draw is meant.
    """
    moved = np.asarray(bias + special.ndtri(level))
    room = np.asarray(1.0 - acceleration * moved)
    inside = room > 0.0
    score = bias + moved / np.where(inside, room, 1.0)
    return np.where(inside, special.ndtr(score), np.where(moved > 0.0, 1.0, 0.0))


def studentized(
    draws: NDArray[np.float64],
    errors: NDArray[np.float64],
    estimate: NDArray[np.float64],
    /,
) -> NDArray[np.float64]:
    """Deviation of each draw in its own standard errors; infinite where that is 0.

    A resample without spread has no scale. It is put beyond every finite one on its
    side of the estimate (and at 0 if it is not off), which can only widen.
    """
    gaps = draws - np.asarray(estimate)[..., None]
    noise = ROUNDING * np.abs(draws).max(axis=-1, keepdims=True)
    flat = errors <= 0.0
    beyond = np.where(np.abs(gaps) <= noise, 0.0, np.copysign(np.inf, gaps))
    return np.where(flat, beyond, gaps / np.where(flat, 1.0, errors))


def studentized_p(
    statistics: NDArray[np.float64],
    weights: NDArray[np.float64],
    observed: float,
    /,
    *,
    equally_likely: float,
) -> float:
    """Two-sided p: twice the smaller tail, the data counted as one resample more."""
    slack = ROUNDING * max(1.0, abs(observed))
    tails = (
        float(weights[statistics <= observed + slack].sum()),
        float(weights[statistics >= observed - slack].sum()),
    )
    tail = (min(tails) * equally_likely + 1.0) / (equally_likely + 1.0)
    return min(1.0, 2.0 * tail)
