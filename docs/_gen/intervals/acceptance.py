"""Coverage of intervals of acceptance, clusters of a few hundred draft tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.stats.acceptance import cluster_rate, rate_difference, wilson

if TYPE_CHECKING:
    import numpy as np

__all__ = ["difference", "rate", "tokens"]

SHARE = 0.7
DRAFTED, CV = 300.0, 0.5
RHO = {"alike (rho .01)": 0.01, "different (rho .05)": 0.05, "far apart (rho .2)": 0.2}


def _clusters(
    rng: np.random.Generator, rho: float, n: int
) -> tuple[np.ndarray, np.ndarray]:
    total = (1.0 - rho) / rho
    shares = rng.beta(SHARE * total, (1.0 - SHARE) * total, n)
    tries = rng.gamma(CV**-2, DRAFTED * CV**2, n).astype(int) + 1
    return rng.binomial(tries, shares), tries


def rate(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Acceptance rate of a workload, n prompts, jackknife on the logit."""
    found = cluster_rate(*_clusters(rng, RHO[shape], n))
    return None if found is None else bool(found.low <= SHARE <= found.high)


def difference(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Difference of two rates, n prompts each, linearised Welch."""
    first, second = (_clusters(rng, RHO[shape], n) for _ in range(2))
    found = rate_difference(*first, *second)
    if found is None:
        return None
    low, high = found.interval(0.95)
    return low <= 0.0 <= high


def tokens(rng: np.random.Generator, shape: str, n: int) -> bool:
    """WRONG on purpose: Wilson over the pooled tokens of n prompts."""
    hits, tries = _clusters(rng, RHO[shape], n)
    low, high = wilson(int(hits.sum()), int(tries.sum()))
    return low <= SHARE <= high
