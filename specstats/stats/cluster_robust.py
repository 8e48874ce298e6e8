"""Difference of two arms of request rows, with standard errors clustered by run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from specstats.stats._arrays import ROUNDING, as_values, group_codes
from specstats.stats._totals import MIN_CLUSTERS, Totals, arm_totals, row_totals
from specstats.stats.contrast import Contrast

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

RobustKind: TypeAlias = Literal["CR0", "CR1", "CR1S", "CR2", "CR3"]


def cluster_robust(
    values: ArrayLike,
    clusters: Iterable[Hashable],
    is_candidate: ArrayLike,
    /,
    *,
    kind: RobustKind = "CR2",
) -> Contrast:
    """Least squares of request rows on the arm, clustered by run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per request.
    clusters : iterable of hashable, length n
        Run of each request; two runs or more in each arm.
    is_candidate : array_like of bool, shape (n,)
        Arm of each request, the same within a run.
    kind : {'CR2', 'CR0', 'CR1', 'CR1S', 'CR3'}
        Which sandwich: plain (CR0), scaled by G / (G - 1) (CR1), also by
        (n - 1) / (n - 2) as Stata does (CR1S), unbiased for independent rows (CR2),
        leave-one-run-out (CR3).

    Returns
    -------
    Contrast
        Candidate minus baseline, with Bell and McCaffrey's degrees of freedom.

    Raises
    ------
    ZeroSpreadError
        The runs of both arms show no spread.
    ValueError
        Fewer than two runs in an arm, or a run with rows of both arms.

    Notes
    -----
    Estimand: difference of the means over requests; a run weighs as much as it has
    requests, unlike :func:`.welch` on run means. Unit: the run. Assumes independent
    runs. Degrees of freedom after Satterthwaite, worked out for rows that are
    independent with one variance (Bell & McCaffrey 2002); they fall below the number
    of runs less two as the runs differ in size. With equal sizes CR2 is the pooled t
    on run means. Checked against R's clubSandwich and sandwich.

    Examples
    --------
    >>> found = cluster_robust(
    ...     [1.0, 1.2, 1.4, 2.0, 2.1, 2.6], list("aabbcd"), [0, 0, 0, 0, 1, 1]
    ... )
    >>> round(found.estimate, 3), found.method
    (0.95, 'OLS of requests on arm, CR2 by run')
    """
    return _contrast(row_totals(values, clusters, is_candidate), kind)


def cluster_robust_totals(
    sums: ArrayLike,
    counts: ArrayLike,
    is_candidate: ArrayLike,
    /,
    *,
    kind: RobustKind = "CR2",
) -> Contrast:
    """Do :func:`cluster_robust` from the totals of each run.

    Parameters
    ----------
    sums, counts : array_like, shape (G,)
        Sum and number of the rows of each run. For rows of 0 and 1: successes and
        tries.
    is_candidate : array_like of bool, shape (G,)
        Arm of each run; two runs or more in each.
    kind : {'CR2', 'CR0', 'CR1', 'CR1S', 'CR3'}
        Which sandwich.

    Returns
    -------
    Contrast
        Difference of the means over rows.

    Examples
    --------
    >>> found = cluster_robust_totals([9, 7, 8, 4], [10] * 4, [1, 1, 0, 0])
    >>> round(found.estimate, 3), round(found.df, 3)
    (0.2, 2.0)
    """
    return _contrast(arm_totals(sums, counts, is_candidate), kind)


def cluster_robust_mean(
    values: ArrayLike, clusters: Iterable[Hashable], /, *, kind: RobustKind = "CR2"
) -> Contrast:
    """Mean of the request rows of one arm, clustered by run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value per request.
    clusters : iterable of hashable, length n
        Run of each request; two runs or more.
    kind : {'CR2', 'CR0', 'CR1', 'CR1S', 'CR3'}
        Which sandwich.

    Returns
    -------
    Contrast
        The mean over requests.

    Notes
    -----
    As :func:`cluster_robust`, for an arm alone.

    Examples
    --------
    >>> round(cluster_robust_mean([1.0, 2.0, 4.0, 5.0], list("aabb")).std_error, 3)
    1.5
    """
    data = as_values(values, minimum=MIN_CLUSTERS)
    codes, names = group_codes(clusters, size=data.size)
    if len(names) < MIN_CLUSTERS:
        msg = f"expected {MIN_CLUSTERS} clusters or more"
        raise ValueError(msg)
    middle = float(data.mean())
    counts = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=data - middle).astype(np.float64)
    factors = _factors(counts, kind, n_clusters=len(names), n_columns=1)
    noise = ROUNDING * float(np.abs(data).max())
    variance = _variance(sums, counts, factors, noise)
    trace, squared = _traces(counts, factors)
    return Contrast(
        estimate=middle,
        std_error=math.sqrt(float(variance)),
        df=float(trace**2 / squared),
        method=f"mean of requests, {kind} by run",
    )


def robust_arrays(
    totals: Totals, kind: RobustKind, /
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate, variance and degrees of freedom over the last axis of the totals.

    Parameters
    ----------
    totals : Totals
        Arrays of shape (..., G) for many data sets.
    kind : {'CR0', 'CR1', 'CR1S', 'CR2', 'CR3'}
        Which sandwich.

    Returns
    -------
    estimate, variance, df : ndarray, shape (...)
        As :func:`cluster_robust`, for each data set.
    """
    variance = trace = squared = np.zeros(())
    for sums, counts in zip(totals.sums, totals.counts, strict=True):
        factors = _factors(
            counts,
            kind,
            n_clusters=totals.n_clusters,
            n_columns=2,
            n_rows=sum(float(sizes.sum()) for sizes in totals.counts),
        )
        noise = ROUNDING * totals.scale
        variance = variance + _variance(sums, counts, factors, noise)
        own, own_squared = _traces(counts, factors)
        trace, squared = trace + own, squared + own_squared
    first, second = totals.means
    return first - second, np.asarray(variance), np.asarray(trace**2 / squared)


