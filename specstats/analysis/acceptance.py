"""Draft acceptance: every distinct generation once, clusters as the replicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.analysis.acceptance_counters import acceptance_from_counters
from specstats.analysis.steps import Steps, count_steps
from specstats.checks.acceptance import is_configured
from specstats.defaults import DEFAULTS
from specstats.design import view_of
from specstats.results import Acceptance, Interval, Naive, TokenInterval
from specstats.stats.acceptance import clopper_pearson, cluster_rate, two_way_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench
    from specstats.design import Design, View
    from specstats.stats.acceptance import AcceptanceInterval

__all__ = ["acceptance", "acceptance_of"]

_TOKEN_LABEL = "within one generation, tokens as if independent"  # noqa: S105 - a label
_ENOUGH = 2

Cluster = Literal["prompt", "run", "prompt and run"]


@dataclass(frozen=True, slots=True)
class _Generation:
    prompt: int
    run: int
    drafted: int
    accepted: int
    cached: object
    digest: object
    row: int


def acceptance(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    confidence_level: float = DEFAULTS.confidence_level,
) -> tuple[Acceptance, ...]:
    """Estimate the draft acceptance rate of every arm that drafted.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    tuple of Acceptance
        Arms in order of first appearance.

    Notes
    -----
    Estimand: accepted over drafted tokens in a workload of prompts like these (or
    launches like these, where only they vary). Unit of replication: the prompt, the
    run or both; never the token. Byte-identical generations with equal counters
    count once. Arms without draft counts of requests are estimated from the counters
    of their processes, launches being the replicates. Interval: leave-one-cluster-out
    jackknife on the logit, t(G-1).
    One cluster: no interval for a workload (SPS305). No draft counts: SPS301.
    Checked against the Weil (1970) litters in tests/reference.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> found = {item.arm: item for item in specstats.acceptance(bench)}
    >>> found["spec-g4"].accepted, found["spec-g4"].drafted
    (817, 1266)
    """
    view = view_of(bench, design)
    found = [
        acceptance_of(view, arm, confidence_level=confidence_level)
        for arm in dict.fromkeys((*view.arms, *bench.arms))
    ]
    return tuple(item for item in found if item is not None)


def acceptance_of(
    view: View, arm: str, *, confidence_level: float
) -> Acceptance | None:
    """Estimate the acceptance rate of one arm.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Acceptance or None
        None when the arm drafted nothing, or acceptance was configured (SPS309).
    """
    if is_configured(view.bench, arm):
        return None
    everything = _generations(view, arm)
    drafted = sum(item.drafted for item in everything)
    if not drafted:
        return acceptance_from_counters(
            view.bench, arm, confidence_level=confidence_level
        )
    distinct = _distinct(everything)
    cluster = _cluster(everything)
    if cluster != "prompt":
        distinct = _distinct(everything, by_run=True)
    estimate = _estimate(distinct, cluster, confidence_level)
    clusters = _labels(distinct, cluster)
    total = sum(item.drafted for item in distinct)
    hits = sum(item.accepted for item in distinct)
    steps = count_steps(view.bench, [item.row for item in distinct])
    return Acceptance(
        arm=arm,
        rate=hits / total,
        interval=_interval(estimate, confidence_level),
        drafted=total,
        accepted=hits,
        cluster=cluster,
        n_clusters=len(set(clusters)),
        n_distinct_generations=len(_distinct(everything)),
        n_requests=len(everything),
        method=_method(estimate, everything),
        steps=None if steps is None else steps.steps,
        tokens_per_step=_tokens_per_step(hits, steps),
        step_convention=None if steps is None else steps.convention,
        token_interval=_token_interval(distinct, confidence_level),
        naive=Naive(
            drafted=drafted,
            accepted=sum(item.accepted for item in everything),
            rate=sum(item.accepted for item in everything) / drafted,
        ),
    )


def _generations(view: View, arm: str) -> list[_Generation]:
    drafted = view.bench.column("requests", "n_draft")
    accepted = view.bench.column("requests", "n_accepted")
    cached = view.bench.column("requests", "n_cached")
    digests = view.bench.column("requests", "output_sha256")
    found = []
    counted = np.isfinite(view.column("n_draft"))
    for row in np.flatnonzero(view.rows_of(arm) & view.measured & counted).tolist():
        tries, hits = drafted[row], accepted[row]
        if isinstance(tries, int) and isinstance(hits, int) and tries > 0:
            found.append(
                _Generation(
                    prompt=int(view.prompt[row]),
                    run=int(view.run[row]),
                    drafted=tries,
                    accepted=hits,
                    cached=cached[row],
                    digest=digests[row],
                    row=row,
                )
            )
    return found


def _distinct(
    everything: Sequence[_Generation], *, by_run: bool = False
) -> list[_Generation]:
    first: dict[tuple[object, ...], _Generation] = {}
    for item in everything:
        key = (item.prompt, item.digest, item.drafted, item.accepted)
        first.setdefault((*key, item.run) if by_run else key, item)
    return list(first.values())


def _cluster(everything: Sequence[_Generation]) -> Cluster:
    """Decide what may vary: prompts, launches, or both.

    Launches vary when the same prompt in the same cache state gave different
    generations in different launches.
    """
    prompts = {item.prompt for item in everything}
    seen: dict[tuple[int, object], dict[int, set[object]]] = {}
    for item in everything:
        runs = seen.setdefault((item.prompt, item.cached), {})
        made = runs.setdefault(item.run, set())
        made.add((item.digest, item.drafted, item.accepted))
    varies = any(
        len({frozenset(made) for made in runs.values()}) > 1 for runs in seen.values()
    )
    if not varies:
        return "prompt"
    return "prompt and run" if len(prompts) >= _ENOUGH else "run"


def _labels(distinct: Sequence[_Generation], cluster: Cluster) -> list[int]:
    if cluster == "prompt":
        return [item.prompt for item in distinct]
    if cluster == "run":
        return [item.run for item in distinct]
    prompts = {item.prompt for item in distinct}
    runs = {item.run for item in distinct}
    fewer_prompts = len(prompts) <= len(runs)
    return [item.prompt if fewer_prompts else item.run for item in distinct]


def _estimate(
    distinct: Sequence[_Generation], cluster: Cluster, confidence_level: float
) -> AcceptanceInterval | None:
    hits = np.array([item.accepted for item in distinct], dtype=float)
    tries = np.array([item.drafted for item in distinct], dtype=float)
    if cluster == "prompt and run":
        return two_way_rate(
            hits,
            tries,
            [item.run for item in distinct],
            [item.prompt for item in distinct],
            confidence_level=confidence_level,
        )
    labels = np.array(_labels(distinct, cluster))
    codes = np.unique(labels)
    if codes.size < _ENOUGH:
        return None
    return cluster_rate(
        [hits[labels == code].sum() for code in codes],
        [tries[labels == code].sum() for code in codes],
        confidence_level=confidence_level,
    )


def _interval(
    estimate: AcceptanceInterval | None, confidence_level: float
) -> Interval | None:
    if estimate is None:
        return None
    return Interval(
        low=estimate.low,
        high=estimate.high,
        confidence_level=confidence_level,
        method=estimate.method,
    )


def _method(
    estimate: AcceptanceInterval | None, everything: Sequence[_Generation]
) -> str:
    told = "no interval: one cluster" if estimate is None else estimate.method
    if any(item.digest is None for item in everything):
        told += "; without output digests, equal counters count as one generation"
    return told


def _token_interval(
    distinct: Sequence[_Generation], level: float
) -> TokenInterval | None:
    if len(distinct) != 1:
        return None
    only = distinct[0]
    low, high = clopper_pearson(only.accepted, only.drafted, confidence_level=level)
    return TokenInterval(low=low, high=high, label=_TOKEN_LABEL)


def _tokens_per_step(hits: int, steps: Steps | None) -> float | None:
    return 1.0 + hits / steps.steps if steps is not None and steps.steps else None
