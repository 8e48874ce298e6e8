"""Launch effects of four kinds, with mean 0 or a known one, on the log scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEANS", "SDS", "SHAPES", "SLOW", "SLOW_BY", "draw"]

SLOW, SLOW_BY = 0.3, 0.35
SD, TIGHT, SCALE = 0.15, 0.03, 0.10
T_DF = 3

Draw = "Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]"

SHAPES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(0.0, SD, shape),
    "skewed": lambda rng, shape: -rng.exponential(SD, shape),
    "heavy tails": lambda rng, shape: SCALE * rng.standard_t(T_DF, shape),
    "two states": lambda rng, shape: (
        np.where(rng.random(shape) < SLOW, -SLOW_BY, 0.0)
        + rng.normal(0.0, TIGHT, shape)
    ),
}
MEANS = {
    "normal": 0.0,
    "skewed": -SD,
    "heavy tails": 0.0,
    "two states": -SLOW * SLOW_BY,
}
SDS = {
    "normal": SD,
    "skewed": SD,
    "heavy tails": SCALE * np.sqrt(T_DF / (T_DF - 2.0)),
    "two states": float(np.sqrt(SLOW * (1 - SLOW) * SLOW_BY**2 + TIGHT**2)),
}


def draw(
    rng: np.random.Generator, shape: str, size: tuple[int, ...]
) -> NDArray[np.float64]:
    """Draw effects of one kind, with mean 0."""
    return SHAPES[shape](rng, size) - MEANS[shape]
