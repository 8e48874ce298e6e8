"""Search of variance ratios by likelihood, zero included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_SNAP = 1e-3


def best_ratios(
    criterion: Callable[[NDArray[np.float64]], float],
    starts: Sequence[Sequence[float]],
    /,
) -> NDArray[np.float64]:
    """Ratios of least criterion.

    Parameters
    ----------
    criterion : callable
        -2 log likelihood of non-negative variance ratios.
    starts : sequence of sequence of float
        Ratios from which to search.

    Returns
    -------
    ndarray
        The best found; ratios that are no better than zero are exactly zero.

    Notes
    -----
    Searched over the square roots of the ratios, in which the likelihood is smooth
    and even at zero, so that the edge is no obstacle.
    """

    def of_roots(roots: NDArray[np.float64], /) -> float:
        return criterion(roots**2)

    best = np.zeros(len(starts[0]))
    best_at = of_roots(best)
    for start in starts:
        roots = np.sqrt(np.asarray(start, dtype=np.float64))
        for _ in range(2):
            found = optimize.minimize(
                of_roots,
                roots.tolist(),
                method="L-BFGS-B",
                jac="3-point",
                options={"ftol": 1e-15, "gtol": 1e-8, "maxiter": 500},
            )
            roots = np.abs(found.x)
        if found.fun < best_at:
            best, best_at = roots, float(found.fun)
    for level in range(best.size):
        if best[level] < _SNAP * (1.0 + float(best.max())):
            without = best.copy()
            without[level] = 0.0
            if of_roots(without) <= best_at + 1e-9:
                best = without
    return np.asarray(best**2)
