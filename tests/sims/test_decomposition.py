"""Coverage of both factors of a speedup, and false alarms of an impossible gain.

Two arms of n launches, 12 prompts of 127 tokens: steps vary from launch to launch and
prompt to prompt (sampling), and so does the time of a step. The wrong method takes the
requests for replicates.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
STUDIES = 20_000
PROMPTS = 12
SD_TOKENS, SD_COST, SD_CELL = 0.03, 0.05, 0.10


def factors(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Log tokens per step and log steps per second, by study, launch and prompt."""
    shape = (STUDIES, n, 1)
    cells = (STUDIES, n, PROMPTS)
    tokens = rng.normal(0.0, SD_TOKENS, shape) + rng.normal(0.0, SD_CELL, cells)
    steps = rng.normal(0.0, SD_COST, shape) + rng.normal(0.0, 0.01, cells)
    return tokens, steps


def coverage(first: Array, second: Array) -> float:
    estimate, variance, df = _welch_arrays(first, second)
    half_width = special.stdtrit(df, 0.975) * np.sqrt(variance)
    return float((np.abs(estimate) <= half_width).mean())


@pytest.mark.parametrize("n", [3, 5, 10])
def test_both_factors_cover(rng: np.random.Generator, n: int) -> None:
    one, other = factors(rng, n), factors(rng, n)
    for part in (0, 1):
        found = coverage(one[part].mean(axis=-1), other[part].mean(axis=-1))
        assert 0.945 < found < 0.975


@pytest.mark.parametrize("n", [3, 5, 10])
def test_an_impossible_gain_is_seldom_a_false_alarm(
    rng: np.random.Generator, n: int
) -> None:
    # Steps of the same cost in both arms, the most that is possible.
    one, other = factors(rng, n)[1].mean(axis=-1), factors(rng, n)[1].mean(axis=-1)
    estimate, variance, df = _welch_arrays(one, other)
    low = estimate - special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert float((low > 0.0).mean()) < 0.03


def test_requests_as_replicates_fail(rng: np.random.Generator) -> None:
    one, other = factors(rng, 5)[1], factors(rng, 5)[1]
    flat = [arm.reshape(STUDIES, -1) for arm in (one, other)]
    assert coverage(flat[0], flat[1]) < 0.6
