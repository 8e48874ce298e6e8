"""Intervals for one arm and for two arms of independent runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ZeroSpreadError, as_values, mean_and_variance
from specstats.stats._quantiles import check_level, chi2_quantile, t_critical
from specstats.stats.contrast import Contrast
from specstats.stats.ranges import RangeSpread, sd_from_range
from specstats.stats.ranks import RankInterval, hodges_lehmann, hodges_lehmann_paired
from specstats.stats.ratios import FiellerRatio, delta_log_ratio_of_means, fieller
from specstats.stats.welch import pooled, welch, wider

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Contrast",
    "FiellerRatio",
    "MeanT",
    "RangeSpread",
    "RankInterval",
    "SdInterval",
    "ZeroSpreadError",
    "aa_log_factor",
    "borrowed",
    "delta_log_ratio_of_means",
    "fieller",
    "hodges_lehmann",
    "hodges_lehmann_paired",
    "mean_t",
    "next_value",
    "pooled",
    "sd_from_range",
    "sd_interval",
    "sd_limits",
    "welch",
    "wider",
]

# The mean of one arm carries the same numbers as a contrast of two.
MeanT = Contrast


@dataclass(frozen=True, slots=True, kw_only=True)
class SdInterval:
    """A standard deviation between runs with its chi-square interval.

    Attributes
    ----------
    sd : float
        Sample standard deviation (divisor n - 1).
    df : int
        n - 1.
    low, high : float
        Limits of the interval.
    """

    sd: float
    df: int
    low: float
    high: float


def mean_t(values: ArrayLike, /) -> Contrast:
    """Mean of run values with Student's t.

    Parameters
    ----------
    values : array_like, shape (n,)
        One (log) value per run, n >= 2.

    Returns
    -------
    Contrast
        Mean, its standard error, and n - 1 degrees of freedom.

    Notes
    -----
    Estimand: the mean over launches of this setting; on logs, the log of the
    geometric mean. Unit: the run. Assumes independent runs; with few runs also
    near-normal run values. Source: Student's t.
    """
    data = as_values(values, minimum=2)
    mean, variance = mean_and_variance(data)
    return Contrast(
        estimate=float(mean),
        std_error=math.sqrt(float(variance) / data.size),
        df=float(data.size - 1),
        method="t on run values",
    )


def sd_limits(
    sd: float, df: float, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Chi-square limits of a standard deviation with known degrees of freedom.

    Parameters
    ----------
    sd : float
        The standard deviation.
    df : float
        Its degrees of freedom; may be fractional.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Lower and upper limit.
    """
    level = check_level(confidence_level)
    upper = chi2_quantile(df, 0.5 + level / 2.0)
    lower = chi2_quantile(df, 0.5 - level / 2.0)
    return sd * math.sqrt(df / upper), sd * math.sqrt(df / lower)


def sd_interval(values: ArrayLike, /, *, confidence_level: float = 0.95) -> SdInterval:
    """Compute the SD between runs with its chi-square interval.

    Parameters
    ----------
    values : array_like, shape (n,)
        One (log) value per run, n >= 2.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    SdInterval
        Sample SD, n - 1 degrees of freedom and limits.

    Notes
    -----
    Estimand: SD of the value of one launch. Unit: the run. The interval is that of
    normal theory and is sensitive to heavy tails: say so where it is printed.
    """
    level = check_level(confidence_level)
    data = as_values(values, minimum=2)
    variance = float(mean_and_variance(data)[1])
    df = data.size - 1
    sd = math.sqrt(variance)
    low, high = sd_limits(sd, df, confidence_level=level)
    return SdInterval(sd=sd, df=df, low=low, high=high)


def next_value(
    values: ArrayLike, /, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Prediction interval for the value of one more run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One (log) value per run, n >= 2, with spread.
    confidence_level : float
        Chance that the next run falls inside.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Notes
    -----
    Mean +/- t(n-1) s sqrt(1 + 1/n). Unit: the run; assumes that the next launch
    is drawn like these ones and that run values are near normal.
    """
    centre = mean_t(values)
    size = centre.df + 1.0
    half_width = centre.half_width(confidence_level) * math.sqrt(size + 1.0)
    return centre.estimate - half_width, centre.estimate + half_width


def aa_log_factor(sd: float, df: float, /, *, confidence_level: float = 0.95) -> float:
    """Log factor within which two single runs of one setting may differ.

    Parameters
    ----------
    sd : float
        SD of log run values.
    df : float
        Its degrees of freedom.
    confidence_level : float
        Chance that the log ratio of two new runs lies within plus or minus this.

    Returns
    -------
    float
        t(df) sd sqrt(2); its exponential is the A/A band.

    Notes
    -----
    Estimand: the ratio that two launches of the same setting show with no
    difference between them. Assumes near-normal log run values.
    """
    if sd < 0.0 or df <= 0.0:
        msg = f"expected sd >= 0 and df > 0, got {sd!r} and {df!r}"
        raise ValueError(msg)
    return t_critical(df, confidence_level) * sd * math.sqrt(2.0)


def borrowed(
    candidate_mean: float,
    baseline_mean: float,
    /,
    *,
    sd: float,
    df: float,
    n_candidate: int,
    n_baseline: int,
) -> Contrast:
    """Difference of two arms whose spread is known from earlier launches.

    Parameters
    ----------
    candidate_mean, baseline_mean : float
        Mean log run value of each arm.
    sd : float
        SD of log run values from earlier launches of both arms' kind.
    df : float
        Degrees of freedom of `sd`.
    n_candidate, n_baseline : int
        Runs of each arm in this comparison, at least one.

    Returns
    -------
    Contrast
        With standard error sd sqrt(1/n1 + 1/n0) on the borrowed df.

    Notes
    -----
    Valid only if both arms vary as the reference did: with a candidate of twice
    the borrowed SD a 95 % interval covers .81, with 5.4 times .43. The report must
    say whose spread was borrowed.
    """
    if min(n_candidate, n_baseline) < 1:
        msg = f"expected a run in each arm, got {n_candidate} and {n_baseline}"
        raise ValueError(msg)
    return Contrast(
        estimate=float(candidate_mean) - float(baseline_mean),
        std_error=float(sd) * float(np.sqrt(1.0 / n_candidate + 1.0 / n_baseline)),
        df=float(df),
        method="t with borrowed spread",
    )
