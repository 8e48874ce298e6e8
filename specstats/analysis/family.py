"""A family of comparisons: Holm, simultaneous limits, verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specstats.analysis.comparing import Standing, build_comparison
from specstats.analysis.controls import caps, same_claim
from specstats.diagnostics import Finding, finding
from specstats.stats.multiplicity import holm
from specstats.stats.studentized import games_howell_p

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.controls import Controls
    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.results import ArmSummary, Comparison
    from specstats.stats.effects import Effect

__all__ = ["Adjustment", "Family", "compare_family"]

Adjustment = Literal["holm", "games-howell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Candidates against one baseline in one metric.

    Attributes
    ----------
    pairs : tuple of Pair
        One a candidate and workload.
    against_controls : mapping
        For each control of the baseline, the pairs of the same candidates with it.
    passed_over : tuple of Pair
        Other arms of the data that were not named when one candidate was.
    adjustment : {"holm", "games-howell"}
        How p-values are adjusted; the second is for all pairs of unblocked arms.
    """

    pairs: tuple[Pair, ...]
    against_controls: Mapping[str, tuple[Pair, ...]]
    passed_over: tuple[Pair, ...] = ()
    adjustment: Adjustment = "holm"


def compare_family(
    family: Family,
    controls: Controls | None,
    arms: Mapping[str, ArmSummary],
    options: Options,
) -> tuple[Comparison, ...]:
    """Compare all candidates with the baseline.

    Parameters
    ----------
    family : Family
        The pairs.
    controls : Controls or None
        What the control arms say in this metric.
    arms : mapping
        Summaries by arm.
    options : Options
        What is asked.

    Returns
    -------
    tuple of Comparison
        Headline and further scopes of each pair, in the order of the pairs.
    """
    standings = _standings(family.pairs, family.adjustment)
    twins = [
        _standings(pairs, family.adjustment)
        for pairs in family.against_controls.values()
    ]
    made: list[Comparison] = []
    for index, pair in enumerate(family.pairs):
        listed: Sequence[Scope | None] = pair.scopes or (None,)
        for place, scope in enumerate(listed):
            standing = Standing(p_holm=None, family=len(family.pairs))
            extra: list[Finding] = []
            if scope is not None and scope.contrast is not None:
                standing = standings[index, scope.name]
                agrees = all(
                    same_claim(
                        standing,
                        scope.contrast,
                        twin.get((index, scope.name)),
                        _contrast(pairs[index], scope.name),
                        options.alpha,
                    )
                    for twin, pairs in zip(
                        twins, family.against_controls.values(), strict=True
                    )
                )
                capped, extra = caps(pair, scope, controls, options, agrees=agrees)
                extra += _many(pair, scope.contrast, standing, options)
                picked = _picked(pair, scope, standing, family.passed_over, options)
                extra += picked
                standing = Standing(
                    p_holm=standing.p_holm,
                    family=standing.family,
                    arms=standing.arms,
                    capped=capped or bool(picked),
                    agrees_with_controls=agrees,
                )
            made.append(
                build_comparison(
                    pair,
                    scope,
                    standing,
                    arms,
                    options,
                    headline=place == 0,
                    extra=extra,
                )
            )
    return tuple(made)


def _standings(
    pairs: Sequence[Pair], adjustment: Adjustment = "holm"
) -> dict[tuple[int, str], Standing]:
    """Return the adjusted p of every pair and scope; each scope is a family."""
    names = dict.fromkeys(scope.name for pair in pairs for scope in pair.scopes)
    found: dict[tuple[int, str], Standing] = {}
    for name in names:
        contrasts = [
            None if pair.findings.errors else _contrast(pair, name) for pair in pairs
        ]
        size = max(sum(item is not None for item in contrasts), 1)
        arms = None
        if adjustment == "games-howell":
            arms = len(
                {
                    arm
                    for pair, item in zip(pairs, contrasts, strict=True)
                    if item is not None
                    for arm in (pair.baseline, pair.candidate)
                }
            )
        for index, p_value in enumerate(_adjusted(contrasts, arms)):
            found[index, name] = Standing(p_holm=p_value, family=size, arms=arms)
    return found


def _adjusted(
    contrasts: Sequence[Effect | None], arms: int | None
) -> list[float | None]:
    if arms is None:
        return holm([None if item is None else item.p_value() for item in contrasts])
    return [
        None
        if item is None or item.std_error is None or item.df is None
        else games_howell_p(item.estimate / item.std_error, arms, item.df)
        for item in contrasts
    ]


def _contrast(pair: Pair, name: str) -> Effect | None:
    return next((item.contrast for item in pair.scopes if item.name == name), None)


def _many(
    pair: Pair, contrast: Effect, standing: Standing, options: Options
) -> list[Finding]:
    """SPS205: significant alone, not in the family."""
    alone = contrast.p_value()
    if standing.p_holm is None or not alone <= options.alpha < standing.p_holm:
        return []
    return [
        finding(
            "SPS205",
            f"{pair.candidate}: p {alone:.3g} alone is {standing.p_holm:.3g} after "
            f"{'Holm' if standing.arms is None else 'Games-Howell'} over "
            f"{standing.family} comparisons",
            observed=f"p {standing.p_holm:.3g}",
            required=f"at most {options.alpha:.3g}",
            remedy="confirm it on new launches, declared beforehand",
            subject=(pair.baseline, pair.candidate),
            metric=pair.metric,
        )
    ]


def _picked(
    pair: Pair,
    scope: Scope,
    standing: Standing,
    passed_over: Sequence[Pair],
    options: Options,
) -> list[Finding]:
    """SPS205: the best of several arms, named alone."""
    own = scope.contrast
    others = [
        contrast
        for other in passed_over
        if other.workload == pair.workload
        and not other.findings.errors
        and (contrast := _contrast(other, scope.name)) is not None
    ]
    if own is None or standing.p_holm is None or not others:
        return []
    if any(other.estimate >= own.estimate for other in others):
        return []
    adjusted = holm([own.p_value(), *(other.p_value() for other in others)])[0]
    if adjusted is None or not standing.p_holm <= options.alpha < adjusted:
        return []
    return [
        finding(
            "SPS205",
            f"{pair.candidate} is the best of {len(others) + 1} arms in the data and "
            f"was named alone: p {own.p_value():.3g} alone is {adjusted:.3g} after "
            f"Holm over {len(others) + 1} comparisons",
            observed=f"p {adjusted:.3g}",
            required=f"at most {options.alpha:.3g}",
            remedy="compare all arms, or confirm it on new launches",
            subject=(pair.baseline, pair.candidate),
            metric=pair.metric,
        )
    ]
