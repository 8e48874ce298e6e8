"""Acceptance of one arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.results.acceptance_difference import AcceptanceDifference
    from specstats.results.estimates import Interval

__all__ = [
    "Acceptance",
    "Dispersion",
    "Naive",
    "PositionRate",
    "TokenInterval",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionRate:
    """Acceptance at one position of a draft.

    Attributes
    ----------
    position : int
        Place in the draft, from 1.
    accepted : int
        Steps that accepted the draft token there, and so all before it.
    steps : int
        All steps, whether they drafted that far or not.
    rate : float
        Accepted over steps; falls with the position by construction.
    interval : Interval or None
        Of the rate, over clusters.
    reached : int or None
        Steps that drafted that far and accepted all before; None where the length of
        single drafts is not known.
    conditional : float or None
        Accepted over reached.
    conditional_interval : Interval or None
        Of the conditional rate, over clusters that reached the position.
    """

    position: int
    accepted: int
    steps: int
    rate: float
    interval: Interval | None
    reached: int | None
    conditional: float | None
    conditional_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispersion:
    """How far clusters vary beyond independent tokens.

    Attributes
    ----------
    phi : float
        Pearson's X^2 over its degrees of freedom; 1 for independent tokens.
    icc : float or None
        Intraclass correlation of tokens of a cluster (ANOVA).
    design_effect : float
        Variance of the rate over that of independent tokens.
    n_effective : float or None
        Independent tokens that would tell as much, never above the drafted ones;
        None where clusters do not vary.
    n_clusters : int
        Clusters behind it.
    """

    phi: float
    icc: float | None
    design_effect: float
    n_effective: float | None
    n_clusters: int


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
    length_interval : Interval or None
        Of tokens per step, over clusters; None with one cluster or without spread.
    positions : tuple of PositionRate
        By place in the draft; empty where the steps of some generation, or positions
        of some launch, are not known.
    dispersion : Dispersion or None
        None with one cluster, or when all tokens or none were accepted.
    differences : tuple of AcceptanceDifference
        Against the baseline arm, where both drafted; filled in by `summarize`.
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
    length_interval: Interval | None = None
    positions: tuple[PositionRate, ...] = ()
    dispersion: Dispersion | None = None
    differences: tuple[AcceptanceDifference, ...] = ()
