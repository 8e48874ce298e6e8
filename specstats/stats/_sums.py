"""Groups of values reduced to the few sums that a one-way likelihood needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, as_values, group_codes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSums:
    """Sizes, means and squares of groups; groups of one size share an entry.

    Attributes
    ----------
    means : ndarray, shape (groups,)
        Mean of each group.
    sizes : ndarray, shape (classes,)
        Distinct group sizes.
    counts : ndarray, shape (classes,)
        Groups of each size.
    class_means : ndarray, shape (classes,)
        Mean of the group means of each size.
    class_squares : ndarray, shape (classes,)
        Squares of those group means about it.
    within : float
        Squares of the values about their group mean, over all groups.
    """

    means: NDArray[np.float64]
    sizes: NDArray[np.float64]
    counts: NDArray[np.float64]
    class_means: NDArray[np.float64]
    class_squares: NDArray[np.float64]
    within: float

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self.means.size

    @property
    def n_values(self) -> int:
        """Number of values."""
        return int(self.counts @ self.sizes)

    @property
    def balanced(self) -> bool:
        """Whether all groups have one size."""
        return self.sizes.size == 1


def sums_of_groups(groups: Sequence[ArrayLike] | ArrayLike, /) -> GroupSums:
    """Reduce groups, or the rows of a table, to their sums.

    Parameters
    ----------
    groups : sequence of array_like, or array_like of shape (k, n)
        The values of each group.
    """
    if isinstance(groups, np.ndarray) and groups.ndim == 2:  # noqa: PLR2004 - a table
        table = np.asarray(groups, dtype=np.float64)
        as_values(table.ravel(), minimum=1)
        means = table.mean(axis=1)
        deviations = table - means[:, None]
        within = float(np.vdot(deviations, deviations))
        sizes = np.full(means.size, float(table.shape[1]))
        scale = float(np.abs(table).max())
    else:
        data = [as_values(group, minimum=1) for group in groups]  # type: ignore[union-attr]
        if not data:
            msg = "expected at least one group"
            raise ValueError(msg)
        sizes = np.array([float(group.size) for group in data])
        means = np.array([group.mean() for group in data])
        within = sum(
            float(((group - mean) ** 2).sum())
            for group, mean in zip(data, means, strict=True)
        )
        scale = max(float(np.abs(group).max()) for group in data)
    return make_sums(sizes, means, within, scale=scale)


def sums_by_label(values: ArrayLike, labels: Iterable[Hashable], /) -> GroupSums:
    """Reduce labelled values to the sums of their groups.

    Parameters
    ----------
    values : array_like, shape (n,)
        All values.
    labels : iterable of hashable, length n
        Group of each value.
    """
    data = as_values(values, minimum=1)
    codes = _small_codes(labels, data.size)
    if codes is None:
        codes, _ = group_codes(labels, size=data.size)
    counts = np.bincount(codes).astype(np.float64)
    centres = np.bincount(codes, data) / np.maximum(counts, 1.0)
    deviations = data - centres[codes]
    within = float(deviations @ deviations)
    scale = max(float(data.max()), -float(data.min()))
    kept = counts > 0.0
    return make_sums(counts[kept], centres[kept], within, scale=scale)


def _small_codes(labels: Iterable[Hashable], size: int) -> NDArray[np.intp] | None:
    """Labels that can be counted as they are, which saves a pass in Python."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu":
        return None
    if labels.shape != (size,) or labels.min() < 0 or labels.max() > 4 * size:
        return None
    return np.asarray(labels, dtype=np.intp)


def make_sums(
    sizes: NDArray[np.float64],
    means: NDArray[np.float64],
    within: float,
    /,
    *,
    scale: float,
) -> GroupSums:
    """Build from sizes and means of the groups and the squares within them.

    Parameters
    ----------
    sizes, means : ndarray, shape (groups,)
        Of each group.
    within : float
        Squares about the group means.
    scale : float
        Largest magnitude of a value, against which rounding is judged.
    """
    classes, codes = np.unique(sizes, return_inverse=True)
    counts = np.bincount(codes).astype(np.float64)
    centres = np.bincount(codes, means) / counts
    squares = np.bincount(codes, (means - centres[codes]) ** 2)
    noise = (ROUNDING * scale) ** 2
    return GroupSums(
        means=means,
        sizes=classes,
        counts=counts,
        class_means=centres,
        class_squares=np.where(squares <= noise * counts, 0.0, squares),
        within=within if within > noise * float(sizes.sum()) else 0.0,
    )
