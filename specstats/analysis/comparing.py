"""Building one comparison from its evidence and its place in the family."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.analysis.gate import gate_of, gate_words
from specstats.analysis.method_limits import method_findings
from specstats.analysis.needs import needs_of
from specstats.analysis.scopes import common_blocks
from specstats.analysis.sensitivity import sensitivity_of
from specstats.analysis.sentence import sentence_of
from specstats.analysis.verdict import Evidence, decide
from specstats.diagnostics import Finding, finding
from specstats.results import (
    AaBand,
    Comparison,
    EstimandRatio,
    Estimate,
    Interval,
)
from specstats.stats.effects import unbounded
from specstats.stats.intervals import aa_log_factor
from specstats.stats.multiplicity import bonferroni_level
from specstats.stats.studentized import studentized_range_critical
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
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
    band = _band(baseline, pair.metric)
    other = arms.get(pair.candidate)
    findings += _inside_band(pair, band or _band(other, pair.metric), options)
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
    estimate = _estimate(contrast, options.confidence_level)
    gate = None
    if not control:
        gate = gate_of(verdict, estimate, capped=standing.capped, margin=options.margin)
    n_blocks = None if blocks is None else len(blocks)
    observed = pair.observed_log
    name = _scope_name(scope, n_blocks)
    memory, power = _difference(baseline, arms.get(pair.candidate))
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
        simultaneous=_simultaneous(contrast, standing, options),
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
        estimands=_estimands(pair, options)
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


def _estimate(contrast: Effect | None, level: float) -> Estimate | None:
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


def _estimands(pair: Pair, options: Options) -> tuple[EstimandRatio, ...]:
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


def _simultaneous(
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


def _band(arm: ArmSummary | None, metric: str) -> AaBand | None:
    found = None if arm is None else arm.metrics.get(metric)
    if found is None or found.spread is None:
        return None
    return found.spread.aa_band or found.spread.aa_band_between_blocks


def _inside_band(pair: Pair, band: AaBand | None, options: Options) -> list[Finding]:
    """SPS202: a ratio of single runs that one setting alone may show."""
    single = 1 in (pair.runs_of(pair.baseline), pair.runs_of(pair.candidate))
    observed = pair.observed_log
    ratio = None if band is None else band.ratio
    if options.reference_spread is not None and ratio is None:
        reference = options.reference_spread
        level = options.confidence_level
        ratio = bounded_exp(
            aa_log_factor(reference.sd, reference.df, confidence_level=level)
        )
    if not single or observed is None or ratio is None:
        return []
    if abs(observed) > math.log(ratio):
        return []
    return [
        finding(
            "SPS202",
            f"two runs of one setting may differ by x{ratio:.3f}: the observed "
            f"x{bounded_exp(observed):.3f} lies inside",
            observed=f"x{bounded_exp(observed):.4f}",
            required=f"beyond x{ratio:.4f}, or more launches",
            remedy="launch each arm several times",
            subject=(pair.baseline, pair.candidate),
            metric=pair.metric,
        )
    ]


def _difference(
    baseline: ArmSummary | None, candidate: ArmSummary | None
) -> tuple[float | None, float | None]:
    first = None if baseline is None else baseline.telemetry
    second = None if candidate is None else candidate.telemetry
    if first is None or second is None:
        return None, None

    def minus(one: float | None, other: float | None) -> float | None:
        return None if one is None or other is None else one - other

    return (
        minus(second.peak_memory_mib, first.peak_memory_mib),
        minus(second.peak_power_w, first.peak_power_w),
    )


def bounded_exp(value: float) -> float:
    """Return exp of a log ratio, kept finite.

    Parameters
    ----------
    value : float
        A log ratio.
    """
    return math.exp(min(max(value, -700.0), 700.0))
