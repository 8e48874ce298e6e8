"""A family of comparisons: Holm, simultaneous limits, verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.analysis.comparing import Standing, build_comparison
from specstats.analysis.controls import caps, same_claim
from specstats.diagnostics import Finding, finding
from specstats.stats.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.analysis.controls import Controls
    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.results import ArmSummary, Comparison
    from specstats.stats.contrast import Contrast

__all__ = ["Family", "compare_family"]


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
    """

    pairs: tuple[Pair, ...]
    against_controls: Mapping[str, tuple[Pair, ...]]
    passed_over: tuple[Pair, ...] = ()


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
    standings = _standings(family.pairs)
    twins = [_standings(pairs) for pairs in family.against_controls.values()]
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


def _standings(pairs: Sequence[Pair]) -> dict[tuple[int, str], Standing]:
    """Return Holm's p of every pair and scope; each scope is a family."""
    names = dict.fromkeys(scope.name for pair in pairs for scope in pair.scopes)
    found: dict[tuple[int, str], Standing] = {}
    for name in names:
        contrasts = [
            None if pair.findings.errors else _contrast(pair, name) for pair in pairs
        ]
        adjusted = holm(
            [None if item is None else item.p_value() for item in contrasts]
        )
        size = sum(item is not None for item in contrasts)
        for index, p_holm in enumerate(adjusted):
            found[index, name] = Standing(p_holm=p_holm, family=max(size, 1))
    return found


def _contrast(pair: Pair, name: str) -> Contrast | None:
    return next((item.contrast for item in pair.scopes if item.name == name), None)


def _many(
    pair: Pair, contrast: Contrast, standing: Standing, options: Options
) -> list[Finding]:
    """SPS205: significant alone, not in the family."""
    alone = contrast.p_value()
    if standing.p_holm is None or not alone <= options.alpha < standing.p_holm:
        return []
    return [
        finding(
            "SPS205",
            f"{pair.candidate}: p {alone:.3g} alone is {standing.p_holm:.3g} after "
            f"Holm over {standing.family} comparisons",
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
