"""Quantiles and tail probabilities from scipy.special (scipy.stats loads slowly)."""

from __future__ import annotations

import numpy as np
from scipy import special


def check_level(confidence_level: float, /) -> float:
    """Return the level, or raise if it is not strictly between 0 and 1."""
    if not 0.0 < confidence_level < 1.0:
        msg = f"expected a level between 0 and 1, got {confidence_level!r}"
        raise ValueError(msg)
    return float(confidence_level)


def t_critical(df: float, confidence_level: float, /) -> float:
    """Two-sided critical value of Student's t."""
    tail = (1.0 - check_level(confidence_level)) / 2.0
    # The lower quantile is negated because 1 - tail loses digits near level 1.
    return -float(special.stdtrit(df, tail))


def t_two_sided(statistic: float, df: float, /) -> float:
    """Two-sided tail probability of Student's t."""
    return min(1.0, 2.0 * float(special.stdtr(df, -abs(statistic))))


def normal_critical(confidence_level: float, /) -> float:
    """Two-sided critical value of the standard normal."""
    return -float(special.ndtri((1.0 - check_level(confidence_level)) / 2.0))


def chi2_quantile(df: float, probability: float, /) -> float:
    """Quantile of the chi-square distribution."""
    return 2.0 * float(special.gammaincinv(df / 2.0, probability))


def f_quantile(df1: float, df2: float, probability: float, /) -> float:
    """Quantile of the F distribution; an infinite `df2` gives chi-square over df."""
    if np.isinf(df2):
        return chi2_quantile(df1, probability) / df1
    return float(special.fdtri(df1, df2, probability))


def f_upper_tail(statistic: float, df1: float, df2: float, /) -> float:
    """Upper tail probability of the F distribution."""
    return float(special.fdtrc(df1, df2, statistic))
