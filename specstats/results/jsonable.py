"""Results as JSON-safe values, with the fixed keys of the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.bench import InputFile
    from specstats.results.acceptance import Acceptance, Dispersion, PositionRate
    from specstats.results.arm import (
        Aggregate,
        ArmSummary,
        DeterminismRow,
        Telemetry,
    )
    from specstats.results.comparison import Comparison, LeaveOneOut
    from specstats.results.decomposition import Decomposition
    from specstats.results.estimates import AaBand, Interval, MetricSummary, Spread
    from specstats.results.ranking import Ranking

__all__ = [
    "acceptance",
    "arm",
    "comparison",
    "decomposition",
    "determinism",
    "input_file",
    "ranking",
]

Json = dict[str, object]


def input_file(item: InputFile) -> Json:
    """Return an artifact as JSON-safe values."""
    return {
        "path": item.path,
        "sha256": item.sha256,
        "format": item.format,
        "producer": item.producer,
        "entries": item.entries,
        "parsed": item.parsed,
        "failed_requests": item.failed_requests,
        "run_boundary": item.run_boundary,
    }


def arm(item: ArmSummary) -> Json:
    """Return an arm as JSON-safe values."""
    return {
        "arm": item.arm,
        "n_runs": item.n_runs,
        "n_blocks": item.n_blocks,
        "n_prompts": item.n_prompts,
        "n_requests": item.n_requests,
        "n_failed": item.n_failed,
        "n_distinct_outputs": item.n_distinct_outputs,
        "settings": dict(item.settings),
        "metrics": {name: metric(found) for name, found in item.metrics.items()},
        "acceptance": None if item.acceptance is None else acceptance(item.acceptance),
        "telemetry": None if item.telemetry is None else _telemetry(item.telemetry),
        "aggregates": [_aggregate(found) for found in item.aggregates],
    }


def _aggregate(item: Aggregate) -> Json:
    return {
        "prompt": item.prompt,
        "metric": item.metric,
        "unit": item.unit,
        "statistic": item.statistic,
        "value": item.value,
        "sd": item.sd,
        "n": item.n,
        "scope": item.scope,
        "definition": item.definition,
        "source": item.source,
    }


def metric(item: MetricSummary) -> Json:
    """Return a metric of an arm as JSON-safe values."""
    interval = item.interval
    return {
        "unit": item.unit,
        "rate_convention": item.rate_convention,
        "estimate": item.estimate,
        "mean": item.mean,
        "conf_low": None if interval is None else interval.low,
        "conf_high": None if interval is None else interval.high,
        "conf_level": None if interval is None else interval.confidence_level,
        "min": item.minimum,
        "max": item.maximum,
        "n_runs": item.n_runs,
        "n_requests": item.n_requests,
        "run_values": list(item.run_values),
        "spread": None if item.spread is None else _spread(item.spread),
    }


def _spread(item: Spread) -> Json:
    return {
        "run_sd_log": item.run_sd_log,
        "sd_low": item.sd_low,
        "sd_high": item.sd_high,
        "run_cv": item.run_cv,
        "next_run_low": item.next_run_low,
        "next_run_high": item.next_run_high,
        "n_runs": item.n_runs,
        "conf_level": item.confidence_level,
        "aa_band": _band(item.aa_band),
        "aa_band_between_blocks": _band(item.aa_band_between_blocks),
        "components": None if item.components is None else dict(item.components),
    }


def _band(item: AaBand | None) -> Json | None:
    if item is None:
        return None
    return {
        "ratio": item.ratio,
        "conf_level": item.confidence_level,
        "runs": item.runs,
    }


def acceptance(item: Acceptance) -> Json:
    """Return acceptance as JSON-safe values."""
    interval, inside = item.interval, item.token_interval
    return {
        "rate": item.rate,
        "conf_low": None if interval is None else interval.low,
        "conf_high": None if interval is None else interval.high,
        "conf_level": None if interval is None else interval.confidence_level,
        "drafted": item.drafted,
        "accepted": item.accepted,
        "cluster": item.cluster,
        "n_clusters": item.n_clusters,
        "n_distinct_generations": item.n_distinct_generations,
        "n_requests": item.n_requests,
        "method": item.method,
        "steps": item.steps,
        "tokens_per_step": item.tokens_per_step,
        "step_convention": item.step_convention,
        "token_interval": None
        if inside is None
        else {"low": inside.low, "high": inside.high, "label": inside.label},
        "naive": {
            "drafted": item.naive.drafted,
            "accepted": item.naive.accepted,
            "rate": item.naive.rate,
        },
        "tokens_per_step_interval": _interval(item.length_interval),
        "positions": [_position(found) for found in item.positions],
        "dispersion": None if item.dispersion is None else _dispersion(item.dispersion),
        "differences": [found.to_dict() for found in item.differences],
    }


def _interval(item: Interval | None) -> Json | None:
    if item is None:
        return None
    return {
        "conf_low": item.low,
        "conf_high": item.high,
        "conf_level": item.confidence_level,
        "method": item.method,
    }


def _position(item: PositionRate) -> Json:
    return {
        "position": item.position,
        "accepted": item.accepted,
        "steps": item.steps,
        "rate": item.rate,
        "interval": _interval(item.interval),
        "reached": item.reached,
        "conditional": item.conditional,
        "conditional_interval": _interval(item.conditional_interval),
    }


def _dispersion(item: Dispersion) -> Json:
    return {
        "phi": item.phi,
        "icc": item.icc,
        "design_effect": item.design_effect,
        "n_effective": item.n_effective,
        "n_clusters": item.n_clusters,
    }


def _telemetry(item: Telemetry) -> Json:
    return {
        "n_samples": item.n_samples,
        "peak_memory_mib": item.peak_memory_mib,
        "peak_power_w": item.peak_power_w,
        "mean_power_w": item.mean_power_w,
        "peak_utilisation_pct": item.peak_utilisation_pct,
        "peak_temperature_c": item.peak_temperature_c,
        "energy_per_token_j": None,
    }


def _finite(limit: float) -> float | None:
    """Return a limit of a ratio, None where there is none."""
    return limit if 0.0 < limit < math.inf else None


def decomposition(item: Decomposition) -> Json:
    """Return a decomposition as JSON-safe values."""
    return {
        "baseline": item.baseline,
        "candidate": item.candidate,
        "workload": item.rate.workload,
        "parts": [
            {
                "metric": part.metric,
                "ratio": part.ratio,
                "conf_low": None if part.interval is None else part.interval.low,
                "conf_high": None if part.interval is None else part.interval.high,
                "exact": part.exact,
                "told_apart": part.told_apart,
            }
            for part in item.parts
        ],
        "driver": item.driver,
        "sentence": item.sentence,
        "findings": list(item.findings.codes),
    }


def comparison(item: Comparison) -> Json:
    """Return a comparison as JSON-safe values."""
    estimate, family = item.estimate, item.simultaneous
    memory, power = item.peak_memory_difference_mib, item.peak_power_difference_w
    return {
        "metric": item.metric,
        "unit": item.replicate,
        "metric_unit": item.unit,
        "baseline": item.baseline,
        "candidate": item.candidate,
        "workload": item.workload,
        "headline": item.headline,
        "scope": item.scope,
        "verdict": item.verdict.value,
        "gate": item.gate,
        "observed_ratio": item.observed_ratio,
        "estimate": None if estimate is None else estimate.value,
        "std_error_log": None if estimate is None else estimate.std_error,
        "conf_low": None if estimate is None else _finite(estimate.interval.low),
        "conf_high": None if estimate is None else _finite(estimate.interval.high),
        "conf_level": None if estimate is None else estimate.interval.confidence_level,
        "simultaneous_low": None if family is None else _finite(family.low),
        "simultaneous_high": None if family is None else _finite(family.high),
        "p_value": item.p_value,
        "p_holm": item.p_holm,
        "family_size": item.family_size,
        "method": item.method,
        "df": None if estimate is None else estimate.df,
        "n_runs": {
            "baseline": item.n_runs_baseline,
            "candidate": item.n_runs_candidate,
        },
        "n_blocks": item.n_blocks,
        "n_prompts": item.n_prompts,
        "aa_band": _band(item.aa_band),
        "leave_one_out": _leave_one_out(item.leave_one_out),
        "difference": None
        if memory is None and power is None
        else {"peak_memory_mib": memory, "peak_power_w": power},
        "needs": None
        if item.needs is None
        else {"runs_per_arm": item.needs.runs_per_arm, "why": item.needs.why},
        "estimands": [
            {
                "estimand": found.estimand,
                "ratio": found.ratio,
                "conf_low": found.interval.low,
                "conf_high": found.interval.high,
            }
            for found in item.estimands
        ],
        "sentence": item.sentence,
        "findings": list(item.findings.codes),
    }


def _leave_one_out(item: LeaveOneOut | None) -> Json | None:
    if item is None:
        return None
    return {"low": item.low, "high": item.high, "unit": item.unit}


def determinism(item: DeterminismRow) -> Json:
    """Return a row of the determinism table as JSON-safe values."""
    return {
        "arm": item.arm,
        "prompt": item.prompt,
        "n_requests": item.n_requests,
        "n_distinct_outputs": item.n_distinct_outputs,
        "first_differs": item.first_differs,
        "explained_by": item.explained_by,
        "same_outputs_as": list(item.same_outputs_as),
    }


def ranking(item: Ranking) -> Json:
    """Return a ranking as JSON-safe values."""
    return {
        "metric": item.metric,
        "workload": item.workload,
        "adjustment": item.adjustment,
        "arms": [
            {
                "arm": found.arm,
                "ratio_to_mean": found.ratio,
                "not_told_apart_from": list(found.not_told_apart_from),
            }
            for found in item.arms
        ],
        "groups": [list(group) for group in item.groups],
        "winner": item.winner,
        "unranked": list(item.unranked),
        "sentence": item.sentence,
        "pairs": [comparison(pair) for pair in item.pairs],
    }
