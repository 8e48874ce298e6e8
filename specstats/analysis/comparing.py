"""Building one comparison from its evidence and its place in the family."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.analysis._pair_bands import band_of, inside_band, telemetry_difference
from specstats.analysis._pair_estimates import (
    bounded_exp,
    estimand_ratios,
    estimate_of,
    simultaneous_limits,
)
from specstats.analysis.gate import gate_of, gate_words
from specstats.analysis.method_limits import method_findings
from specstats.analysis.needs import needs_of
from specstats.analysis.scopes import common_blocks
from specstats.analysis.sensitivity import sensitivity_of
from specstats.analysis.sentence import sentence_of
from specstats.analysis.verdict import Evidence, decide
from specstats.results import (
    Comparison,
)
from specstats.stats.effects import unbounded
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.diagnostics import Finding
    from specstats.results import ArmSummary
    from specstats.stats.effects import Effect

__all__ = ["Standing", "bounded_exp", "build_comparison"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A comparison's place in its family.

    Attributes
    ----------
    p_holm : float or None
        p adjusted for the family: Holm's, or Games-Howell's with `arms`.
    family : int
        Comparisons in it.
    arms : int or None
        Arms of a family of all pairs that is adjusted after Games and Howell.
    capped, agrees_with_controls : bool
        What controls and order say.
    """

    p_holm: float | None
    family: int
    arms: int | None = None
    capped: bool = False
    agrees_with_controls: bool = True


def build_comparison(
    pair: Pair,
    scope: Scope | None,
    standing: Standing,
    arms: Mapping[str, ArmSummary],
    options: Options,
    *,
    headline: bool,
    extra: Sequence[Finding],
    control: bool = False,
) -> Comparison:
    """Build a comparison.

    Parameters
    ----------
    pair : Pair
        The evidence.
    scope : Scope or None
        What is estimated; None when nothing can be.
    standing : Standing
        Place in the family.
    arms : mapping
        Summaries by arm.
    options : Options
        What is asked.
    headline : bool
        Whether it is the one to quote.
    extra : sequence of Finding
        Findings of the family.
    control : bool
        Whether the arms are declared identical.

    Returns
    -------
    Comparison
        With verdict, sentence and needs.
    """
    findings = pair.findings + extra
    contrast = None if scope is None or findings.errors else scope.contrast
    blocks = common_blocks(pair.matrix, pair.candidate) if pair.scopes else None
    baseline = arms.get(pair.baseline)
    band = band_of(baseline, pair.metric)
    other = arms.get(pair.candidate)
    findings += inside_band(pair, band or band_of(other, pair.metric), options)
    findings += method_findings(pair, scope, options)
    verdict = decide(
        Evidence(
            refused=contrast is None,
            thin=scope is not None and _thin(scope, options),
            capped=standing.capped or control,
            equivalent=_equivalent(contrast, options),
            significant=standing.p_holm is not None
            and standing.p_holm <= options.alpha,
            better=contrast is not None and contrast.estimate > 0.0,
        )
    )
    needs = None if control else needs_of(pair, verdict, options)
    estimate = estimate_of(contrast, options.confidence_level)
    gate = None
    if not control:
        gate = gate_of(verdict, estimate, capped=standing.capped, margin=options.margin)
    n_blocks = None if blocks is None else len(blocks)
    observed = pair.observed_log
    name = _scope_name(scope, n_blocks)
    memory, power = telemetry_difference(baseline, arms.get(pair.candidate))
    return Comparison(
        metric=pair.metric,
        unit=METRICS[pair.metric].unit,
        baseline=pair.baseline,
        candidate=pair.candidate,
        workload=pair.workload,
        headline=headline,
        scope="runs" if scope is None else scope.name,
        verdict=verdict,
        observed_ratio=None if observed is None else bounded_exp(observed),
        estimate=estimate,
        simultaneous=simultaneous_limits(contrast, standing, options),
        p_value=None if contrast is None else contrast.p_value(),
        p_holm=None if contrast is None else standing.p_holm,
        family_size=standing.family,
        method=None if contrast is None else contrast.method,
        replicate="run" if scope is None else scope.replicate,
        n_runs_baseline=pair.runs_of(pair.baseline),
        n_runs_candidate=pair.runs_of(pair.candidate),
        n_blocks=n_blocks,
        n_prompts=pair.n_prompts,
        aa_band=band,
        leave_one_out=sensitivity_of(pair, scope, contrast),
        peak_memory_difference_mib=memory,
        peak_power_difference_w=power,
        needs=needs,
        sentence=sentence_of(
            pair,
            verdict,
            estimate,
            scope=name,
            n_blocks=n_blocks,
            needs=needs if headline else None,
            findings=findings,
            control=control,
            gate=gate_words(verdict, gate),
        ),
        estimands=estimand_ratios(pair, options)
        if headline and contrast is not None
        else (),
        findings=findings,
        gate=gate,
    )


def _scope_name(scope: Scope | None, n_blocks: int | None) -> str:
    if scope is None:
        return "runs"
    if scope.name == "these sessions":
        return f"these {n_blocks} sessions"
    return scope.name


def _thin(scope: Scope, options: Options) -> bool:
    """Whether too little stands behind the interval for a verdict.

    A borrowed spread never suffices by itself: the user has to say, by allowing
    SPS101, that it covers both arms.
    """
    if scope.borrowed:
        return "SPS101" not in options.allow
    contrast = scope.contrast
    if contrast is None or scope.n_units < max(options.min_runs, scope.least):
        return True
    return unbounded(contrast.interval(options.confidence_level))


def _equivalent(contrast: Effect | None, options: Options) -> bool:
    if contrast is None or options.margin is None:
        return False
    low, high = contrast.interval(1.0 - 2.0 * options.alpha)
    bound = math.log1p(options.margin)
    return -bound <= low and high <= bound
