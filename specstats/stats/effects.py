"""What every method gives of a difference on the log scale, and those without a t."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from specstats.stats._quantiles import t_two_sided
from specstats.stats.bootstrap import paired_bootstrap, two_arm_bootstrap
from specstats.stats.permutation import exact_permutation_p, sign_flip_p
from specstats.stats.ranks import hodges_lehmann, hodges_lehmann_paired
from specstats.stats.ratios import fieller
from specstats.stats.sequential import Anytime, anytime_paired, anytime_two_arms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from specstats.stats.ranks import RankInterval
    from specstats.stats.resampled import BootstrapMethod, ResampledInterval

__all__ = [
    "AnytimeEffect",
    "BootstrapEffect",
    "Effect",
    "FiellerEffect",
    "RankEffect",
    "unbounded",
]

_HALVINGS = 14  # of the level, for a p-value to four digits


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
        """Limits; minus and plus infinity where there are none."""

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
