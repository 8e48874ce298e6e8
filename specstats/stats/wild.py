"""Wild cluster bootstrap-t of the difference of two arms, with the null imposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from specstats.stats._arrays import ROUNDING, ZeroSpreadError
from specstats.stats._quantiles import check_level
from specstats.stats._resampling import (
    CHUNK,
    RESAMPLES,
    check_resamples,
    generator,
)
from specstats.stats._totals import Totals, arm_totals, row_totals
from specstats.stats.cluster_robust import robust_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

WildWeights: TypeAlias = Literal["rademacher", "webb"]

POINTS = {
    "rademacher": np.array([1.0, -1.0]),
    "webb": np.sqrt([1.5, 1.0, 0.5]).repeat(2) * np.tile([1.0, -1.0], 3),
}
"""Equally likely multipliers; Webb's (2014) six points give few clusters more draws."""

MAX_PATTERNS = 50_000
"""Most patterns that are enumerated, mirrors left out: 16 clusters, or 6 of Webb's."""

_DOUBLINGS = 60
_HALVINGS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class WildBootstrap:
    """Test and interval of a wild cluster bootstrap.

    Attributes
    ----------
    estimate : float
        Candidate minus baseline, over requests.
    p_value : float
        Two-sided p of the null; always above zero.
    minimum_p : float
        Smallest p that this many clusters can give.
    low, high : float or None
        Limits by inversion of the test; None where it never rejects.
    confidence_level : float
        Level of the interval.
    method : str
        Weights, and how many patterns of them.
    n_draws : int
        Patterns looked at.
    notes : tuple of str
        What a reader has to know.
    """

    estimate: float
    p_value: float
    minimum_p: float
    low: float | None
    high: float | None
    confidence_level: float
    method: str
    n_draws: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Multipliers of the clusters, one draw a row.

    Attributes
    ----------
    rows : ndarray, shape (draws, G)
        The candidate's clusters first; the first row is all ones when exact.
    exact : bool
        All patterns are there, one of each pair of mirrors.
    """

    rows: NDArray[np.float64]
    exact: bool


def wild_bootstrap(
    values: ArrayLike,
    clusters: Iterable[Hashable],
    is_candidate: ArrayLike,
    /,
    *,
    weights: WildWeights = "rademacher",
    null: float = 0.0,
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = None,
) -> WildBootstrap:
    """Wild cluster bootstrap-t of request rows on the arm, clustered by run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per request.
    clusters : iterable of hashable, length n
        Run of each request; two runs or more in each arm.
    is_candidate : array_like of bool, shape (n,)
        Arm of each request, the same within a run.
    weights : {'rademacher', 'webb'}
        Signs, or Webb's six points: for fewer than about 11 clusters, whose signs
        have few patterns.
    null : float
        Hypothetical difference.
    confidence_level : float
        Two-sided level.
    n_resamples : int
        Random patterns, where there are more than 50,000.
    rng : Generator, int or None
        Randomness; None is a fixed seed (20261130).

    Returns
    -------
    WildBootstrap
        Estimate, p-value, the smallest p there is, and limits or None.

    Raises
    ------
    ZeroSpreadError
        The runs of both arms show no spread.
    ValueError
        Fewer than two runs in an arm, or a run with rows of both arms.

    Notes
    -----
    Estimand: difference of the means over requests, as :func:`.cluster_robust`.
    Unit: the run. Residuals of the fit that holds the difference at the null are
    multiplied by one weight a run, and the t of each such data set compared with
    that of the data (Cameron, Gelbach & Miller 2008). The smallest p of signs is
    2^(1 - G): 4 clusters give .125 and cannot reject at .05; 6 give .031. The
    interval holds the differences that are not rejected, searched for outwards from
    the estimate. Type I error of signs on 3 to 6 normal
    runs an arm: .05 to .06 (tests/sims/test_clustered.py). Checked against a loop over
    all patterns with least squares in each.

    Examples
    --------
    >>> found = wild_bootstrap(
    ...     [1.0, 1.2, 1.4, 2.0], list("abcd"), [False, False, True, True]
    ... )
    >>> found.minimum_p, found.low is None
    (0.125, True)
    """
    return _wild(
        row_totals(values, clusters, is_candidate),
        weights=weights,
        null=null,
        confidence_level=check_level(confidence_level),
        n_resamples=check_resamples(n_resamples),
        rng=rng,
    )


def wild_bootstrap_totals(
    sums: ArrayLike,
    counts: ArrayLike,
    is_candidate: ArrayLike,
    /,
    *,
    weights: WildWeights = "rademacher",
    null: float = 0.0,
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = None,
) -> WildBootstrap:
    """Do :func:`wild_bootstrap` from the totals of each run.

    Parameters
    ----------
    sums, counts : array_like, shape (G,)
        Sum and number of the rows of each run; counts of one for run means.
    is_candidate : array_like of bool, shape (G,)
        Arm of each run; two runs or more in each.
    weights : {'rademacher', 'webb'}
        Multipliers of the runs.
    null : float
        Hypothetical difference.
    confidence_level : float
        Two-sided level.
    n_resamples : int
        Random patterns, where there are more than 50,000.
    rng : Generator, int or None
        Randomness; None is a fixed seed (20261130).

    Returns
    -------
    WildBootstrap
        Estimate, p-value, the smallest p there is, and limits or None.

    Examples
    --------
    >>> found = wild_bootstrap_totals(
    ...     [1.0, 1.1, 1.3, 2.0, 2.1, 2.4], [1] * 6, [0, 0, 0, 1, 1, 1]
    ... )
    >>> found.p_value, found.method
    (0.03125, 'wild cluster bootstrap-t, rademacher weights, all 32 patterns')
    """
    return _wild(
        arm_totals(sums, counts, is_candidate),
        weights=weights,
        null=null,
        confidence_level=check_level(confidence_level),
        n_resamples=check_resamples(n_resamples),
        rng=rng,
    )


def patterns(
    n_clusters: int,
    weights: WildWeights,
    /,
    *,
    n_resamples: int = RESAMPLES,
    rng: np.random.Generator | int | None = None,
) -> Patterns:
    """Every pattern of weights up to its mirror image, or random ones.

    Parameters
    ----------
    n_clusters : int
        Clusters of both arms.
    weights : {'rademacher', 'webb'}
        Multipliers of the clusters.
    n_resamples : int
        Random patterns, where there are more than 50,000.
    rng : Generator, int or None
        Randomness; None is a fixed seed (20261130).

    Returns
    -------
    Patterns
        One a row.
    """
    if weights not in POINTS:
        msg = f"expected one of {sorted(POINTS)}, got {weights!r}"
        raise ValueError(msg)
    points = POINTS[weights]
    # The first cluster takes the positive points only: a pattern and its mirror
    # image have the same |t|.
    positive = points[points > 0.0]
    if positive.size * points.size ** (n_clusters - 1) > MAX_PATTERNS:
        picked = generator(rng).integers(0, points.size, (n_resamples, n_clusters))
        return Patterns(rows=points[picked], exact=False)
    axes = (positive, *[points] * (n_clusters - 1))
    grid = np.meshgrid(*axes, indexing="ij")
    return Patterns(rows=np.stack(grid, axis=-1).reshape(-1, n_clusters), exact=True)


def wild_p(
    totals: Totals, draws: Patterns, null: NDArray[np.float64] | float, /
) -> NDArray[np.float64]:
    """Two-sided p of the null, over the last axis of the totals.

    Parameters
    ----------
    totals : Totals
        Arrays of shape (..., G); one count a cluster in all data sets.
    draws : Patterns
        Multipliers.
    null : ndarray or float
        Hypothetical difference.

    Returns
    -------
    ndarray, shape (...)
        Share of the patterns with as large a t; random ones and the data's.
    """
    residuals = _null_residuals(totals, null)
    # By the same sums as the patterns: those of all ones then tie with the data.
    observed = _statistics(totals, residuals[..., None, :])
    as_extreme = np.zeros(observed.shape[:-1])
    step = max(1, CHUNK // max(1, residuals.size))
    for start in range(0, draws.rows.shape[0], step):
        some = residuals[..., None, :] * draws.rows[start : start + step]
        # Ties on paper differ in the last digits.
        tied = _statistics(totals, some) >= observed * (1.0 - 1e-9)
        as_extreme = as_extreme + tied.sum(axis=-1)
    extra = 0.0 if draws.exact else 1.0
    return np.asarray((as_extreme + extra) / (draws.rows.shape[0] + extra))


def _statistics(totals: Totals, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Absolute t, but for a constant, of sums of residuals, candidate's first.

    Infinite where the fit leaves nothing over; not a number, which is never as large
    as another, where there was nothing to begin with.
    """
    n_first = totals.counts[0].shape[-1]
    gap = squares = np.zeros(())
    for own, sizes, sign in zip(
        (residuals[..., :n_first], residuals[..., n_first:]),
        totals.counts,
        (1.0, -1.0),
        strict=True,
    ):
        total = sizes.sum(axis=-1)
        moved = own.sum(axis=-1, keepdims=True)
        gap = gap + sign * moved[..., 0] / total
        left = own - sizes / total * moved
        squares = squares + (left**2).sum(axis=-1) / total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.abs(gap) / np.sqrt(squares))


