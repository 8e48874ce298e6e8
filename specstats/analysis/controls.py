"""Arms declared identical: the noise floor, and what it forbids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.analysis.comparing import Standing, bounded_exp, build_comparison
from specstats.diagnostics import Finding, Findings, finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.results import ArmSummary, Comparison
    from specstats.stats.effects import Effect

__all__ = ["Controls", "caps", "compare_controls", "same_claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """What the control arms say.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Each control against the arm that it is declared identical with.
    floor_log : float or None
        Largest absolute log limit over their intervals.
    told_apart : tuple of str
        Control arms that are told apart.
    findings : Findings
        SPS210 for these.
    """

    comparisons: tuple[Comparison, ...]
    floor_log: float | None
    told_apart: tuple[str, ...]
    findings: Findings


def compare_controls(
    pairs: Sequence[Pair], arms: Mapping[str, ArmSummary], options: Options
) -> Controls:
    """Compare arms that are declared identical.

    Parameters
    ----------
    pairs : sequence of Pair
        Each control pair, in the primary metric.
    arms : mapping
        Summaries by arm.
    options : Options
        What is asked.

    Returns
    -------
    Controls
        Never a speedup: the noise floor, and SPS210 where they are told apart.
    """
    made: list[Comparison] = []
    limits: list[float] = []
    apart: dict[str, None] = {}
    findings: list[Finding] = []
    for pair in pairs:
        if not pair.scopes:
            continue
        scope = pair.scopes[0]
        own: list[Finding] = []
        contrast = None if pair.findings.errors else scope.contrast
        if contrast is not None:
            low, high = contrast.interval(options.confidence_level)
            limits.append(max(abs(low), abs(high)))
            if low > 0.0 or high < 0.0:
                apart[pair.candidate] = None
                own.append(_told_apart(pair, low, high))
        findings.extend(own)
        made.append(
            build_comparison(
                pair,
                scope,
                Standing(p_holm=None, family=1),
                arms,
                options,
                headline=True,
                extra=own,
                control=True,
            )
        )
    return Controls(
        comparisons=tuple(made),
        floor_log=max(limits) if limits else None,
        told_apart=tuple(apart),
        findings=Findings(findings),
    )


def _told_apart(pair: Pair, low: float, high: float) -> Finding:
    return finding(
        "SPS210",
        f"{pair.candidate} and {pair.baseline} are declared identical and are told "
        "apart: claims inside the noise floor are capped",
        observed=f"x[{bounded_exp(low):.4f}, {bounded_exp(high):.4f}]",
        required="an interval that holds 1",
        remedy="find what differs between them, or measure more launches; until then "
        "only effects beyond the floor stand",
        metric=pair.metric,
    )


def same_claim(
    standing: Standing,
    contrast: Effect,
    twin: Standing | None,
    other: Effect | None,
    alpha: float,
) -> bool:
    """Whether the control as baseline gives the same Holm verdict.

    Parameters
    ----------
    standing, twin : Standing
        Place in the family, against the baseline and against the control.
    contrast, other : Effect
        Log ratio to the baseline and to the control.
    alpha : float
        Level of verdicts.
    """
    if standing.p_holm is None or standing.p_holm > alpha:
        return True
    if twin is None or twin.p_holm is None or other is None or twin.p_holm > alpha:
        return False
    return (contrast.estimate > 0.0) == (other.estimate > 0.0)


def caps(
    pair: Pair,
    scope: Scope,
    controls: Controls | None,
    options: Options,
    *,
    agrees: bool,
) -> tuple[bool, list[Finding]]:
    """Decide whether order, the controls or a second fit forbid a claim.

    Parameters
    ----------
    pair : Pair
        The evidence.
    scope : Scope
        What is estimated.
    controls : Controls or None
        What the control arms say.
    options : Options
        What is asked.
    agrees : bool
        Whether the controls give the same Holm verdict.
    """
    contrast = scope.contrast
    if contrast is None:
        return False, []
    extra: list[Finding] = []
    capped = pair.order.caps or (
        pair.order.suspect and not _holds(contrast, pair.order.adjusted, options.alpha)
    )
    if scope.must_agree is not None and contrast.p_value() <= options.alpha:
        capped |= not _holds(contrast, scope.must_agree, options.alpha)
    floor = None if controls is None else controls.floor_log
    if controls is not None and floor is not None and controls.told_apart:
        low, high = contrast.interval(options.confidence_level)
        if low <= floor and high >= -floor:
            capped = True
            extra.append(_inside_floor(pair, floor))
    if not agrees:
        capped = True
        extra.append(
            finding(
                "SPS210",
                f"{pair.candidate} is not told apart in the same direction from the "
                f"control of {pair.baseline}",
                observed="another Holm verdict against the control",
                required="the same Holm verdict against baseline and control",
                remedy="measure more launches of all arms",
                subject=(pair.baseline, pair.candidate),
                metric=pair.metric,
            )
        )
    return capped, extra


def _holds(contrast: Effect, other: Effect | None, alpha: float) -> bool:
    if other is None or other.p_value() > alpha:
        return False
    return (other.estimate > 0.0) == (contrast.estimate > 0.0)


def _inside_floor(pair: Pair, floor: float) -> Finding:
    return finding(
        "SPS210",
        f"the interval of {pair.candidate} reaches into the noise floor of the "
        "control arms",
        observed=f"noise floor x{bounded_exp(floor):.4f}",
        required="an interval beyond the noise floor",
        remedy="find what tells the control arms apart, or measure more launches",
        subject=(pair.baseline, pair.candidate),
        metric=pair.metric,
    )
