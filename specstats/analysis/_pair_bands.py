"""What two runs of one setting may show, beside what two arms show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.analysis._pair_estimates import bounded_exp
from specstats.diagnostics import finding
from specstats.stats.intervals import aa_log_factor

if TYPE_CHECKING:
    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.diagnostics import Finding
    from specstats.results import AaBand, ArmSummary

__all__ = ["band_of", "inside_band", "telemetry_difference"]


def band_of(arm: ArmSummary | None, metric: str) -> AaBand | None:
    found = None if arm is None else arm.metrics.get(metric)
    if found is None or found.spread is None:
        return None
    return found.spread.aa_band or found.spread.aa_band_between_blocks


def inside_band(pair: Pair, band: AaBand | None, options: Options) -> list[Finding]:
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


def telemetry_difference(
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
