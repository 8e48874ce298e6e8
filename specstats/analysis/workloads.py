"""One ratio over several workloads: equal weights, from the same launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design import RunMatrix
from specstats.diagnostics import Finding, finding
from specstats.units import METRICS

if TYPE_CHECKING:
    from specstats.design import View

__all__ = ["OVERALL", "named_workloads", "over_workloads"]

# Stands where the name of a workload does; no manifest or row can say it.
OVERALL = "all workloads (geometric mean)"


def named_workloads(view: View) -> list[str]:
    """Return the workloads that the requests name, in order of appearance.

    Parameters
    ----------
    view : View
        The data.
    """
    found = dict.fromkeys(view.workload[view.measured].tolist())
    return [str(name) for name in found if name is not None]


def over_workloads(
    view: View, metric: str, baseline: str, candidate: str
) -> tuple[RunMatrix, list[Finding]]:
    """Return runs by workloads, and what forbids a mean over them.

    Parameters
    ----------
    view : View
        The data.
    metric : str
        Name of a metric.
    baseline, candidate : str
        The arms.

    Returns
    -------
    RunMatrix
        One column a workload: the mean log value of a launch over the prompts of the
        workload that every launch has, signed so that more is better. Its row means
        are run values with equal weights of the workloads, so the ratio of arms is
        the geometric mean of the ratios by workload and its interval rests on the
        spread of launches, not on workloads as if they were independent.
    list of Finding
        SPS204 where arms or launches have other workloads than others.

    Notes
    -----
    A launch that serves several workloads enters as one: what slows it slows all of
    them, so intervals by workload must not be combined as if they were independent.
    """
    arms = (baseline, candidate)
    columns = {
        name: view.matrix(metric, arms, workload=name) for name in named_workloads(view)
    }
    columns = {name: found for name, found in columns.items() if found.runs}
    whole = view.matrix(metric, arms)
    places = {run.run_id: place for place, run in enumerate(whole.runs)}
    logs = np.full((len(whole.runs), len(columns)), np.nan)
    for column, found in enumerate(columns.values()):
        rows = [places[run.run_id] for run in found.runs]
        logs[rows, column] = found.run_values()
    if METRICS[metric].better == "lower":
        logs = -logs
    matrix = RunMatrix(
        runs=whole.runs,
        prompts=tuple(columns),
        logs=logs,
        dropped_cells=whole.dropped_cells,
    )
    return matrix, _set_differs(view, matrix, arms, metric)


def _set_differs(
    view: View, matrix: RunMatrix, arms: tuple[str, str], metric: str
) -> list[Finding]:
    present = np.isfinite(matrix.logs)
    by_arm = [present[matrix.of_arm(arm)].any(axis=0) for arm in arms]
    used, _ = view.used(metric, arms)
    unnamed = int(sum(name is None for name in view.workload[used]))
    names = np.array(matrix.prompts, dtype=object)
    if (by_arm[0] != by_arm[1]).any():
        lacking = [
            f"{arm} lacks {', '.join(names[other & ~own])}"
            for arm, own, other in zip(arms, by_arm, by_arm[::-1], strict=True)
            if (other & ~own).any()
        ]
        why = f"the arms have other workloads: {'; '.join(lacking)}"
        seen = " and ".join(f"{int(own.sum())}" for own in by_arm)
    elif not present.all():
        some = ", ".join(names[~present.all(axis=0)])
        why = f"not every launch has every workload: some lack {some}"
        seen = f"{int(present.all(axis=1).sum())} of {len(present)} launches with all"
    elif unnamed:
        why = "some requests name no workload, so they are in no mean over workloads"
        seen = f"{unnamed} requests"
    else:
        return []
    return [
        finding(
            "SPS204",
            why,
            observed=seen,
            required="the same workloads in every launch of both arms",
            remedy="measure the missing workloads, or read the ratios by workload",
            subject=arms,
            metric=metric,
        )
    ]
