"""Shifts by ranks: Hodges-Lehmann estimates with exact intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values
from specstats.stats._quantiles import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MAX_RUNS = 100
"""Most runs of an arm (or blocks) for which the exact distribution is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankInterval:
    """A Hodges-Lehmann shift with limits at order statistics.

    Attributes
    ----------
    estimate : float
        Median of the pairwise differences (or of the Walsh averages).
    low, high : float or None
        Limits; None when no interval of the asked level exists with so few runs.
    achieved_level : float or None
        Exact level of the limits given, at least the level asked for.
    statistic : float
        Mann-Whitney U of the candidate (or signed-rank V); ties count one half.
    p_value : float
        Exact two-sided p of no shift, ties handled by permuting mid-ranks.
    method : str
        In words for a report.
    """

    estimate: float
    low: float | None
    high: float | None
    achieved_level: float | None
    statistic: float
    p_value: float
    method: str


def hodges_lehmann(
    candidate: ArrayLike, baseline: ArrayLike, /, *, confidence_level: float = 0.95
) -> RankInterval:
    """Shift between two arms with the exact Mann-Whitney interval.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run, at most 100 in an arm.
    confidence_level : float
        Level asked for; needs 4 + 4 runs at 95 %.

    Returns
    -------
    RankInterval
        Estimate, limits with their exact level, and p-value.

    Notes
    -----
    Estimand: the shift between the distributions of run values, which differ in
    nothing else; on logs, a ratio. Unit: the run. No shape is assumed. Level exact
    for continuous data and conservative with ties. Source: Hodges and Lehmann (1963).
    """
    first = _few_values(candidate)
    second = _few_values(baseline)
    differences = np.sort(np.subtract.outer(first, second), axis=None)
    counts = subset_sum_counts(np.arange(1, first.size + second.size + 1), first.size)
    # The smallest rank sum becomes U = 0.
    null = counts[first.size * (first.size + 1) // 2 :]
    ranks = mid_ranks_doubled(np.concatenate([first, second]))
    observed = int(ranks[: first.size].sum())
    low, high, level = _order_limits(differences, null, check_level(confidence_level))
    return RankInterval(
        estimate=float(np.median(differences)),
        low=low,
        high=high,
        achieved_level=level,
        statistic=(observed - first.size * (first.size + 1)) / 2.0,
        p_value=_two_sided(subset_sum_counts(ranks, first.size), observed),
        method="Hodges-Lehmann, exact Mann-Whitney",
    )


def hodges_lehmann_paired(
    differences: ArrayLike, /, *, confidence_level: float = 0.95
) -> RankInterval:
    """Centre of block differences with the exact signed-rank interval.

    Parameters
    ----------
    differences : array_like, shape (n,)
        One log ratio per block, at most 100.
    confidence_level : float
        Level asked for; needs 6 blocks at 95 %.

    Returns
    -------
    RankInterval
        Estimate, limits with their exact level, and p-value.

    Notes
    -----
    Estimand: the centre of symmetry of the block log ratios (pseudo-median). Unit:
    the block. Assumes a symmetric distribution. Differences of zero are left out of
    the p-value. Source: Hodges and Lehmann (1963); Walsh averages.
    """
    data = _few_values(differences)
    rows, columns = np.triu_indices(data.size)
    walsh = np.sort((data[rows] + data[columns]) / 2.0)
    null = subset_sum_counts(np.arange(1, data.size + 1))
    low, high, level = _order_limits(walsh, null, check_level(confidence_level))
    moved = data[data != 0.0]
    ranks = mid_ranks_doubled(np.abs(moved))
    observed = int(ranks[moved > 0.0].sum())
    return RankInterval(
        estimate=float(np.median(walsh)),
        low=low,
        high=high,
        achieved_level=level,
        statistic=observed / 2.0,
        p_value=_two_sided(subset_sum_counts(ranks), observed),
        method="Hodges-Lehmann, exact signed rank",
    )


def mid_ranks_doubled(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Twice the mid-ranks of the values, as integers.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Numbers to rank.

    Returns
    -------
    ndarray of int, shape (n,)
        2 for the smallest value; ties share the mean of their ranks.
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((2 * last - counts + 1)[inverse], dtype=np.intp)


def subset_sum_counts(
    items: NDArray[np.intp], size: int | None = None
) -> NDArray[np.float64]:
    """Count the subsets of the integers that have each sum.

    Parameters
    ----------
    items : ndarray of int
        Non-negative integers.
    size : int, optional
        Count subsets of this size only; by default subsets of every size.

    Returns
    -------
    ndarray, shape (sum(items) + 1,)
        Entry s is the number of subsets with sum s.
    """
    total = int(np.sum(items))
    levels = 1 if size is None else size + 1
    counts = np.zeros((levels, total + 1))
    counts[0, 0] = 1.0
    for item in items.tolist():
        shifted = counts[:, : total + 1 - item].copy()
        if size is None:
            counts[:, item:] += shifted
        else:
            counts[1:, item:] += shifted[:-1]
    return np.asarray(counts[-1])


def _few_values(values: ArrayLike) -> NDArray[np.float64]:
    data = as_values(values)
    if data.size > MAX_RUNS:
        msg = f"expected at most {MAX_RUNS} values, got {data.size}"
        raise ValueError(msg)
    return data


def _order_limits(
    ordered: NDArray[np.float64], null: NDArray[np.float64], level: float
) -> tuple[float | None, float | None, float | None]:
    """Order statistics k and N + 1 - k with 2 P(U < k) <= 1 - level."""
    below = np.cumsum(null) / null.sum()
    k = int(np.searchsorted(below, (1.0 - level) / 2.0 * (1.0 + 1e-12), side="right"))
    if k == 0:
        return None, None, None
    achieved = 1.0 - 2.0 * float(below[k - 1])
    return float(ordered[k - 1]), float(ordered[-k]), achieved


def _two_sided(counts: NDArray[np.float64], observed: int) -> float:
    share = counts / counts.sum()
    tail = min(math.fsum(share[: observed + 1]), math.fsum(share[observed:]))
    return min(1.0, 2.0 * tail)
