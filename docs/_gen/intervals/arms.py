"""Coverage of intervals of one arm: its centre, its spread, what comes next."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from docs._gen.intervals.launches import SDS, draw
from specstats.stats.components import icc_interval, mls_interval, one_way
from specstats.stats.intervals import aa_log_factor, mean_t, next_value, sd_interval

if TYPE_CHECKING:
    import numpy as np

__all__ = ["components_of", "icc", "mean", "next_run", "run_sd", "two_runs"]

REQUESTS = 6
SD_REQUEST = 0.05


def mean(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Geometric mean of an arm."""
    low, high = mean_t(draw(rng, shape, (n,))).interval(0.95)
    return low <= 0.0 <= high


def run_sd(rng: np.random.Generator, shape: str, n: int) -> bool:
    """SD between launches, chi-square."""
    found = sd_interval(draw(rng, shape, (n,)))
    return bool(found.low <= SDS[shape] <= found.high)


def next_run(rng: np.random.Generator, shape: str, n: int) -> bool:
    """The next launch of the arm."""
    values = draw(rng, shape, (n + 1,))
    low, high = next_value(values[:-1])
    return bool(low <= values[-1] <= high)


def two_runs(rng: np.random.Generator, shape: str, n: int) -> bool:
    """A/A band: the ratio of two further launches."""
    values = draw(rng, shape, (n + 2,))
    found = sd_interval(values[:-2])
    return abs(float(values[-1] - values[-2])) <= aa_log_factor(found.sd, n - 1)


def _groups(rng: np.random.Generator, shape: str, n: int) -> list[np.ndarray]:
    effects = draw(rng, shape, (n, 1))
    return list(effects + rng.normal(0.0, SD_REQUEST, (n, REQUESTS)))


def components_of(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Variance between launches beside requests, MLS."""
    low, high = mls_interval(one_way(_groups(rng, shape, n)))
    return low <= SDS[shape] ** 2 <= high


def icc(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Intraclass correlation, exact for normal launches."""
    truth = SDS[shape] ** 2 / (SDS[shape] ** 2 + SD_REQUEST**2)
    low, high = icc_interval(one_way(_groups(rng, shape, n)))
    return low <= truth <= high or math.isclose(low, truth)
