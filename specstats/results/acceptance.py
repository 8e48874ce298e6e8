"""Acceptance of one arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.results.estimates import Interval

__all__ = [
    "Acceptance",
    "Naive",
    "TokenInterval",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenInterval:
    """Interval inside one generation, tokens taken as independent.

    Attributes
    ----------
    low, high : float
        Clopper-Pearson limits.
    label : str
        What it is, and is not.
    """

    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """The pooled figure that people publish, repeats counted again.

    Attributes
    ----------
    drafted, accepted : int
        Totals over all requests.
    rate : float
        Their ratio.
    """

    drafted: int
    accepted: int
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Draft acceptance of one arm.

    Attributes
    ----------
    arm : str
        The arm.
    rate : float
        Accepted over drafted tokens, each distinct generation counted once.
    interval : Interval or None
        Over clusters; None when there is one.
    drafted, accepted : int
        Totals over distinct generations.
    cluster : str
        Unit that may vary: ``prompt``, ``run`` or ``prompt and run``.
    n_clusters : int
        How many.
    n_distinct_generations, n_requests : int or None
        Generations that differ, and requests behind them; None where only counters
        of processes are known and they do not tell.
    method : str
        How the interval was computed.
    steps : int or None
        Verify steps over distinct generations.
    tokens_per_step : float or None
        Mean accepted length, the bonus token counted.
    step_convention : str or None
        Where the steps come from.
    token_interval : TokenInterval or None
        Given when there is one distinct generation.
    naive : Naive
        The pooled figure.
    """

    arm: str
    rate: float
    interval: Interval | None
    drafted: int
    accepted: int
    cluster: str
    n_clusters: int
    n_distinct_generations: int | None
    n_requests: int | None
    method: str
    steps: int | None
    tokens_per_step: float | None
    step_convention: str | None
    token_interval: TokenInterval | None
    naive: Naive
