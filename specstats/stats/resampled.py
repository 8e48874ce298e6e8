"""An interval found by resampling, and how its limits are read off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._limits import (
    bca_limits,
    percentile_limits,
    studentized,
    studentized_p,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

BootstrapMethod: TypeAlias = Literal["bootstrap-t", "bca", "percentile"]

MIN_VALUES = {"bootstrap-t": 4, "bca": 2, "percentile": 2}
"""Fewest values an arm: with 3 one resample in 9 is constant and has no scale."""

ENOUGH_VALUES = 30
"""Values an arm below which percentile and BCa intervals cover too little."""

LABELS = {"bootstrap-t": "bootstrap-t", "bca": "BCa", "percentile": "percentile"}


class NoFiniteLimitsError(ValueError):
    """So many resamples are constant that a limit of bootstrap-t is infinite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledInterval:
    """An interval found by resampling.

    Attributes
    ----------
    estimate, low, high : float
        Estimate from the data, and the limits; low < high, all finite.
    confidence_level : float
        Nominal level; `notes` say where it is not reached.
    method : str
        Which bootstrap, of what, over how many resamples.
    n_resamples : int
        Resamples looked at: random ones, or all distinct ones; 0 where the
        distribution over all was found without looking at any.
    p_value : float or None
        Two-sided p of the value 0; only bootstrap-t has one, since only there the
        resamples follow the hypothesis.
    notes : tuple of str
        What a reader has to know: too few values, resamples without spread.

    Raises
    ------
    ZeroSpreadError
        The limits are equal: an interval of width zero is never made.
    NoFiniteLimitsError
        A limit is infinite.
    ValueError
        The limits are out of order.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    n_resamples: int
    p_value: float | None
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.low == self.high:
            msg = f"the resamples show no spread ({self.method})"
            raise ZeroSpreadError(msg)
        if not np.isfinite([self.estimate, self.low, self.high]).all():
            msg = (
                f"no finite limits at level {self.confidence_level} ({self.method}): "
                "too many resamples are constant"
            )
            raise NoFiniteLimitsError(msg)
        if self.low > self.high:
            msg = f"not an interval: {self.low} to {self.high}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """A statistic over resamples, beside its values from the data.

    Attributes
    ----------
    estimate, std_error, acceleration : float
        From the data.
    draws, errors, weights : ndarray, shape (resamples,)
        Estimate, standard error and probability of each resample.
    equally_likely : float
        Number of equally likely resamples that these stand for.
    smallest : int
        Values of the smaller arm.
    exact : bool
        All distinct resamples are there.
    """

    estimate: float
    std_error: float
    acceleration: float
    draws: NDArray[np.float64]
    errors: NDArray[np.float64]
    weights: NDArray[np.float64]
    equally_likely: float
    smallest: int
    exact: bool


def interval_of(
    found: Draws, *, method: BootstrapMethod, what: str, confidence_level: float
) -> ResampledInterval:
    """Read the interval of one method off the resamples.

    Parameters
    ----------
    found : Draws
        The statistic over resamples.
    method : {'bootstrap-t', 'bca', 'percentile'}
        How the limits are read off.
    what : str
        What was resampled, for the name of the method.
    confidence_level : float
        Two-sided level.

    Returns
    -------
    ResampledInterval
        Limits, p-value and notes.
    """
    p_value = None
    if method == "bootstrap-t":
        statistics = studentized(found.draws, found.errors, np.asarray(found.estimate))
        lower, upper = percentile_limits(statistics, found.weights, confidence_level)
        low = found.estimate - float(upper) * found.std_error
        high = found.estimate - float(lower) * found.std_error
        p_value = studentized_p(
            statistics,
            found.weights,
            found.estimate / found.std_error,
            equally_likely=found.equally_likely,
        )
    else:
        limits = (
            percentile_limits(found.draws, found.weights, confidence_level)
            if method == "percentile"
            else bca_limits(
                found.draws,
                found.weights,
                confidence_level,
                estimate=np.asarray(found.estimate),
                acceleration=np.asarray(found.acceleration),
            )
        )
        low, high = map(float, limits)
    count = found.draws.size
    resamples = f"all {count} resamples" if found.exact else f"{count} resamples"
    return ResampledInterval(
        estimate=found.estimate,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"{LABELS[method]} of {what}, {resamples}",
        n_resamples=count,
        p_value=p_value,
        notes=(
            *few_values(found.smallest, method),
            *_constant_resamples(found, method),
        ),
    )


def few_values(smallest: int, method: BootstrapMethod, /) -> tuple[str, ...]:
    """Say that percentile and BCa intervals of few values cover too little.

    Parameters
    ----------
    smallest : int
        Values of the smaller arm.
    method : {'bootstrap-t', 'bca', 'percentile'}
        How the limits are read off.

    Returns
    -------
    tuple of str
        One note, or none.
    """
    if method == "bootstrap-t" or smallest >= ENOUGH_VALUES:
        return ()
    told = (
        f"{LABELS[method]} intervals of {smallest} values cover less than they say; "
        f"{ENOUGH_VALUES} or more are needed"
    )
    return (told,)


def _constant_resamples(found: Draws, method: BootstrapMethod) -> tuple[str, ...]:
    flat = float(found.weights[found.errors <= 0.0].sum())
    if method != "bootstrap-t" or flat == 0.0:
        return ()
    told = (
        f"a share of {flat:.2g} of the resamples is constant; it counts as more "
        "extreme than all others"
    )
    return (told,)


def minimum_of(method: BootstrapMethod, /) -> int:
    """Return the fewest values that the method takes, or raise for another name.

    Parameters
    ----------
    method : {'bootstrap-t', 'bca', 'percentile'}
        How the limits are read off.

    Returns
    -------
    int
        Values an arm.
    """
    if method not in MIN_VALUES:
        msg = f"expected one of {sorted(MIN_VALUES)}, got {method!r}"
        raise ValueError(msg)
    return MIN_VALUES[method]


def ordered_resamples(*sizes: int) -> float:
    """Count the equally likely resamples, drawn in order.

    Parameters
    ----------
    *sizes : int
        Values of each arm.

    Returns
    -------
    float
        Product of n^n.
    """
    return float(np.prod([float(size) ** size for size in sizes]))


def refuse_zero(std_error: float, what: str, /) -> None:
    """Raise where the data have no spread.

    Parameters
    ----------
    std_error : float
        Of the data.
    what : str
        What has none, for the message.
    """
    if std_error == 0.0:
        msg = f"{what} show no spread (bootstrap)"
        raise ZeroSpreadError(msg)
