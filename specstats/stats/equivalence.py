"""Two one-sided tests of equivalence on the log ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import special

if TYPE_CHECKING:
    from specstats.stats.contrast import Contrast


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Result of two one-sided tests against a margin.

    Attributes
    ----------
    t_low, t_high : float
        Statistics against the lower and the upper margin.
    p_value : float
        The larger of the two one-sided p-values.
    """

    t_low: float
    t_high: float
    p_value: float


def tost(contrast: Contrast, /, *, margin: float) -> Equivalence:
    """Test that a ratio lies within [1 / (1 + margin), 1 + margin].

    Parameters
    ----------
    contrast : Contrast
        A log ratio.
    margin : float
        Relative difference that does not matter, above zero (.05 for 5 %).

    Returns
    -------
    Equivalence
        Equivalent at alpha exactly if the 1 - 2 alpha interval lies within the band.

    Notes
    -----
    Source: Schuirmann (1987). The margin is a judgement and must be given.
    """
    if not margin > 0.0:
        msg = f"expected a margin above zero, got {margin!r}"
        raise ValueError(msg)
    bound = math.log1p(margin)
    t_low = (contrast.estimate + bound) / contrast.std_error
    t_high = (contrast.estimate - bound) / contrast.std_error
    p_low = float(special.stdtr(contrast.df, -t_low))
    p_high = float(special.stdtr(contrast.df, t_high))
    return Equivalence(t_low=t_low, t_high=t_high, p_value=max(p_low, p_high))
