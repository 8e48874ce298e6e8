"""Cluster totals of two arms, for methods that see nothing else of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_flags, as_values, group_codes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

MIN_CLUSTERS = 2
"""Clusters an arm: with one, the cluster's residuals sum to zero whatever it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums and counts of the clusters of each arm.

    Attributes
    ----------
    sums, counts : tuple of ndarray, shapes (..., G1), (..., G0)
        Of the candidate's and of the baseline's clusters.
    scale : float
        Largest magnitude of a value, to tell rounding from spread.
    """

    sums: tuple[NDArray[np.float64], NDArray[np.float64]]
    counts: tuple[NDArray[np.float64], NDArray[np.float64]]
    scale: float

    @property
    def n_clusters(self) -> int:
        """Clusters of both arms."""
        first, second = (int(sizes.shape[-1]) for sizes in self.counts)
        return first + second

    @property
    def means(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean of all values of each arm."""
        first, second = (
            sums.sum(axis=-1) / counts.sum(axis=-1)
            for sums, counts in zip(self.sums, self.counts, strict=True)
        )
        return first, second


def arm_totals(
    sums: ArrayLike, counts: ArrayLike, is_candidate: ArrayLike, /
) -> Totals:
    """Check the totals of clusters and split them by arm."""
    tops = as_values(sums, minimum=2 * MIN_CLUSTERS)
    sizes = as_values(counts, minimum=2 * MIN_CLUSTERS)
    if tops.shape != sizes.shape or (sizes <= 0.0).any():
        msg = "expected one count above zero for each sum"
        raise ValueError(msg)
    flags = as_flags(is_candidate, size=tops.size)
    if min(flags.sum(), (~flags).sum()) < MIN_CLUSTERS:
        msg = f"expected {MIN_CLUSTERS} clusters or more in each arm"
        raise ValueError(msg)
    # Deviations from the middle: squares of large values would round away the rest.
    off = tops - sizes * (tops.sum() / sizes.sum())
    return Totals(
        sums=(off[flags], off[~flags]),
        counts=(sizes[flags], sizes[~flags]),
        scale=float(np.abs(tops / sizes).max()),
    )


def row_totals(
    values: ArrayLike, clusters: Iterable[Hashable], is_candidate: ArrayLike, /
) -> Totals:
    """Sum rows by cluster; each cluster belongs to one arm."""
    data = as_values(values)
    codes, names = group_codes(clusters, size=data.size)
    flags = as_flags(is_candidate, size=data.size)
    sizes = np.bincount(codes, minlength=len(names))
    in_candidate = np.bincount(codes, weights=flags, minlength=len(names))
    mixed = np.flatnonzero((in_candidate > 0) & (in_candidate < sizes))
    if mixed.size:
        msg = (
            f"cluster {names[mixed[0]]!r} has rows of both arms. Expected clusters "
            "within arms. Hint: compare arms within blocks instead"
        )
        raise ValueError(msg)
    # Sums of deviations from the middle: large values would round their sums.
    middle = float(data.mean()) if data.size else 0.0
    sums = np.bincount(codes, weights=data - middle, minlength=len(names))
    found = arm_totals(sums, sizes, in_candidate > 0)
    return Totals(sums=found.sums, counts=found.counts, scale=float(np.abs(data).max()))
