"""Hodges-Lehmann's shift as an effect, with exact tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats.permutation import exact_permutation_p, sign_flip_p
from specstats.stats.ranks import hodges_lehmann, hodges_lehmann_paired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from specstats.stats.ranks import RankInterval

__all__ = ["RankEffect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankEffect:
    """Hodges-Lehmann's shift, with limits at order statistics and an exact p.

    Attributes
    ----------
    candidate, baseline : ndarray
        Log run values; the differences of blocks and None where arms are paired.
    permuted : bool
        Whether p permutes values instead of ranks.
    """

    candidate: NDArray[np.float64]
    baseline: NDArray[np.float64] | None
    permuted: bool = False
    std_error: None = None
    df: None = None

    @property
    def estimate(self) -> float:
        """Median of the differences."""
        return self._at(0.95).estimate

    @property
    def method(self) -> str:
        """How it was computed."""
        name = self._at(0.95).method
        if not self.permuted:
            return name
        test = "sign-flip" if self.baseline is None else "permutation"
        return f"exact {test} test, limits of {name}"

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Limits at order statistics; infinite with too few values.

        Parameters
        ----------
        confidence_level : float
            Least level of the limits.

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        found = self._at(confidence_level)
        if found.low is None or found.high is None:
            return -math.inf, math.inf
        return found.low, found.high

    def p_value(self) -> float:
        """Return the exact two-sided p of no shift.

        Returns
        -------
        float
            By ranks, or by permuting the values.
        """
        if not self.permuted:
            return self._at(0.95).p_value
        if self.baseline is None:
            found = sign_flip_p(self.candidate)
        else:
            found = exact_permutation_p(self.candidate, self.baseline)
        return self._at(0.95).p_value if found is None else found

    def _at(self, level: float) -> RankInterval:
        if self.baseline is None:
            return hodges_lehmann_paired(self.candidate, confidence_level=level)
        return hodges_lehmann(self.candidate, self.baseline, confidence_level=level)
