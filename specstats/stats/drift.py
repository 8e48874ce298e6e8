"""Drift of several arms together: the slope over launch order, arms taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values, group_codes
from specstats.stats._linear import indicators, least_squares
from specstats.stats.ranks import mid_ranks_doubled

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from specstats.stats.contrast import Contrast

# Fewer runs leave the slope test without power to see a drift that matters.
MINIMUM_RUNS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A linear drift over launch order.

    Attributes
    ----------
    slope : Contrast
        Change of the value from one launch to the next, with its t test.
    residuals : ndarray, shape (n,)
        In launch order, with arms, blocks and the slope taken out.
    """

    slope: Contrast
    residuals: NDArray[np.float64]


def drift_of(
    values: ArrayLike,
    arm: Iterable[Hashable],
    order: ArrayLike,
    block: Iterable[Hashable] | None = None,
) -> Drift | None:
    """Fit a common slope over launch order to the runs of one or more arms.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    arm : iterable of hashable, length n
        Arm of each run.
    order : array_like, shape (n,)
        Launch order or start time; only its ranks (within the block) are used.
    block : iterable of hashable, length n, optional
        Block of each run.

    Returns
    -------
    Drift or None
        None with fewer than 6 runs, without residual spread, or where the slope
        cannot be told from arms and blocks.

    Notes
    -----
    Estimand: change of the log value per launch, the same for all arms and in all
    blocks. Unit: the run. Model: value = arm (+ block) + slope x rank + normal noise;
    t test of the slope. With fewer than 6 runs drift is not checkable, which is not
    the same as absent.

    Examples
    --------
    >>> found = drift_of([1.0, 1.3, 1.5, 1.2, 1.9, 1.8], ["a"] * 6, range(6))
    >>> round(found.slope.estimate, 3), round(found.slope.p_value(), 3)
    (0.157, 0.037)
    """
    data = as_values(values)
    if data.size < MINIMUM_RUNS:
        return None
    times = as_values(order)
    arms, arm_names = group_codes(arm, size=data.size)
    labels = [0] * data.size if block is None else block
    blocks, block_names = group_codes(labels, size=data.size)
    rank = np.empty(data.size)
    for code in range(len(block_names)):
        rows = blocks == code
        rank[rows] = mid_ranks_doubled(times[rows]) / 2.0
    design = np.column_stack(
        [
            rank,
            indicators(arms, len(arm_names))[:, 1:],
            indicators(blocks, len(block_names)),
        ]
    )
    fit = least_squares(design, data)
    slope = None if fit is None else fit.contrast(0, method="slope over launch order")
    if fit is None or slope is None:
        return None
    residuals = data - design @ fit.coefficients
    return Drift(
        slope=slope, residuals=residuals[np.lexsort((times, blocks))].astype(float)
    )


def additive_residuals(
    values: ArrayLike, arm: Iterable[Hashable], block: Iterable[Hashable]
) -> NDArray[np.float64] | None:
    """Return what arms and blocks leave of run values.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    arm, block : iterable of hashable, length n
        Arm and block of each run.

    Returns
    -------
    ndarray, shape (n,), or None
        In the order of the values; None where arms and blocks cannot be told apart.
    """
    data = as_values(values)
    arms, arm_names = group_codes(arm, size=data.size)
    blocks, block_names = group_codes(block, size=data.size)
    design = np.column_stack(
        [
            indicators(arms, len(arm_names))[:, 1:],
            indicators(blocks, len(block_names)),
        ]
    )
    fit = least_squares(design, data)
    return None if fit is None else np.asarray(data - design @ fit.coefficients)
