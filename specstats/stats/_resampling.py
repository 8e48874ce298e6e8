"""Resamples of independent values: all distinct ones, or random ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_EXACT = 250_000
"""Most distinct resamples that are enumerated: 6 + 6 runs, or 10 blocks."""

RESAMPLES = 9999
"""Random resamples otherwise: (B + 1) / 40 is whole, and a limit of a 95 % interval
then sits between the .022 and the .028 quantile (two standard errors)."""

MIN_RESAMPLES = 199
"""Fewest random resamples: below, a 95 % limit is one of the five outermost draws."""

SEED = 20261130
"""Seed of the random resamples when none is given, so that results repeat."""

CHUNK = 1 << 18
"""Values that are gathered at once; a few arrays of this size stay in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indices:
    """Which values each resample takes.

    Attributes
    ----------
    rows : ndarray of int, shape (resamples, n)
        Positions, one resample a row.
    weights : ndarray, shape (resamples,)
        Probability of each row.
    """

    rows: NDArray[np.intp]
    weights: NDArray[np.float64]


def distinct_resamples(size: int, /) -> int:
    """Count the multisets of `size` out of `size` values."""
    return math.comb(2 * size - 1, size)


@lru_cache(maxsize=8)
def every_resample(size: int, /) -> Indices:
    """Each multiset of `size` out of `size` positions, with its probability."""
    flat = chain.from_iterable(combinations_with_replacement(range(size), size))
    rows = np.fromiter(flat, dtype=np.intp).reshape(-1, size)
    counts = (rows[:, :, None] == np.arange(size)).sum(axis=1)
    log_ways = special.gammaln(size + 1.0) - special.gammaln(counts + 1.0).sum(axis=1)
    weights = np.exp(log_ways - size * math.log(size))
    weights /= weights.sum()
    for shared in (rows, weights):  # with all later calls
        shared.setflags(write=False)
    return Indices(rows=rows, weights=weights)


def check_resamples(n_resamples: int, /) -> int:
    """Return the number, or raise if it is too small for the limits of an interval."""
    if n_resamples < MIN_RESAMPLES:
        msg = f"expected at least {MIN_RESAMPLES} resamples, got {n_resamples}"
        raise ValueError(msg)
    return n_resamples


def generator(rng: np.random.Generator | int | None, /) -> np.random.Generator:
    """Return the generator, or one seeded with the number or the fixed seed."""
    return np.random.default_rng(SEED if rng is None else rng)


def random_resamples(size: int, count: int, rng: np.random.Generator, /) -> Indices:
    """Draw `count` resamples of `size` positions."""
    rows = rng.integers(0, size, (count, size))
    return Indices(rows=rows, weights=np.full(count, 1.0 / count))


def weighted_quantile(
    draws: NDArray[np.float64],
    weights: NDArray[np.float64],
    probability: NDArray[np.float64] | float,
    /,
) -> NDArray[np.float64]:
    """Smallest draw whose cumulated weight reaches the probability, on the last axis.

    Parameters
    ----------
    draws : ndarray, shape (..., resamples)
    weights : ndarray, shape (resamples,)
    probability : ndarray, shape (...), or float

    Returns
    -------
    ndarray, shape (...)
        inf{x: F(x) >= probability}.
    """
    order = np.argsort(draws, axis=-1)
    cumulated = np.cumsum(weights[order], axis=-1)
    wanted = np.asarray(probability, dtype=np.float64)[..., None]
    # Sums of many weights end a little off the fractions that they stand for.
    slack = 1e-12 + draws.shape[-1] * float(np.finfo(np.float64).eps)
    place = (cumulated < wanted - slack).sum(axis=-1, keepdims=True)
    place = np.minimum(place, draws.shape[-1] - 1)
    return np.take_along_axis(draws, np.take_along_axis(order, place, -1), -1)[..., 0]
