"""The printed resolution of a metric, relative to its size."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from specstats.units import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.design import View

__all__ = ["resolution_log"]

_LOOKED_AT = 500
_MOST_DIGITS = 9


def resolution_log(view: View, metric: str) -> float:
    """Return the relative resolution at which a metric was printed.

    Parameters
    ----------
    view : View
        The data.
    metric : str
        Name of a metric.

    Returns
    -------
    float
        Last printed digit over the mean, from the column that the metric rests on.
    """
    columns = {
        "decode_rate": "decode_s",
        "prompt_rate": "prompt_s",
        "ttft": "ttft_s",
        "e2e": "e2e_s",
        "tpot": "e2e_s",
        "step_rate": "decode_s",
        "tokens_per_step": "n_output",
    }
    values = _finite(view.column(columns[METRICS[metric].base or metric]))
    if not values.size and metric == "decode_rate":
        values = _finite(view.column("engine_rate_tps"))
    if not values.size:
        return 0.0
    digits = max(_digits(value) for value in values[:_LOOKED_AT].tolist())
    return float(10.0 ** -min(digits, _MOST_DIGITS) / np.abs(values).mean())


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = values[np.isfinite(values) & (values != 0.0)]
    return found


def _digits(value: float) -> int:
    exponent = Decimal(repr(round(value, _MOST_DIGITS))).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
