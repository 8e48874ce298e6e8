"""Intervals of counts over clusters: prompts, launches, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.results import Dispersion, Interval
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.acceptance import cluster_rate, two_way_rate
from specstats.stats.dispersion import overdispersion
from specstats.stats.length import mean_length
from specstats.stats.twoway_acceptance import two_way_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from specstats.design.drafts import Drafts
    from specstats.stats.acceptance import AcceptanceInterval

__all__ = ["Clusters", "clusters_of", "log_interval", "shown_interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """Which cluster each row of counts belongs to.

    Attributes
    ----------
    labels : sequence of int
        Cluster of each row.
    crossed : tuple of sequence or None
        Launch and prompt of each row, where both vary.
    """

    labels: Sequence[int]
    crossed: tuple[Sequence[int], Sequence[int]] | None = None

    def totals(self, counts: ArrayLike, /) -> NDArray[np.float64]:
        """Return the counts of each cluster.

        Parameters
        ----------
        counts : array_like
            One number a row.
        """
        _, codes = np.unique(np.asarray(self.labels), return_inverse=True)
        values = np.asarray(counts, dtype=np.float64)
        return np.bincount(codes, weights=values).astype(np.float64)

    def rate(
        self, hits: ArrayLike, tries: ArrayLike, /, *, confidence_level: float
    ) -> AcceptanceInterval | None:
        """Return a rate with its interval; None with one cluster.

        Parameters
        ----------
        hits, tries : array_like
            Counts of each row.
        confidence_level : float
            Level of the interval.
        """
        if self.crossed is not None:
            return two_way_rate(
                hits, tries, *self.crossed, confidence_level=confidence_level
            )
        return cluster_rate(
            self.totals(hits), self.totals(tries), confidence_level=confidence_level
        )

    def length(
        self, tokens: ArrayLike, steps: ArrayLike, /, *, confidence_level: float
    ) -> Interval | None:
        """Return the interval of tokens per step; None without any spread.

        Parameters
        ----------
        tokens, steps : array_like
            Counts of each row.
        confidence_level : float
            Level of the interval.
        """
        try:
            if self.crossed is not None:
                found = two_way_length(tokens, steps, *self.crossed)
            else:
                found = mean_length(self.totals(tokens), self.totals(steps))
        except ZeroSpreadError:
            return None
        if found is None:
            return None
        return log_interval(
            found.interval(confidence_level), confidence_level, found.method
        )

    def dispersion(self, hits: ArrayLike, tries: ArrayLike, /) -> Dispersion | None:
        """Return the spread of the clusters beyond independent tokens.

        Parameters
        ----------
        hits, tries : array_like
            Counts of each row.
        """
        found = overdispersion(self.totals(hits), self.totals(tries))
        if found is None:
            return None
        return Dispersion(
            phi=found.phi,
            icc=found.icc,
            design_effect=found.design_effect,
            n_effective=None
            if found.n_effective is None
            else min(found.n_effective, float(np.sum(tries))),
            n_clusters=found.n_clusters,
        )


def clusters_of(drafts: Drafts) -> Clusters:
    """Return the clusters of the distinct generations of an arm.

    Parameters
    ----------
    drafts : Drafts
        The generations.
    """
    crossed = None
    if drafts.cluster == "prompt and run":
        crossed = (
            [item.run for item in drafts.distinct],
            [item.prompt for item in drafts.distinct],
        )
    return Clusters(labels=drafts.labels, crossed=crossed)


def shown_interval(
    found: AcceptanceInterval | None, confidence_level: float
) -> Interval | None:
    """Return the interval of a rate as a result.

    Parameters
    ----------
    found : AcceptanceInterval or None
        The estimate.
    confidence_level : float
        Its level.
    """
    if found is None:
        return None
    return Interval(
        low=found.low,
        high=found.high,
        confidence_level=confidence_level,
        method=found.method,
    )


def log_interval(
    limits: tuple[float, float], confidence_level: float, method: str
) -> Interval | None:
    """Return limits on the log scale as an interval of the ratio.

    Parameters
    ----------
    limits : tuple of float
        Limits on the log scale.
    confidence_level : float
        Their level.
    method : str
        How they were computed.

    Returns
    -------
    Interval or None
        None where they pass the range of floating-point numbers.
    """
    with np.errstate(over="ignore"):
        low, high = np.exp(np.array(limits))
    if not (np.isfinite(high) and low > 0.0):
        return None
    return Interval(
        low=float(low),
        high=float(high),
        confidence_level=confidence_level,
        method=method,
    )
