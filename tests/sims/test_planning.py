"""A study planned to a power reaches it, if the pilot's SD is not taken at its word.

Each of 20,000 pilots plans a study of two arms for 80 % power at a ratio of 1.10; the
power of that study is then computed with the true SD of 5 %.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.planning import (
    expected_half_width,
    runs_for_half_width,
    sd_upper_limit,
)
from specstats.stats.power import (
    minimum_effect,
    power_blocks,
    power_two_arms,
    runs_needed,
)
from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

EFFECT = math.log(1.10)
SD = 0.05
PILOTS = 20_000


def power_of_plans(sds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Power, under the true SD, of the study that each pilot SD plans."""
    sizes = np.arange(3, 201)
    # The largest SD at which n runs are enough; effects scale with the SD.
    enough = np.array([EFFECT / minimum_effect(1.0, int(n), welch=True) for n in sizes])
    power = np.array([power_two_arms(EFFECT, SD, int(n), welch=True) for n in sizes])
    found: NDArray[np.float64] = power[np.searchsorted(enough, sds).clip(max=197)]
    return found


@pytest.mark.parametrize("effect", [1.05, 1.10, 1.25])
def test_a_known_sd_gives_the_power(rng: np.random.Generator, effect: float) -> None:
    size = math.log(effect)
    runs = runs_needed(size, SD, welch=True)
    assert runs is not None
    first = rng.normal(size, SD, (40_000, runs))
    second = rng.normal(0.0, SD, (40_000, runs))
    estimate, variance, df = _welch_arrays(first, second)
    found = np.abs(estimate) > special.stdtrit(df, 0.975) * np.sqrt(variance)
    expected = power_two_arms(size, SD, runs, welch=True)
    assert found.mean() == pytest.approx(expected, abs=0.01)
    assert found.mean() > 0.79


def test_the_power_of_the_pooled_test_is_not_that_of_welch(
    rng: np.random.Generator,
) -> None:
    size = minimum_effect(SD, 3)
    first = rng.normal(size, SD, (40_000, 3))
    second = rng.normal(0.0, SD, (40_000, 3))
    estimate, variance, df = _welch_arrays(first, second)
    found = np.abs(estimate) > special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert found.mean() < 0.72


def test_blocks_give_the_power(rng: np.random.Generator) -> None:
    blocks = runs_needed(EFFECT, SD, blocked=True)
    assert blocks is not None
    data = rng.normal(EFFECT, SD * math.sqrt(2.0), (40_000, blocks))
    statistic = data.mean(axis=1) / (data.std(axis=1, ddof=1) / math.sqrt(blocks))
    found = (np.abs(statistic) > special.stdtrit(blocks - 1, 0.975)).mean()
    assert found == pytest.approx(power_blocks(EFFECT, SD, blocks), abs=0.01)
    assert found > 0.79


@pytest.mark.parametrize("pilot", [3, 5])
def test_the_upper_limit_of_the_sd_keeps_the_power(
    rng: np.random.Generator, pilot: int
) -> None:
    sds = rng.normal(0.0, SD, (PILOTS, pilot)).std(axis=1, ddof=1)
    power = power_of_plans(sds * sd_upper_limit(1.0, pilot - 1))
    assert (power >= 0.8).mean() > 0.78
    assert power.mean() > 0.85


@pytest.mark.parametrize("pilot", [3, 5])
def test_the_sd_itself_does_not(rng: np.random.Generator, pilot: int) -> None:
    sds = rng.normal(0.0, SD, (PILOTS, pilot)).std(axis=1, ddof=1)
    power = power_of_plans(sds)
    assert (power >= 0.8).mean() < 0.60
    assert power.mean() < 0.78


def test_a_gate_is_cleared_as_often_as_a_loss_of_the_margin_is_found(
    rng: np.random.Generator,
) -> None:
    """Launches that detect a ratio 1 + margin clear a change that costs nothing."""
    margin = math.log(1.05)
    runs = runs_needed(margin, SD, welch=True)
    assert runs is not None
    first, second = rng.normal(0.0, SD, (2, 40_000, runs))
    estimate, variance, df = _welch_arrays(first, second)
    low = estimate - special.stdtrit(df, 0.975) * np.sqrt(variance)
    cleared = (low > -margin).mean()
    assert cleared == pytest.approx(
        power_two_arms(margin, SD, runs, welch=True), abs=0.01
    )
    # With a third of the launches the gate stays open as a rule.
    few = runs // 3
    estimate, variance, df = _welch_arrays(first[:, :few], second[:, :few])
    low = estimate - special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert (low > -margin).mean() < 0.5


def test_planned_half_width_is_the_usual_one(rng: np.random.Generator) -> None:
    runs = runs_for_half_width(0.05, SD, welch=True)
    assert runs is not None
    first, second = rng.normal(0.0, SD, (2, 20_000, runs))
    _, variance, df = _welch_arrays(first, second)
    widths = special.stdtrit(df, 0.975) * np.sqrt(variance)
    expected = expected_half_width(SD, runs, welch=True)
    assert np.median(widths) == pytest.approx(expected, rel=0.03)
    assert np.median(widths) < 0.05
