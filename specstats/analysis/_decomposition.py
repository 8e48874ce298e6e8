"""One speedup in its two factors: tokens per step and steps per second."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.scopes import scopes
from specstats.diagnostics import Level, finding
from specstats.results import Decomposition, Interval, RatePart, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.analysis.options import Options
    from specstats.design import View
    from specstats.diagnostics import Finding, Findings
    from specstats.results import Comparison, Driver

__all__ = ["decomposition_of", "decompositions_of"]

_PARTS = ("tokens_per_step", "step_rate")
_LABELS = {"tokens_per_step": "tokens per step", "step_rate": "steps per second"}
_SAME = 1e-9  # relative: launches that repeat each other token for token


def decompositions_of(
    view: View, comparisons: Sequence[Comparison], options: Options
) -> tuple[Decomposition, ...]:
    """Split the headlines of decode rates whose steps are known.

    Parameters
    ----------
    view : View
        The data.
    comparisons : sequence of Comparison
        All comparisons of a study.
    options : Options
        What is asked.

    Returns
    -------
    tuple of Decomposition
        Those that are not refused.
    """
    found = [
        decomposition_of(view, item, options)
        for item in comparisons
        if item.headline and item.ok and item.metric == "decode_rate"
    ]
    return tuple(item for item in found if item.ok)


def decomposition_of(view: View, rate: Comparison, options: Options) -> Decomposition:
    """Split one comparison of decode rates.

    Parameters
    ----------
    view : View
        The data.
    rate : Comparison
        The comparison.
    options : Options
        What is asked.

    Returns
    -------
    Decomposition
        Refused where the rate is, or where steps are not known.
    """
    findings = rate.findings
    parts: tuple[RatePart, ...] = ()
    if rate.ok:
        found = [_part(view, rate, name, options) for name in _PARTS]
        known = tuple(part for part in found if part is not None)
        if len(known) == len(_PARTS):
            parts = known
        else:
            findings += [_uncounted(rate)]
    enough = rate.verdict is not Verdict.INSUFFICIENT
    driver = _driver(parts) if parts and enough else None
    return Decomposition(
        baseline=rate.baseline,
        candidate=rate.candidate,
        rate=rate,
        parts=parts,
        driver=driver,
        sentence=_sentence(rate, parts, driver, findings),
        findings=findings,
    )


def _part(
    view: View, rate: Comparison, metric: str, options: Options
) -> RatePart | None:
    arms = (rate.baseline, rate.candidate)
    matrix = view.matrix(metric, arms, workload=rate.workload)
    flags = matrix.of_arm(rate.candidate)
    values = matrix.run_values()
    if not flags.any() or flags.all() or not np.isfinite(values).all():
        return None
    ratio = math.exp(values[flags].mean() - values[~flags].mean())
    exact = all(np.ptp(values[own]) <= _SAME for own in (flags, ~flags))
    if exact:
        apart = abs(math.log(ratio)) > _SAME
        return RatePart(
            metric=metric, ratio=ratio, interval=None, exact=True, told_apart=apart
        )
    headline = next(iter(scopes(matrix, values, rate.candidate, options)))
    if headline.contrast is None:
        return RatePart(
            metric=metric, ratio=ratio, interval=None, exact=False, told_apart=False
        )
    low, high = headline.contrast.interval(options.confidence_level)
    return RatePart(
        metric=metric,
        ratio=math.exp(headline.contrast.estimate),
        interval=Interval(
            low=math.exp(low),
            high=math.exp(high),
            confidence_level=options.confidence_level,
            method=headline.contrast.method,
        ),
        exact=False,
        told_apart=not low <= 0.0 <= high,
    )


def _driver(parts: Sequence[RatePart]) -> Driver:
    tokens, steps = (part.told_apart for part in parts)
    if tokens and steps:
        return "both"
    if tokens:
        return "acceptance-driven"
    return "cost-driven" if steps else "not told apart"


def _uncounted(rate: Comparison) -> Finding:
    return finding(
        "SPS301",
        f"the steps of {rate.candidate} or {rate.baseline} cannot be counted, so the "
        "speedup is not decomposed",
        level=Level.ERROR,
        observed="no step or draft counts",
        required="n_steps, or drafted and accepted tokens, of every request",
        remedy="keep the engine's draft counts (timings, --save-detailed)",
        subject=(rate.baseline, rate.candidate),
        metric="decode_rate",
    )


def _sentence(
    rate: Comparison,
    parts: Sequence[RatePart],
    driver: Driver | None,
    findings: Findings,
) -> str:
    head = f"{rate.candidate} vs {rate.baseline}"
    if not parts or rate.estimate is None:
        errors = findings.errors
        why = f"{errors[0].code} {errors[0].message}" if errors else "no estimate"
        return f"{head}: not decomposed - {why}."
    shown = " times ".join(_shown(part) for part in parts)
    told = driver or "too little stands behind it to say what drives it"
    return f"{head}: decode rate x{rate.estimate.value:.3f} is {shown}: {told}."


def _shown(part: RatePart) -> str:
    limits = part.interval
    told = " (the same in every launch)" if part.exact else ""
    if limits is not None:
        told = f" [{limits.low:.3f}, {limits.high:.3f}]"
    return f"x{part.ratio:.3f}{told} {_LABELS[part.metric]}"
