"""Changes of level over order: PELT segmentation and a permutation test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MINIMUM_VALUES = 20
"""Fewest values that are segmented; with fewer a change and noise look alike."""

MINIMUM_SEGMENT = 3
"""Fewest values of a segment, and on either side of a tested change."""

MINIMUM_VARIANCE_SEGMENT = 6
"""Fewest values of a segment when variances are compared as well: the variance of 3
values is off by a factor of 10 in one case of ten."""

PENALTY = 3.0
"""Penalty of a change, in units of log(n) times the robust variance."""

DRAWS = 1999
"""Random orders of the permutation test: a p of .05 is then known to .005."""

MAX_DRAWN = 5000
"""Most values of the permutation test, for memory."""

Cost = Literal["mean", "mean and variance"]

# SD of normal values over their median absolute deviation.
_MAD = 1.482602218505602


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTest:
    """One change of level, with a p-value for having looked for it.

    Attributes
    ----------
    after : int
        Values before the change that fits best.
    statistic : float
        Largest two-sample t statistic over all places, unsigned.
    p_value : float
        (b + 1) / (N + 1) over random orders of the values.
    before_mean, after_mean : float
        Means on the two sides.
    """

    after: int
    statistic: float
    p_value: float
    before_mean: float
    after_mean: float


def pelt(
    values: ArrayLike,
    /,
    *,
    cost: Cost = "mean",
    penalty: float = PENALTY,
) -> tuple[int, ...]:
    """Split a series at its changes of level, or of level and spread.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least 20 values in their order.
    cost : {"mean", "mean and variance"}
        What may change: the mean of normal values of one variance, or both.
    penalty : float
        Cost of a change in units of log(n) (times the robust variance for means).

    Returns
    -------
    tuple of int
        Values before each change, increasing; empty when there is none.

    Raises
    ------
    ValueError
        Fewer than 20 values.
    ZeroSpreadError
        Most neighbours are equal, so that no variance can be told.

    Notes
    -----
    Estimand: the places at which the level of independent normal values changes.
    Minimises the sum of the costs of the segments plus a penalty for each change,
    exactly, by dynamic programming with pruning. The variance is that of the
    differences of neighbours by their median absolute deviation, which a few changes
    hardly move. Segments have at least 3 values, 6 where variances are compared.
    A description, without p-value: see `change_test` for one. A slow drift or
    positive autocorrelation is split as well. Checked against the Nile series (one
    change, after 1898) and by simulation. Source: Killick, Fearnhead and Eckley
    (2012).

    Examples
    --------
    >>> pelt([31.0, 31.2, 30.9, 31.1, 31.3] * 2 + [24.1, 24.0, 24.3, 23.8, 24.2] * 2)
    (10,)
    """
    data = as_values(values, minimum=MINIMUM_VALUES)
    centred = data - data.mean()
    scale = robust_variance(data)
    if scale <= (ROUNDING * float(np.abs(data).max())) ** 2:
        msg = "most neighbours are equal, so the variance between changes is not known"
        raise ZeroSpreadError(msg)
    unit = penalty * math.log(data.size)
    segment: _MeanCost | _NormalCost
    if cost == "mean":
        segment, price, least = _MeanCost(centred), unit * scale, MINIMUM_SEGMENT
    else:
        segment, price = _NormalCost(centred, scale), unit
        least = MINIMUM_VARIANCE_SEGMENT
    return _segment(data.size, segment, price, least)


def robust_variance(values: ArrayLike, /) -> float:
    """Variance around a level that may change a few times.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least 3 values in their order.

    Returns
    -------
    float
        From the median absolute deviation of differences of neighbours.

    Examples
    --------
    >>> round(robust_variance([1.0, 2.0, 1.0, 2.0, 1.0, 9.0, 10.0, 9.0, 10.0]), 2)
    1.1
    """
    steps = np.diff(as_values(values, minimum=3))
    return float((_MAD * np.median(np.abs(steps))) ** 2 / 2.0)


def change_test(
    values: ArrayLike,
    /,
    *,
    rng: np.random.Generator | int | None = None,
    draws: int = DRAWS,
) -> ChangeTest:
    """Test for one change of level at a place that is not known.

    Parameters
    ----------
    values : array_like, shape (n,)
        From 6 to 5000 values in their order.
    rng : Generator, int or None
        Randomness of the orders.
    draws : int
        Random orders.

    Returns
    -------
    ChangeTest
        The best place, with the p-value of the maximum.

    Raises
    ------
    ValueError
        Fewer than 6 values, or more than 5000.
    ZeroSpreadError
        All values are equal.

    Notes
    -----
    Estimand: whether the values are exchangeable in time, against one change of their
    mean. Unit: the value. The t statistic is computed at every place with 3 values on
    either side and its maximum compared with the maxima of random orders, so that the
    search is paid for; the p of a t test at the place that fits best is not a p-value
    (without a change it rejects in 12 % of series of 8 values, 29 % of 20 and 51 % of
    100). Assumes no autocorrelation without a change. Checked by simulation.

    Examples
    --------
    >>> found = change_test([31.0, 31.2, 30.9, 31.1, 24.1, 24.0, 24.3, 23.8], rng=1)
    >>> found.after, found.p_value < 0.05
    (4, True)
    """
    data = as_values(values, minimum=2 * MINIMUM_SEGMENT)
    if data.size > MAX_DRAWN:
        msg = f"expected at most {MAX_DRAWN} values, got {data.size}"
        raise ValueError(msg)
    if np.ptp(data) <= ROUNDING * float(np.abs(data).max()):
        msg = "all values are equal, so they show no change and no spread"
        raise ZeroSpreadError(msg)
    generator = np.random.default_rng(rng)
    centred = data - data.mean()
    observed = split_statistics(centred[None, :])[0]
    place = int(np.argmax(observed))
    largest = float(observed[place])
    exceeding = 0
    chunk = max(1, 2_000_000 // data.size)
    for start in range(0, draws, chunk):
        rows = np.tile(centred, (min(chunk, draws - start), 1))
        maxima = split_statistics(generator.permuted(rows, axis=1)).max(axis=1)
        exceeding += int((maxima >= largest * (1.0 - ROUNDING)).sum())
    after = place + MINIMUM_SEGMENT
    return ChangeTest(
        after=after,
        statistic=largest,
        p_value=(exceeding + 1) / (draws + 1),
        before_mean=float(data[:after].mean()),
        after_mean=float(data[after:].mean()),
    )


def split_statistics(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unsigned two-sample t at every place with 3 values on either side.

    Parameters
    ----------
    values : ndarray, shape (series, n)
        Series in rows.

    Returns
    -------
    ndarray, shape (series, n - 5)
        Pooled-variance t statistics; infinite where neither side varies.
    """
    size = values.shape[1]
    before = np.arange(MINIMUM_SEGMENT, size - MINIMUM_SEGMENT + 1)
    sums = np.cumsum(values, axis=1)[:, before - 1]
    total = values.sum(axis=1, keepdims=True)
    gap = sums / before - (total - sums) / (size - before)
    between = gap**2 * before * (size - before) / size
    centre = total / size
    around = ((values - centre) ** 2).sum(axis=1, keepdims=True)
    within = np.maximum(around - between, ROUNDING**2 * around)
    return np.asarray(np.sqrt(between * (size - 2.0) / within))


