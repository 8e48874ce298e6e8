"""`aa_band`: what the ratio of two single runs of one setting may show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.defaults import DEFAULTS
from specstats.errors import DesignError
from specstats.results import AaBand, Band

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["aa_band"]


def aa_band(
    values: Sequence[float] | None = None,
    /,
    *,
    low: float | None = None,
    high: float | None = None,
    runs: int | None = None,
    confidence_level: float = DEFAULTS.confidence_level,
) -> Band:
    """Say what a ratio of two single runs of one setting may show.

    Parameters
    ----------
    values : sequence of float, optional
        One value a launch.
    low, high : float, optional
        A published range instead.
    runs : int, optional
        Launches behind the range, if they were stated.
    confidence_level : float
        Level of the band.

    Returns
    -------
    Band
        The observed factor; a band only where a spread follows.

    Raises
    ------
    DesignError
        If neither values nor a range of positive numbers is given.

    Notes
    -----
    Estimand: factor within which two new launches of one setting fall. Unit: the
    launch. From values: t on n-1 degrees of freedom times SD times sqrt 2. From a
    range over k runs: SD = log range / d2(k). From a range alone, no band.

    Examples
    --------
    >>> import specstats
    >>> print(specstats.aa_band(low=17.4, high=27.3))
    Two runs of this setting have differed by a factor 1.569.
    """
    from specstats.stats.intervals import aa_log_factor, sd_from_range

    if values is not None:
        return _from_values(values, confidence_level)
    if low is None or high is None or not 0.0 < low <= high < math.inf:
        raise DesignError(
            f"range {low!r} to {high!r}: expected 0 < low <= high, or single values"
        )
    factor = high / low
    statement = f"Two runs of this setting have differed by a factor {factor:.3f}."
    if low == high:
        return _identical(statement)
    if runs is None:
        return Band(
            observed_factor=factor, sd_log=None, df=None, band=None, sentence=statement
        )
    if runs < 2:  # noqa: PLR2004 - a range needs two
        raise DesignError(f"runs {runs!r}: expected 2 or more launches behind a range")
    spread = sd_from_range(low, high, runs=runs)
    ratio = math.exp(
        min(
            aa_log_factor(spread.sd_log, spread.df, confidence_level=confidence_level),
            700.0,
        )
    )
    return Band(
        observed_factor=factor,
        sd_log=spread.sd_log,
        df=spread.df,
        band=AaBand(ratio=ratio, confidence_level=confidence_level, runs=runs),
        sentence=f"{statement} If that is the range of {runs} runs, the SD between "
        f"runs is {spread.sd_log:.4f} on the log scale, and "
        f"{100 * confidence_level:.4g} % of "
        f"pairs of single runs of this one setting lie within x/{ratio:.3f}.",
    )


def _from_values(values: Sequence[float], confidence_level: float) -> Band:
    from specstats.stats.intervals import aa_log_factor, sd_interval

    numbers = [float(value) for value in values]
    if len(numbers) < 2 or not all(0.0 < x < math.inf for x in numbers):  # noqa: PLR2004
        raise DesignError(
            f"values {numbers!r}: expected two positive numbers or more, one a launch"
        )
    factor = max(numbers) / min(numbers)
    statement = (
        f"{len(numbers)} runs of this setting have differed by a factor {factor:.3f}."
    )
    if factor == 1.0:
        return _identical(statement)
    logs = [math.log(x) for x in numbers]
    found = sd_interval(logs, confidence_level=confidence_level)
    ratio = math.exp(
        min(aa_log_factor(found.sd, found.df, confidence_level=confidence_level), 700.0)
    )
    return Band(
        observed_factor=factor,
        sd_log=found.sd,
        df=float(found.df),
        band=AaBand(ratio=ratio, confidence_level=confidence_level, runs=len(numbers)),
        sentence=f"{statement} {100 * confidence_level:.4g} % of pairs of single "
        f"runs of this one setting lie within x/{ratio:.3f} (SD {found.sd:.4f} on the "
        "log scale).",
    )


def _identical(statement: str) -> Band:
    return Band(
        observed_factor=1.0,
        sd_log=None,
        df=None,
        band=None,
        sentence=f"{statement} They are the same to the last digit: rounded, or one "
        "measurement given twice, so nothing follows about the spread (SPS208).",
    )
