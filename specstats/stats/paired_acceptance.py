"""Differences of acceptance and of accepted length over the same prompts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

from specstats.stats._arrays import ROUNDING, group_codes
from specstats.stats._clusters import (
    checked_counts,
    checked_ratio_parts,
    jackknife_of_difference,
    log_without,
    logit_without,
)
from specstats.stats.contrast import Contrast

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Crossed",
    "crossed_difference",
    "paired_length_difference",
    "paired_odds_ratio",
    "paired_rate_difference",
]

_ENOUGH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """Counts of one arm over launches and prompts.

    Attributes
    ----------
    part, whole : array_like, shape (n,)
        Accepted and drafted tokens of each row, or tokens and steps.
    run : sequence of hashable, length n, or None
        Launch of each row; None where launches give the same generations.
    prompt : sequence of hashable, length n
        Prompt of each row.
    """

    part: ArrayLike
    whole: ArrayLike
    run: Sequence[Hashable] | None
    prompt: Sequence[Hashable]


def paired_odds_ratio(
    candidate_accepted: ArrayLike,
    candidate_drafted: ArrayLike,
    baseline_accepted: ArrayLike,
    baseline_drafted: ArrayLike,
    /,
) -> Contrast | None:
    """Difference of the logits of two acceptance rates over the same prompts.

    Parameters
    ----------
    candidate_accepted, candidate_drafted : array_like, shape (G,)
        Totals of each prompt in the candidate.
    baseline_accepted, baseline_drafted : array_like, shape (G,)
        Totals of the same prompts, in the same order, in the baseline.

    Returns
    -------
    Contrast or None
        Log odds ratio, candidate against baseline, t(G - 1). None with fewer than
        two prompts, or where leaving one out makes a rate 0 or 1:
        :func:`paired_rate_difference` then still has an answer.

    Raises
    ------
    ValueError
        Counts that cannot be, or a prompt that drafted nothing in one arm.
    ZeroSpreadError
        Leaving prompts out changes nothing.

    Notes
    -----
    Estimand: log odds ratio of accepted over drafted tokens in a workload of prompts
    like these. Unit: the prompt, left out of both arms at once, so what makes a
    prompt easy for both cancels. Compare rates at the same draft length only.

    Examples
    --------
    >>> found = paired_odds_ratio(
    ...     [60, 45, 70], [80, 75, 85], [50, 40, 66], [80, 75, 85]
    ... )
    >>> round(found.estimate, 4), found.df
    (0.3714, 2.0)
    """
    first, second = _paired_counts(
        (candidate_accepted, candidate_drafted), (baseline_accepted, baseline_drafted)
    )
    if first[0].size < _ENOUGH:
        return None
    centre = special.logit(_ratio(*first)) - special.logit(_ratio(*second))
    variance = jackknife_of_difference(logit_without(*first), logit_without(*second))
    if not (math.isfinite(centre) and np.isfinite(variance)):
        return None
    return Contrast(
        estimate=float(centre),
        std_error=math.sqrt(float(variance)),
        df=first[0].size - 1.0,
        method="paired by prompt, jackknife on the logit",
    )


def paired_rate_difference(
    candidate_accepted: ArrayLike,
    candidate_drafted: ArrayLike,
    baseline_accepted: ArrayLike,
    baseline_drafted: ArrayLike,
    /,
) -> Contrast | None:
    """Difference of two acceptance rates over the same prompts, linearised.

    Parameters
    ----------
    candidate_accepted, candidate_drafted : array_like, shape (G,)
        Totals of each prompt in the candidate.
    baseline_accepted, baseline_drafted : array_like, shape (G,)
        Totals of the same prompts, in the same order, in the baseline.

    Returns
    -------
    Contrast or None
        Candidate rate minus baseline rate, t(G - 1); None with fewer than two
        prompts.

    Raises
    ------
    ValueError
        Counts that cannot be, or a prompt that drafted nothing in one arm.
    ZeroSpreadError
        Every prompt shows the same difference.

    Notes
    -----
    V = G / (G - 1) sum (u1 / D1 - u0 / D0)^2 with u = a - p d. For rates next to 0
    or 1, where the logit is not finite.

    Examples
    --------
    >>> found = paired_rate_difference([9, 8, 9], [10, 10, 10], [5, 6, 5], [10, 10, 10])
    >>> round(found.estimate, 4), round(found.std_error, 4)
    (0.3333, 0.0667)
    """
    first, second = _paired_counts(
        (candidate_accepted, candidate_drafted), (baseline_accepted, baseline_drafted)
    )
    size = first[0].size
    if size < _ENOUGH:
        return None
    gaps = _influence(*first) - _influence(*second)
    noise = ROUNDING * size
    squares = float(gaps @ gaps) if np.abs(gaps).max() > noise else 0.0
    return Contrast(
        estimate=_ratio(*first) - _ratio(*second),
        std_error=math.sqrt(squares * size / (size - 1.0)),
        df=size - 1.0,
        method="paired by prompt, linearised on the rate",
    )


def paired_length_difference(
    candidate_tokens: ArrayLike,
    candidate_steps: ArrayLike,
    baseline_tokens: ArrayLike,
    baseline_steps: ArrayLike,
    /,
) -> Contrast | None:
    """Log ratio of two mean accepted lengths over the same prompts.

    Parameters
    ----------
    candidate_tokens, candidate_steps : array_like, shape (G,)
        Totals of each prompt in the candidate.
    baseline_tokens, baseline_steps : array_like, shape (G,)
        Totals of the same prompts, in the same order, in the baseline.

    Returns
    -------
    Contrast or None
        Candidate minus baseline on the log scale, t(G - 1); None with fewer than
        two prompts.

    Raises
    ------
    ValueError
        Counts that cannot be, or a prompt without a step in one arm.
    ZeroSpreadError
        Every prompt shows the same ratio.

    Notes
    -----
    Estimand: log ratio of tokens per step in a workload of prompts like these. Unit:
    the prompt, left out of both arms at once.

    Examples
    --------
    >>> found = paired_length_difference(
    ...     [30, 42, 25], [10, 12, 10], [27, 38, 24], [10] * 3
    ... )
    >>> round(found.estimate, 4), found.df
    (0.0215, 2.0)
    """
    first = checked_ratio_parts(candidate_tokens, candidate_steps)
    second = checked_ratio_parts(baseline_tokens, baseline_steps)
    _check_pairs(first[0].size, np.size(candidate_steps))
    _check_pairs(second[0].size, first[0].size)
    if first[0].size < _ENOUGH:
        return None
    variance = jackknife_of_difference(log_without(*first), log_without(*second))
    return Contrast(
        estimate=math.log(_ratio(*first) / _ratio(*second)),
        std_error=math.sqrt(float(variance)),
        df=first[0].size - 1.0,
        method="paired by prompt, jackknife on the log",
    )


def crossed_difference(
    candidate: Crossed, baseline: Crossed, /, *, scale: Literal["logit", "log"]
) -> Contrast | None:
    """Difference of two ratios where launches and prompts both vary.

    Parameters
    ----------
    candidate, baseline : Crossed
        Counts of the arms; prompts with one label are the same prompt, launches of
        different arms are different launches.
    scale : {"logit", "log"}
        Logit for rates, log for tokens per step.

    Returns
    -------
    Contrast or None
        Candidate minus baseline on that scale. None with fewer than two prompts, or
        fewer than two launches in an arm, or where the scale is not finite.

    Raises
    ------
    ValueError
        Counts that cannot be.
    ZeroSpreadError
        Nothing varies.

    Notes
    -----
    Estimand: difference for launches and prompts like these. V = V_prompts + V_runs
    - V_cells of linearised deviations, each with its own G / (G - 1) (launches and
    cells within their arm), never below the larger of the first two; prompts are
    paired, launches independent between arms. t(min(G) - 1). Source: Cameron,
    Gelbach and Miller (2011).

    Examples
    --------
    >>> arm = Crossed(
    ...     part=[9, 8, 6, 7], whole=[10] * 4, run=[1, 1, 2, 2], prompt="xyxy"
    ... )
    >>> other = Crossed(
    ...     part=[7, 5, 6, 4], whole=[10] * 4, run=[1, 1, 2, 2], prompt="xyxy"
    ... )
    >>> round(crossed_difference(arm, other, scale="logit").estimate, 3)
    0.898
    """
    arms = [_crossed_arm(item, scale) for item in (candidate, baseline)]
    names = [*candidate.prompt, *baseline.prompt]
    prompts, _ = group_codes(names, size=sum(own.size for _, own, _ in arms))
    of_arm = np.split(prompts, [arms[0][1].size])
    ways = [codes for _, _, codes in arms if codes is not None]
    fewest = min(np.unique(codes).size for codes in (prompts, *ways))
    centre = arms[0][0] - arms[1][0]
    if fewest < _ENOUGH or not math.isfinite(centre):
        return None
    of_prompts = _one_way(np.concatenate([arms[0][1], -arms[1][1]]), prompts)
    of_runs = cells = 0.0
    for (_, own, codes), places in zip(arms, of_arm, strict=True):
        if codes is not None:
            of_runs += _one_way(own, codes)
            cells += _one_way(own, codes * (prompts.max() + 1) + places)
    variance = max(of_prompts + of_runs - cells, of_prompts, of_runs)
    noise = (ROUNDING * prompts.size) ** 2
    return Contrast(
        estimate=centre,
        std_error=math.sqrt(variance) if variance > noise else 0.0,
        df=fewest - 1.0,
        method=f"paired by prompt, two-way with launches, linearised on the {scale}",
    )


def _crossed_arm(
    arm: Crossed, scale: Literal["logit", "log"]
) -> tuple[float, NDArray[np.float64], NDArray[np.intp] | None]:
    """Centre, linearised deviations and launch codes of one arm."""
    check = checked_counts if scale == "logit" else checked_ratio_parts
    part, whole = check(arm.part, arm.whole)
    _check_pairs(part.size, len(arm.prompt))
    rate = _ratio(part, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.divide(1.0, rate * (1.0 - rate) if scale == "logit" else rate)
        centre = special.logit(rate) if scale == "logit" else math.log(rate)
        deviations = _influence(part, whole) * slope
    codes = None if arm.run is None else group_codes(arm.run, size=part.size)[0]
    return float(centre), deviations, codes


def _one_way(deviations: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """G/(G-1) times the sum of squared cluster totals."""
    _, groups = np.unique(codes, return_inverse=True)
    totals = np.bincount(groups, weights=deviations)
    return float(totals @ totals) * totals.size / max(totals.size - 1.0, 1.0)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> float:
    return float(part.sum() / whole.sum())


def _influence(
    part: NDArray[np.float64], whole: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray((part - _ratio(part, whole) * whole) / whole.sum())


def _paired_counts(
    candidate: tuple[ArrayLike, ArrayLike], baseline: tuple[ArrayLike, ArrayLike]
) -> tuple[
    tuple[NDArray[np.float64], NDArray[np.float64]],
    tuple[NDArray[np.float64], NDArray[np.float64]],
]:
    first, second = checked_counts(*candidate), checked_counts(*baseline)
    _check_pairs(first[0].size, second[0].size)
    if not ((first[1] > 0).all() and (second[1] > 0).all()):
        msg = "expected drafts of every prompt in both arms"
        raise ValueError(msg)
    return first, second


def _check_pairs(first: int, second: int) -> None:
    if first != second:
        msg = f"expected the same prompts in both arms, got {first} and {second}"
        raise ValueError(msg)
