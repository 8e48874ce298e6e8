"""A bootstrap as an effect: limits at any level, and a p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.stats.bootstrap import paired_bootstrap, two_arm_bootstrap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from specstats.stats.resampled import BootstrapMethod, ResampledInterval

__all__ = ["BootstrapEffect"]

_HALVINGS = 14  # of the level, for a p-value to four digits


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapEffect:
    """A bootstrap of two arms, or of the differences of blocks.

    Attributes
    ----------
    candidate, baseline : ndarray
        Log run values; the differences of blocks and None where arms are paired.
    kind : {'bootstrap-t', 'bca', 'percentile'}
        How limits are read off the resamples.
    seed : int
        Seed of the resamples, where they are drawn.
    """

    candidate: NDArray[np.float64]
    baseline: NDArray[np.float64] | None
    kind: BootstrapMethod
    seed: int
    std_error: None = None
    df: None = None
    _kept: dict[float, ResampledInterval] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def estimate(self) -> float:
        """Difference of means."""
        return self._at(0.95).estimate

    @property
    def method(self) -> str:
        """How it was computed."""
        return self._at(0.95).method

    @property
    def notes(self) -> tuple[str, ...]:
        """What is known to be wrong with it at this number of units."""
        return self._at(0.95).notes

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Limits.

        Parameters
        ----------
        confidence_level : float
            Level of the limits.

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        try:
            found = self._at(confidence_level)
        except ValueError:  # so high a level that the limits are not finite
            return -math.inf, math.inf
        return found.low, found.high

    def p_value(self) -> float:
        """Return the p at which the interval just holds no difference.

        Returns
        -------
        float
            Two-sided; that of bootstrap-t itself, else by halving the level.
        """
        told = self._at(0.95).p_value
        if told is not None:
            return told
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            limits = self.interval(1.0 - middle)
            inside = limits[0] <= 0.0 <= limits[1]
            low, high = (middle, high) if inside else (low, middle)
        return max(high, 2.0 / self._at(0.95).n_resamples)

    def _at(self, level: float) -> ResampledInterval:
        if level not in self._kept:
            named = {"method": self.kind, "confidence_level": level, "rng": self.seed}
            self._kept[level] = (
                paired_bootstrap(self.candidate, **named)  # type: ignore[arg-type]
                if self.baseline is None
                else two_arm_bootstrap(self.candidate, self.baseline, **named)  # type: ignore[arg-type]
            )
        return self._kept[level]
