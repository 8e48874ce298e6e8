"""From all pairs to an order: groups of arms that are not told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.results import RankedArm, Ranking, Verdict
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.analysis.family import Adjustment
    from specstats.results import Comparison

__all__ = ["maximal_groups", "ranking_of"]

_TOLD_APART = frozenset({Verdict.FASTER, Verdict.SLOWER})


def ranking_of(
    arms: Sequence[str],
    pairs: Sequence[Comparison],
    metric: str,
    workload: str | None,
    *,
    adjustment: Adjustment = "holm",
) -> Ranking:
    """Rank arms by their estimates, and say which are not told apart.

    Parameters
    ----------
    arms : sequence of str
        Arms to rank.
    pairs : sequence of Comparison
        Headline of every pair.
    metric : str
        Name of the metric.
    workload : str or None
        Group of prompts.
    adjustment : {"holm", "games-howell"}
        How pairs are adjusted for one another.

    Returns
    -------
    Ranking
        The order, the groups and the winner, if any.
    """
    scores = _scores(arms, pairs)
    order = sorted(scores, key=lambda arm: -scores[arm])
    apart = {
        frozenset((item.baseline, item.candidate))
        for item in pairs
        if item.verdict in _TOLD_APART
    }
    near = {
        arm: tuple(
            other
            for other in order
            if other != arm and frozenset((arm, other)) not in apart
        )
        for arm in order
    }
    groups = maximal_groups(near)
    winner = order[0] if len(order) > 1 and not near[order[0]] else None
    how = "Holm" if adjustment == "holm" else "Games-Howell"
    size = sum(item.estimate is not None for item in pairs)
    of = f"{METRICS[metric].label}, {len(order)} arms, {size} pairs with {how}"
    unranked = tuple(arm for arm in arms if arm not in scores)
    return Ranking(
        metric=metric,
        workload=workload,
        adjustment=adjustment,
        arms=tuple(
            RankedArm(
                arm=arm, ratio=math.exp(scores[arm]), not_told_apart_from=near[arm]
            )
            for arm in order
        ),
        groups=groups,
        winner=winner,
        unranked=unranked,
        pairs=tuple(pairs),
        sentence=_sentence(order, groups, winner, unranked=unranked, of=of),
    )


def _scores(arms: Sequence[str], pairs: Sequence[Comparison]) -> dict[str, float]:
    """Return the mean log ratio of each arm to all arms that it has a ratio to."""
    ratios: dict[str, list[float]] = {arm: [] for arm in arms}
    for item in pairs:
        if item.estimate is None:
            continue
        log = math.log(item.estimate.value)
        ratios[item.candidate].append(log)
        ratios[item.baseline].append(-log)
    return {
        arm: sum(found) / (len(found) + 1) for arm, found in ratios.items() if found
    }


def maximal_groups(near: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the maximal sets of which no pair is told apart.

    Parameters
    ----------
    near : mapping
        For each arm, in order, the arms that it is not told apart from.

    Returns
    -------
    tuple of tuple of str
        Sets of two or more, each in the order of the arms, first arms first.

    Notes
    -----
    "Not told apart" is not transitive, so an arm may be in several sets: these are
    the maximal cliques of the graph (Bron and Kerbosch 1973, with a pivot).
    """
    places = {arm: place for place, arm in enumerate(near)}
    links = {arm: set(others) for arm, others in near.items()}
    found = [
        tuple(sorted(clique, key=places.__getitem__))
        for clique in _cliques(set(), set(near), set(), links)
        if len(clique) > 1
    ]
    return tuple(sorted(found, key=lambda group: [places[arm] for arm in group]))


def _cliques(
    chosen: set[str], open_: set[str], done: set[str], links: Mapping[str, set[str]]
) -> Iterator[set[str]]:
    if not open_ and not done:
        yield chosen
        return
    pivot = max(sorted(open_ | done), key=lambda arm: len(links[arm] & open_))
    for arm in sorted(open_ - links[pivot]):
        yield from _cliques(
            chosen | {arm}, open_ & links[arm], done & links[arm], links
        )
        open_ = open_ - {arm}
        done = done | {arm}


def _sentence(
    order: Sequence[str],
    groups: Sequence[tuple[str, ...]],
    winner: str | None,
    *,
    unranked: Sequence[str],
    of: str,
) -> str:
    if not order:
        return f"{of}: every pair is refused, so nothing is ranked."
    told = ["no winner" if winner is None else f"{winner} is ahead of all others"]
    told += [f"{_listed(group)} are not separable" for group in groups]
    if unranked:
        told.append(f"not ranked: {', '.join(unranked)}")
    return f"{of}: {'; '.join(told)}."


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
