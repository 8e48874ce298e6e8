"""`summarize`: everything that may be said of a study."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from specstats.analysis._candidates import (
    arms_to_rank,
    candidates_of,
    passed_over,
    workloads_of,
)
from specstats.analysis._decomposition import decompositions_of
from specstats.analysis.acceptance_pair import with_differences
from specstats.analysis.controls import Controls, compare_controls
from specstats.analysis.describe import arm_summary, without_intervals
from specstats.analysis.determinism import determinism_of
from specstats.analysis.family import Family, compare_family
from specstats.analysis.generations import acceptance_findings
from specstats.analysis.methods import method_named
from specstats.analysis.options import DEFAULT_METHOD, Options, ReferenceSpread
from specstats.analysis.pair import Pair, pair_of
from specstats.analysis.pairs import rank
from specstats.analysis.workloads import OVERALL
from specstats.bench import Bench, read
from specstats.checks import study_findings
from specstats.defaults import DEFAULTS
from specstats.design import Design, View, view_of
from specstats.design.view import metrics_of
from specstats.diagnostics import Finding, Findings, finding, rule
from specstats.results import NoiseFloor, StudySummary
from specstats.units import METRICS, metric_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from specstats.analysis.pairs import PairMaker
    from specstats.results import ArmSummary, Comparison, Ranking

_MIXTURES = frozenset({"SPS102", "SPS103", "SPS112"})

__all__ = ["candidates_of", "summarize", "summarize_view"]


def summarize(
    bench: Bench | str | Path,
    design: Design | None = None,
    /,
    *,
    metrics: Sequence[str] = ("decode_rate",),
    confidence_level: float = DEFAULTS.confidence_level,
    margin: float | None = None,
    min_runs: int = DEFAULTS.min_runs,
    reference_spread: ReferenceSpread | None = None,
    by_workload: bool = False,
    method: str = DEFAULT_METHOD,
    all_pairs: bool = False,
    allow: Sequence[str] = (),
) -> StudySummary:
    """Summarise a study: arms, spread, comparisons, acceptance, determinism.

    Parameters
    ----------
    bench : Bench, path or folder
        The data; a path is read first.
    design : Design, optional
        What was varied; completed from the manifest and the arm names.
    metrics : sequence of str
        Metrics to compare, the first is the primary one; each is a family.
    confidence_level : float
        Level of intervals.
    margin : float, optional
        Relative difference that does not matter, for equivalence.
    min_runs : int
        Launches (or blocks) below which no verdict is given.
    reference_spread : ReferenceSpread, optional
        Spread borrowed from earlier launches.
    by_workload : bool
        Compare inside each workload instead of over all prompts.
    method : str
        A method by name, such as ``"bootstrap-t"``; the design chooses by default.
    all_pairs : bool
        Rank more arms than are ranked without being asked, and show every pair.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    StudySummary
        ``.to_dict()`` is the JSON report.

    Notes
    -----
    Estimand: ratio of geometric means of run values (speedup, above 1 is faster).
    Unit of replication: the launch, or the block where arms are blocked. Assumes
    independent launches with lognormal run values. Refuses with the rules that
    `specstats.RULES` lists. Checked in tests/reference and tests/sims.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> [(item.scope, item.verdict.value) for item in study.comparisons]
    [('future sessions', 'insufficient'), ('these sessions', 'faster')]
    """
    if not isinstance(bench, Bench):
        bench = read(bench)
    for name in metrics:
        metric_named(name)
    method_named(method)
    options = Options(
        confidence_level=confidence_level,
        margin=margin,
        min_runs=min_runs,
        reference_spread=reference_spread,
        method=method,
        allow=tuple(rule(code).code for code in allow),
    )
    view = view_of(bench, design)
    return summarize_view(
        view,
        options,
        metrics=tuple(metrics),
        by_workload=by_workload,
        most_ranked=DEFAULTS.max_ranked_arms if all_pairs else DEFAULTS.ranked_arms,
        all_pairs=all_pairs,
    )


def summarize_view(
    view: View,
    options: Options,
    *,
    metrics: tuple[str, ...],
    by_workload: bool = False,
    most_ranked: int = 0,
    all_pairs: bool = False,
    only: bool = False,
) -> StudySummary:
    """Summarise a view.

    Parameters
    ----------
    view : View
        The data as the design sees them.
    options : Options
        What is asked.
    metrics : tuple of str
        Metrics to compare, the first is the primary one.
    by_workload : bool
        Compare inside each workload.
    most_ranked : int
        Arms up to which all pairs are compared; 0 ranks nothing.
    all_pairs : bool
        Whether reports show the pairs.
    only : bool
        Whether arms are described in these metrics alone.

    Returns
    -------
    StudySummary
        The summary.
    """
    from specstats._version import __version__

    findings = study_findings(view)
    if options.method == "sequential":
        # It holds however often one looks, so more launches than planned are no harm.
        findings = Findings(item for item in findings if item.code != "SPS209")
    names = dict.fromkeys((*view.arms, *view.bench.arms))
    described = metrics
    if not only:
        tails = [name for name in metrics if METRICS[name].quantile is not None]
        described = (*metrics_of(view), *tails)
    arms = {
        name: arm_summary(
            view,
            name,
            confidence_level=options.confidence_level,
            metrics=described,
            in_parts=not only,
        )
        for name in names
    }
    found = [arm.acceptance for arm in arms.values() if arm.acceptance is not None]
    findings += acceptance_findings(found)
    arms = {
        name: without_intervals(arm) if _is_mixture(findings, name, options) else arm
        for name, arm in arms.items()
    }
    arms = with_differences(view, arms, candidates_of(view), options)
    comparisons: list[Comparison] = []
    rankings: list[Ranking] = []
    to_rank = arms_to_rank(view)
    controls: list[Controls] = []
    for metric in metrics:
        pair = _pairs_in(view, findings, options, metric)
        workloads: list[str | None] = workloads_of(view) if by_workload else [None]
        made, control = _compare(view, arms, options, pair, workloads=workloads)
        comparisons.extend(made)
        controls.append(control)
        if to_rank <= most_ranked:
            rankings.extend(
                rank(
                    view, arms, control, options, pair, metric=metric, workload=workload
                )
                for workload in (workloads if to_rank else ())
            )
    primary = controls[0] if controls else None
    everything = Findings(
        [
            *findings,
            *(item for control in controls for item in control.findings),
            *(item for one in comparisons for item in one.findings),
            *(
                item
                for ranked in rankings
                for one in ranked.pairs
                for item in one.findings.of("SPS211")
            ),
        ]
    ).allowed(options.allow)
    everything += _unused_allowances(everything, options)
    study = view.bench.study
    return StudySummary(
        title=None if study is None else study.title,
        version=__version__,
        inputs=view.bench.inputs,
        arms=tuple(arms.values()),
        controls=tuple(item for control in controls for item in control.comparisons),
        noise_floor=_floor(primary),
        comparisons=tuple(comparisons),
        rankings=tuple(rankings),
        decompositions=() if only else decompositions_of(view, comparisons, options),
        shows_pairs=all_pairs,
        not_ranked=to_rank if to_rank > most_ranked > 0 else 0,
        determinism=determinism_of(view),
        findings=everything,
    )


def _is_mixture(findings: Findings, arm: str, options: Options) -> bool:
    """Whether an error says that the launches of an arm are not of one setting."""
    return any(
        item.subject == (arm,)
        and item.is_error
        and item.code in _MIXTURES
        and item.code not in options.allow
        for item in findings
    )


def _unused_allowances(findings: Findings, options: Options) -> list[Finding]:
    """SPS403: an allowed rule that refused nothing."""
    used = {item.code for item in findings if item.was_allowed}
    return [
        finding(
            "SPS403",
            f"{code} is allowed and refused nothing",
            observed=f"no error of {code}",
            required=f"an error of {code}",
            remedy="leave the allowance out, so that it hides nothing later",
        )
        for code in options.allow
        if code not in used
    ]


def _pairs_in(
    view: View, findings: Findings, options: Options, metric: str
) -> PairMaker:
    """Return what gathers the evidence on two arms, each pair once."""

    @cache
    def pair(first: str, second: str, workload: str | None) -> Pair:
        return pair_of(
            view, findings, first, second, metric, options=options, workload=workload
        )

    return pair


def _compare(
    view: View,
    arms: dict[str, ArmSummary],
    options: Options,
    pair: PairMaker,
    *,
    workloads: list[str | None],
) -> tuple[tuple[Comparison, ...], Controls]:
    design = view.design
    known = [
        pair(first, second, None)
        for first, second in design.controls
        if first in arms and second in arms
    ]
    controls = compare_controls(known, arms, options)
    baseline = design.baseline
    if baseline is None:
        return (), controls
    found: list[Comparison] = []
    several = sum(load is not None for load in workloads) > 1
    for loads in (workloads, [OVERALL] if several else []):
        wanted = [(name, load) for load in loads for name in candidates_of(view)]
        family = Family(
            pairs=tuple(pair(baseline, name, load) for name, load in wanted),
            against_controls={
                twin: tuple(pair(twin, name, load) for name, load in wanted)
                for twin in design.control_arms(baseline)
            },
            passed_over=tuple(
                pair(baseline, name, load)
                for load in loads
                for name in passed_over(view)
            ),
        )
        found.extend(compare_family(family, controls, arms, options))
    return tuple(found), controls


def _floor(controls: Controls | None) -> NoiseFloor | None:
    if controls is None or controls.floor_log is None:
        return None
    return NoiseFloor(
        ratio=math.exp(min(controls.floor_log, 700.0)),
        controls=tuple(
            item.candidate for item in controls.comparisons if item.estimate is not None
        ),
    )
