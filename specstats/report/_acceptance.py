"""Acceptance in detail: tokens per step, spread of clusters, positions, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, filled_grid

if TYPE_CHECKING:
    from specstats.results import (
        Acceptance,
        AcceptanceDifference,
        Interval,
        PositionRate,
        StudySummary,
    )

__all__ = ["acceptance_details"]

_BY_CONSTRUCTION = (
    "The rate is over all steps and falls with the position by construction; over the "
    "steps that reached it, it need not."
)


def acceptance_details(study: StudySummary) -> tuple[Section, ...]:
    """Return what stands behind the acceptance of each arm.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of Section
        Those that have something to say.
    """
    arms = [arm.acceptance for arm in study.arms if arm.acceptance is not None]
    found = (_lengths(arms), _positions(arms), _differences(arms))
    return tuple(section for section in found if section is not None)


def _lengths(arms: list[Acceptance]) -> Section | None:
    rows = [
        _length_row(item)
        for item in arms
        if item.tokens_per_step is not None or item.dispersion is not None
    ]
    if not rows:
        return None
    titles = (
        *("arm", "steps", "length", "interval", "drafted a step"),
        *("ICC", "design effect", "effective tokens"),
    )
    return Section(
        title="Mean accepted length, and spread of clusters",
        grid=filled_grid(titles, rows),
    )


def _length_row(item: Acceptance) -> tuple[str, ...]:
    spread = item.dispersion
    return (
        item.arm,
        "" if item.steps is None else str(item.steps),
        numbers.fixed(item.tokens_per_step, 3),
        _ratios(item.length_interval),
        f"{item.drafted / item.steps:.2f}" if item.steps else "",
        *(
            ("", "", "")
            if spread is None
            else (
                numbers.fixed(spread.icc, 3),
                numbers.fixed(spread.design_effect, 2),
                numbers.fixed(spread.n_effective, 0),
            )
        ),
    )


def _positions(arms: list[Acceptance]) -> Section | None:
    rows = [_position_row(item.arm, place) for item in arms for place in item.positions]
    if not rows:
        return None
    titles = (
        *("arm", "position", "rate", "interval"),
        *("reached", "rate if reached", "interval"),
    )
    return Section(
        title="Acceptance by position in the draft",
        grid=filled_grid(titles, rows),
        after=(_BY_CONSTRUCTION,),
    )


def _position_row(arm: str, item: PositionRate) -> tuple[str, ...]:
    return (
        arm,
        str(item.position),
        f"{item.rate:.3f}",
        _limits(item.interval),
        "" if item.reached is None else str(item.reached),
        numbers.fixed(item.conditional, 3),
        _limits(item.conditional_interval),
    )


def _differences(arms: list[Acceptance]) -> Section | None:
    rows = [_difference_row(item) for arm in arms for item in arm.differences]
    if not rows:
        return None
    titles = ("arm", "against", "what", "estimate", "interval")
    known = [item for arm in arms for item in arm.differences if item.ok]
    methods = dict.fromkeys(f"{_what(item)}: {item.method}" for item in known)
    refused = [
        f"{item.sentence}." for arm in arms for item in arm.differences if not item.ok
    ]
    return Section(
        title="Differences of acceptance",
        grid=filled_grid(titles, rows),
        after=(*(f"{told}." for told in methods), *refused),
    )


def _what(item: AcceptanceDifference) -> str:
    of = "rates" if item.metric == "rate" else "tokens per step"
    return f"{item.scale} of {of}"


def _difference_row(item: AcceptanceDifference) -> tuple[str, ...]:
    found = item.estimate
    value, limits = "refused", ""
    if found is not None and item.scale == "difference":
        low, high = found.interval.low, found.interval.high
        value, limits = f"{found.value:+.4f}", f"[{low:+.4f}, {high:+.4f}]"
    elif found is not None:
        value, limits = numbers.ratio(found.value), _ratios(found.interval)
    return (item.candidate, item.baseline, _what(item), value, limits)


def _ratios(found: Interval | None) -> str:
    if found is None:
        return ""
    return numbers.interval(found.low, found.high, ratios=True)


def _limits(found: Interval | None) -> str:
    return "" if found is None else f"[{found.low:.3f}, {found.high:.3f}]"
