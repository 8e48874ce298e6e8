"""Nested groups: who lies in whom, and what the likelihood of them needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, as_values, group_codes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Nested groups of values, innermost level first.

    Attributes
    ----------
    names : tuple of str
        Names of the levels, innermost first.
    sizes : tuple of ndarray
        Values in each node of each level.
    means : tuple of ndarray
        Mean of the values in each node of each level.
    parents : tuple of ndarray of int
        Node of the next level that each node lies in; the outermost lie in node 0.
    within : float
        Squares of the values about the mean of their innermost node.
    """

    names: tuple[str, ...]
    sizes: tuple[NDArray[np.float64], ...]
    means: tuple[NDArray[np.float64], ...]
    parents: tuple[NDArray[np.intp], ...]
    within: float

    @property
    def n_values(self) -> int:
        """Number of values."""
        return int(self.sizes[0].sum())

    @property
    def dfs(self) -> tuple[int, ...]:
        """Degrees of freedom: of the values, then of each level, innermost first."""
        counts = [self.n_values, *(size.size for size in self.sizes), 1]
        return tuple(a - b for a, b in pairwise(counts))


def tree_of(values: ArrayLike, levels: Mapping[str, Iterable[Hashable]], /) -> Tree:
    """Arrange values by nested labels, outermost level first.

    Parameters
    ----------
    values : array_like, shape (n,)
        All values.
    levels : mapping of str to iterable of hashable
        Label of each value, outermost level first. A label is taken inside the
        labels of the levels above it, so that runs may be numbered anew per block.
    """
    data = as_values(values, minimum=2)
    codes: list[NDArray[np.intp]] = []
    above = np.zeros(data.size, np.intp)
    for labels in levels.values():
        own, _ = group_codes(labels, size=data.size)
        both = above * (int(own.max()) + 1) + own
        above = np.unique(both, return_inverse=True)[1]
        codes.append(above)
    inner = codes[::-1]
    sizes, means, parents = [], [], []
    for level, code in enumerate(inner):
        size = np.bincount(code).astype(np.float64)
        sizes.append(size)
        means.append(np.bincount(code, data) / size)
        parent = np.zeros(size.size, np.intp)
        if level + 1 < len(inner):
            parent[code] = inner[level + 1]
        parents.append(parent)
    deviations = data - means[0][inner[0]]
    within = float(deviations @ deviations)
    noise = data.size * (ROUNDING * float(np.abs(data).max())) ** 2
    return Tree(
        names=tuple(levels)[::-1],
        sizes=tuple(sizes),
        means=tuple(means),
        parents=tuple(parents),
        within=within if within > noise else 0.0,
    )


def mean_squares(tree: Tree, /) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean squares and the coefficients of the variances in what they estimate.

    Parameters
    ----------
    tree : Tree
        The data.

    Returns
    -------
    squares : ndarray, shape (levels + 1,)
        Of the values within, then of each level, innermost first.
    coefficients : ndarray, shape (levels + 1, levels + 1)
        Row i holds the weights of the variances in the expected mean square i.
    """
    total = float(tree.n_values)
    grand = float(tree.sizes[-1] @ tree.means[-1]) / total
    levels = len(tree.names)
    squares = np.empty(levels + 1)
    squares[0] = tree.within
    for i in range(levels):
        outer = tree.means[i + 1] if i + 1 < levels else np.array([grand])
        squares[i + 1] = tree.sizes[i] @ (tree.means[i] - outer[tree.parents[i]]) ** 2
    # Expected sum over nodes of level i of size x mean^2, by variance component;
    # level -1 are the single values, the last one is the whole.
    raw = np.empty((levels + 2, levels + 1))
    raw[0] = total
    for i in range(levels + 1):
        owner_sizes = tree.sizes[i] if i < levels else np.array([total])
        for j in range(levels + 1):
            if j > i:
                raw[i + 1, j] = total
            elif j == 0:
                raw[i + 1, 0] = owner_sizes.size
            else:
                owners = _ancestors(tree, j - 1, i)
                raw[i + 1, j] = (tree.sizes[j - 1] ** 2 / owner_sizes[owners]).sum()
    dfs = np.array(tree.dfs, dtype=np.float64)
    return squares / dfs, (raw[:-1] - raw[1:]) / dfs[:, None]


def _ancestors(tree: Tree, level: int, target: int) -> NDArray[np.intp]:
    """Node of level `target` that each node of `level` lies in."""
    found = np.arange(tree.sizes[level].size)
    for step in range(level, target):
        found = tree.parents[step][found]
    return found


def nested_criterion(tree: Tree, ratios: Sequence[float], /) -> tuple[float, ...]:
    """-2 log restricted likelihood at ratios to the variance within.

    Parameters
    ----------
    tree : Tree
        The data.
    ratios : sequence of float
        Variance of each level, innermost first, over the variance within.

    Returns
    -------
    tuple of float
        The criterion, the mean, the variance within and the weight of the mean.

    Notes
    -----
    From the inside out, each node hands its mean and precision to the one above.
    """
    weights: NDArray[np.float64] = tree.sizes[0]
    means: NDArray[np.float64] = tree.means[0]
    square, growth = tree.within, 0.0
    for level, ratio in enumerate(ratios):
        growth += float(np.log1p(ratio * weights).sum())
        weights = weights / (1.0 + ratio * weights)
        parents = tree.parents[level]
        totals = np.bincount(parents, weights)
        centres = np.bincount(parents, weights * means) / totals
        square += float(weights @ (means - centres[parents]) ** 2)
        weights, means = np.asarray(totals, np.float64), centres
    df = tree.n_values - 1
    weight, mean = float(weights[0]), float(means[0])
    if square <= 0.0:
        return -math.inf, mean, 0.0, weight
    growth += math.log(weight)
    criterion = df * (math.log(2.0 * math.pi * square / df) + 1.0) + growth
    return criterion, mean, square / df, weight
