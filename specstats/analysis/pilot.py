"""What a pilot tells of the spread that a study will have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.analysis.options import ReferenceSpread
from specstats.diagnostics import Level, counted, finding
from specstats.errors import DesignError
from specstats.results import Spread, StudySummary
from specstats.stats.planning import df_of_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from specstats.diagnostics import Finding
    from specstats.results import ArmSummary, Comparison

__all__ = ["Pilot", "pilot_of"]

_REMEDY = (
    "launch one setting three times or more, or give the SD of earlier launches "
    "with its degrees of freedom (ReferenceSpread, --sd SD:DF)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """Spread that a plan rests on.

    Attributes
    ----------
    sd, df : float
        SD of log run values, within a block for a plan in blocks; degrees of freedom.
    told : str
        Where it comes from, in words.
    request_sd : float or None
        SD of requests inside a launch.
    requests : float or None
        Requests of a launch of the pilot.
    prompts : int or None
        Prompts of the pilot.
    """

    sd: float
    df: float
    told: str
    request_sd: float | None = None
    requests: float | None = None
    prompts: int | None = None


def pilot_of(
    source: StudySummary | Spread | ReferenceSpread, *, metric: str, blocked: bool
) -> Pilot | Finding:
    """Return the spread that a pilot shows, or why it shows none.

    Parameters
    ----------
    source : StudySummary, Spread or ReferenceSpread
        The pilot.
    metric : str
        Metric planned for.
    blocked : bool
        Whether arms are to be compared inside blocks.

    Returns
    -------
    Pilot or Finding
        SDs of several arms are pooled by their degrees of freedom.
    """
    if isinstance(source, ReferenceSpread):
        if source.df < 1.0:
            raise DesignError(
                f"an SD on {source.df!r} degrees of freedom: expected 1 or more, as "
                "two launches give"
            )
        return Pilot(sd=source.sd, df=source.df, told="the SD given")
    if isinstance(source, Spread):
        return _of_spreads([source], told=_launches(source.n_runs))
    if not isinstance(source, StudySummary):
        raise DesignError(
            f"a pilot of type {type(source).__name__}: expected a Bench, a "
            "StudySummary, a Spread, or ReferenceSpread(sd=..., df=...): an SD without "
            "its degrees of freedom says too little"
        )
    if blocked:
        return _inside_blocks(source, metric)
    return _between_launches(source, metric)


def _between_launches(study: StudySummary, metric: str) -> Pilot | Finding:
    seen = [arm for arm in study.arms if metric in arm.metrics]
    spread = [
        (arm, found)
        for arm in seen
        if (found := arm.metrics[metric].spread) is not None
    ]
    if not spread:
        return _no_spread(seen, metric)
    launches = sum(found.n_runs for _, found in spread)
    arms = counted(len(spread), "arm")
    return _of_spreads(
        [found for _, found in spread],
        told=f"{counted(launches, 'launch', 'launches')} of {arms}",
        df=_df(spread),
        prompts=max(arm.n_prompts for arm, _ in spread),
    )


def _df(spread: list[tuple[ArmSummary, Spread]]) -> float:
    """Degrees of freedom; arms that share blocks share their level and count once."""
    alone = [_own_df(found) for arm, found in spread if arm.n_blocks < 2]  # noqa: PLR2004
    shared = [_own_df(found) for arm, found in spread if arm.n_blocks > 1]
    return sum(alone) + max(shared, default=0.0)


def _own_df(found: Spread) -> float:
    """Degrees of freedom of an SD: fewer than n - 1 where sessions share a level."""
    level = 1.0 - (1.0 - found.confidence_level) / 2.0
    return df_of_limit(found.run_sd_log, found.sd_high, level=level)


def _number(part: Mapping[str, float | int | str | None], name: str) -> float:
    value = part[name]
    if not isinstance(value, float | int):
        message = f"components without {name}: {value!r}"
        raise TypeError(message)
    return float(value)


def _of_spreads(
    found: list[Spread],
    *,
    told: str,
    df: float | None = None,
    prompts: int | None = None,
) -> Pilot:
    shares = [item.n_runs - 1 for item in found]
    square = sum(
        share * item.run_sd_log**2 for share, item in zip(shares, found, strict=True)
    )
    parts = [item.components for item in found if item.components is not None]
    inside = sum(_number(part, "request") ** 2 for part in parts)
    requests = sum(_number(part, "requests") / _number(part, "runs") for part in parts)
    return Pilot(
        sd=math.sqrt(square / sum(shares)),
        df=sum(map(_own_df, found)) if df is None else df,
        told=told,
        request_sd=math.sqrt(inside / len(parts)) if parts else None,
        requests=requests / len(parts) if parts else None,
        prompts=prompts,
    )


def _inside_blocks(study: StudySummary, metric: str) -> Pilot | Finding:
    found = [
        item
        for item in _headlines(study)
        if item.metric == metric and item.replicate == "block"
    ]
    told = [
        (item.estimate.std_error * math.sqrt(item.n_blocks / 2.0), item.n_blocks)
        for item in found
        if item.estimate is not None
        and item.estimate.std_error is not None
        and item.n_blocks is not None
    ]
    if not told:
        blocks = max((item.n_blocks or 0 for item in found), default=0)
        return finding(
            "SPS201",
            "the pilot tells no spread inside blocks",
            level=Level.ERROR,
            observed=f"{counted(blocks, 'block')} with two arms and an interval",
            required="two blocks in which two arms ran",
            remedy="run two arms (they may be one setting) in three blocks or more, "
            "or give the SD inside a block (--sd SD:DF)",
            metric=metric,
        )
    # The comparisons share their baseline: their degrees of freedom do not add up.
    most = max(blocks for _, blocks in told)
    square = sum((blocks - 1) * sd * sd for sd, blocks in told)
    whole = _between_launches(study, metric)
    inside = whole if isinstance(whole, Pilot) else None
    return Pilot(
        sd=math.sqrt(square / sum(blocks - 1 for _, blocks in told)),
        df=most - 1.0,
        told=f"{counted(most, 'block')} of {counted(len(told), 'comparison')}",
        request_sd=None if inside is None else inside.request_sd,
        requests=None if inside is None else inside.requests,
        prompts=None if inside is None else inside.prompts,
    )


def _headlines(study: StudySummary) -> Iterable[Comparison]:
    yield from (item for item in study.controls if item.headline)
    yield from study.headlines


def _no_spread(arms: list[ArmSummary], metric: str) -> Finding:
    if not arms:
        return finding(
            "SPS201",
            f"the pilot has no {metric}",
            level=Level.ERROR,
            observed="0 launches",
            required="launches with that metric",
            remedy=_REMEDY,
            metric=metric,
        )
    most = max(arm.metrics[metric].n_runs for arm in arms)
    if most > 1:
        return finding(
            "SPS208",
            "the launches of the pilot show no spread that a plan could rest on",
            observed=f"{counted(most, 'launch', 'launches')}, all alike or of several "
            "settings",
            required="values with more digits, or launches of one setting",
            remedy="record tokens and times instead of rounded rates, and see "
            "`specstats check`",
            subject=[arm.arm for arm in arms],
            metric=metric,
        )
    return finding(
        "SPS101",
        "the pilot has one launch of each arm, so nothing is known of the spread "
        "between launches",
        level=Level.ERROR,
        observed=_launches(most),
        required="two launches of one setting, better three or more",
        remedy=_REMEDY,
        subject=[arm.arm for arm in arms],
        metric=metric,
    )


def _launches(number: int) -> str:
    return counted(number, "launch", "launches")