class _MeanCost:
    """Squares around the mean of the values from `starts` to `end`."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.sums = np.concatenate([[0.0], np.cumsum(values)])
        self.squares = np.concatenate([[0.0], np.cumsum(values**2)])

    def __call__(self, starts: NDArray[np.intp], end: int) -> NDArray[np.float64]:
        sums = self.sums[end] - self.sums[starts]
        squares = self.squares[end] - self.squares[starts]
        return np.asarray(np.maximum(squares - sums**2 / (end - starts), 0.0))


class _NormalCost:
    """Twice the negative log likelihood, without the part that never changes."""

    def __init__(self, values: NDArray[np.float64], scale: float) -> None:
        self.around = _MeanCost(values)
        # Without a floor, a few values that are alike would make a segment for free.
        self.floor = scale / 100.0

    def __call__(self, starts: NDArray[np.intp], end: int) -> NDArray[np.float64]:
        sizes, squares = end - starts, self.around(starts, end)
        variance = np.maximum(squares / sizes, self.floor)
        return np.asarray(sizes * np.log(variance) + squares / variance)


def _segment(
    size: int, cost: _MeanCost | _NormalCost, price: float, least: int
) -> tuple[int, ...]:
    best = np.full(size + 1, math.inf)
    best[0] = -price
    last = np.zeros(size + 1, dtype=np.intp)
    # A start that is beaten at `end` by a change there may still be the best one
    # until a segment that begins there is long enough.
    expiry = np.full(size + 1, size + 1)
    starts = np.array([0], dtype=np.intp)
    for end in range(least, size + 1):
        starts = starts[expiry[starts] > end]
        totals = best[starts] + cost(starts, end) + price
        choice = int(np.argmin(totals))
        best[end], last[end] = totals[choice], starts[choice]
        beaten = starts[totals - price > best[end]]
        expiry[beaten] = np.minimum(expiry[beaten], end + least)
        starts = np.append(starts, end + 1 - least)
    changes = []
    place = int(last[size])
    while place > 0:
        changes.append(place)
        place = int(last[place])
    return tuple(reversed(changes))
