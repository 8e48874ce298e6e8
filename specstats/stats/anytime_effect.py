"""An anytime-valid t as an effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats.sequential import Anytime, anytime_paired, anytime_two_arms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AnytimeEffect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnytimeEffect:
    """An anytime-valid t, which holds however often one looks.

    Attributes
    ----------
    found : Anytime
        The statistic.
    """

    found: Anytime

    @classmethod
    def of(
        cls, candidate: NDArray[np.float64], baseline: NDArray[np.float64] | None
    ) -> AnytimeEffect:
        """Build it from two arms, or from the differences of blocks.

        Parameters
        ----------
        candidate, baseline : ndarray
            Log run values; differences and None where arms are paired.

        Returns
        -------
        AnytimeEffect
            The effect.
        """
        if baseline is None:
            return cls(found=anytime_paired(candidate))
        return cls(found=anytime_two_arms(candidate, baseline))

    @property
    def method(self) -> str:
        """How it was computed."""
        return self.found.method

    @property
    def estimate(self) -> float:
        """Difference of means."""
        return self.found.estimate

    @property
    def std_error(self) -> float:
        """Its standard error."""
        return self.found.std_error

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.found.df

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Limits that hold at every look; infinite with too few units.

        Parameters
        ----------
        confidence_level : float
            Level of the limits.

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        return self.found.interval(confidence_level)

    def p_value(self) -> float:
        """Return the anytime-valid p.

        Returns
        -------
        float
            One over the e-value, at most 1.
        """
        return self.found.p_value
