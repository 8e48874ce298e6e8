"""Tail probabilities of the noncentral t distribution."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

# scipy.special.nctdtr gives NaN in the lower tail beyond a noncentrality of about 37,
# which two blocks and a small spread reach; so the chi variable is integrated out
# here, on a normal scale where the trapezoid rule converges geometrically.
_NORMAL = np.linspace(-8.0, 8.0, 321)
_WEIGHTS = np.exp(-(_NORMAL**2) / 2.0) / math.sqrt(2.0 * math.pi) * 0.05
_PROBABILITIES = special.ndtr(_NORMAL)


def two_sided_power(noncentrality: float, df: float, critical: float, /) -> float:
    """Chance that |T| exceeds the critical value."""
    scaled = critical * _chi(df)
    above = special.ndtr(noncentrality - scaled)
    below = special.ndtr(-noncentrality - scaled)
    return float(_WEIGHTS @ (above + below))


@lru_cache(maxsize=64)
def _chi(df: float) -> NDArray[np.float64]:
    """Quantiles of chi / sqrt(df) at the nodes; kept, as solvers ask again."""
    quantiles = special.gammaincinv(df / 2.0, _PROBABILITIES)
    return np.asarray(np.sqrt(2.0 * quantiles / df), dtype=np.float64)


# Nodes that integrate Welch's degrees of freedom to seven digits, and the runs an arm
# from which they are 2n - 2 for all purposes (power differs by less than 1e-4).
_NODES = 24
_MANY = 60


@lru_cache(maxsize=64)
def welch_df_nodes(n: int, /) -> tuple[tuple[float, float], ...]:
    """Degrees of freedom of Welch's t for n runs in each arm, each with its weight.

    With one true variance the share u of the candidate in both sample variances is
    Beta((n-1)/2, (n-1)/2) and independent of their sum, and with equal n Welch's
    statistic is the pooled one: only its degrees of freedom, (n-1) / (u^2 + (1-u)^2),
    vary. Gauss-Jacobi nodes over u.
    """
    if n > _MANY:
        return ((2.0 * n - 2.0, 1.0),)
    shape = (n - 1.0) / 2.0 - 1.0
    nodes, weights = special.roots_jacobi(_NODES, shape, shape)
    share = (nodes + 1.0) / 2.0
    df = (n - 1.0) / (share**2 + (1.0 - share) ** 2)
    total = float(weights.sum())
    return tuple(
        (float(own), float(part) / total) for own, part in zip(df, weights, strict=True)
    )
