"""Coverage of intervals of acceptance, clusters of a few hundred draft tokens."""

from __future__ import annotations

import numpy as np

from specstats.stats.acceptance import cluster_rate, rate_difference, wilson
from specstats.stats.length import mean_length
from specstats.stats.paired_acceptance import paired_length_difference

__all__ = ["difference", "length", "paired_length", "rate", "tokens"]

SHARE = 0.7
DRAFTED, CV = 300.0, 0.5
LENGTH, STEPS = 3.0, 100.0
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


def _lengths(
    rng: np.random.Generator, rho: float, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and steps of n prompts whose mean lengths differ."""
    length = LENGTH * np.exp(rng.normal(0.0, np.sqrt(rho), n) - rho / 2.0)
    steps = rng.gamma(CV**-2, STEPS * CV**2, n).astype(int) + 1
    return steps + rng.poisson(steps * np.maximum(length - 1.0, 0.0)), steps


def length(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Tokens per step of a workload, n prompts, jackknife on the log."""
    found = mean_length(*_lengths(rng, RHO[shape], n))
    if found is None:
        return None
    low, high = found.interval(0.95)
    return low <= np.log(LENGTH) <= high


def paired_length(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Tokens per step of two arms, paired by n prompts."""
    tokens, steps = _lengths(rng, RHO[shape], n)
    share = np.exp(rng.normal(0.0, np.sqrt(RHO[shape]) / 2.0, n))
    others = np.maximum(np.rint(steps * share), 1)
    found = paired_length_difference(tokens, steps, tokens, others)
    if found is None:
        return None
    low, high = found.interval(0.95)
    return low <= 0.0 <= high


def tokens(rng: np.random.Generator, shape: str, n: int) -> bool:
    """WRONG on purpose: Wilson over the pooled tokens of n prompts."""
    hits, tries = _clusters(rng, RHO[shape], n)
    low, high = wilson(int(hits.sum()), int(tries.sum()))
    return low <= SHARE <= high
