"""Dependence of neighbouring values, and what many dependent values are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DRAWS = 1999
"""Random orders of the permutation test."""

MINIMUM_VALUES = 6
"""With fewer values no arrangement is rare enough to reject independence at .01."""

MAX_DRAWN = 5000
"""Most values of the permutation test, for memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Autocorrelation:
    """Dependence of neighbours in a series.

    Attributes
    ----------
    n : int
        Values.
    rho : float
        Lag-1 autocorrelation.
    p_value : float
        One-sided permutation p of no positive autocorrelation.
    n_effective : float
        Independent values that the mean is worth; at most n.
    """

    n: int
    rho: float
    p_value: float
    n_effective: float


def lag_one(values: ArrayLike, /) -> float:
    """Lag-1 autocorrelation.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least 3 values in their order.

    Returns
    -------
    float
        Products of neighbours over all squares, around the mean.

    Raises
    ------
    ZeroSpreadError
        All values are equal.

    Notes
    -----
    Biased towards -1/n in short series without dependence.

    Examples
    --------
    >>> round(lag_one([1.0, 2.0, 3.0, 4.0, 5.0]), 3)
    0.4
    """
    data = as_values(values, minimum=3)
    if np.ptp(data) <= ROUNDING * float(np.abs(data).max()):
        msg = "all values are equal, so they show no dependence and no spread"
        raise ZeroSpreadError(msg)
    centred = data - data.mean()
    return float(centred[1:] @ centred[:-1] / (centred @ centred))


def effective_size(size: float, rho: float, /) -> float:
    """Independent values that the mean of an autocorrelated series is worth.

    Parameters
    ----------
    size : float
        Values in the series.
    rho : float
        Lag-1 autocorrelation, above -1 and below 1.

    Returns
    -------
    float
        size (1 - rho) / (1 + rho), and never more than `size`.

    Notes
    -----
    Assumes a first-order autoregression in a long series. A negative estimate earns
    nothing: it is usually the bias of a short series.

    Examples
    --------
    >>> round(effective_size(100, 0.5), 4)
    33.3333
    """
    if not -1.0 < rho < 1.0:
        msg = f"expected an autocorrelation between -1 and 1, got {rho!r}"
        raise ValueError(msg)
    return min(float(size), size * (1.0 - rho) / (1.0 + rho))


def autocorrelation(
    values: ArrayLike,
    /,
    *,
    rng: np.random.Generator | int | None = None,
    draws: int = DRAWS,
) -> Autocorrelation:
    """Lag-1 autocorrelation, its permutation p and the effective number of values.

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
    Autocorrelation
        Estimate and test.

    Raises
    ------
    ValueError
        Fewer than 6 values, or more than 5000.
    ZeroSpreadError
        All values are equal.

    Notes
    -----
    Estimand: correlation of neighbours. Unit: the value. The p-value compares with
    random orders of the same values, so it holds for any distribution; a trend shows
    as autocorrelation too. Source of the effective size: variance of the mean of a
    first-order autoregression.

    Examples
    --------
    >>> found = autocorrelation([1.0, 1.2, 1.1, 1.3, 3.0, 3.1, 3.3, 3.2], rng=0)
    >>> round(found.rho, 3), found.p_value < 0.05, round(found.n_effective, 2)
    (0.663, True, 1.62)
    """
    data = as_values(values, minimum=MINIMUM_VALUES)
    if data.size > MAX_DRAWN:
        msg = f"expected at most {MAX_DRAWN} values, got {data.size}"
        raise ValueError(msg)
    rho = lag_one(data)
    generator = np.random.default_rng(rng)
    centred = data - data.mean()
    limit = float(centred[1:] @ centred[:-1])
    limit -= ROUNDING * float(centred @ centred)
    exceeding = 0
    chunk = max(1, 2_000_000 // data.size)
    for start in range(0, draws, chunk):
        rows = np.tile(centred, (min(chunk, draws - start), 1))
        rows = generator.permuted(rows, axis=1)
        exceeding += int(((rows[:, 1:] * rows[:, :-1]).sum(axis=1) >= limit).sum())
    return Autocorrelation(
        n=data.size,
        rho=rho,
        p_value=(exceeding + 1) / (draws + 1),
        n_effective=effective_size(data.size, rho),
    )
