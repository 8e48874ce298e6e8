"""Estimates, intervals and spreads of one metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AaBand",
    "Band",
    "EstimandName",
    "EstimandRatio",
    "Estimate",
    "Interval",
    "MetricSummary",
    "Spread",
]

EstimandName = Literal["geometric", "arithmetic", "totals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval.

    Attributes
    ----------
    low, high : float
        Limits; 0 and infinity for a ratio where the method finds none.
    confidence_level : float
        Its level.
    method : str
        How it was computed.
    """

    low: float
    high: float
    confidence_level: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimandRatio:
    """The ratio of two arms by one way of averaging the requests of a launch.

    Attributes
    ----------
    estimand : {"geometric", "arithmetic", "totals"}
        Mean of log rates (the headline), mean of rates, or tokens over time.
    ratio : float
        The ratio; above 1 is faster.
    interval : Interval
        In the scope of the headline.
    """

    estimand: EstimandName
    ratio: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate with its interval.

    Attributes
    ----------
    value : float
        The estimate, on the ratio scale for a speedup.
    std_error : float or None
        Standard error, on the log scale for a speedup; None where the method has none.
    interval : Interval
        Its interval.
    df : float or None
        Degrees of freedom.
    """

    value: float
    std_error: float | None
    interval: Interval
    df: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AaBand:
    """What the ratio of two single runs of ONE setting may show.

    Attributes
    ----------
    ratio : float
        Upper limit of the ratio; the lower one is its inverse.
    confidence_level : float
        Share of such pairs inside.
    runs : int
        Launches that the spread comes from.
    """

    ratio: float
    confidence_level: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Spread of one arm between launches.

    Attributes
    ----------
    run_sd_log : float
        SD of log run values.
    sd_low, sd_high : float
        Its chi-square interval (normal theory).
    run_cv : float
        Coefficient of variation, sqrt(exp(sd^2) - 1).
    next_run_low, next_run_high : float
        Prediction interval of the next launch, in the unit of the metric.
    n_runs : int
        Launches behind it.
    confidence_level : float
        Level of all intervals here.
    aa_band : AaBand or None
        Within a session where blocks are declared, else overall.
    aa_band_between_blocks : AaBand or None
        Between sessions, where blocks are declared.
    components : mapping or None
        SDs on the log scale of ``block``, ``run``, ``prompt``, ``run_prompt`` (their
        combination) and ``request``, each with ``_low`` and ``_high``; ``icc`` and
        ``total`` with limits; ``design_effect``, ``effective_requests``; counts;
        ``method``, ``interval_method`` and a ``note``. None where a level is not
        there or cannot be told apart, or a limit is not known to hold.
    """

    run_sd_log: float
    sd_low: float
    sd_high: float
    run_cv: float
    next_run_low: float
    next_run_high: float
    n_runs: int
    confidence_level: float
    aa_band: AaBand | None
    aa_band_between_blocks: AaBand | None
    components: Mapping[str, float | int | str | None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """One metric of one arm.

    Attributes
    ----------
    metric, unit : str
        What and in which unit.
    rate_convention : str or None
        Tokens counted in a decode rate: ``n`` or ``n-1``.
    estimate : float
        Geometric mean of run values.
    mean : float
        Arithmetic mean over requests.
    interval : Interval or None
        Of the estimate, over launches; None with one run or no spread.
    minimum, maximum : float
        Over requests.
    n_runs, n_requests : int
        Counts behind it.
    run_values : tuple of float
        Value of each launch, in the unit of the metric.
    spread : Spread or None
        None with one run or no spread.
    """

    metric: str
    unit: str
    rate_convention: str | None
    estimate: float
    mean: float
    interval: Interval | None
    minimum: float
    maximum: float
    n_runs: int
    n_requests: int
    run_values: tuple[float, ...]
    spread: Spread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What the ratio of two single runs of one setting may show.

    Attributes
    ----------
    observed_factor : float
        Largest over smallest of the values given.
    sd_log : float or None
        SD of log run values; None when only a range without a count is known.
    df : float or None
        Its degrees of freedom.
    band : AaBand or None
        The band; None when no spread is known.
    sentence : str
        What may be said, and no more.
    """

    observed_factor: float
    sd_log: float | None
    df: float | None
    band: AaBand | None
    sentence: str

    def __str__(self) -> str:
        return self.sentence
