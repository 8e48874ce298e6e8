"""Intervals of a proportion of independent trials."""

from __future__ import annotations

import math

from scipy import special

from specstats.stats._quantiles import check_level, normal_critical


def wilson(
    successes: float, trials: float, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Wilson's score interval.

    Parameters
    ----------
    successes, trials : float
        Counts; fractions are allowed for effective counts.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Limits within [0, 1].

    Notes
    -----
    Estimand: the success probability of one trial. Assumes independent trials, which
    draft tokens of one generation are not. Source: Wilson (1927).
    """
    return score_limits(
        *_checked(successes, trials), critical=normal_critical(confidence_level)
    )


def score_limits(
    successes: float, trials: float, /, *, critical: float
) -> tuple[float, float]:
    """Score limits of a proportion with a given critical value.

    Parameters
    ----------
    successes, trials : float
        Counts; fractions are allowed for effective counts.
    critical : float
        Critical value of the normal or of Student's t.

    Returns
    -------
    tuple of float
        Limits within [0, 1].
    """
    rate = successes / trials
    square = critical**2 / trials
    centre = (rate + square / 2.0) / (1.0 + square)
    spread = rate * (1.0 - rate) / trials + square / (4.0 * trials)
    half_width = critical * math.sqrt(max(0.0, spread)) / (1.0 + square)
    low = 0.0 if successes <= 0.0 else max(0.0, centre - half_width)
    high = 1.0 if successes >= trials else min(1.0, centre + half_width)
    return low, high


def clopper_pearson(
    successes: float, trials: float, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Clopper and Pearson's exact interval.

    Parameters
    ----------
    successes, trials : float
        Counts; fractions are allowed for effective counts.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Limits within [0, 1].

    Notes
    -----
    Estimand: the success probability of one trial. Assumes independent trials; the
    level is at least the one asked for. Source: Clopper and Pearson (1934).
    """
    hits, total = _checked(successes, trials)
    tail = (1.0 - check_level(confidence_level)) / 2.0
    misses = total - hits
    low, high = 0.0, 1.0
    if hits > 0.0:
        low = float(special.betaincinv(hits, misses + 1.0, tail))
    if misses > 0.0:
        high = float(special.betaincinv(hits + 1.0, misses, 1.0 - tail))
    return low, high


def _checked(successes: float, trials: float) -> tuple[float, float]:
    if not 0.0 <= successes <= trials or not 0.0 < trials < math.inf:
        msg = f"expected 0 <= successes <= trials, got {successes!r} of {trials!r}"
        raise ValueError(msg)
    return float(successes), float(trials)
