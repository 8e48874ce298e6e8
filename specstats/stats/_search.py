"""Search of variance ratios by likelihood, zero included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._roots import descend

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_SNAP = 1e-3
_EVEN = 1e-9
_SMALL_STEP = 1e-5


def best_ratios(
    criterion: Callable[[NDArray[np.float64]], float],
    start: Sequence[float],
    /,
    *,
    slopes: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Ratios of least criterion.

    Parameters
    ----------
    criterion : callable
        -2 log likelihood of non-negative variance ratios.
    start : sequence of float
        Ratios from which to search.
    slopes : callable, optional
        Derivatives of the criterion by the ratios; else by central differences.

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

    def gradient(roots: NDArray[np.float64], /) -> NDArray[np.float64]:
        if slopes is not None:
            return 2.0 * roots * slopes(roots**2)
        found = np.empty(roots.size)
        for i in range(roots.size):
            step = np.zeros(roots.size)
            step[i] = _SMALL_STEP * (1.0 + abs(roots[i]))
            rise = of_roots(roots + step) - of_roots(roots - step)
            found[i] = rise / (2.0 * step[i])
        return found

    best = np.sqrt(np.maximum(np.asarray(start, dtype=np.float64), 0.01))
    # A second run forgets the curvature that the first has gathered on its way.
    for _ in range(2):
        best = np.abs(descend(of_roots, gradient, best))
    best = _snapped(of_roots, best)
    free = best > 0.0
    if free.any() and not free.all():
        best = _among(of_roots, gradient, best, free)
    if of_roots(np.zeros(best.size)) < of_roots(best):
        return np.zeros(best.size)
    return np.asarray(best**2)


def _snapped(
    function: Callable[[NDArray[np.float64]], float], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Put roots that are no better than zero at zero."""
    best, lowest = at, function(at)
    for level in np.flatnonzero(at < _SNAP * (1.0 + float(at.max()))):
        without = best.copy()
        without[level] = 0.0
        if function(without) <= lowest + _EVEN:
            best = without
    return best


def _among(
    function: Callable[[NDArray[np.float64]], float],
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    at: NDArray[np.float64],
    free: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Search on over the ratios that are not held at zero."""

    def whole(part: NDArray[np.float64]) -> NDArray[np.float64]:
        full = np.zeros(at.size)
        full[free] = part
        return full

    found = descend(
        lambda part: function(whole(part)),
        lambda part: gradient(whole(part))[free],
        at[free],
    )
    return np.abs(whole(found))
