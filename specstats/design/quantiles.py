"""Run values that are quantiles of the requests of a launch, such as its p99."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design.matrix import RunMatrix
from specstats.stats.tails import run_quantiles
from specstats.units import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.design.view import View

__all__ = ["ALL_REQUESTS", "tail_matrix"]

ALL_REQUESTS = "(all requests)"


def tail_matrix(
    view: View, metric: str, used: NDArray[np.bool_], *, dropped_cells: int
) -> RunMatrix:
    """Return the log quantile of the requests of each run, all prompts together.

    Parameters
    ----------
    view : View
        The data.
    metric : str
        Name of a metric with a quantile.
    used : ndarray of bool, shape (requests,)
        Requests that count.
    dropped_cells : int
        Cells left out because they failed in some run.

    Returns
    -------
    RunMatrix
        One column; NaN in runs with too few requests for the quantile.
    """
    share = METRICS[metric].quantile
    if share is None:
        message = f"{metric} is no quantile"
        raise ValueError(message)
    runs = view.run[used]
    served = np.flatnonzero(np.bincount(runs, minlength=len(view.runs)))
    logs = np.zeros((served.size, 0))
    prompts: tuple[str, ...] = ()
    if served.size:
        found = run_quantiles(view.values(metric)[used], runs, len(view.runs), share)
        logs = np.log(found.filled(np.nan))[served][:, np.newaxis]
        prompts = (ALL_REQUESTS,)
    return RunMatrix(
        runs=tuple(view.runs[code] for code in served),
        prompts=prompts,
        logs=logs,
        dropped_cells=dropped_cells,
    )
