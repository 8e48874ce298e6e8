"""The studentised range, and the Games-Howell adjustment of all pairs."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import optimize, special

from specstats.stats._quantiles import check_level

# Gauss-Legendre: 128 points resolve the smooth integrands to 1e-10 in absolute terms
# (tests/stats/test_studentized.py, against SciPy's adaptive quadrature).
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)
_NORMAL = 8.5  # beyond it lies 1e-17 of a standard normal
_CHI_TAIL = 1e-13


def studentized_range_tail(q: float, arms: int, df: float, /) -> float:
    """Chance that a studentised range exceeds a value.

    Parameters
    ----------
    q : float
        The value, at least 0.
    arms : int
        Number of means, two or more.
    df : float
        Degrees of freedom of the standard error; may be fractional.

    Returns
    -------
    float
        Between 0 and 1, with an absolute error below 1e-8.

    Notes
    -----
    The range of `arms` independent normal means over an independent estimate of their
    standard error. Integrated numerically over both, after Tukey; agrees with
    `scipy.stats.studentized_range` and with the published tables.
    """
    if arms < 2 or not df > 0.0 or not q >= 0.0:  # noqa: PLR2004 - a range needs two
        msg = f"expected q >= 0, two arms or more and df > 0: {q, arms, df}"
        raise ValueError(msg)
    if math.isinf(q):
        return 0.0
    scales, weights = _chi_rule(float(df))
    below = float(weights @ _range_below(q * scales, arms))
    return min(1.0, max(0.0, 1.0 - below))


def studentized_range_critical(
    confidence_level: float, arms: int, df: float, /
) -> float:
    """Value that a studentised range exceeds with chance 1 - level.

    Parameters
    ----------
    confidence_level : float
        The level.
    arms : int
        Number of means.
    df : float
        Degrees of freedom.

    Returns
    -------
    float
        The upper point, such as 3.877 for three means and 10 df at 95 %.
    """
    alpha = 1.0 - check_level(confidence_level)
    high = 4.0
    while studentized_range_tail(high, arms, df) > alpha:
        high *= 2.0
    return float(
        optimize.brentq(
            lambda q: studentized_range_tail(q, arms, df) - alpha, 0.0, high, xtol=1e-9
        )
    )


def games_howell_p(t: float, arms: int, df: float, /) -> float:
    """Adjust the t of one pair of arms for all pairs, with unequal variances.

    Parameters
    ----------
    t : float
        Welch's t of the pair.
    arms : int
        Number of arms among which it is a pair.
    df : float
        Welch's degrees of freedom of the pair.

    Returns
    -------
    float
        Adjusted p-value.

    Notes
    -----
    Estimand: the difference of two means over launches. Unit: the run. Assumes
    independent arms with near-normal values; variances may differ. Approximate: the
    range is taken as if all pairs had the df of this one, which is slightly liberal
    for very small arms. Source: Games and Howell (1976). Checked against
    `scipy.stats.tukey_hsd(equal_var=False)`.
    """
    return studentized_range_tail(math.sqrt(2.0) * abs(t), arms, df)


@lru_cache(maxsize=512)
def _chi_rule(df: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for the mean over a chi with df, over the root of df."""
    shape = df / 2.0
    low = math.sqrt(special.gammaincinv(shape, _CHI_TAIL) / shape)
    high = math.sqrt(special.gammainccinv(shape, _CHI_TAIL) / shape)
    scales = low + (high - low) * (_NODES + 1.0) / 2.0
    logs = (
        math.log(2.0)
        + shape * math.log(shape)
        - special.gammaln(shape)
        + (df - 1.0) * np.log(scales)
        - shape * scales**2
    )
    return scales, _WEIGHTS * (high - low) / 2.0 * np.exp(logs)


def _range_below(width: np.ndarray, arms: int) -> np.ndarray:
    """Chance that the range of standard normal values is below each width."""
    points = _NORMAL * _NODES
    inner = special.ndtr(points) - special.ndtr(points - width[:, np.newaxis])
    density = np.exp(-0.5 * points**2) / math.sqrt(2.0 * math.pi)
    chance = (inner ** (arms - 1)) @ (_WEIGHTS * _NORMAL * density)
    return np.asarray(arms * chance)