def _factors(
    counts: NDArray[np.float64],
    kind: RobustKind,
    *,
    n_clusters: int,
    n_columns: int,
    n_rows: float | None = None,
) -> NDArray[np.float64]:
    """Adjust each cluster's residuals, per row of its arm."""
    total = counts.sum(axis=-1, keepdims=True)
    # The regressors are constant in a cluster, so that its block of the hat matrix
    # has one eigenvalue that matters: the cluster's share of the rows of its arm.
    room = 1.0 - counts / total
    rows = float(counts.sum()) if n_rows is None else n_rows
    scaled = math.sqrt(n_clusters / (n_clusters - 1.0))
    adjustments = {
        "CR0": 1.0,
        "CR1": scaled,
        "CR1S": scaled * math.sqrt((rows - 1.0) / max(rows - n_columns, 1.0)),
        "CR2": room**-0.5,
        "CR3": 1.0 / room,
    }
    if kind not in adjustments:
        msg = f"expected one of {sorted(adjustments)}, got {kind!r}"
        raise ValueError(msg)
    return np.asarray(adjustments[kind] / total * np.ones_like(counts))


def _variance(
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    factors: NDArray[np.float64],
    noise: float,
) -> NDArray[np.float64]:
    mean = sums.sum(axis=-1, keepdims=True) / counts.sum(axis=-1, keepdims=True)
    residuals = sums - counts * mean
    residuals = np.where(np.abs(residuals) <= noise * counts, 0.0, residuals)
    return np.asarray(((factors * residuals) ** 2).sum(axis=-1))


def _traces(
    counts: NDArray[np.float64], factors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Trace of the variance's quadratic form, and of its square, in one arm.

    The form is D - b b' / M with D = diag(w^2 m) and b = w m for M rows in the arm.
    """
    total = counts.sum(axis=-1)
    diagonal = factors**2 * counts
    cross = factors * counts
    trace = diagonal.sum(axis=-1) - (cross**2).sum(axis=-1) / total
    squared = (
        (diagonal**2).sum(axis=-1)
        - 2.0 * (diagonal * cross**2).sum(axis=-1) / total
        + ((cross**2).sum(axis=-1) / total) ** 2
    )
    return trace, squared


def _contrast(totals: Totals, kind: RobustKind) -> Contrast:
    estimate, variance, df = robust_arrays(totals, kind)
    return Contrast(
        estimate=float(estimate),
        std_error=math.sqrt(float(variance)),
        df=float(df),
        method=f"OLS of requests on arm, {kind} by run",
    )
