"""Acceptance where both runs and prompts make it vary."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._acceptance import AcceptanceInterval, logit_interval
from specstats.stats._arrays import ROUNDING, group_codes
from specstats.stats._clusters import Ratio, checked_counts, checked_ratio_parts
from specstats.stats.contrast import Contrast
from specstats.stats.effective import effective_interval

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray


def two_way_rate(
    accepted: ArrayLike,
    drafted: ArrayLike,
    first: Iterable[Hashable],
    second: Iterable[Hashable],
    *,
    confidence_level: float = 0.95,
) -> AcceptanceInterval | None:
    """Estimate acceptance with runs and prompts both as clusters.

    Parameters
    ----------
    accepted, drafted : array_like, shape (n,)
        Counts of each row (a request, or a run x prompt total).
    first, second : iterable of hashable, length n
        The two clusters of each row, such as run and prompt.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    AcceptanceInterval or None
        None when either way has fewer than two clusters.

    Notes
    -----
    Estimand: accepted over drafted tokens for runs and prompts like these. Units:
    both, crossed. V = V_first + V_second - V_cells, each linearised with its own
    G / (G - 1), never below the larger of the first two (the subtraction can
    otherwise give less, even a negative variance). t(min(G) - 1) on the logit; where
    the rate is 0 or 1 or nothing varies, :func:`korn_graubard` with min(G) clusters.
    Source: Cameron, Gelbach and Miller (2011).
    """
    hits, tries = checked_counts(accepted, drafted)
    one, _ = group_codes(first, size=hits.size)
    two, _ = group_codes(second, size=hits.size)
    used = tries > 0
    hits, tries, one, two = hits[used], tries[used], one[used], two[used]
    fewest = min(np.unique(one).size, np.unique(two).size)
    if fewest < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    ratio = replace(_two_way_ratio(hits, tries, one, two), n_clusters=fewest)
    if ratio.variance == 0.0:
        return effective_interval(ratio, confidence_level=confidence_level)
    return logit_interval(
        ratio,
        math.sqrt(ratio.variance) * ratio.logit_slope,
        confidence_level=confidence_level,
        method="two-way, linearised on the logit",
    )


def two_way_length(
    tokens: ArrayLike,
    steps: ArrayLike,
    first: Iterable[Hashable],
    second: Iterable[Hashable],
) -> Contrast | None:
    """Estimate the log of tokens per step with runs and prompts both as clusters.

    Parameters
    ----------
    tokens, steps : array_like, shape (n,)
        Counts of each row; rows without a step do not count.
    first, second : iterable of hashable, length n
        The two clusters of each row, such as run and prompt.

    Returns
    -------
    Contrast or None
        On the log scale, t(min(G) - 1); None when either way has fewer than two
        clusters.

    Raises
    ------
    ValueError
        Counts that cannot be.
    ZeroSpreadError
        Nothing varies.

    Notes
    -----
    As :func:`two_way_rate`, linearised on the log.
    """
    taken = np.asarray(steps, dtype=np.float64)
    one, _ = group_codes(first, size=taken.size)
    two, _ = group_codes(second, size=taken.size)
    made, used = checked_ratio_parts(tokens, taken), taken > 0
    one, two = one[used], two[used]
    fewest = min(np.unique(one).size, np.unique(two).size)
    if fewest < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    ratio = _two_way_ratio(*made, one, two)
    return Contrast(
        estimate=math.log(ratio.rate),
        std_error=math.sqrt(ratio.variance) / ratio.rate,
        df=fewest - 1.0,
        method="two-way, linearised on the log",
    )


def _two_way_ratio(
    hits: NDArray[np.float64],
    tries: NDArray[np.float64],
    one: NDArray[np.intp],
    two: NDArray[np.intp],
) -> Ratio:
    total = float(tries.sum())
    rate = float(hits.sum()) / total
    deviations = (hits - rate * tries) / total
    cells = one * (int(two.max()) + 1) + two
    way_1, way_2, both = (_one_way(deviations, codes) for codes in (one, two, cells))
    variance = max(way_1 + way_2 - both, way_1, way_2)
    return Ratio(
        rate=rate,
        variance=variance if variance > (ROUNDING * hits.size) ** 2 else 0.0,
        drafted=total,
        n_clusters=0,
    )


def _one_way(deviations: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """G/(G-1) times the sum of squared cluster totals."""
    _, groups = np.unique(codes, return_inverse=True)
    totals = np.bincount(groups, weights=deviations)
    return float(totals @ totals) * totals.size / (totals.size - 1.0)
