"""Exact and Monte Carlo permutation tests with runs or blocks as the unit."""

from __future__ import annotations

import math
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, as_flags, as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MAX_SPLITS = 200_000
"""Largest number of splits that an exact test enumerates (10 + 10 runs)."""

MAX_FAILURE_SPLITS = 20_000
"""Largest number of splits that the failure test enumerates before it samples."""

DRAWS = 19_999
"""Random splits otherwise: a p-value of .05 is then known to .0015."""

MAX_BLOCKS = 20
"""Largest number of blocks whose signs are enumerated."""


def exact_permutation_p(candidate: ArrayLike, baseline: ArrayLike, /) -> float | None:
    """Two-sided exact permutation p of a difference of means.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run.

    Returns
    -------
    float or None
        Share of the splits with a difference at least as large; None above 200,000
        splits.

    Notes
    -----
    Unit: the run. Assumes only that runs are exchangeable between arms when nothing
    differs. The smallest p with 3 + 3 runs is .1, with 4 + 4 it is .029.
    """
    first, second = as_values(candidate), as_values(baseline)
    together = np.concatenate([first, second])
    if math.comb(together.size, first.size) > MAX_SPLITS:
        return None
    # Centred values keep the sums small, so that ties are found despite rounding.
    centred = together - together.mean()
    sums = centred[_splits(together.size, first.size)].sum(axis=1)
    noise = ROUNDING * together.size * float(np.abs(together).max())
    extreme = np.abs(sums) >= abs(float(centred[: first.size].sum())) - noise
    return float(extreme.mean())


def sign_flip_p(differences: ArrayLike, /) -> float | None:
    """Two-sided exact p of block differences by flipping signs.

    Parameters
    ----------
    differences : array_like, shape (n,)
        One log ratio per block.

    Returns
    -------
    float or None
        Share of the 2^n sign patterns with a sum at least as large; None above 20
        blocks.

    Notes
    -----
    Unit: the block. Assumes symmetric differences when nothing differs. The smallest
    p is 2^(1 - n): 6 blocks are needed for .05.
    """
    data = as_values(differences)
    if data.size > MAX_BLOCKS:
        return None
    sums = np.zeros(1)
    for difference in data:
        sums = np.concatenate([sums + difference, sums - difference])
    noise = ROUNDING * float(np.abs(data).sum())
    return float((np.abs(sums) >= abs(float(data.sum())) - noise).mean())


def failure_rate_p(
    failed: ArrayLike,
    total: ArrayLike,
    is_candidate: ArrayLike,
    *,
    rng: np.random.Generator | int | None = None,
) -> float:
    """Two-sided permutation p of equal failure rates in both arms.

    Parameters
    ----------
    failed, total : array_like, shape (n,)
        Failed and submitted requests of each run.
    is_candidate : array_like of bool, shape (n,)
        Arm of each run; both arms present.
    rng : Generator, int or None
        Randomness for more than 20,000 splits.

    Returns
    -------
    float
        Exact, or (b + 1) / (N + 1) over random splits; 1 when nothing failed.

    Notes
    -----
    Estimand: difference of pooled failure rates. Unit: the run, because failures of
    one launch have one cause.
    """
    bad, submitted = as_values(failed, minimum=2), as_values(total, minimum=2)
    flags = as_flags(is_candidate, size=bad.size)
    if bad.shape != submitted.shape or (bad > submitted).any() or (bad < 0).any():
        msg = "expected 0 <= failed <= total in every run"
        raise ValueError(msg)
    if (submitted <= 0).any() or flags.all() or not flags.any():
        msg = "expected requests in every run and runs in both arms"
        raise ValueError(msg)
    size = int(flags.sum())
    observed = float(_rate_gaps(bad, submitted, np.flatnonzero(flags)[None, :])[0])
    exact = math.comb(bad.size, size) <= MAX_FAILURE_SPLITS
    if exact:
        splits = _splits(bad.size, size)
    else:
        keys = np.random.default_rng(rng).random((DRAWS, bad.size))
        splits = np.argpartition(keys, size, axis=1)[:, :size]
    extreme = _rate_gaps(bad, submitted, splits) >= observed - ROUNDING
    count = int(extreme.sum())
    return count / extreme.size if exact else (count + 1) / (DRAWS + 1)


def _splits(total: int, size: int) -> NDArray[np.intp]:
    """Every choice of `size` of `total` positions, one a row."""
    flat = chain.from_iterable(combinations(range(total), size))
    return np.fromiter(flat, dtype=np.intp).reshape(-1, size)


def _rate_gaps(
    bad: NDArray[np.float64], submitted: NDArray[np.float64], splits: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Absolute difference of pooled rates for each choice of candidate runs."""
    bad_1 = bad[splits].sum(axis=1)
    all_1 = submitted[splits].sum(axis=1)
    gaps = bad_1 / all_1 - (bad.sum() - bad_1) / (submitted.sum() - all_1)
    return np.asarray(np.abs(gaps))
