"""Variance components of a one-way layout and their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values
from specstats.stats._quantiles import check_level, chi2_quantile, f_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """One-way analysis of variance of groups (runs) of values (requests).

    Attributes
    ----------
    between_var : float
        Variance between groups, (ms_between - ms_within) / n0, not below zero.
    within_var : float
        Variance within groups.
    between_df, within_df : int
        Degrees of freedom of the two mean squares.
    icc : float
        between_var over the sum of both; zero when that sum is zero.
    n0 : float
        Effective group size; the common size when balanced.
    ms_between, ms_within : float
        Mean squares.
    truncated : bool
        The raw between_var was negative and is given as zero.
    size : float
        Harmonic mean of the group sizes.
    ms_means : float
        `size` times the variance of the group means; ms_between when balanced.
    """

    between_var: float
    within_var: float
    between_df: int
    within_df: int
    icc: float
    n0: float
    ms_between: float
    ms_within: float
    truncated: bool
    size: float
    ms_means: float


def one_way(groups: Sequence[ArrayLike], /) -> Components:
    """Variance components of a one-way layout by analysis of variance.

    Parameters
    ----------
    groups : sequence of array_like
        The (log) values of each group, two groups or more, one of them with two
        values or more; sizes may differ.

    Returns
    -------
    Components
        Mean squares, variances and the intraclass correlation.

    Notes
    -----
    Estimand: variance between groups (launches) and within them (requests). Assumes
    independent, near-normal effects at both levels. Balanced and positive, the
    estimate equals REML. Source: Searle, Casella and McCulloch (1992).
    """
    data = [as_values(group, minimum=1) for group in groups]
    sizes = np.array([group.size for group in data], dtype=np.float64)
    total = float(sizes.sum())
    between_df, within_df = len(data) - 1, int(total) - len(data)
    if between_df < 1 or within_df < 1:
        msg = "expected two groups or more and a group with two values"
        raise ValueError(msg)
    means = np.array([group.mean() for group in data])
    grand = float(sizes @ means) / total
    ms_between = float(sizes @ (means - grand) ** 2) / between_df
    ms_within = sum(float(((g - g.mean()) ** 2).sum()) for g in data) / within_df
    n0 = (total - float((sizes**2).sum()) / total) / between_df
    raw = (ms_between - ms_within) / n0
    between_var = max(0.0, raw)
    size = float(1.0 / (1.0 / sizes).mean())
    both = between_var + ms_within
    return Components(
        between_var=between_var,
        within_var=ms_within,
        between_df=between_df,
        within_df=within_df,
        icc=between_var / both if both > 0.0 else 0.0,
        n0=n0,
        ms_between=ms_between,
        ms_within=ms_within,
        truncated=raw < 0.0,
        size=size,
        ms_means=size * float(means.var(ddof=1)),
    )


def mls_interval(
    components: Components, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Compute the modified large-sample interval of the variance between groups.

    Parameters
    ----------
    components : Components
        From :func:`one_way`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit, not below zero.

    Notes
    -----
    Assumes normal effects. Unbalanced groups use the harmonic mean size and the
    variance of the group means (Thomas and Hultquist 1978). Source: Ting, Burdick,
    Graybill, Jeyaratnam and Lu (1990). Wald and Satterthwaite intervals of a
    variance component cover as little as .55.
    """
    low, high = _mls_raw(components, confidence_level)
    return max(0.0, low), max(0.0, high)


