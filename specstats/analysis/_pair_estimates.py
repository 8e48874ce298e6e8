"""Estimates of a comparison on the ratio scale, with their limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.results import EstimandRatio, Estimate, Interval
from specstats.stats.multiplicity import bonferroni_level
from specstats.stats.studentized import studentized_range_critical

if TYPE_CHECKING:
    from specstats.analysis.comparing import Standing
    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.stats.effects import Effect

__all__ = ["bounded_exp", "estimand_ratios", "estimate_of", "simultaneous_limits"]


def estimate_of(contrast: Effect | None, level: float) -> Estimate | None:
    if contrast is None:
        return None
    low, high = contrast.interval(level)
    return Estimate(
        value=bounded_exp(contrast.estimate),
        std_error=contrast.std_error,
        interval=Interval(
            low=_limit(low),
            high=_limit(high),
            confidence_level=level,
            method=contrast.method,
        ),
        df=contrast.df,
    )


def _limit(log_ratio: float) -> float:
    """Return a limit of the ratio: 0 or infinity where there is none."""
    return bounded_exp(log_ratio) if math.isfinite(log_ratio) else math.exp(log_ratio)


def estimand_ratios(pair: Pair, options: Options) -> tuple[EstimandRatio, ...]:
    level = options.confidence_level
    return tuple(
        EstimandRatio(
            estimand=name,
            ratio=bounded_exp(contrast.estimate),
            interval=Interval(
                low=bounded_exp(contrast.interval(level)[0]),
                high=bounded_exp(contrast.interval(level)[1]),
                confidence_level=level,
                method=contrast.method,
            ),
        )
        for name, contrast in pair.estimands
    )


def simultaneous_limits(
    contrast: Effect | None, standing: Standing, options: Options
) -> Interval | None:
    if contrast is None:
        return None
    std_error, df = contrast.std_error, contrast.df
    if standing.arms is not None and std_error is not None and df is not None:
        critical = studentized_range_critical(
            options.confidence_level, standing.arms, df
        )
        half_width = critical / math.sqrt(2.0) * std_error
        return Interval(
            low=bounded_exp(contrast.estimate - half_width),
            high=bounded_exp(contrast.estimate + half_width),
            confidence_level=options.confidence_level,
            method=f"Games-Howell over {standing.arms} arms",
        )
    level = bonferroni_level(options.confidence_level, standing.family)
    low, high = contrast.interval(level)
    return Interval(
        low=_limit(low),
        high=_limit(high),
        confidence_level=options.confidence_level,
        method=f"{contrast.method}, Bonferroni over {standing.family}",
    )


def bounded_exp(value: float) -> float:
    """Return exp of a log ratio, kept finite.

    Parameters
    ----------
    value : float
        A log ratio.
    """
    return math.exp(min(max(value, -700.0), 700.0))
