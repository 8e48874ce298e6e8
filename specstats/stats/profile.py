"""Profile likelihood intervals of a one-way layout."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._one_way import (
    best_ratio,
    minimum_by_slope,
    profiled,
    unprofiled,
)
from specstats.stats._quantiles import check_level, chi2_quantile
from specstats.stats._roots import root

if TYPE_CHECKING:
    from collections.abc import Callable

    from specstats.stats.reml import OneWayFit

_DOUBLINGS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileIntervals:
    """Limits at which the likelihood falls by the chi-square quantile.

    Attributes
    ----------
    between_sd, within_sd : tuple of float
        Lower and upper limit of the two SDs; the first may start at zero.
    mean : tuple of float or None
        Of the mean; None for REML, whose likelihood does not contain it.
    method : str
        ``profile ML`` or ``profile REML``.
    """

    between_sd: tuple[float, float]
    within_sd: tuple[float, float]
    mean: tuple[float, float] | None
    method: str


def profile_intervals(
    fit: OneWayFit, /, *, confidence_level: float = 0.95
) -> ProfileIntervals:
    """Profile likelihood intervals of the SDs and, for ML, of the mean.

    Parameters
    ----------
    fit : OneWayFit
        From :func:`specstats.stats.reml.one_way_fit`; ``method="ML"`` gives what
        lme4's ``confint`` prints.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    ProfileIntervals
        Limits of each.

    Raises
    ------
    ZeroSpreadError
        The values inside the groups do not differ.

    Notes
    -----
    Estimand: SDs between groups (launches) and within them. Unit: the group. A limit
    is where the deviance, all else optimised, exceeds its minimum by the chi-square
    quantile on one degree of freedom; that is asymptotic in the number of groups:
    `tests/sims/test_components.py` has its coverage. For few groups prefer
    :func:`specstats.stats.components.mls_interval`. Assumes normal effects at both
    levels: with skewed launches no interval of a variance here holds its level.
    Checked against lme4 (Dyestuff).
    """
    allowed = chi2_quantile(1.0, check_level(confidence_level))
    if fit.within_var <= 0.0:
        msg = "the values inside the groups show no spread"
        raise ZeroSpreadError(msg)
    target = fit.criterion + allowed
    sds = math.sqrt(fit.between_var), math.sqrt(fit.within_var)
    unit = math.hypot(*sds)

    def by_between(sd: float) -> float:
        return _at_between(fit, sd) - target

    def by_within(sd: float) -> float:
        return _at_within(fit, sd) - target

    between_low = 0.0 if by_between(0.0) <= 0.0 else root(by_between, 0.0, sds[0])
    return ProfileIntervals(
        between_sd=(between_low, _beyond(by_between, sds[0], unit)),
        within_sd=(_below(by_within, sds[1]), _beyond(by_within, sds[1], sds[1])),
        mean=None if fit.method == "REML" else _mean(fit, target),
        method=f"profile {fit.method}",
    )


def _at_between(fit: OneWayFit, sd: float) -> float:
    """Deviance at an SD between groups, the variance within at its best."""
    restricted, between = fit.method == "REML", sd * sd

    def slope(log_within: float) -> float:
        within = math.exp(log_within)
        at = unprofiled(fit.sums, between, within, restricted=restricted)
        return at.by_within * within

    centre = math.log(fit.within_var)
    best = _near(slope, centre, 30.0)
    within = math.exp(centre if best is None else best)
    return unprofiled(fit.sums, between, within, restricted=restricted).criterion


def _at_within(fit: OneWayFit, sd: float) -> float:
    """Deviance at an SD within groups, the variance between at its best."""
    restricted, within = fit.method == "REML", sd * sd

    def at(between: float) -> float:
        return unprofiled(fit.sums, between, within, restricted=restricted).by_between

    def slope(log_between: float) -> float:
        between = math.exp(log_between)
        return at(between) * between

    centre = math.log(fit.between_var + fit.within_var)
    best = None
    if at(0.0) < 0.0:
        best = _near(slope, centre, 60.0)
    between = 0.0 if best is None else math.exp(best)
    return unprofiled(fit.sums, between, within, restricted=restricted).criterion


def _near(slope: Callable[[float], float], centre: float, reach: float) -> float | None:
    """Minimum in a bracket about a point that is widened as needed."""
    width = 1.0
    while width < reach and not slope(centre - width) < 0.0 < slope(centre + width):
        width *= 2.0
    return minimum_by_slope(slope, centre - width, centre + width)


def _mean(fit: OneWayFit, target: float) -> tuple[float, float]:
    def by_shift(shift: float) -> float:
        mean = fit.mean + shift
        ratio = best_ratio(fit.sums, restricted=False, mean=mean)
        held = profiled(fit.sums, ratio, restricted=False, mean=mean)
        return held.criterion - target

    def mirrored(shift: float) -> float:
        return by_shift(-shift)

    unit = fit.std_error
    return (
        fit.mean - _beyond(mirrored, 0.0, unit),
        fit.mean + _beyond(by_shift, 0.0, unit),
    )


def _beyond(excess: Callable[[float], float], start: float, step: float) -> float:
    """First crossing above a point inside."""
    inside, outside = start, start + step
    for _ in range(_DOUBLINGS):
        if excess(outside) > 0.0:
            return root(excess, inside, outside)
        inside, outside = outside, start + 2.0 * (outside - start)
    msg = "the likelihood does not fall"
    raise ValueError(msg)


def _below(excess: Callable[[float], float], start: float) -> float:
    """First crossing between zero and a point inside."""
    inside, outside = start, start / 2.0
    for _ in range(_DOUBLINGS):
        if excess(outside) > 0.0:
            return root(excess, outside, inside)
        inside, outside = outside, outside / 2.0
    msg = "the likelihood does not fall"
    raise ValueError(msg)
