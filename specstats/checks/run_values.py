"""Run values of all arms in one metric, with what is known of their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.design.view import metrics_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from specstats.bench import Run
    from specstats.design import View

__all__ = ["RunValues", "order_of", "primary_metric", "run_values"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunValues:
    """Log values of launches.

    Attributes
    ----------
    metric : str
        Name of the metric.
    runs : tuple of Run
        Launches that have a value.
    values : ndarray, shape (runs,)
        Their log values.
    """

    metric: str
    runs: tuple[Run, ...]
    values: NDArray[np.float64]

    def of_arm(self, arm: str) -> RunValues:
        """Return the launches of one arm.

        Parameters
        ----------
        arm : str
            The arm.
        """
        kept = [index for index, run in enumerate(self.runs) if run.arm == arm]
        return RunValues(
            metric=self.metric,
            runs=tuple(self.runs[index] for index in kept),
            values=self.values[kept],
        )

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms in order of first appearance."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    @property
    def blocks(self) -> list[str] | None:
        """Block of each launch; None unless all have one and there are several."""
        found = [run.block for run in self.runs if run.block is not None]
        if len(found) < len(self.runs) or len(set(found)) < 2:  # noqa: PLR2004
            return None
        return found


def primary_metric(view: View) -> str | None:
    """Return the metric that rules on runs look at.

    Parameters
    ----------
    view : View
        The data.

    Returns
    -------
    str or None
        The decode rate, or else the first metric that there is.
    """
    found = metrics_of(view)
    return "decode_rate" if "decode_rate" in found else next(iter(found), None)


def run_values(view: View, metric: str) -> RunValues:
    """Return the run values of all arms; each arm over its own common prompts.

    Parameters
    ----------
    view : View
        The data.
    metric : str
        Name of a metric.

    Returns
    -------
    RunValues
        Launches in the order of the view, those without a value left out.
    """
    runs: list[Run] = []
    values: list[float] = []
    for arm in view.arms:
        matrix = view.matrix(metric, [arm])
        if not matrix.runs:
            continue
        logs = matrix.own_values() if matrix.disjoint_prompts else matrix.run_values()
        for run, value in zip(matrix.runs, logs.tolist(), strict=True):
            if np.isfinite(value):
                runs.append(run)
                values.append(value)
    return RunValues(metric=metric, runs=tuple(runs), values=np.array(values))


def order_of(runs: Sequence[Run], blocks: Sequence[str] | None) -> list[float] | None:
    """Return the launch order: that of the clock, else the declared one.

    Parameters
    ----------
    runs : sequence of Run
        Launches.
    blocks : sequence of str, optional
        Their blocks; places need to differ within a block only.

    Returns
    -------
    list of float or None
        None where the place of a launch is unknown, or shared with another.
    """
    groups = [""] * len(runs) if blocks is None else blocks
    for places in ([run.started_s for run in runs], [run.order for run in runs]):
        known = [place for place in places if place is not None]
        if len(known) < len(runs):
            continue
        if len(set(zip(groups, known, strict=True))) == len(runs):
            return known
    return None
