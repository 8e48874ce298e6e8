"""What stands in the way of one pair: no runs, too few of them, no spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.resolution import resolution_log
from specstats.analysis.scopes import Scope, common_blocks
from specstats.diagnostics import Findings, Level, counted, finding
from specstats.stats.spread import zero_spread
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.analysis.options import Options
    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding

__all__ = ["flat", "no_runs", "too_few"]


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


def no_runs(
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


def too_few(
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


def flat(
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
