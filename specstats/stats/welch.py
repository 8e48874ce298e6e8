"""Difference of two arms of independent runs: Welch, pooled, the wider of both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ZeroSpreadError, as_values, mean_and_variance
from specstats.stats.contrast import Contrast

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def welch(candidate: ArrayLike, baseline: ArrayLike, /) -> Contrast:
    """Welch's difference of two arms of independent runs.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run, two runs or more in each arm.

    Returns
    -------
    Contrast
        Candidate minus baseline: the log speedup.

    Notes
    -----
    Estimand: difference of the means over launches of two settings; on logs, the
    log ratio of geometric means. Unit: the run. Assumes independent runs; variances
    may differ. Degrees of freedom after Welch (1947) and Satterthwaite (1946).
    """
    first = as_values(candidate, minimum=2)
    second = as_values(baseline, minimum=2)
    estimate, variance, df = _welch_arrays(first, second)
    return _contrast(estimate, variance, df, method="Welch t on run values")


def pooled(candidate: ArrayLike, baseline: ArrayLike, /) -> Contrast:
    """Difference of two arms of independent runs with one common variance.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run; three runs in all, at least one in each arm.

    Returns
    -------
    Contrast
        Candidate minus baseline, n1 + n0 - 2 degrees of freedom.

    Notes
    -----
    As :func:`welch`, and assumes equal variances: with 3 and 10 runs and SDs of
    .15 and .05 a 95 % interval covers .75.
    """
    first = as_values(candidate, minimum=1)
    second = as_values(baseline, minimum=1)
    if first.size + second.size < 3:  # noqa: PLR2004 - one degree of freedom
        msg = "expected three runs in all"
        raise ValueError(msg)
    estimate, variance, df = _pooled_arrays(first, second)
    return _contrast(estimate, variance, df, method="pooled t on run values")


def wider(
    candidate: ArrayLike, baseline: ArrayLike, /, *, confidence_level: float = 0.95
) -> Contrast:
    """Whichever of Welch and pooled gives the wider interval.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1,), (n0,)
        One log value per run, two runs or more in each arm.
    confidence_level : float
        Level at which the widths are compared.

    Returns
    -------
    Contrast
        The chosen one; `method` names it.

    Notes
    -----
    For arms of very unequal size, where Welch alone covers too little if the
    smaller arm happens to look quiet (3 against 10 runs of a bimodal machine: .868).
    """
    options = (welch(candidate, baseline), pooled(candidate, baseline))
    chosen = max(options, key=lambda option: option.half_width(confidence_level))
    return Contrast(
        estimate=chosen.estimate,
        std_error=chosen.std_error,
        df=chosen.df,
        method=f"{chosen.method} (wider of Welch and pooled)",
    )


def _welch_arrays(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate, variance and df over the last axis; df is 0 without any spread."""
    mean_1, var_1 = mean_and_variance(first)
    mean_0, var_0 = mean_and_variance(second)
    part_1 = var_1 / first.shape[-1]
    part_0 = var_0 / second.shape[-1]
    df = welch_df((part_1, first.shape[-1] - 1.0), (part_0, second.shape[-1] - 1.0))
    return mean_1 - mean_0, part_1 + part_0, df


def welch_df(
    *parts: tuple[NDArray[np.float64] | float, NDArray[np.float64] | float],
) -> NDArray[np.float64]:
    """Satterthwaite's degrees of freedom of a sum of variances.

    Parameters
    ----------
    *parts : tuple of (variance, df)
        Independent variances that add up, each with its own degrees of freedom.

    Returns
    -------
    ndarray
        (sum V)^2 / sum(V^2 / df), or 0 where every variance is zero.
    """
    total = np.asarray(sum(variance for variance, _ in parts), dtype=np.float64)
    # Shares of the total rather than the variances: squares of tiny variances vanish.
    safe = np.where(total > 0.0, total, 1.0)
    shares = np.asarray(sum((variance / safe) ** 2 / df for variance, df in parts))
    return np.where(total > 0.0, 1.0 / np.where(total > 0.0, shares, 1.0), 0.0)


def _pooled_arrays(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Estimate, variance and df over the last axis, with one common variance."""
    size_1, size_0 = first.shape[-1], second.shape[-1]
    df = float(size_1 + size_0 - 2)
    common = (_sum_of_squares(first) + _sum_of_squares(second)) / df
    estimate = first.mean(axis=-1) - second.mean(axis=-1)
    return estimate, common * (1.0 / size_1 + 1.0 / size_0), df


def _sum_of_squares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.shape[-1] == 1:
        return np.zeros(values.shape[:-1])
    variance = mean_and_variance(values)[1]
    return np.asarray(variance * (values.shape[-1] - 1.0))


def _contrast(
    estimate: NDArray[np.float64],
    variance: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    *,
    method: str,
) -> Contrast:
    if variance == 0.0:
        msg = f"the runs of both arms show no spread ({method})"
        raise ZeroSpreadError(msg)
    return Contrast(
        estimate=float(estimate),
        std_error=math.sqrt(float(variance)),
        df=float(df),
        method=method,
    )
