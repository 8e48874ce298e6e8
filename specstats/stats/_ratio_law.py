"""Distribution of a resampled ratio of totals, without drawing resamples.

A resampled ratio is at most r where the sum of G independent draws of a_g - r d_g is at
most 0. The characteristic function of that sum is known, and inverted numerically after
Gil-Pelaez (1951).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PERIOD = 40.0
"""Standard deviations after which the inverted distribution repeats. A sum of resampled
values beyond half of it has a chance below 1e-17: one value that makes up all variance
is drawn 20 times."""

_POINTS = 48
"""Frequencies, up to 7.5 over the SD, where a normal sum has 6e-13 left."""

_REACH = 128
"""Frequencies up to which a sum is searched for a grid: steps of .05 SD or more."""

_LEFT_OVER = 1e-3
"""Largest characteristic function beyond the last frequency. What it adds to a
probability is below 1e-3 / pi per unit of log frequency; random error is .0016."""

_OUTERMOST = 1e-5
"""Probability below which a quantile is not read: what is left over shows there."""

_STEPS = 30
_PRECISION = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioLaw:
    """Law of sum(a) / sum(d) over all resamples of the clusters.

    Attributes
    ----------
    tops, bottoms : ndarray, shape (G,)
        Totals of the clusters.
    estimate, std_error : float
        Ratio of the data and its linearised standard error.
    """

    tops: NDArray[np.float64]
    bottoms: NDArray[np.float64]
    estimate: float
    std_error: float

    def smooth(self) -> bool:
        """Whether the sums lie so densely that the inversion is one of all of them."""
        off = self.tops - self.estimate * self.bottoms
        unit = off / (off.std() * math.sqrt(off.size))
        first = math.floor(2.0 * math.pi * _POINTS / _PERIOD) + 1
        left = np.abs(_powers(unit, float(first), 1.0, _REACH - first))
        return bool(left.max() ** off.size <= _LEFT_OVER)

    def cdf(self, ratio: float, /) -> float:
        """Probability of a resampled ratio of at most this."""
        values = self.tops - ratio * self.bottoms
        centre = values.mean()
        scale = values.std() * math.sqrt(values.size)
        step = 2.0 * math.pi / _PERIOD
        halves = np.arange(_POINTS) + 0.5
        mean = _powers((values - centre) / scale, step / 2.0, step, _POINTS)
        turned = np.exp(1j * step * halves * (centre * values.size / scale))
        whole = (mean**values.size * turned).imag
        return float(0.5 - whole @ (1.0 / halves) / math.pi)

    def quantile(self, probability: float, /) -> float | None:
        """Ratio at which the distribution reaches the probability; None if unclear."""
        if not _OUTERMOST <= probability <= 1.0 - _OUTERMOST:
            return None
        # On the normal scale the distribution is nearly a line: a secant settles fast.
        wanted = float(special.ndtri(probability))
        ratio = self.estimate + wanted * self.std_error
        slope = 1.0 / self.std_error
        score = self._score(ratio)
        for _ in range(_STEPS):
            if abs(score - wanted) <= _PRECISION:
                return ratio
            moved = ratio + (wanted - score) / slope
            found = self._score(moved)
            slope = (found - score) / (moved - ratio)
            if slope <= 0.0:
                return None
            ratio, score = moved, found
        return None

    def _score(self, ratio: float) -> float:
        return float(special.ndtri(np.clip(self.cdf(ratio), 1e-9, 1.0 - 1e-9)))


def _powers(
    unit: NDArray[np.float64], start: float, step: float, count: int
) -> NDArray[np.complex128]:
    """Mean of exp(i t x) at `count` evenly spaced t, by multiplying up."""
    wave, turn = np.exp(1j * start * unit), np.exp(1j * step * unit)
    found = np.empty(count, dtype=np.complex128)
    for index in range(count):
        found[index] = wave.sum()
        wave *= turn
    return found / unit.size
