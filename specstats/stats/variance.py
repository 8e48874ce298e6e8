"""Spread between and within runs and sessions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values, group_codes, mean_and_variance
from specstats.stats.components import (
    Components,
    design_effect,
    icc_interval,
    mls_interval,
    one_way,
    total_interval,
    within_interval,
)
from specstats.stats.contrast import Contrast
from specstats.stats.levels import KaliberaJones, kalibera_jones

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike

__all__ = [
    "BlockSpread",
    "Components",
    "KaliberaJones",
    "between_block_sd",
    "design_effect",
    "icc_interval",
    "kalibera_jones",
    "mean_over_blocks",
    "mls_interval",
    "one_way",
    "total_interval",
    "within_interval",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSpread:
    """SD of log run values within a session and for a run in a new session.

    Attributes
    ----------
    within_sd : float or None
        SD of runs within a block; None when no block has two runs.
    within_df : int or None
        Its degrees of freedom.
    total_sd : float
        SD of one run drawn from a new session.
    total_df : float
        Its (Satterthwaite) degrees of freedom.
    """

    within_sd: float | None
    within_df: int | None
    total_sd: float
    total_df: float


def between_block_sd(values: ArrayLike, block: Iterable[Hashable], /) -> BlockSpread:
    """SD of one run drawn from a new session, and within a session.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run of one arm, n >= 2.
    block : iterable of hashable, length n
        Session of each run, two different ones or more.

    Returns
    -------
    BlockSpread
        Without a block of two runs, the plain SD on n - 1 degrees of freedom.

    Notes
    -----
    Estimand: SD of the log value of a run in a session not seen. Total variance =
    block component + run component by analysis of variance, Satterthwaite df on the
    two mean squares; never below the variance within sessions.
    """
    data = as_values(values, minimum=2)
    codes, names = group_codes(block, size=data.size)
    if len(names) < 2:  # noqa: PLR2004 - a new session needs two seen
        msg = "expected two blocks or more"
        raise ValueError(msg)
    if len(names) == data.size:
        plain = math.sqrt(float(mean_and_variance(data)[1]))
        return BlockSpread(
            within_sd=None, within_df=None, total_sd=plain, total_df=data.size - 1.0
        )
    parts = one_way([data[codes == code] for code in range(len(names))])
    between = parts.ms_between / parts.n0
    within = (1.0 - 1.0 / parts.n0) * parts.ms_within
    total = between + within
    shares = between**2 / parts.between_df + within**2 / parts.within_df
    df = total**2 / shares if shares > 0.0 else float(parts.between_df)
    return BlockSpread(
        within_sd=math.sqrt(parts.within_var),
        within_df=parts.within_df,
        total_sd=math.sqrt(max(total, parts.ms_within)),
        total_df=min(df, data.size - 1.0),
    )


def mean_over_blocks(values: ArrayLike, block: Iterable[Hashable], /) -> Contrast:
    """Mean of run values with the block as the unit that varies.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run of one arm.
    block : iterable of hashable, length n
        Session of each run, two different ones or more.

    Returns
    -------
    Contrast
        The mean of the runs on B - 1 degrees of freedom.

    Raises
    ------
    ZeroSpreadError
        The blocks do not differ.

    Notes
    -----
    Estimand: the mean over sessions to come. Unit: the block. Variance
    B/(B-1) sum_b (n_b (m_b - m))^2 / n^2; with equally many runs a block it is that of
    the t interval on block means. Source: linearised cluster variance of a mean.
    """
    data = as_values(values, minimum=2)
    codes, names = group_codes(block, size=data.size)
    if len(names) < 2:  # noqa: PLR2004 - sessions to come need two seen
        msg = "expected two blocks or more"
        raise ValueError(msg)
    mean = float(data.mean())
    totals = np.bincount(codes, data - mean, len(names))
    size = len(names) / (len(names) - 1.0)
    return Contrast(
        estimate=mean,
        std_error=math.sqrt(size * float(totals @ totals)) / data.size,
        df=len(names) - 1.0,
        method="t over blocks",
    )
