"""`compare_pairs`: every pair of arms, as one Holm family."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from specstats.analysis.controls import compare_controls
from specstats.analysis.describe import arm_summary
from specstats.analysis.family import Family, compare_family
from specstats.analysis.options import Options
from specstats.analysis.pair import Pair, pair_of
from specstats.analysis.ranking import ranking_of
from specstats.checks import study_findings
from specstats.defaults import DEFAULTS
from specstats.design import Design, view_of
from specstats.diagnostics import rule
from specstats.errors import DesignError
from specstats.units import metric_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from specstats.analysis.controls import Controls
    from specstats.analysis.family import Adjustment
    from specstats.analysis.options import ReferenceSpread
    from specstats.bench import Bench
    from specstats.design import View
    from specstats.results import ArmSummary, Ranking

    PairMaker = Callable[[str, str, str | None], Pair]

__all__ = ["compare_pairs", "rank", "ranked_arms"]


def compare_pairs(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    metric: str = "decode_rate",
    confidence_level: float = DEFAULTS.confidence_level,
    margin: float | None = None,
    min_runs: int = DEFAULTS.min_runs,
    reference_spread: ReferenceSpread | None = None,
    adjustment: Adjustment = "holm",
    allow: Sequence[str] = (),
) -> Ranking:
    """Compare every pair of arms, and rank them as far as they are told apart.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design; a baseline is not needed.
    metric : str
        Name of a metric.
    confidence_level : float
        Level of the intervals.
    margin : float, optional
        Relative difference that does not matter.
    min_runs : int
        Launches (or blocks) below which no verdict is given.
    reference_spread : ReferenceSpread, optional
        Spread borrowed from earlier launches.
    adjustment : {"holm", "games-howell"}
        How pairs are adjusted for one another; the second gives narrower
        simultaneous limits and needs arms without blocks.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    Ranking
        ``.pairs`` are the comparisons, ``.groups`` the arms not told apart.

    Raises
    ------
    DesignError
        If there are fewer than two arms, or more than can be paired
        (`DEFAULTS.max_ranked_arms`), or if blocks rule out Games-Howell.

    Notes
    -----
    Estimand: for each pair the ratio of geometric means of run values, as in
    `speedup`. Unit of replication: the launch, or the block. Each pair is tested on
    its own launches (Welch, or a t of block differences), so arms may spread
    differently; p-values are Holm-adjusted over all k(k-1)/2 pairs that have an
    estimate and simultaneous limits are Bonferroni's, valid under any dependence.
    With ``adjustment="games-howell"`` both come from the studentised range with
    Welch's df (Games and Howell 1976): arms must be independent of one another.
    Arms declared identical to the baseline are controls: they are not ranked, and cap
    what may be claimed. "Not separable" is the absence of a verdict, not equality.
    Checked in tests/analysis/test_pairs.py and by simulation in
    tests/sims/test_pairs.py.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> ranking = specstats.compare_pairs(bench)
    >>> ranking.winner is None, ranking.groups
    (True, (('spec-g4', 'spec-g8'),))
    """
    metric_named(metric)
    view = view_of(bench, design)
    options = Options(
        confidence_level=confidence_level,
        margin=margin,
        min_runs=min_runs,
        reference_spread=reference_spread,
        allow=tuple(rule(code).code for code in allow),
    )
    names = ranked_arms(view)
    if not 2 <= len(names) <= DEFAULTS.max_ranked_arms:  # noqa: PLR2004 - a pair
        raise DesignError(
            f"{len(names)} arms to pair. Expected 2 to {DEFAULTS.max_ranked_arms}"
        )
    if adjustment not in {"holm", "games-howell"}:
        raise DesignError.not_listed("adjustment", adjustment, ("holm", "games-howell"))
    if adjustment == "games-howell" and any(run.block is not None for run in view.runs):
        raise DesignError(
            "Games-Howell takes arms as independent and these share blocks. Expected "
            'adjustment="holm"'
        )
    findings = study_findings(view)
    arms = {
        name: arm_summary(view, name, confidence_level=confidence_level)
        for name in dict.fromkeys((*view.arms, *view.bench.arms))
    }

    def pair(first: str, second: str, workload: str | None) -> Pair:
        return pair_of(
            view, findings, first, second, metric, options=options, workload=workload
        )

    known = [pair(first, second, None) for first, second in view.design.controls]
    controls = compare_controls(known, arms, options)
    return rank(
        view, arms, controls, options, pair, metric=metric, adjustment=adjustment
    )


def ranked_arms(view: View) -> tuple[str, ...]:
    """Return the arms to rank: all but the controls of the baseline.

    Parameters
    ----------
    view : View
        The data.
    """
    baseline = view.design.baseline
    twins = () if baseline is None else view.design.control_arms(baseline)
    names = dict.fromkeys((*view.arms, *view.bench.arms))
    return tuple(name for name in names if name not in twins)


def rank(
    view: View,
    arms: Mapping[str, ArmSummary],
    controls: Controls | None,
    options: Options,
    pair: PairMaker,
    *,
    metric: str,
    workload: str | None = None,
    adjustment: Adjustment = "holm",
) -> Ranking:
    """Compare all pairs of a view and rank its arms.

    Parameters
    ----------
    view : View
        The data.
    arms : mapping
        Summaries by arm.
    controls : Controls or None
        What the control arms say in this metric.
    options : Options
        What is asked.
    pair : callable
        Gathers the evidence on two arms in a workload.
    metric : str
        Name of the metric.
    workload : str, optional
        Group of prompts.
    adjustment : {"holm", "games-howell"}
        How pairs are adjusted for one another.

    Returns
    -------
    Ranking
        The pairs and the order.
    """
    names, baseline = ranked_arms(view), view.design.baseline
    if baseline in names:
        names = (baseline, *(name for name in names if name != baseline))
    wanted = list(combinations(names, 2))
    made = tuple(pair(first, second, workload) for first, second in wanted)
    twins = () if baseline is None else view.design.control_arms(baseline)
    against = {
        twin: tuple(
            pair(twin, second, workload) if first == baseline else own
            for (first, second), own in zip(wanted, made, strict=True)
        )
        for twin in twins
    }
    family = Family(pairs=made, against_controls=against, adjustment=adjustment)
    found = compare_family(family, controls, arms, options)
    return ranking_of(
        names,
        [item for item in found if item.headline],
        metric,
        workload,
        adjustment=adjustment,
    )
