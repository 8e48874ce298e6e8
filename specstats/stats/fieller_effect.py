"""The ratio of two arithmetic means as an effect, with Fieller's limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats._quantiles import t_two_sided
from specstats.stats.ratios import fieller

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FiellerEffect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiellerEffect:
    """Log ratio of two arithmetic means with Fieller's limits.

    Attributes
    ----------
    top, bottom : ndarray
        Positive values, one a run, of the arm above and the one below.
    """

    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    std_error: None = None
    method: str = "Fieller, ratio of arithmetic means"

    @property
    def estimate(self) -> float:
        """Log of the ratio of means."""
        return math.log(float(self.top.mean()) / float(self.bottom.mean()))

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom."""
        return fieller(self.top, self.bottom).df

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Log limits; infinite where the set has none.

        Parameters
        ----------
        confidence_level : float
            Level of the limits.

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        found = fieller(self.top, self.bottom, confidence_level=confidence_level)
        if found.low is None or found.high is None:
            return -math.inf, math.inf
        low = math.log(found.low) if found.low > 0.0 else -math.inf
        return low, math.log(found.high)

    def p_value(self) -> float:
        """Return the p of equal means, at which the set just holds a ratio of 1.

        Returns
        -------
        float
            Two-sided.
        """
        gap = float(self.top.mean()) - float(self.bottom.mean())
        error = math.sqrt(
            sum(float(arm.var(ddof=1)) / arm.size for arm in (self.top, self.bottom))
        )
        return t_two_sided(gap / error, self.df)