def icc_interval(
    components: Components, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Interval of the intraclass correlation.

    Parameters
    ----------
    components : Components
        From :func:`one_way`, with spread within groups.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit; negative when groups differ less than their values do.

    Notes
    -----
    Exact for balanced normal data; with unequal sizes the harmonic mean size and
    the variance of means stand in. Source: Searle (1971).
    """
    tail = (1.0 - check_level(confidence_level)) / 2.0
    if components.ms_within == 0.0:
        msg = "expected spread within groups"
        raise ValueError(msg)
    observed = components.ms_means / components.ms_within
    df = components.between_df, components.within_df
    ratios = [observed / f_quantile(*df, p) for p in (1.0 - tail, tail)]
    low, high = ((ratio - 1.0) / (ratio + components.size - 1.0) for ratio in ratios)
    return low, high


def total_interval(
    components: Components, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Graybill-Wang interval of the total variance of one value.

    Parameters
    ----------
    components : Components
        From :func:`one_way`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Notes
    -----
    Estimand: variance of one value of a new group. Source: Graybill and Wang (1980).
    """
    shares = 1.0 / components.size, 1.0 - 1.0 / components.size
    parts = shares[0] * components.ms_means, shares[1] * components.ms_within
    lows, highs = _one_sample_constants(components, confidence_level)
    down = math.hypot(lows[0] * parts[0], lows[1] * parts[1])
    up = math.hypot(highs[0] * parts[0], highs[1] * parts[1])
    return sum(parts) - down, sum(parts) + up


def within_interval(
    components: Components, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Chi-square interval of the variance within groups.

    Parameters
    ----------
    components : Components
        From :func:`one_way`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Notes
    -----
    Assumes normal values within groups.
    """
    tail = (1.0 - check_level(confidence_level)) / 2.0
    df = components.within_df
    squares = df * components.within_var
    return squares / chi2_quantile(df, 1.0 - tail), squares / chi2_quantile(df, tail)


def design_effect(icc: float, size: float, /) -> float:
    """Variance of a mean over groups, relative to independent values.

    Parameters
    ----------
    icc : float
        Intraclass correlation.
    size : float
        Values per group.

    Returns
    -------
    float
        1 + (size - 1) icc; the effective number of values is n over this.
    """
    return 1.0 + (size - 1.0) * icc


def _one_sample_constants(
    components: Components, confidence_level: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """G and H of the modified large-sample method for both mean squares."""
    tail = (1.0 - check_level(confidence_level)) / 2.0
    dfs = components.between_df, components.within_df
    lows = [1.0 - 1.0 / f_quantile(df, math.inf, 1.0 - tail) for df in dfs]
    highs = [1.0 / f_quantile(df, math.inf, tail) - 1.0 for df in dfs]
    return (lows[0], lows[1]), (highs[0], highs[1])


def _mls_raw(components: Components, confidence_level: float) -> tuple[float, float]:
    """Limits before truncation at zero."""
    return difference_limits(
        (components.ms_means, components.between_df),
        (components.ms_within, components.within_df),
        components.size,
        confidence_level=confidence_level,
    )


def difference_limits(
    upper: tuple[float, int],
    lower: tuple[float, int],
    size: float,
    /,
    *,
    confidence_level: float = 0.95,
) -> tuple[float, float]:
    """Compute modified large-sample limits of (upper - lower) / size, not cut at 0.

    Parameters
    ----------
    upper, lower : tuple of float and int
        Two independent mean squares with their degrees of freedom.
    size : float
        Weight of the variance in the expected upper mean square.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Notes
    -----
    Symbols as in Burdick and Graybill (1992); Ting et al. (1990). Assumes that both
    mean squares are multiples of chi-squares, which normal effects give.
    """
    (msa, df1), (mse, df2) = upper, lower
    tail = (1.0 - check_level(confidence_level)) / 2.0
    g1, g2 = (1.0 - 1.0 / f_quantile(df, math.inf, 1.0 - tail) for df in (df1, df2))
    h1, h2 = (1.0 / f_quantile(df, math.inf, tail) - 1.0 for df in (df1, df2))
    high, low = (f_quantile(df1, df2, p) for p in (1.0 - tail, tail))
    g12 = ((high - 1.0) ** 2 - (g1 * high) ** 2 - h2**2) / high
    h12 = ((1.0 - low) ** 2 - (h1 * low) ** 2 - g2**2) / low
    down = (g1 * msa) ** 2 + (h2 * mse) ** 2 + g12 * msa * mse
    up = (h1 * msa) ** 2 + (g2 * mse) ** 2 + h12 * msa * mse
    centre = float(msa - mse) / size
    return (
        centre - math.sqrt(max(0.0, down)) / size,
        centre + math.sqrt(max(0.0, up)) / size,
    )
