"""Runs that stand apart, and how far the result hangs on any one run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values, mean_and_variance
from specstats.stats._quantiles import t_critical

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# With fewer runs the largest possible deviation barely exceeds the critical value.
MINIMUM_RUNS_FOR_GRUBBS = 5


def grubbs_outlier(values: ArrayLike, /, *, alpha: float = 0.01) -> int | None:
    """Index of a run that stands apart from the others, by Grubbs' test.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    alpha : float
        Two-sided level.

    Returns
    -------
    int or None
        None when no run stands apart, or with fewer than 5 runs.

    Notes
    -----
    Assumes that the other runs are near normal. A label, never a reason to drop the
    run. Source: Grubbs (1969).
    """
    data = as_values(values)
    size = data.size
    if size < MINIMUM_RUNS_FOR_GRUBBS:
        return None
    mean, variance = mean_and_variance(data)
    if variance == 0.0:
        return None
    deviations = np.abs(data - mean) / math.sqrt(float(variance))
    square = t_critical(size - 2.0, 1.0 - alpha / size) ** 2
    limit = (size - 1.0) / math.sqrt(size) * math.sqrt(square / (size - 2.0 + square))
    index = int(np.argmax(deviations))
    return index if deviations[index] > limit else None


def leave_one_out_range(
    candidate: ArrayLike, baseline: ArrayLike, /
) -> tuple[float, float] | None:
    """Smallest and largest difference of means when any one run is left out.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run.

    Returns
    -------
    tuple of float, or None
        Range of candidate minus baseline; None when both arms have a single run.

    Notes
    -----
    A statement of sensitivity, not an interval.
    """
    first, second = as_values(candidate), as_values(baseline)
    differences = [
        *(_means_without_one(first) - second.mean()),
        *(first.mean() - _means_without_one(second)),
    ]
    if not differences:
        return None
    return float(min(differences)), float(max(differences))


def _means_without_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.size == 1:
        return values[:0]
    return np.asarray((values.sum() - values) / (values.size - 1.0))