def _null_residuals(
    totals: Totals, null: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Sum the residuals of each cluster under the null, candidate's first."""
    shift = np.asarray(null, dtype=np.float64)[..., None]
    tops = np.concatenate(
        [totals.sums[0] - totals.counts[0] * shift, totals.sums[1]], axis=-1
    )
    sizes = np.concatenate(totals.counts, axis=-1)
    common = tops.sum(axis=-1, keepdims=True) / sizes.sum(axis=-1, keepdims=True)
    return np.asarray(tops - sizes * common)


def _wild(
    totals: Totals,
    *,
    weights: WildWeights,
    null: float,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator | int | None,
) -> WildBootstrap:
    draws = patterns(totals.n_clusters, weights, n_resamples=n_resamples, rng=rng)
    estimate, variance, _ = robust_arrays(totals, "CR0")
    if variance == 0.0:
        msg = "the runs of both arms show no spread (wild cluster bootstrap)"
        raise ZeroSpreadError(msg)
    error = 1.0 - confidence_level
    centre, step = float(estimate), float(np.sqrt(variance))
    count = draws.rows.shape[0]
    minimum = 1.0 / (count + (not draws.exact))
    low = high = None
    if minimum <= error * (1.0 + ROUNDING):

        def rejected(value: float) -> bool:
            return bool(wild_p(totals, draws, value) <= error * (1.0 + ROUNDING))

        low = _limit(rejected, centre, -step)
        high = _limit(rejected, centre, step)
    what = f"all {count} patterns" if draws.exact else f"{count} random patterns"
    return WildBootstrap(
        estimate=centre,
        p_value=float(wild_p(totals, draws, null)),
        minimum_p=minimum,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"wild cluster bootstrap-t, {weights} weights, {what}",
        n_draws=count,
        notes=_notes(
            totals.n_clusters, minimum, error, bounded=None not in (low, high)
        ),
    )


def _notes(
    n_clusters: int, minimum: float, error: float, *, bounded: bool
) -> tuple[str, ...]:
    if minimum > error * (1.0 + ROUNDING):
        told = (
            f"{n_clusters} clusters cannot give a p below {minimum:.3g}: nothing is "
            f"rejected at {error:.3g}, and there is no interval"
        )
        return (told,)
    if not bounded:
        return ("the test rejects no large difference, so a limit is missing",)
    return ()


def _limit(
    rejected: Callable[[float], bool], centre: float, step: float
) -> float | None:
    """First rejected value outwards from the estimate, by doubling and halving."""
    inner, outer = 0.0, 1.0
    for _ in range(_DOUBLINGS):
        if rejected(centre + outer * step):
            break
        inner, outer = outer, 2.0 * outer
    else:
        return None
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2.0
        if rejected(centre + middle * step):
            outer = middle
        else:
            inner = middle
    return centre + outer * step
