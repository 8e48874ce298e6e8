"""`drift`: trend, dependence, changes and states over launches or requests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.checks.over_runs import over_runs
from specstats.checks.run_values import order_of, run_values
from specstats.checks.warm_up import warm_up
from specstats.defaults import DEFAULTS
from specstats.design import Design, view_of
from specstats.diagnostics import Findings
from specstats.errors import DesignError
from specstats.results.drift import AutocorrelationSummary, Drift, Series, TrendSummary
from specstats.stats._arrays import ROUNDING, ZeroSpreadError
from specstats.stats.autocorrelation import autocorrelation
from specstats.stats.changepoint import change_test, pelt
from specstats.stats.robust import grubbs_outlier
from specstats.stats.states import largest_gap
from specstats.stats.trend import mann_kendall
from specstats.units import METRICS, metric_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.bench import Bench
    from specstats.design import View
    from specstats.stats.changepoint import Cost

__all__ = ["drift"]

By = Literal["run", "request"]

_NO_ORDER = "the order of the launches is not known"
_EQUAL = "all values are equal"
_ONE_PLACE = "each prompt always has the same place, so place and prompt are one"
_FEW, _SOME, _MANY, _MOST = 3, 6, 20, 2000


def drift(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    metric: str = "decode_rate",
    by: By = "run",
    arm: str | None = None,
    confidence_level: float = DEFAULTS.confidence_level,
) -> Drift:
    """Look at what time did to the launches of each arm, or to requests of each launch.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    metric : str
        Name of a metric.
    by : {"run", "request"}
        Values of a series: the launches of an arm, or the requests of a launch.
    arm : str, optional
        The one arm to look at.
    confidence_level : float
        Level of the interval of the slope.

    Returns
    -------
    Drift
        One series an arm, or one a launch.

    Raises
    ------
    DesignError
        If the arm is not in the data, or `by` is neither.

    Notes
    -----
    Estimand: median factor between neighbours in time (Theil-Sen on logs), with a
    Mann-Kendall test; lag-1 autocorrelation; one change of level with a permutation
    p; with 20 values the changes that PELT finds, of the mean over launches, of mean
    and variance over requests; the gap statistic and Grubbs' test as labels. Unit:
    the launch, or the request inside one launch, which speaks of that launch only.
    Model: values exchangeable in time for the tests; normal logs for PELT, Grubbs and
    the gap. By run, blocks are not taken out: the series is
    the whole history of the arm. By request, prompt means over the arm are taken out.
    Refuses (``why``) where the order is unknown, all values are equal, or prompts
    always come at the same place. P-values of several series are not adjusted.
    Checked on the Nile series and by simulation.

    Examples
    --------
    >>> import specstats
    >>> found = specstats.drift(specstats.datasets.load("pascal-p5200"))
    >>> for series in found.series:
    ...     print(series.arm, series.n, round(series.trend.p_value, 3))
    target 5 0.233
    mtp 6 0.469
    """
    if by not in {"run", "request"}:
        raise DesignError(f"by={by!r}. Expected 'run' or 'request'")
    metric_named(metric)
    view = view_of(bench, design)
    if arm is not None and arm not in view.arms:
        raise DesignError.unknown("arm", arm, view.arms)
    later = view_of(bench, replace(design or Design(), warmup=view.design.left_out + 1))
    make = _runs if by == "run" else _requests
    wanted = view.arms if arm is None else (arm,)
    series = [
        item
        for name in wanted
        for item in make(view, later, name, metric, confidence_level)
    ]
    found = Findings([*warm_up(view), *over_runs(view, metric)])
    return Drift(
        metric=metric,
        unit=METRICS[metric].unit,
        by=by,
        series=tuple(series),
        findings=found if arm is None else found.about((arm,), metric),
    )


def _runs(
    view: View, later: View, arm: str, metric: str, level: float
) -> Iterator[Series]:
    """Yield the launches of an arm as one series."""
    own = run_values(view, metric).of_arm(arm)
    if not own.runs:
        return
    order = order_of(own.runs, None)
    places = np.arange(own.values.size) if order is None else np.argsort(order)
    kept = run_values(later, metric).of_arm(arm)
    without = dict(
        zip([run.run_id for run in kept.runs], kept.values.tolist(), strict=True)
    )
    names = [own.runs[place].run_id for place in places]
    rest = np.array([without[name] for name in names if name in without])
    yield _series(
        own.values[places],
        names,
        rest,
        arm=arm,
        run=None,
        why=_NO_ORDER if order is None else None,
        level=level,
        seed=view.design.seed,
    )


def _requests(
    view: View, later: View, arm: str, metric: str, level: float
) -> Iterator[Series]:
    """Yield the requests of each launch of an arm as a series."""
    logs = np.log(view.values(metric))
    rows = np.flatnonzero(view.rows_of(arm) & view.timed & np.isfinite(logs))
    if not rows.size:
        return
    prompts = np.unique(view.prompt[rows])
    adjusted, moving = logs.copy(), prompts.size == 1
    if prompts.size > 1:
        centre = float(logs[rows].mean())
        for code in prompts:
            chosen = rows[view.prompt[rows] == code]
            adjusted[chosen] += centre - logs[chosen].mean()
            moving |= bool(np.ptp(view.position[chosen]) > 0)
    for code in np.unique(view.run[rows]):
        own = rows[view.run[rows] == code]
        own = own[np.argsort(view.position[own], kind="stable")]
        yield _series(
            adjusted[own],
            [f"request {place}" for place in view.position[own].tolist()],
            adjusted[own[later.timed[own]]],
            arm=arm,
            run=view.runs[code].run_id,
            why=None if moving else _ONE_PLACE,
            level=level,
            seed=view.design.seed,
        )


def _series(
    values: NDArray[np.float64],
    names: list[str],
    rest: NDArray[np.float64],
    *,
    arm: str,
    run: str | None,
    why: str | None,
    level: float,
    seed: int,
) -> Series:
    if why is None and values.size >= _FEW and _flat(values):
        why = _EQUAL
    timed = why is None
    states = largest_gap(values)
    two = None if states is None else states.two
    outlier = grubbs_outlier(values, alpha=DEFAULTS.outlier_p)
    after, p_value = _change(values, seed) if timed else (None, None)
    return Series(
        arm=arm,
        run=run,
        n=values.size,
        names=tuple(names),
        why=why,
        trend=_trend(values, level) if timed else None,
        autocorrelation=_alike(values, seed) if timed else None,
        change_after=after,
        change_p=p_value,
        changes=_changes(values, "mean" if run is None else "mean and variance")
        if timed
        else None,
        two_states=two,
        in_low=states.in_low if states is not None and two else (),
        outlying=() if outlier is None else (names[outlier],),
        estimate=_exp(float(values.mean())),
        estimate_without_first=_exp(float(rest.mean())) if rest.size else None,
        trend_without_first=_trend(rest, level) if timed else None,
    )


def _flat(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def _trend(values: NDArray[np.float64], level: float) -> TrendSummary | None:
    if not _FEW <= values.size <= _MOST or _flat(values):
        return None
    found = mann_kendall(values, confidence_level=level)
    return TrendSummary(
        factor=_exp(found.slope),
        low=None if found.low is None else _exp(found.low),
        high=None if found.high is None else _exp(found.high),
        confidence_level=found.achieved_level,
        tau_b=found.tau_b,
        p_value=found.p_value,
        exact=found.exact,
        n=found.n,
    )


def _alike(values: NDArray[np.float64], seed: int) -> AutocorrelationSummary | None:
    if not _SOME <= values.size <= _MOST:
        return None
    found = autocorrelation(values, rng=np.random.default_rng(seed))
    return AutocorrelationSummary(
        rho=found.rho, p_value=found.p_value, n_effective=found.n_effective
    )


def _change(
    values: NDArray[np.float64], seed: int
) -> tuple[int, float] | tuple[None, None]:
    if not _SOME <= values.size <= _MOST:
        return None, None
    found = change_test(values, rng=np.random.default_rng(seed))
    return found.after, found.p_value


def _changes(values: NDArray[np.float64], cost: Cost) -> tuple[int, ...] | None:
    if not _MANY <= values.size <= _MOST:
        return None
    try:
        return pelt(values, cost=cost)
    except ZeroSpreadError:
        return None


def _exp(value: float) -> float:
    return math.exp(min(max(value, -700.0), 700.0))
