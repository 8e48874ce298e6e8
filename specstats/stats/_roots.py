"""A bracketed root and a small minimiser (scipy.optimize costs .2 s of start-up)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_STEPS = 300
_FALL = 1e-4
_ROUNDED = 1e-14
_FLAT = 1e-9  # of a deviance: ratios are then good to some nine digits
_HALVINGS = 40


def root(
    function: Callable[[float], float],
    low: float,
    high: float,
    /,
    *,
    relative: float = 1e-13,
) -> float:
    """Root of a function that has different signs at the ends of a bracket.

    Parameters
    ----------
    function : callable
        A continuous function.
    low, high : float
        The bracket.
    relative : float
        Width at which to stop, relative to the larger end of the bracket.

    Notes
    -----
    Secant steps by the Illinois rule, and the middle where two of them in a row did
    not halve the bracket.
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0.0 or at_high == 0.0:
        return low if at_low == 0.0 else high
    tolerance = relative * max(abs(low), abs(high))
    side = slow = 0
    for _ in range(_STEPS):
        width = high - low
        if width <= tolerance:
            break
        middle = low + 0.5 * width
        if slow < 2 and math.isfinite(at_low) and math.isfinite(at_high):  # noqa: PLR2004
            secant = (low * at_high - high * at_low) / (at_high - at_low)
            middle = secant if low < secant < high else middle
        value = function(middle)
        if value == 0.0:
            return middle
        if (value > 0.0) == (at_high > 0.0):
            high, at_high = middle, value
            at_low = at_low * 0.5 if side == 1 else at_low
            side = 1
        else:
            low, at_low = middle, value
            at_high = at_high * 0.5 if side == -1 else at_high
            side = -1
        slow = slow + 1 if high - low > 0.5 * width else 0
    return low + 0.5 * (high - low)


def descend(
    function: Callable[[NDArray[np.float64]], float],
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    /,
) -> NDArray[np.float64]:
    """Local minimum of a smooth function of a few variables, by BFGS.

    Parameters
    ----------
    function, gradient : callable
        The function and its derivatives.
    start : ndarray
        Where to begin.
    """
    at, value, slope = start, function(start), gradient(start)
    inverse = np.eye(at.size) / max(1.0, float(np.abs(slope).max()))
    for _ in range(_STEPS):
        step = -inverse @ slope
        fall = float(step @ slope)
        if fall >= 0.0:
            inverse = np.eye(at.size) / max(1.0, float(np.abs(slope).max()))
            step, fall = -inverse @ slope, -float(slope @ inverse @ slope)
        if float(np.abs(slope).max(initial=0.0)) < _FLAT:
            break
        for _halving in range(_HALVINGS):
            trial = function(at + step)
            # Near the minimum the function is flat to its last digit: the slope leads.
            if trial <= value + _FALL * fall + _ROUNDED * abs(value):
                break
            step, fall = step * 0.5, fall * 0.5
        else:
            break
        turned = gradient(at + step) - slope
        at, value, slope = at + step, trial, slope + turned
        curvature = float(step @ turned)
        if curvature > 0.0:
            left = np.eye(at.size) - np.outer(step, turned) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
    return at
