"""Whether accepted tokens per step differ between prompts beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["DRAWS", "heterogeneity_p"]

DRAWS = 999
"""Random permutations: a p-value of .01 is then known to .0031."""

# Drawing one count of a table takes as long as shuffling about this many steps.
_STEPS_A_COUNT = 20


def heterogeneity_p(tables: ArrayLike, /, *, rng: np.random.Generator) -> float | None:
    """Permutation p of accepted counts of steps between groups.

    Parameters
    ----------
    tables : array_like of int, shape (groups, values)
        How many steps of each group accepted 0, 1, 2, ... tokens.
    rng : numpy.random.Generator
        Source of the permutations.

    Returns
    -------
    float or None
        Share of the permutations, the observed one among them, that spread the mean
        accepted counts of groups as far. None with fewer than two groups with steps,
        or when all steps accepted the same.

    Raises
    ------
    ValueError
        Counts that cannot be.

    Notes
    -----
    Hypothesis: steps may be exchanged between groups. Statistic: between-group sum of
    squares of accepted tokens per step. Steps of one text are alike, so a small p
    says that texts differ, not by how much, and is no test of tokens: those of one
    step are a stopped sequence, for which a chi-square of binomials is wrong. Many
    steps are drawn as tables with fixed margins, so that their number costs nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> heterogeneity_p([[40, 10], [10, 40]], rng=rng) < 0.01
    True
    """
    found = np.asarray(tables)
    if found.ndim != 2 or not np.issubdtype(found.dtype, np.integer):  # noqa: PLR2004
        msg = f"expected a table of whole numbers, got shape {found.shape}"
        raise ValueError(msg)
    if (found < 0).any():
        msg = "expected counts of 0 or more"
        raise ValueError(msg)
    found = found[found.sum(axis=1) > 0].astype(np.int64)
    if found.shape[0] < 2 or np.count_nonzero(found.sum(axis=0)) < 2:  # noqa: PLR2004
        return None
    sizes = found.sum(axis=1)
    values = np.arange(found.shape[1], dtype=np.float64)
    observed = _between(found @ values, sizes)
    columns = found.sum(axis=0)
    many = int(sizes.sum()) > _STEPS_A_COUNT * found.size
    drawn = (_drawn_sums if many else _shuffled_sums)(columns, sizes, rng)
    at_least = _between(drawn, sizes) >= observed * (1.0 - ROUNDING * sizes.size)
    return float((1 + int(at_least.sum())) / (DRAWS + 1))


def _between(
    sums: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Between-group sum of squares over the last axis, up to a constant."""
    return np.asarray((sums**2 / sizes).sum(axis=-1))


def _shuffled_sums(
    columns: NDArray[np.int64], sizes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return accepted tokens by draw and group, steps shuffled."""
    steps = np.repeat(np.arange(columns.size, dtype=np.float64), columns)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    sums = np.empty((DRAWS, sizes.size))
    for draw in range(DRAWS):
        sums[draw] = np.add.reduceat(rng.permutation(steps), starts)
    return sums


def _drawn_sums(
    columns: NDArray[np.int64], sizes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return accepted tokens by draw and group, drawn as tables."""
    left = np.broadcast_to(columns, (DRAWS, columns.size)).copy()
    sums = np.zeros((DRAWS, sizes.size))
    for group, size in enumerate(sizes.tolist()):
        wanted = np.full(DRAWS, size, dtype=np.int64)
        others = left.sum(axis=1)
        for value in range(columns.size):
            others -= left[:, value]
            taken = rng.hypergeometric(left[:, value], others, wanted)
            left[:, value] -= taken
            wanted -= taken
            sums[:, group] += value * taken
    return sums
