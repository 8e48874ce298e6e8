"""False alarms of a test that is looked at after every run, with no true effect.

The expected figures are those of the statistics note (section 7): .019 to .027 for the
anytime-valid t; for the negative control, the fixed-n t of blocks looked at from the
third on, .10 by the fifth block, .17 by the tenth, .23 by the twentieth.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.sequential import anytime_critical, anytime_paired
from specstats.stats.welch import _pooled_arrays, _welch_arrays

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 20_000
MONTE_CARLO = 0.004  # four SDs of a share of .02 among 20,000


def paired_t(data: Array, n: int) -> Array:
    seen = data[:, :n]
    found: Array = seen.mean(axis=1) / (seen.std(axis=1, ddof=1) / np.sqrt(n))
    return found


def two_arm_t(first: Array, second: Array, n: int) -> Array:
    estimate, variance, _ = _pooled_arrays(first[:, :n], second[:, :n])
    return np.asarray(estimate / np.sqrt(variance))


@pytest.mark.parametrize("looks", [20, 50])
def test_blocks_hold_their_level(rng: np.random.Generator, looks: int) -> None:
    data = rng.normal(0.0, 0.05, (DATASETS, looks))
    alarmed = np.zeros(DATASETS, dtype=np.bool_)
    for n in range(4, looks + 1):
        alarmed |= np.abs(paired_t(data, n)) > anytime_critical(n, n - 1)
    assert 0.019 - MONTE_CARLO < alarmed.mean() < 0.027 + MONTE_CARLO


@pytest.mark.parametrize("looks", [20, 50])
def test_two_arms_hold_their_level(rng: np.random.Generator, looks: int) -> None:
    first, second = rng.normal(0.0, 0.05, (2, DATASETS, looks))
    alarmed = np.zeros(DATASETS, dtype=np.bool_)
    for n in range(3, looks + 1):
        critical = anytime_critical(n / 2, 2 * n - 2)
        alarmed |= np.abs(two_arm_t(first, second, n)) > critical
    assert 0.019 - MONTE_CARLO < alarmed.mean() < 0.027 + MONTE_CARLO


@pytest.mark.parametrize(("looks", "expected"), [(5, 0.10), (10, 0.17), (20, 0.23)])
def test_fixed_test_looked_at_again_and_again_does_not(
    rng: np.random.Generator, looks: int, expected: float
) -> None:
    data = rng.normal(0.0, 0.05, (DATASETS, looks))
    alarmed = np.zeros(DATASETS, dtype=np.bool_)
    for n in range(3, looks + 1):
        alarmed |= np.abs(paired_t(data, n)) > special.stdtrit(n - 1, 0.975)
    assert alarmed.mean() == pytest.approx(expected, abs=0.01)
    assert alarmed.mean() > 0.05 + MONTE_CARLO


def test_nor_does_welch(rng: np.random.Generator) -> None:
    first, second = rng.normal(0.0, 0.05, (2, DATASETS, 20))
    alarmed = np.zeros(DATASETS, dtype=np.bool_)
    for n in range(3, 21):
        estimate, variance, df = _welch_arrays(first[:, :n], second[:, :n])
        alarmed |= np.abs(estimate) > special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert alarmed.mean() > 0.18


def test_an_interval_at_the_stop_covers(rng: np.random.Generator) -> None:
    """Stop when the interval leaves out 0 or after 30 blocks: the truth is inside."""
    truth, covered = 0.06, 0
    for _ in range(1500):
        data = rng.normal(truth, 0.05, 30)
        for n in range(4, 31):
            found = anytime_paired(data[:n])
            low, high = found.interval()
            if low > 0.0 or high < 0.0:
                break
        covered += low <= truth <= high
    assert covered / 1500 > 0.95


def test_evidence_grows_under_an_effect(rng: np.random.Generator) -> None:
    data = rng.normal(0.06, 0.05, (2000, 20))
    shares = [
        (np.abs(paired_t(data, n)) > anytime_critical(n, n - 1)).mean()
        for n in (5, 10, 20)
    ]
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.9
