"""Bootstrap of a ratio of totals over clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from specstats.stats._arrays import ROUNDING, as_values
from specstats.stats._limits import bca_level
from specstats.stats._quantiles import check_level
from specstats.stats._ratio_law import RatioLaw
from specstats.stats._resampling import (
    CHUNK,
    MAX_EXACT,
    RESAMPLES,
    check_resamples,
    distinct_resamples,
    every_resample,
    generator,
)
from specstats.stats.jackknife import jackknife
from specstats.stats.resampled import (
    LABELS,
    BootstrapMethod,
    Draws,
    ResampledInterval,
    few_values,
    interval_of,
    minimum_of,
    ordered_resamples,
    refuse_zero,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_SMALL_CODES = 1 << 16


def cluster_ratio_bootstrap(
    numerators: ArrayLike,
    denominators: ArrayLike,
    /,
    *,
    method: BootstrapMethod = "bootstrap-t",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = None,
) -> ResampledInterval:
    """Bootstrap a ratio of totals, with whole clusters as the unit.

    Parameters
    ----------
    numerators, denominators : array_like, shape (G,)
        Totals of each cluster: tokens and seconds of a run, accepted and drafted
        tokens of a prompt. Denominators above zero.
    method : {'bootstrap-t', 'bca', 'percentile'}
        How the limits are read off the resamples.
    confidence_level : float
        Two-sided level.
    n_resamples : int, optional
        Random resamples, where there are too many distinct ones to go through. If
        not given, percentile and BCa limits are those of all resamples, found
        without drawing any, where that can be done; otherwise 9999.
    rng : Generator, int or None
        Randomness; None is a fixed seed (20261130).

    Returns
    -------
    ResampledInterval
        sum(numerators) / sum(denominators).

    Raises
    ------
    ZeroSpreadError
        All clusters have the same ratio.
    NoFiniteLimitsError
        bootstrap-t: so many resamples are constant that a limit is infinite.
    ValueError
        Too few clusters, or a denominator that is not above zero.

    Notes
    -----
    Estimand: ratio of expected totals of a cluster. Unit: the cluster, independent
    of the others. bootstrap-t divides by the linearised standard error of each
    resample. All distinct resamples up to 10 clusters. Above, the distribution of
    the ratio over all G^G resamples is found by inversion of its characteristic
    function (`n_resamples` is then 0), unless the totals lie on so coarse a grid
    that it has steps; random resamples are summed in chunks of bounded size.
    Checked against scipy.stats.bootstrap.

    Examples
    --------
    >>> found = cluster_ratio_bootstrap([9, 7, 8, 4], [10, 10, 10, 10])
    >>> found.method
    'bootstrap-t of clusters, all 35 resamples'
    """
    minimum = minimum_of(method)
    tops = as_values(numerators, minimum=minimum)
    bottoms = as_values(denominators, minimum=minimum)
    if tops.shape != bottoms.shape or (bottoms <= 0.0).any():
        msg = "expected as many denominators as numerators, all above zero"
        raise ValueError(msg)
    count = check_resamples(RESAMPLES if n_resamples is None else n_resamples)
    size = tops.size
    estimate = float(tops.sum() / bottoms.sum())
    off = tops - estimate * bottoms
    noise = ROUNDING * max(float(np.abs(tops).max()), abs(estimate) * bottoms.max())
    std_error = _standard_error((off**2).sum(), bottoms.sum(), size)
    refuse_zero(
        0.0 if np.abs(off).max() <= noise else float(std_error),
        "ratios of the clusters",
    )
    columns = np.stack([off, bottoms], axis=1)
    if method == "bootstrap-t":
        columns = np.column_stack([columns, off**2, off * bottoms, bottoms**2])
    exact = distinct_resamples(size) <= MAX_EXACT
    without = (tops.sum() - tops) / (bottoms.sum() - bottoms)
    acceleration = jackknife(estimate, without).acceleration
    if n_resamples is None and not exact and method != "bootstrap-t":
        law = RatioLaw(
            tops=tops, bottoms=bottoms, estimate=estimate, std_error=float(std_error)
        )
        found = _of_all(law, acceleration, method, confidence_level)
        if found is not None:
            return found
    if exact:
        plan = every_resample(size)
        totals, weights = columns[plan.rows].sum(axis=1), plan.weights
    else:
        totals = random_totals(columns, count, generator(rng))
        weights = np.full(count, 1.0 / count)
    shift = totals[:, 0] / totals[:, 1]
    return interval_of(
        Draws(
            estimate=estimate,
            std_error=float(std_error),
            acceleration=acceleration,
            draws=estimate + shift,
            errors=_errors(totals, shift, noise, size),
            weights=weights,
            equally_likely=ordered_resamples(size) if exact else count,
            smallest=size,
            exact=exact,
        ),
        method=method,
        what="clusters",
        confidence_level=confidence_level,
    )


def _of_all(
    law: RatioLaw, acceleration: float, method: BootstrapMethod, confidence_level: float
) -> ResampledInterval | None:
    """Limits from the law of all resamples; None where that is not smooth."""
    tail = (1.0 - check_level(confidence_level)) / 2.0
    if not law.smooth():
        return None
    levels = [tail, 1.0 - tail]
    if method == "bca":
        bias = np.asarray(special.ndtri(law.cdf(law.estimate)))
        levels = [
            float(bca_level(bias, np.asarray(acceleration), level)) for level in levels
        ]
    low, high = map(law.quantile, levels)
    if low is None or high is None:
        return None
    size = law.tops.size
    return ResampledInterval(
        estimate=law.estimate,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"{LABELS[method]} of clusters, all resamples by inversion",
        n_resamples=0,
        p_value=None,
        notes=few_values(size, method),
    )


def random_totals(
    columns: NDArray[np.float64], count: int, rng: np.random.Generator, /
) -> NDArray[np.float64]:
    """Column sums over random resamples of the rows, in chunks of bounded size.

    Parameters
    ----------
    columns : ndarray, shape (G, k)
        What is summed, one cluster a row.
    count : int
        Number of resamples.
    rng : Generator
        Randomness.

    Returns
    -------
    ndarray, shape (count, k)
        Sums of each resample.
    """
    size = columns.shape[0]
    # Numbers of 16 bits are drawn two at a time.
    kind = np.uint16 if size <= _SMALL_CODES else np.uint32
    rows = max(1, CHUNK // size)
    totals = np.empty((count, columns.shape[1]))
    offsets = size * np.arange(rows)[:, None]
    for start in range(0, count, rows):
        some = min(rows, count - start)
        picked = rng.integers(0, size, (some, size), dtype=kind) + offsets[:some]
        times = np.bincount(picked.ravel(), minlength=some * size)
        totals[start : start + some] = times.reshape(some, size) @ columns
    return totals


def _errors(
    totals: NDArray[np.float64], shift: NDArray[np.float64], noise: float, size: int
) -> NDArray[np.float64]:
    """Linearised standard error of each resample; 0 where only rounding is left."""
    if totals.shape[1] == 2:  # noqa: PLR2004 - the method does without
        return np.ones(shift.size)
    squares = totals[:, 2] - 2.0 * shift * totals[:, 3] + shift**2 * totals[:, 4]
    # The three terms are sums of size n whose rounding is that of the largest.
    slack = noise**2 + ROUNDING * size * (totals[:, 2] + shift**2 * totals[:, 4])
    squares = np.where(squares <= slack, 0.0, squares)
    return np.asarray(_standard_error(squares, totals[:, 1], size))


def _standard_error(
    squares: NDArray[np.float64] | float,
    bottoms: NDArray[np.float64] | float,
    size: int,
) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(squares * size / (size - 1.0)) / bottoms)
