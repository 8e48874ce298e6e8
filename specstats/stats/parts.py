"""What a decomposition of variance returns: one part a level."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._quantiles import check_level, chi2_quantile
from specstats.stats.components import difference_limits
from specstats.stats.intervals import mean_t

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from specstats.stats.components import Components
    from specstats.stats.contrast import Contrast


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Variance that one level adds.

    Attributes
    ----------
    variance : float
        The estimate, not below zero.
    truncated : bool
        The raw estimate was negative, or the likelihood is greatest at zero.
    low, high : float or None
        Limits of the variance; None where no interval is known to hold.
    """

    variance: float
    truncated: bool
    low: float | None
    high: float | None

    @property
    def sd(self) -> float:
        """Square root of the variance."""
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Variance of values, split by level.

    Attributes
    ----------
    levels : mapping of str to Part
        Outermost level first, ``residual`` last.
    mean : Contrast or None
        The mean over the outermost level that is sampled; None without spread there.
    method : str
        ``ANOVA`` or ``REML``.
    interval : str or None
        How limits were computed; None where there are none.
    criterion : float or None
        -2 log restricted likelihood; None for ANOVA.
    balanced : bool
        All cells have the same number of values.
    one_way : Components or None
        The mean squares of the runs and of the residual as a one-way layout, where
        the two say it all; gives the ICC and the total their limits.
    """

    levels: Mapping[str, Part]
    mean: Contrast | None
    method: str
    interval: str | None
    criterion: float | None
    balanced: bool
    one_way: Components | None = None


MLS = "modified large sample"


def difference_part(
    upper: tuple[float, int],
    lower: tuple[float, int],
    size: float,
    /,
    *,
    confidence_level: float,
) -> Part:
    """Build the part that two mean squares of balanced data give.

    Parameters
    ----------
    upper, lower : tuple of float and int
        Mean squares with their degrees of freedom.
    size : float
        Weight of the variance in the upper one.
    confidence_level : float
        Level of the limits.
    """
    raw = (upper[0] - lower[0]) / size
    limits = difference_limits(upper, lower, size, confidence_level=confidence_level)
    low, high = variance_limits(*limits)
    return Part(variance=max(0.0, raw), truncated=raw < 0.0, low=low, high=high)


def variance_limits(
    low: float, high: float, /
) -> tuple[float, float] | tuple[None, None]:
    """Cut limits of a variance at zero; none where both would be zero.

    Parameters
    ----------
    low, high : float
        Limits as computed.

    Notes
    -----
    Both are negative where an outer level varies less than the inner one lets it:
    the model does not hold, and an interval of width zero would claim certainty.
    """
    return (max(0.0, low), high) if high > 0.0 else (None, None)


def residual_part(square: float, df: int, /, *, confidence_level: float) -> Part:
    """Build the innermost part, with its chi-square limits.

    Parameters
    ----------
    square : float
        Mean square of the residuals.
    df : int
        Its degrees of freedom.
    confidence_level : float
        Level of the limits.
    """
    tail = (1.0 - check_level(confidence_level)) / 2.0
    return Part(
        variance=square,
        truncated=False,
        low=df * square / chi2_quantile(df, 1.0 - tail),
        high=df * square / chi2_quantile(df, tail),
    )


def mean_or_none(values: ArrayLike, level: str, /) -> Contrast | None:
    """Mean of values with Student's t; None where they do not differ.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value per node of the outermost level.
    level : str
        Name of that level.
    """
    try:
        return replace(mean_t(values), method=f"t on {level} means")
    except ZeroSpreadError:
        return None
