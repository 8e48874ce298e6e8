"""One pair of arms in one metric: evidence before the family is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis._pair_limits import flat, no_runs, too_few
from specstats.analysis.estimands import Estimands, estimands_of
from specstats.analysis.impossible import impossible_gain
from specstats.analysis.quantiles import too_few_requests
from specstats.analysis.scopes import Scope, scopes
from specstats.analysis.workloads import OVERALL, over_workloads
from specstats.checks import pair_findings
from specstats.checks.evidence import OrderEvidence, order_evidence
from specstats.diagnostics import Findings
from specstats.units import METRICS

if TYPE_CHECKING:
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
        *(
            impossible_gain(
                view, baseline, candidate, options=options, workload=workload
            )
            if metric == "decode_rate" and not overall
            else ()
        ),
        *too_few_requests(view, metric, (baseline, candidate)),
        *estimands.findings,
        *no_runs(view, matrix, study, (baseline, candidate), metric, usable=usable),
        *too_few(matrix, baseline, candidate, found, options),
        *flat(
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
