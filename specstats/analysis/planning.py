"""`plan`: how many launches a study needs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.analysis._plan_question import FEWEST_ARMS, MOST, Question, check
from specstats.analysis.pilot import Pilot, pilot_of
from specstats.defaults import DEFAULTS
from specstats.diagnostics import Findings, counted
from specstats.errors import DesignError
from specstats.results import Plan, PlanSize
from specstats.stats.planning import requests_per_launch, sd_upper_limit
from specstats.units import metric_named

if TYPE_CHECKING:
    from specstats.analysis.options import ReferenceSpread
    from specstats.bench import Bench
    from specstats.design import Design
    from specstats.diagnostics import Finding
    from specstats.results import Spread, StudySummary

__all__ = ["plan"]

_SIZES = (3, 4, 5, 6, 8, 10, 15, 20)


def plan(
    pilot: Bench | StudySummary | Spread | ReferenceSpread,
    /,
    *,
    effect: float | None = None,
    half_width: float | None = None,
    runs: int | None = None,
    power: float = DEFAULTS.power,
    confidence_level: float = DEFAULTS.confidence_level,
    launch_cost: float | None = None,
    request_cost: float | None = None,
    blocks: bool = False,
    n_arms: int = 2,
    metric: str = "decode_rate",
    design: Design | None = None,
) -> Plan:
    """Say how many launches of each arm a study needs.

    Parameters
    ----------
    pilot : Bench, StudySummary, Spread or ReferenceSpread
        Launches made before, or their SD on the log scale with its degrees of
        freedom.
    effect : float, optional
        Ratio to be detected, such as 1.05. One of `effect`, `half_width` and `runs`.
    half_width : float, optional
        Half-width of the interval wanted, relative: .02 for a factor 1.02.
    runs : int, optional
        Launches of each arm: what would they show?
    power : float
        Chance of a verdict when the ratio is `effect`.
    confidence_level : float
        Level of the interval.
    launch_cost : float, optional
        Cost of a launch, in any unit; without its requests if `request_cost` is
        given.
    request_cost : float, optional
        Cost of one request: the requests of a launch are then planned as well.
    blocks : bool
        Compare the arms inside blocks with one launch of each arm; SDs are then
        those inside a block.
    n_arms : int
        Arms, the baseline included.
    metric : str
        Metric to plan for, where the pilot has several.
    design : Design, optional
        How to read a Bench.

    Returns
    -------
    Plan
        The numbers, with what has to hold; without numbers, and with findings, when
        the pilot has one launch of each arm or no spread.

    Raises
    ------
    DesignError
        If not exactly one of `effect`, `half_width` and `runs` is given, or a number
        is out of range.

    Notes
    -----
    Unit: the launch, or the block. Power and width are those of the intervals that
    `speedup` gives: Welch's t for independent launches (its degrees of freedom
    integrated out), the paired t for blocks; with k candidates each at level
    1 - alpha/k. The SD of a pilot is uncertain: the plan rests on its upper 80 %
    limit (normal run values), and says what the SD itself would give. Never fewer than
    3 launches, below which there is no verdict. Requests of a launch minimise cost
    times variance (Kalibera and Jones 2013); no number of requests lowers the SD
    between launches. Checked against the table of the statistics note (section 6) and
    by simulation of planned studies.

    Examples
    --------
    >>> import specstats
    >>> spread = specstats.ReferenceSpread(sd=0.03, df=9)
    >>> found = specstats.plan(spread, effect=1.10)
    >>> found.runs_per_arm, found.runs_per_arm_at_pilot_sd
    (5, 4)
    >>> specstats.plan(spread, half_width=0.02).runs_per_arm
    31
    """
    metric_named(metric)
    asked = Question(
        effect=effect,
        half_width=half_width,
        runs=runs,
        power=power,
        confidence_level=confidence_level,
        launch_cost=launch_cost,
        request_cost=request_cost,
        blocked=blocks,
        n_arms=n_arms,
    )
    check(asked)
    source = _summarised(pilot, metric, design, confidence_level)
    found = pilot_of(source, metric=metric, blocked=blocks)
    if not isinstance(found, Pilot):
        return _refused(asked, found)
    return _planned(asked, found)


def _summarised(
    pilot: Bench | StudySummary | Spread | ReferenceSpread,
    metric: str,
    design: Design | None,
    confidence_level: float,
) -> StudySummary | Spread | ReferenceSpread:
    from specstats.bench import Bench

    if not isinstance(pilot, Bench):
        if design is not None:
            raise DesignError("design: goes with a Bench, which it tells how to read")
        return pilot
    from specstats.analysis.summarize import summarize

    return summarize(
        pilot, design, metrics=(metric,), confidence_level=confidence_level
    )


def _with_requests(asked: Question, pilot: Pilot) -> tuple[Pilot, str | None]:
    """Return the pilot as if it had had the best number of requests in a launch."""
    if asked.request_cost is None or asked.launch_cost is None:
        return pilot, None
    if not pilot.request_sd or not pilot.requests:
        return pilot, (
            "the requests of a launch are not planned: the pilot does not tell the "
            "spread between requests inside launches"
        )
    bare = pilot.sd**2 - pilot.request_sd**2 / pilot.requests
    best = requests_per_launch(
        launch_sd=math.sqrt(max(bare, 0.0)),
        request_sd=pilot.request_sd,
        launch_cost=asked.launch_cost,
        request_cost=asked.request_cost,
    )
    if best is None:
        return pilot, (
            "the requests of a launch are those of the pilot: launches do not differ "
            "beyond their requests, so more requests pay without limit"
        )
    prompts = pilot.prompts or 1
    requests = prompts * math.ceil(best / prompts)
    sd = math.sqrt(bare + pilot.request_sd**2 / requests)
    note = (
        f"{counted(requests, 'request')} in a launch: the cheapest is {best}, rounded "
        f"up to repeat each of {prompts} prompts equally often"
        if requests > best
        else f"cheapest is {counted(requests, 'request')} in a launch"
    )
    return replace(pilot, sd=sd, requests=float(requests)), (
        f"{note}; with any number the SD of a launch stays above {math.sqrt(bare):.3g}"
    )


def _planned(asked: Question, pilot: Pilot) -> Plan:
    found, note = _with_requests(asked, pilot)
    upper = sd_upper_limit(found.sd, found.df, level=DEFAULTS.planning_sd_level)
    runs, at_pilot = asked.needed(upper), asked.needed(found.sd)
    requests = None if found.requests is None else max(1, round(found.requests))
    cost = _cost_of_launch(asked, requests)
    sizes = tuple(
        _size(asked, n, sds=(upper, found.sd), cost=cost)
        for n in sorted({*_SIZES, *([] if runs is None else [runs])})
    )
    drafted = Plan(
        effect=asked.effect,
        half_width=asked.half_width,
        power=asked.power,
        confidence_level=asked.confidence_level,
        n_arms=asked.n_arms,
        blocked=asked.blocked,
        sd=pilot.sd,
        sd_df=pilot.df,
        planned_sd=upper,
        runs_per_arm=runs,
        runs_per_arm_at_pilot_sd=at_pilot,
        requests_per_run=requests,
        n_prompts=found.prompts,
        total_cost=None if cost is None or runs is None else cost * runs * asked.n_arms,
        sizes=sizes,
        assumptions=tuple(_assumptions(asked, pilot, note)),
        sentence="",
    )
    return replace(drafted, sentence=_sentence(asked, drafted, pilot))


def _size(
    asked: Question, n: int, *, sds: tuple[float, float], cost: float | None
) -> PlanSize:
    effect = asked.detectable(n)
    ratios = [math.exp(min(effect * sd, 700.0)) for sd in sds]
    return PlanSize(
        runs_per_arm=n,
        detectable_ratio=ratios[0],
        detectable_ratio_at_pilot_sd=ratios[1],
        half_width=asked.width(sds[0], n),
        cost=None if cost is None else cost * n * asked.n_arms,
    )


def _cost_of_launch(asked: Question, requests: int | None) -> float | None:
    if asked.launch_cost is None:
        return None
    if asked.request_cost is None:
        return asked.launch_cost
    if requests is None:
        return None
    return asked.launch_cost + requests * asked.request_cost


def _refused(asked: Question, why: Finding) -> Plan:
    return Plan(
        effect=asked.effect,
        half_width=asked.half_width,
        power=asked.power,
        confidence_level=asked.confidence_level,
        n_arms=asked.n_arms,
        blocked=asked.blocked,
        sd=None,
        sd_df=None,
        planned_sd=None,
        runs_per_arm=None,
        runs_per_arm_at_pilot_sd=None,
        requests_per_run=None,
        n_prompts=None,
        total_cost=None,
        sizes=(),
        assumptions=(),
        sentence=f"No plan: {why.message} ({why.code}); next: {why.remedy}.",
        findings=Findings([why]),
    )


def _assumptions(asked: Question, pilot: Pilot, note: str | None) -> list[str]:
    shown = DEFAULTS.planning_sd_level
    basis = (
        f"SD {pilot.sd:.4f} of log run values on {pilot.df:.4g} degrees of freedom, "
        f"from {pilot.told}; planned with its upper {100 * shown:.4g} % limit"
    )
    model = (
        "launches are independent, near normal on the log scale, and vary alike in "
        "all arms"
    )
    found = [basis, model]
    if asked.blocked:
        found.append(
            "every block holds one launch of each arm, and the SD is that inside a "
            "block: it includes how the ratio differs from block to block"
        )
    else:
        found.append(
            "arms take turns: all launches of one before all of another prove nothing"
        )
    if asked.n_arms > FEWEST_ARMS:
        found.append(
            f"{asked.n_arms - 1} candidates are each tested at "
            f"{100 * (1.0 - asked.level):.3g} %, so that they hold together"
        )
    found.append(
        "the number of launches is fixed before the first: looking after each and "
        "stopping needs the anytime-valid interval"
    )
    if note is not None:
        found.append(note)
    return found


def _sentence(asked: Question, found: Plan, pilot: Pilot) -> str:
    unit = "blocks of one launch of each arm" if asked.blocked else "launches"
    arms = f"each of {asked.n_arms} arms"
    level = f"{100 * asked.confidence_level:.4g} %"
    power = f"power {100 * asked.power:.4g} %"
    if asked.effect is not None:
        goal = f"detect a ratio of {asked.effect:.4g} with {power} (two-sided, {level})"
    else:
        goal = f"get a {level} interval of x/{1.0 + (asked.half_width or 0.0):.4g}"
    basis = (
        f"planned with SD {found.planned_sd:.3g}, the upper "
        f"{100 * DEFAULTS.planning_sd_level:.4g} % limit of {pilot.sd:.3g}"
    )
    size = found.size
    if size is None:
        return f"To {goal}, more than {MOST} {unit} are needed ({basis})."
    many = f"{size.runs_per_arm} {unit}"
    many += "" if asked.blocked else f" of {arms}"
    total = f"{found.total_runs} launches in all"
    if asked.runs is not None:
        return (
            f"{many[0].upper()}{many[1:]} ({total}) detect a ratio of "
            f"{size.detectable_ratio:.4g} with {power} and give "
            f"a {level} interval of x/{1.0 + size.half_width:.4g}; {basis}."
        )
    fewer = found.runs_per_arm_at_pilot_sd
    more = (
        ""
        if fewer is None or fewer >= size.runs_per_arm
        else f"; at the pilot's own SD {fewer} would do"
    )
    requests = (
        f", {counted(found.requests_per_run, 'request')} in each launch"
        if found.requests_per_run is not None and asked.request_cost is not None
        else ""
    )
    cost = "" if found.total_cost is None else f", cost {found.total_cost:.4g}"
    return f"To {goal}: run {many}{requests} ({total}{cost}); {basis}{more}."
