"""Whether run values show a spread at all, and what a bare range says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.stats._arrays import as_values, mean_and_variance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def zero_spread(values: ArrayLike, /, *, resolution_log: float) -> bool:
    """Tell whether the spread of runs is no more than rounding of the printed values.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run, n >= 2.
    resolution_log : float
        Printed resolution over the mean: .1 tok/s at 25 tok/s is .004. Zero when the
        values are not rounded.

    Returns
    -------
    bool
        True when s^2 <= resolution_log^2 / 12, the variance of a rounding error.

    Notes
    -----
    Such values support no interval: the spread between runs is hidden below the last
    digit.
    """
    if resolution_log < 0.0:
        msg = f"expected a resolution of zero or more, got {resolution_log!r}"
        raise ValueError(msg)
    variance = mean_and_variance(as_values(values, minimum=2))[1]
    return float(variance) <= resolution_log**2 / 12.0


def range_statement(low: float, high: float, /) -> float:
    """Factor by which runs of one setting have differed, from a range alone.

    Parameters
    ----------
    low, high : float
        Smallest and largest run value, 0 < low <= high.

    Returns
    -------
    float
        high / low.

    Notes
    -----
    All that a range without a number of runs says: two runs have differed by this
    factor. It grows with the number of runs and is not a measure of spread.
    """
    if not 0.0 < low <= high:
        msg = f"expected 0 < low <= high, got {low!r} and {high!r}"
        raise ValueError(msg)
    return high / low
