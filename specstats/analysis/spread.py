"""Spread of one arm between launches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.results import AaBand, Spread
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._quantiles import t_critical
from specstats.stats.intervals import (
    aa_log_factor,
    mean_t,
    next_value,
    sd_interval,
    sd_limits,
)
from specstats.stats.spread import zero_spread
from specstats.stats.variance import between_block_sd, mean_over_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from specstats.bench import Run
    from specstats.stats.contrast import Contrast

__all__ = ["mean_of", "spread_of"]

_LARGEST = 700.0  # exp of it is still a number


def mean_of(values: NDArray[np.float64], runs: Sequence[Run]) -> Contrast | None:
    """Return the mean log run value of an arm with its uncertainty.

    Parameters
    ----------
    values : ndarray, shape (runs,)
        Log run values.
    runs : sequence of Run
        The launches.

    Returns
    -------
    Contrast or None
        Over blocks where several are declared, else over launches; None with one
        run or without spread.
    """
    if values.size < 2 or zero_spread(values, resolution_log=0.0):  # noqa: PLR2004 - a spread needs two
        return None
    blocks = [run.block for run in runs]
    if None in blocks or len(set(blocks)) == 1:
        return mean_t(values)
    try:
        return mean_over_blocks(values, blocks)
    except ZeroSpreadError:
        return None


def spread_of(
    values: NDArray[np.float64],
    runs: Sequence[Run],
    *,
    confidence_level: float,
    parts: dict[str, float | int | str | None] | None,
) -> Spread | None:
    """Describe the spread of log run values of one arm.

    Parameters
    ----------
    values : ndarray, shape (runs,)
        Log run values.
    runs : sequence of Run
        The launches.
    confidence_level : float
        Level of all intervals.
    parts : dict or None
        Variance components, if they were estimated.

    Returns
    -------
    Spread or None
        None with one run, or when the values do not vary.

    Notes
    -----
    Estimand: SD of the log value of one launch. Unit: the launch. Assumes lognormal
    run values; the chi-square interval of the SD is sensitive to that. Where several
    blocks hold several launches, its degrees of freedom are those of the sum of block
    and run component (Satterthwaite).
    """
    if values.size < 2 or zero_spread(values, resolution_log=0.0):  # noqa: PLR2004 - a spread needs two
        return None
    deviation = sd_interval(values, confidence_level=confidence_level)
    sd_low, sd_high = sd_limits(
        deviation.sd, _spread_df(values, runs), confidence_level=confidence_level
    )
    low, high = _next(values, runs, confidence_level)
    within, between = _bands(values, runs, confidence_level)
    return Spread(
        run_sd_log=deviation.sd,
        sd_low=sd_low,
        sd_high=sd_high,
        run_cv=math.sqrt(math.expm1(min(deviation.sd**2, _LARGEST))),
        next_run_low=_exp(low),
        next_run_high=_exp(high),
        n_runs=values.size,
        confidence_level=confidence_level,
        aa_band=within,
        aa_band_between_blocks=between,
        components=parts,
    )


def _spread_df(values: NDArray[np.float64], runs: Sequence[Run]) -> float:
    """Return degrees of freedom of the SD: fewer where sessions share their level."""
    blocks = [run.block for run in runs]
    if None in blocks or len(set(blocks)) in {1, len(blocks)}:
        return values.size - 1.0
    return between_block_sd(values, blocks).total_df


def _next(
    values: NDArray[np.float64], runs: Sequence[Run], confidence_level: float
) -> tuple[float, float]:
    """Return where the next launch falls, in a new session where blocks are known."""
    blocks = [run.block for run in runs]
    centre = mean_of(values, runs)
    if centre is None or None in blocks or len(set(blocks)) in {1, len(blocks)}:
        return next_value(values, confidence_level=confidence_level)
    found = between_block_sd(values, blocks)
    width = t_critical(min(found.total_df, centre.df), confidence_level)
    width *= math.hypot(found.total_sd, centre.std_error)
    return centre.estimate - width, centre.estimate + width


def _bands(
    values: NDArray[np.float64], runs: Sequence[Run], confidence_level: float
) -> tuple[AaBand | None, AaBand | None]:
    blocks = [run.block for run in runs]

    def band(sd: float, df: float) -> AaBand | None:
        if sd <= 0.0 or df <= 0.0:
            return None
        factor = aa_log_factor(sd, df, confidence_level=confidence_level)
        return AaBand(
            ratio=_exp(factor), confidence_level=confidence_level, runs=values.size
        )

    if len(set(blocks)) < 2 or None in blocks:  # noqa: PLR2004 - sessions to compare
        return band(float(values.std(ddof=1)), values.size - 1.0), None
    found = between_block_sd(values, blocks)
    within = None
    if found.within_sd is not None and found.within_df is not None:
        within = band(found.within_sd, found.within_df)
    return within, band(found.total_sd, found.total_df)


def _exp(value: float) -> float:
    return math.exp(min(max(value, -_LARGEST), _LARGEST))
