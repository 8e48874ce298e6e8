"""One pair of arms in one metric: evidence before the family is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.estimands import Estimands, estimands_of
from specstats.analysis.quantiles import too_few_requests
from specstats.analysis.resolution import resolution_log
from specstats.analysis.scopes import Scope, common_blocks, scopes
from specstats.analysis.workloads import OVERALL, over_workloads
from specstats.checks import pair_findings
from specstats.checks.evidence import OrderEvidence, order_evidence
from specstats.diagnostics import Findings, Level, counted, finding
from specstats.stats.spread import zero_spread
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.analysis.options import Options
    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding
    from specstats.results import EstimandName
    from specstats.stats.effects import Effect

__all__ = ["Pair", "pair_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Evidence on one pair of arms.

    Attributes
    ----------
    baseline, candidate, metric : str
        What is compared.
    workload : str or None
        Group of prompts.
    matrix : RunMatrix
        Runs of both arms, signed so that more is better.
    values : ndarray, shape (runs,)
        Log run values, signed so that more is better.
    n_prompts : int
        Prompts that every launch has.
    scopes : tuple of Scope
        Contrasts, the headline first.
    order : OrderEvidence
        What launch order says.
    estimands : tuple of (str, Effect)
        The headline by other means over the requests of a launch.
    findings : Findings
        Findings that bear on the pair, user's allowances applied.
    """

    baseline: str
    candidate: str
    metric: str
    workload: str | None
    matrix: RunMatrix
    values: NDArray[np.float64]
    n_prompts: int
    scopes: tuple[Scope, ...]
    order: OrderEvidence
    estimands: tuple[tuple[EstimandName, Effect], ...]
    findings: Findings

    @property
    def observed_log(self) -> float | None:
        """Difference of arm means of log run values, signed; None without runs."""
        flags = self.matrix.of_arm(self.candidate)
        if not flags.any() or flags.all():
            return None
        found = self.values[flags].mean() - self.values[~flags].mean()
        return float(found) if math.isfinite(found) else None

    def runs_of(self, arm: str) -> int:
        """Return how many launches of an arm have a value.

        Parameters
        ----------
        arm : str
            The arm.
        """
        return int(self.matrix.of_arm(arm).sum())


def pair_of(
    view: View,
    study: Findings,
    baseline: str,
    candidate: str,
    metric: str,
    *,
    options: Options,
    workload: str | None = None,
) -> Pair:
    """Gather the evidence on one pair of arms.

    Parameters
    ----------
    view : View
        The data.
    study : Findings
        Findings of the whole study.
    baseline, candidate : str
        The arms.
    metric : str
        Name of a metric.
    options : Options
        What is asked.
    workload : str, optional
        Group of prompts.

    Returns
    -------
    Pair
        The evidence.
    """
    overall = workload == OVERALL
    plain = view.matrix(
        metric, (baseline, candidate), workload=None if overall else workload
    )
    if METRICS[metric].better == "lower":
        plain = plain.negated()
    matrix = plain
    differing: list[Finding] = []
    if overall:
        matrix, differing = over_workloads(view, metric, baseline, candidate)
    values = matrix.run_values()
    usable = bool(np.isfinite(values).all()) and _both(matrix, candidate)
    order = (
        order_evidence(
            matrix, values, baseline, candidate, randomised=view.design.randomised
        )
        if usable
        else _no_order()
    )
    found = (
        tuple(scopes(matrix, values, candidate, options, seed=view.design.seed))
        if usable
        else ()
    )
    if overall:  # "prompts like these" would be workloads like these
        found = tuple(item for item in found if item.name != "prompts like these")
    estimands = (
        estimands_of(
            view,
            matrix,
            baseline,
            candidate,
            metric,
            options=options,
            workload=workload,
        )
        if usable and not overall and METRICS[metric].quantile is None
        else Estimands(contrasts=(), findings=())
    )
    own = pair_findings(
        view,
        _of_requests(view, plain, metric, (baseline, candidate), workload),
        order,
        baseline,
        candidate,
        borrowed=options.reference_spread is not None,
    )
    extra = [
        *too_few_requests(view, metric, (baseline, candidate)),
        *estimands.findings,
        *_no_runs(view, matrix, study, (baseline, candidate), metric, usable=usable),
        *_too_few(matrix, baseline, candidate, found, options),
        *_flat(
            view,
            matrix,
            values,
            found,
            baseline=baseline,
            candidate=candidate,
            metric=metric,
        ),
    ]
    findings = Findings(
        [*differing, *study.about((baseline, candidate), metric), *own, *extra]
    ).allowed(options.allow)
    return Pair(
        baseline=baseline,
        candidate=candidate,
        metric=metric,
        workload=workload,
        matrix=matrix,
        values=values,
        n_prompts=len(plain.common_prompts),
        scopes=found,
        order=order,
        estimands=estimands.contrasts,
        findings=findings,
    )


