"""How often the rules about runs in time speak of studies in which nothing happened.

SPS203 is a t test of a slope at .05, then a permutation test of neighbours at .01;
SPS206 and SPS207 look at log run values, or at residuals of arm and block. Bounds are
4 SDs of the Monte Carlo error.
"""

import math

import numpy as np
import pytest

from specstats.stats.autocorrelation import autocorrelation
from specstats.stats.drift import additive_residuals, drift_of
from specstats.stats.robust import grubbs_outlier
from specstats.stats.states import largest_gap

pytestmark = pytest.mark.sim

STUDIES = 2000


def most(level: float, count: int) -> float:
    return level + 4.0 * math.sqrt(level * (1.0 - level) / count)


def alarms(rng: np.random.Generator, arms: list[str], *, rho: float = 0.0) -> float:
    """Share of studies that SPS203 speaks of, launches in the order of `arms`."""
    size, found = len(arms), []
    for _ in range(STUDIES // 2):
        noise = rng.normal(size=size)
        values = noise.copy()
        for place in range(1, size):
            values[place] = rho * values[place - 1] + noise[place]
        drift = drift_of(values, arms, range(size))
        assert drift is not None
        trend = drift.slope.p_value() < 0.05
        alike = size >= 10 and (
            autocorrelation(drift.residuals, rng=rng, draws=399).p_value < 0.01
        )
        found.append(trend or alike)
    return float(np.mean(found))


@pytest.mark.parametrize(
    "arms",
    [list("abbaab"), list("abcbcacab"), list("ab" * 6), list("a" * 20)],
    ids=["6", "9", "12", "20"],
)
def test_drift_is_seldom_seen_where_there_is_none(
    rng: np.random.Generator, arms: list[str]
) -> None:
    # Two tests at .05 and .01; the second, on residuals, stays below its level.
    level = 0.05 if len(arms) < 10 else 0.06
    share = alarms(rng, arms)
    assert share < most(level, STUDIES // 2)
    assert share > 0.02


def test_alike_neighbours_are_seen(rng: np.random.Generator) -> None:
    assert alarms(rng, list("ab" * 10), rho=0.8) > 0.5


def test_slope_test_of_three_arms_in_blocks(rng: np.random.Generator) -> None:
    arms, blocks = list("abcbcacab"), list("xxxyyyzzz")
    shift = np.repeat([0.0, 5.0, -3.0], 3)
    found = []
    for _ in range(STUDIES):
        drift = drift_of(rng.normal(size=9) + shift, arms, range(9), blocks)
        assert drift is not None
        found.append(drift.slope.p_value() < 0.05)
    assert abs(np.mean(found) - 0.05) < most(0.05, STUDIES) - 0.05


@pytest.mark.parametrize(
    ("arms", "blocks", "each"), [(3, 6, 1), (2, 4, 2), (5, 5, 1), (2, 8, 1)]
)
def test_residuals_of_blocks_raise_few_flags(
    rng: np.random.Generator, arms: int, blocks: int, each: int
) -> None:
    names = np.repeat(np.arange(arms), blocks * each)
    places = np.tile(np.repeat(np.arange(blocks), each), arms)
    shift = 5.0 * rng.normal(size=blocks)
    outlying, states, count = 0, 0, 0
    for _ in range(STUDIES):
        values = rng.normal(size=names.size) + shift[places] + names
        residuals = additive_residuals(values, names.tolist(), places.tolist())
        assert residuals is not None
        for arm in range(1 if arms == 2 and each == 1 else arms):
            own = residuals[names == arm]
            found = largest_gap(own)
            outlying += grubbs_outlier(own) is not None
            states += found is not None and found.two
            count += 1
    assert outlying / count < most(0.01, STUDIES)
    assert states / count < most(0.01, STUDIES)


def test_ignoring_blocks_flags_days_as_states(rng: np.random.Generator) -> None:
    # The negative control: raw values over two kinds of days.
    places = np.repeat(np.arange(4), 2)
    shift = np.array([0.0, 0.1, 9.0, 9.1])
    found = []
    for _ in range(200):
        states = largest_gap(rng.normal(size=8) + shift[places])
        found.append(states is not None and states.two)
    assert np.mean(found) > 0.5
