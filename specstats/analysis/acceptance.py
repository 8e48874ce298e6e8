"""Draft acceptance: every distinct generation once, clusters as the replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis.acceptance_counters import acceptance_from_counters
from specstats.analysis.clustered import clusters_of, shown_interval
from specstats.analysis.positions import positions_of_steps
from specstats.analysis.steps import Steps, count_steps
from specstats.checks.acceptance import is_configured
from specstats.defaults import DEFAULTS
from specstats.design import view_of
from specstats.design.drafts import drafts_of
from specstats.results import Acceptance, Interval, Naive, TokenInterval
from specstats.stats.acceptance import clopper_pearson

if TYPE_CHECKING:
    from specstats.analysis.clustered import Clusters
    from specstats.bench import Bench
    from specstats.design import Design, View
    from specstats.design.drafts import Drafts
    from specstats.stats.acceptance import AcceptanceInterval

__all__ = ["acceptance", "acceptance_of"]

_TOKEN_LABEL = "within one generation, tokens as if independent"  # noqa: S105 - a label


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
    Tokens per step: the same jackknife on the log. By position: accepted over all
    steps, and over the steps that reached the position, each over clusters; for
    chains of drafts, since a tree tests siblings. One cluster: no interval for a
    workload (SPS305). No draft counts: SPS301. Checked against the Weil (1970)
    litters in tests/reference and by simulation in tests/sims.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> found = {item.arm: item for item in specstats.acceptance(bench)}
    >>> found["spec-g4"].accepted, found["spec-g4"].drafted
    (817, 1266)
    >>> [(item.position, item.accepted) for item in found["spec-g4"].positions]
    [(1, 273), (2, 224), (3, 174), (4, 146)]
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
    drafts = drafts_of(view, arm)
    if drafts is None:
        return acceptance_from_counters(
            view.bench, arm, confidence_level=confidence_level
        )
    clusters = clusters_of(drafts)
    hits = [item.accepted for item in drafts.distinct]
    tries = [item.drafted or 0 for item in drafts.distinct]
    estimate = clusters.rate(hits, tries, confidence_level=confidence_level)
    steps = count_steps(view, drafts.rows)
    return Acceptance(
        arm=arm,
        rate=sum(hits) / sum(tries),
        interval=shown_interval(estimate, confidence_level),
        drafted=sum(tries),
        accepted=sum(hits),
        cluster=drafts.cluster,
        n_clusters=len(set(clusters.labels)),
        n_distinct_generations=drafts.n_distinct,
        n_requests=len(drafts.everything),
        method=_method(estimate, drafts),
        steps=None if steps is None else steps.steps,
        tokens_per_step=_tokens_per_step(sum(hits), steps),
        step_convention=None if steps is None else steps.convention,
        token_interval=_token_interval(drafts, confidence_level),
        naive=_naive(drafts),
        length_interval=_length(clusters, hits, steps, confidence_level),
        positions=positions_of_steps(
            view, drafts.rows, clusters, confidence_level=confidence_level
        ),
        dispersion=clusters.dispersion(hits, tries),
    )


def _length(
    clusters: Clusters, hits: list[int], steps: Steps | None, level: float
) -> Interval | None:
    if steps is None or not all(steps.each):
        return None
    tokens = [made + taken for made, taken in zip(hits, steps.each, strict=True)]
    return clusters.length(tokens, steps.each, confidence_level=level)


def _naive(drafts: Drafts) -> Naive:
    drafted = sum(item.drafted or 0 for item in drafts.everything)
    accepted = sum(item.accepted for item in drafts.everything)
    return Naive(drafted=drafted, accepted=accepted, rate=accepted / drafted)


def _method(estimate: AcceptanceInterval | None, drafts: Drafts) -> str:
    told = "no interval: one cluster" if estimate is None else estimate.method
    if any(item.digest is None for item in drafts.everything):
        told += "; without output digests, equal counters count as one generation"
    return told


def _token_interval(drafts: Drafts, level: float) -> TokenInterval | None:
    if len(drafts.distinct) != 1:
        return None
    only = drafts.distinct[0]
    low, high = clopper_pearson(
        only.accepted, only.drafted or 0, confidence_level=level
    )
    return TokenInterval(low=low, high=high, label=_TOKEN_LABEL)


def _tokens_per_step(hits: int, steps: Steps | None) -> float | None:
    return 1.0 + hits / steps.steps if steps is not None and steps.steps else None
