"""Two states of the machine: the largest gap between sorted run values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MINIMUM_RUNS = 6
"""With 5 runs the threshold is so high that no state that matters reaches it."""

MAX_TABLED = 30
"""Most runs that the table covers; more runs use its last entry, which is larger
than theirs would be."""

# 99 % points for normal values: 2,000,000 data sets a size, from
# tests/sims/make_gap_thresholds.py; Monte Carlo error .01 to .03.
_THRESHOLDS = {
    6: 7.54,
    7: 6.01,
    8: 5.03,
    9: 4.38,
    10: 3.90,
    11: 3.52,
    12: 3.22,
    13: 2.99,
    14: 2.79,
    15: 2.62,
    16: 2.47,
    17: 2.36,
    18: 2.26,
    19: 2.16,
    20: 2.08,
    21: 2.01,
    22: 1.94,
    23: 1.89,
    24: 1.84,
    25: 1.79,
    26: 1.75,
    27: 1.71,
    28: 1.68,
    29: 1.65,
    30: 1.61,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """The largest gap between run values, and the two groups around it.

    Attributes
    ----------
    ratio : float
        Gap over the SD within the two groups; infinite where neither varies.
    threshold : float
        What 99 % of normal samples stay below.
    low_mean, high_mean : float
        Means of the groups.
    in_low : tuple of bool
        Whether each value, in the order given, belongs to the lower group.
    """

    ratio: float
    threshold: float
    low_mean: float
    high_mean: float
    in_low: tuple[bool, ...]

    @property
    def two(self) -> bool:
        """Whether the gap is larger than in 99 % of normal samples."""
        return self.ratio > self.threshold


def largest_gap(values: ArrayLike, /) -> States | None:
    """Look for two states among run values.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.

    Returns
    -------
    States or None
        None with fewer than 6 runs, or without any spread.

    Notes
    -----
    Estimand: whether the run values come from one normal distribution, against two
    groups apart. Unit: the run. The statistic is the largest gap between neighbours
    in sorted order that leaves 2 runs or more on either side, over the pooled SD
    within the two sides. One run apart is an outlier (`grubbs_outlier`), not a state.
    A label, never a reason to drop a group. Skewed values reach the threshold more
    often than normal ones, so the label says "not one normal state". The thresholds
    are simulated.

    Examples
    --------
    >>> found = largest_gap([3.00, 3.01, 2.99, 2.65, 3.02, 2.66, 3.00])
    >>> found.two, round(found.ratio, 1), found.in_low
    (True, 30.9, (False, False, False, True, False, True, False))
    """
    data = as_values(values)
    size = data.size
    if size < MINIMUM_RUNS or np.ptp(data) <= ROUNDING * float(np.abs(data).max()):
        return None
    ordered = np.sort(data)
    gaps = np.diff(ordered)[1:-1]
    place = int(np.argmax(gaps)) + 2
    low, high = ordered[:place], ordered[place:]
    squares = float(((low - low.mean()) ** 2).sum() + ((high - high.mean()) ** 2).sum())
    within = math.sqrt(squares / (size - 2.0))
    gap = float(gaps[place - 2])
    noise = ROUNDING * float(np.abs(data).max())
    return States(
        ratio=gap / within if within > noise else math.inf if gap > noise else 0.0,
        threshold=gap_threshold(size),
        low_mean=float(low.mean()),
        high_mean=float(high.mean()),
        in_low=tuple((data < ordered[place]).tolist())
        if gap > 0.0
        else (False,) * size,
    )


def gap_threshold(size: int, /) -> float:
    """Return the 99 % point of the gap statistic for normal values.

    Parameters
    ----------
    size : int
        Runs, 6 or more.

    Returns
    -------
    float
        Simulated; above 30 runs the value for 30, which is conservative.

    Examples
    --------
    >>> [round(gap_threshold(runs), 1) for runs in (6, 8, 10)]
    [7.5, 5.0, 3.9]
    """
    if size < MINIMUM_RUNS:
        msg = f"expected at least {MINIMUM_RUNS} runs, got {size}"
        raise ValueError(msg)
    return _THRESHOLDS[min(size, MAX_TABLED)]
