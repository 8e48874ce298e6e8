"""Arms in order, and those that are not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, filled_grid
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.results import Comparison, Ranking, StudySummary

__all__ = ["ranking_sections"]


def ranking_sections(study: StudySummary) -> tuple[Section, ...]:
    """Return the rankings, and every pair when asked for.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of Section
        Empty for fewer than three arms.
    """
    found = [
        section
        for item in study.rankings
        if item.arms
        for section in _sections(item, with_pairs=study.shows_pairs)
    ]
    if study.not_ranked:
        pairs = study.not_ranked * (study.not_ranked - 1) // 2
        told = (
            f"{study.not_ranked} arms make {pairs} pairs, which are not compared "
            "unless asked for (--all-pairs)."
        )
        found.append(Section(title="Ranking", after=(told,)))
    return tuple(found)


def _sections(item: Ranking, *, with_pairs: bool) -> Iterator[Section]:
    label = METRICS[item.metric].label
    place = "" if item.workload is None else f": {item.workload}"
    rows = [
        (arm.arm, numbers.ratio(arm.ratio), ", ".join(arm.not_told_apart_from))
        for arm in item.arms
    ]
    yield Section(
        title=f"Ranking by {label}{place}",
        grid=filled_grid(
            ("arm", "ratio to mean", "not told apart from"),
            rows,
            wraps=("not told apart from",),
        ),
        after=(item.sentence,),
    )
    if with_pairs:
        yield Section(
            title=f"All pairs, {label}{place}",
            grid=filled_grid(
                (
                    *("arm", "against", "verdict", "ratio", "interval"),
                    *("family limits", "p Holm"),
                ),
                [_pair(pair) for pair in item.pairs],
                left=3,
            ),
        )


def _pair(item: Comparison) -> tuple[str, ...]:
    estimate, family = item.estimate, item.simultaneous
    limits = None if estimate is None else estimate.interval
    return (
        item.candidate,
        item.baseline,
        item.verdict.value.upper(),
        numbers.ratio(None if estimate is None else estimate.value),
        ""
        if limits is None
        else numbers.interval(limits.low, limits.high, ratios=True),
        ""
        if family is None
        else numbers.interval(family.low, family.high, ratios=True),
        numbers.p_value(item.p_holm),
    )
