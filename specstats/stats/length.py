"""Mean accepted length: tokens per verify step, with clusters as the unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.stats._clusters import checked_ratio_parts, jackknife_log
from specstats.stats.contrast import Contrast
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["length_difference", "mean_length"]

_ENOUGH = 2


def mean_length(tokens: ArrayLike, steps: ArrayLike, /) -> Contrast | None:
    """Estimate the log of tokens per step, leaving one cluster out at a time.

    Parameters
    ----------
    tokens, steps : array_like, shape (G,)
        Totals of each cluster: tokens that came out of steps (the token of the
        target counted) and steps; clusters without a step do not count.

    Returns
    -------
    Contrast or None
        On the log scale, t(G - 1): exponentiate estimate and limits. None with
        fewer than two clusters.

    Raises
    ------
    ValueError
        Counts that cannot be.
    ZeroSpreadError
        Every cluster has the same ratio.

    Notes
    -----
    Estimand: total tokens over total steps in a workload of clusters like these;
    long generations weigh more, by design. Unit: the cluster (prompt or run), never
    the step: steps of one text are alike. Jackknife variance about the mean of the
    leave-one-out logs. Simulated in tests/sims/test_length.py; steps as if
    independent cover too little there.

    Examples
    --------
    >>> import numpy as np
    >>> found = mean_length([30, 42, 25, 36], [10, 12, 10, 11])
    >>> round(float(np.exp(found.estimate)), 3), found.df
    (3.093, 3.0)
    """
    made, taken = checked_ratio_parts(tokens, steps)
    if made.size < _ENOUGH:
        return None
    centre, variance = jackknife_log(made, taken)
    return Contrast(
        estimate=float(centre),
        std_error=math.sqrt(float(variance)),
        df=made.size - 1.0,
        method="cluster jackknife on the log",
    )


def length_difference(
    candidate_tokens: ArrayLike,
    candidate_steps: ArrayLike,
    baseline_tokens: ArrayLike,
    baseline_steps: ArrayLike,
    /,
) -> Contrast | None:
    """Log ratio of two mean accepted lengths, clusters independent between arms.

    Parameters
    ----------
    candidate_tokens, candidate_steps : array_like, shape (G1,)
        Totals of each cluster of the candidate.
    baseline_tokens, baseline_steps : array_like, shape (G0,)
        Totals of each cluster of the baseline.

    Returns
    -------
    Contrast or None
        Candidate minus baseline on the log scale; None with fewer than two clusters
        in an arm.

    Raises
    ------
    ValueError
        Counts that cannot be.
    ZeroSpreadError
        Neither arm varies between its clusters.

    Notes
    -----
    Jackknife variances of the two arms added, Satterthwaite's degrees of freedom.
    With the same prompts in both arms :func:`paired_length_difference` is narrower.

    Examples
    --------
    >>> import numpy as np
    >>> tokens, steps = [30, 42, 25], [10, 12, 10]
    >>> found = length_difference(tokens, steps, [20, 24, 26], [10, 11, 12])
    >>> round(float(np.exp(found.estimate)), 3)
    1.429
    """
    arms = (
        checked_ratio_parts(candidate_tokens, candidate_steps),
        checked_ratio_parts(baseline_tokens, baseline_steps),
    )
    if min(made.size for made, _ in arms) < _ENOUGH:
        return None
    (first, spread_1), (second, spread_0) = (jackknife_log(*arm) for arm in arms)
    dfs = [made.size - 1.0 for made, _ in arms]
    total = float(spread_1 + spread_0)
    return Contrast(
        estimate=float(first - second),
        std_error=math.sqrt(total),
        df=float(welch_df((spread_1, dfs[0]), (spread_0, dfs[1]))) if total else 1.0,
        method="independent, Welch on log lengths (jackknife)",
    )
