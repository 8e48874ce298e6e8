"""Standard error, bias and acceleration of an estimate from leave-one-out values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackknife:
    """What the leave-one-out values say of an estimate.

    Attributes
    ----------
    std_error, bias : float
        Standard error and bias of the estimate.
    acceleration : float
        Skewness of the influences over six: how the standard error changes with the
        estimated quantity, as BCa uses it.
    """

    std_error: float
    bias: float
    acceleration: float


def jackknife(estimate: float, without: ArrayLike, /) -> Jackknife:
    """Summarise leave-one-out values of an estimate.

    Parameters
    ----------
    estimate : float
        Value from all replicates.
    without : array_like, shape (n,)
        Value without each replicate in turn; two or more.

    Returns
    -------
    Jackknife
        Standard error, bias and acceleration.

    Raises
    ------
    ZeroSpreadError
        All values are equal.

    Notes
    -----
    Unit: the replicate that is left out. Valid for smooth estimates, not for
    quantiles. Checked against Efron & Tibshirani (1993): law school, spatial A.

    Examples
    --------
    >>> jackknife(2.0, [2.5, 2.0, 1.5]).std_error ** 2  # mean of 1, 2, 3: var / n
    0.3333333333333333
    """
    values = as_values(without, minimum=2)
    gaps = values.mean() - values
    squares = float((gaps**2).sum())
    if float(abs(gaps).max()) <= ROUNDING * float(abs(values).max()):
        msg = "the leave-one-out values show no spread"
        raise ZeroSpreadError(msg)
    factor = (values.size - 1.0) / values.size
    return Jackknife(
        std_error=math.sqrt(factor * squares),
        bias=float((values.size - 1.0) * (values.mean() - estimate)),
        acceleration=float((gaps**3).sum()) / (6.0 * squares**1.5),
    )
