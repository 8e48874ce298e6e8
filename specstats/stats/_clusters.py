"""Cluster totals of accepted and drafted tokens, and variances of their ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from specstats.stats._arrays import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Ratio of totals over clusters.

    Attributes
    ----------
    rate : float
        sum(accepted) / sum(drafted).
    variance : float
        Linearised variance of the rate; exactly zero when only rounding is left.
    drafted : float
        sum(drafted).
    n_clusters : int
        Clusters that drafted anything.
    """

    rate: float
    variance: float
    drafted: float
    n_clusters: int

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance."""
        return self.n_clusters - 1.0

    @property
    def logit_slope(self) -> float:
        """Derivative of the logit at the rate, or infinity at 0 and 1."""
        product = self.rate * (1.0 - self.rate)
        return 1.0 / product if product > 0.0 else float("inf")


def checked_counts(
    accepted: ArrayLike, drafted: ArrayLike, /
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return counts as float arrays of one shape, 0 <= accepted <= drafted."""
    hits = np.asarray(accepted, dtype=np.float64)
    tries = np.asarray(drafted, dtype=np.float64)
    if hits.ndim != 1 or hits.shape != tries.shape:
        msg = f"expected counts of one length, got {hits.shape} and {tries.shape}"
        raise ValueError(msg)
    if not (np.isfinite(tries).all() and (hits >= 0).all() and (hits <= tries).all()):
        msg = "expected 0 <= accepted <= drafted in every row"
        raise ValueError(msg)
    return hits, tries


def cluster_totals(
    accepted: ArrayLike, drafted: ArrayLike, /
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the counts of the clusters that drafted anything."""
    hits, tries = checked_counts(accepted, drafted)
    return hits[tries > 0], tries[tries > 0]


def ratio_of_totals(hits: NDArray[np.float64], tries: NDArray[np.float64], /) -> Ratio:
    """Ratio and linearised variance of two clusters or more."""
    variance = float(linearised_variance(hits, tries))
    total = float(tries.sum())
    return Ratio(
        rate=float(hits.sum()) / total,
        variance=variance if variance > (ROUNDING * hits.size) ** 2 else 0.0,
        drafted=total,
        n_clusters=hits.size,
    )


def linearised_variance(
    hits: NDArray[np.float64], tries: NDArray[np.float64], /
) -> NDArray[np.float64]:
    """G/(G-1) sum u_g^2 / (sum d_g)^2, u_g = a_g - p d_g, over the last axis."""
    total = tries.sum(axis=-1, keepdims=True)
    rate = hits.sum(axis=-1, keepdims=True) / total
    size = hits.shape[-1]
    deviations = (hits - rate * tries) / total
    return np.asarray((deviations**2).sum(axis=-1) * size / (size - 1.0))


def jackknife_logit(
    hits: NDArray[np.float64], tries: NDArray[np.float64], /
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Logit of the rate and its leave-one-out jackknife variance over the last axis.

    The variance is taken about the mean of the leave-one-out logits; it is infinite
    where one of them is not finite.
    """
    all_hits, all_tries = hits.sum(axis=-1), tries.sum(axis=-1)
    centre = special.logit(all_hits / all_tries)
    without = (all_hits[..., None] - hits) / (all_tries[..., None] - tries)
    size = hits.shape[-1]
    with np.errstate(invalid="ignore"):
        logits = special.logit(without)
        deviations = logits - logits.mean(axis=-1, keepdims=True)
    variance = (deviations**2).sum(axis=-1) * (size - 1.0) / size
    return centre, np.where(np.isfinite(variance), variance, np.inf)


def checked_ratio_parts(
    tokens: ArrayLike, steps: ArrayLike, /
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tokens and steps of the clusters that made any step."""
    made = np.asarray(tokens, dtype=np.float64)
    taken = np.asarray(steps, dtype=np.float64)
    if made.ndim != 1 or made.shape != taken.shape:
        msg = f"expected counts of one length, got {made.shape} and {taken.shape}"
        raise ValueError(msg)
    if not (np.isfinite(made).all() and np.isfinite(taken).all()):
        msg = "expected finite counts"
        raise ValueError(msg)
    used = taken > 0
    if (taken < 0).any() or (made[used] <= 0).any():
        msg = "expected steps of 0 or more, and tokens above 0 where there are steps"
        raise ValueError(msg)
    return made[used], taken[used]


def jackknife_log(
    tokens: NDArray[np.float64], steps: NDArray[np.float64], /
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log of the ratio of totals and its jackknife variance over the last axis.

    Rounding of equal ratios counts as no variance.
    """
    centre = np.log(tokens.sum(axis=-1) / steps.sum(axis=-1))
    return centre, _jackknife(log_without(tokens, steps))


def log_without(
    tokens: NDArray[np.float64], steps: NDArray[np.float64], /
) -> NDArray[np.float64]:
    """Log ratios of totals, each cluster left out in turn."""
    made = tokens.sum(axis=-1, keepdims=True) - tokens
    taken = steps.sum(axis=-1, keepdims=True) - steps
    return np.asarray(np.log(made / taken))


def logit_without(
    hits: NDArray[np.float64], tries: NDArray[np.float64], /
) -> NDArray[np.float64]:
    """Logits of the rate, each cluster left out in turn; infinite at 0 and 1."""
    made = hits.sum(axis=-1, keepdims=True) - hits
    drafted = tries.sum(axis=-1, keepdims=True) - tries
    return np.asarray(special.logit(made / drafted))


def _jackknife(without: NDArray[np.float64], /) -> NDArray[np.float64]:
    """Jackknife variance of leave-one-out values; not finite where one is not."""
    size = without.shape[-1]
    with np.errstate(invalid="ignore"):
        deviations = without - without.mean(axis=-1, keepdims=True)
    variance = (deviations**2).sum(axis=-1) * (size - 1.0) / size
    noise = (ROUNDING * size) ** 2
    return np.where(variance > noise, variance, np.where(np.isnan(variance), np.inf, 0))


def jackknife_of_difference(
    first: NDArray[np.float64], second: NDArray[np.float64], /
) -> NDArray[np.float64]:
    """Jackknife variance of a difference, the same cluster left out of both."""
    with np.errstate(invalid="ignore"):
        return _jackknife(first - second)
