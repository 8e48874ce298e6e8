"""What every method gives of a difference on the log scale."""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["Effect", "unbounded"]


class Effect(Protocol):
    """A difference on the log scale with limits at any level, and a p-value."""

    @property
    def estimate(self) -> float:
        """The difference."""

    @property
    def std_error(self) -> float | None:
        """Its standard error, where the method has one."""

    @property
    def df(self) -> float | None:
        """Degrees of freedom, where the method has them."""

    @property
    def method(self) -> str:
        """How it was computed, in words for a report."""

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return limits; minus and plus infinity where there are none.

        Parameters
        ----------
        confidence_level : float
            Their level.
        """

    def p_value(self) -> float:
        """Two-sided p of no difference."""


def unbounded(limits: tuple[float, float], /) -> bool:
    """Whether an interval says nothing on one side or on both.

    Parameters
    ----------
    limits : tuple of float
        Lower and upper limit.

    Returns
    -------
    bool
        True where a limit is infinite.
    """
    return not all(map(math.isfinite, limits))