def _of_requests(
    view: View,
    matrix: RunMatrix,
    metric: str,
    arms: tuple[str, str],
    workload: str | None,
) -> RunMatrix:
    """Return the runs by prompt, also where a run value is a quantile over all."""
    base = METRICS[metric].base
    return view.matrix(base, arms, workload=workload) if base else matrix


def _both(matrix: RunMatrix, candidate: str) -> bool:
    flags = matrix.of_arm(candidate)
    return bool(flags.any() and not flags.all())


def _no_order() -> OrderEvidence:
    return OrderEvidence(
        known=True,
        checkable=False,
        r_squared=None,
        separated=False,
        fixed=False,
        drift=None,
        adjusted=None,
    )


def _other_metrics(view: View, arm: str, metric: str) -> str:
    """Say what to do about a metric that an arm lacks: its other ones are named."""
    rows = view.rows_of(arm)
    others = [
        name
        for name in METRICS
        if name != metric and np.isfinite(view.values(name)[rows]).any()
    ]
    if others:
        return f"compare what it has: --metric {others[-1]} (of {', '.join(others)})"
    return "measure the arm, or check that its artifacts carry the metric"


def _no_runs(
    view: View,
    matrix: RunMatrix,
    known: Findings,
    pair: tuple[str, str],
    metric: str,
    *,
    usable: bool,
) -> Iterator[Finding]:
    if usable:
        return
    for arm in pair:
        if not matrix.of_arm(arm).any():
            if any(arm in item.subject for item in known.of("SPS004")):
                continue
            why = (
                "no prompt x repeat cell succeeded in every run, so none is compared"
                if matrix.dropped_cells
                else f"{arm} has no run with a {METRICS[metric].label}"
            )
            yield finding(
                "SPS201",
                why,
                level=Level.ERROR,
                observed="0 runs",
                required="3 runs an arm",
                remedy=_other_metrics(view, arm, metric),
                subject=pair,
                metric=metric,
            )


def _too_few(
    matrix: RunMatrix,
    baseline: str,
    candidate: str,
    found: tuple[Scope, ...],
    options: Options,
) -> Iterator[Finding]:
    """SPS201: fewer blocks or launches than a verdict needs."""
    if not found:
        return
    headline = found[0]
    units = headline.n_units
    unit = "block" if headline.replicate == "block" else "run"
    if unit == "run" and units < 2:  # noqa: PLR2004 - SPS101 says it
        return
    if units >= options.min_runs or (unit == "block" and units == 0):
        return
    blocks = common_blocks(matrix, candidate)
    where = "block" if blocks is not None else "run"
    more = counted(options.min_runs - units, f"more {where}")
    yield finding(
        "SPS201",
        f"{counted(units, unit)} "
        f"{'with both arms' if unit == 'block' else 'in the smaller arm'}: "
        + ("no interval" if units < 2 else "an interval, but no verdict"),  # noqa: PLR2004
        level=Level.ERROR if units < 2 else Level.WARNING,  # noqa: PLR2004
        observed=counted(units, where),
        required=counted(options.min_runs, where),
        remedy=f"measure {more} of each arm"
        if where == "run"
        else f"measure {more} with both arms",
        subject=(baseline, candidate),
    )


def _flat(
    view: View,
    matrix: RunMatrix,
    values: NDArray[np.float64],
    found: tuple[Scope, ...],
    *,
    baseline: str,
    candidate: str,
    metric: str,
) -> Iterator[Finding]:
    """SPS208: an arm does not vary at all, or neither beyond its rounding."""
    if not found or found[0].n_units < 2 or found[0].borrowed:  # noqa: PLR2004
        return
    resolution = resolution_log(view, metric)
    flags = matrix.of_arm(candidate)
    arms = [values[flags], values[~flags]]
    measured = [arm for arm in arms if arm.size > 1]
    rounded = bool(measured) and all(
        zero_spread(arm, resolution_log=resolution) for arm in measured
    )
    copies = any(zero_spread(arm, resolution_log=0.0) for arm in measured)
    if found[0].no_spread or rounded or copies:
        yield finding(
            "SPS208",
            "run values of an arm are all the same: copies, or rounded ones"
            if copies and not rounded
            else "run values do not vary beyond their printed resolution: no interval "
            "of width 0 is given",
            observed=f"relative resolution {resolution:.2g}",
            required="values with more digits, or launches that differ",
            remedy="record tokens and times instead of a rounded rate; check that the "
            "runs are not copies of one another",
            subject=(baseline, candidate),
            metric=metric,
        )
