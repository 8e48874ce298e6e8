"""Coverage of errors clustered by run, and type I error of the wild bootstrap.

Data as in test_welch.py. The expected figures are those of the statistics note
(sections 3.1 and 3.3).
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from specstats.stats._quantiles import t_critical
from specstats.stats._totals import Totals
from specstats.stats.cluster_robust import robust_arrays
from specstats.stats.wild import patterns, wild_p
from tests.sims.test_welch import LAUNCHES, NOISE, REQUESTS, launches

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 40_000
ALMOST_05 = 0.05 * (1 + 1e-9)
RUNS = [2, 3, 4, 5, 6, 8, 10]
CR0_NORMAL = [0.699, 0.818, 0.861, 0.886, 0.898, 0.910, 0.920]
CR1_T = [0.876, 0.917, 0.930, 0.936, 0.940, 0.941, 0.944]
CR2 = [0.948, 0.949, 0.952, 0.951, 0.952, 0.951, 0.950]


def studies(
    rng: np.random.Generator, kind: str, counts: Array, datasets: int = DATASETS
) -> Totals:
    """Draw the totals of both arms, whose runs have the given counts of requests."""
    shape = (datasets, counts.size)
    sums = [
        counts * launches(rng, kind, shape)
        + rng.normal(0.0, NOISE, shape) * np.sqrt(counts)
        for _ in range(2)
    ]
    return Totals(sums=(sums[0], sums[1]), counts=(counts, counts), scale=1.0)


def covered(estimate: Array, variance: Array, critical: Array | float) -> float:
    return float((np.abs(estimate) <= critical * np.sqrt(variance)).mean())


@pytest.mark.parametrize(
    ("runs", "plain", "scaled", "adjusted"),
    list(zip(RUNS, CR0_NORMAL, CR1_T, CR2, strict=True)),
)
def test_equal_counts(
    rng: np.random.Generator, runs: int, plain: float, scaled: float, adjusted: float
) -> None:
    study = studies(rng, "normal", np.full(runs, float(REQUESTS)))
    estimate, variance, _ = robust_arrays(study, "CR0")
    assert covered(estimate, variance, 1.959964) == pytest.approx(plain, abs=0.01)
    estimate, variance, _ = robust_arrays(study, "CR1")
    critical = t_critical(2.0 * runs - 1.0, 0.95)
    assert covered(estimate, variance, critical) == pytest.approx(scaled, abs=0.01)
    estimate, variance, df = robust_arrays(study, "CR2")
    found = covered(estimate, variance, t_critical(float(df), 0.95))
    assert found == pytest.approx(adjusted, abs=0.008)


@pytest.mark.parametrize("kind", LAUNCHES)
@pytest.mark.parametrize(
    "counts", [(5, 20, 40), (5, 10, 20, 40, 80), (10,) * 8 + (80,)]
)
def test_unequal_counts(
    rng: np.random.Generator, kind: str, counts: tuple[int, ...]
) -> None:
    study = studies(rng, kind, np.array(counts, float))
    estimate, variance, df = robust_arrays(study, "CR2")
    found = covered(estimate, variance, t_critical(float(df), 0.95))
    plain, small, _ = robust_arrays(study, "CR0")
    # With two states and one run that outweighs the others, .905 of .95.
    assert found > 0.89
    # The negative control: no adjustment, normal critical values.
    assert covered(plain, small, 1.959964) < 0.88


@pytest.mark.parametrize(
    ("runs", "datasets", "expected"),
    [(3, 20_000, 0.055), (4, 20_000, 0.064), (5, 8_000, 0.053), (6, 4_000, 0.051)],
)
def test_wild_type_one_error(
    rng: np.random.Generator, runs: int, datasets: int, expected: float
) -> None:
    # The expected figures are from 2,000 to 3,000 data sets: SD .005.
    study = studies(rng, "normal", np.full(runs, float(REQUESTS)), datasets)
    p_values = wild_p(study, patterns(2 * runs, "rademacher"), 0.0)
    found = float((p_values <= ALMOST_05).mean())
    assert found == pytest.approx(expected, abs=0.016)
    assert 0.03 < found < 0.07


def test_wild_power_with_three_runs(rng: np.random.Generator) -> None:
    study = studies(rng, "normal", np.full(3, float(REQUESTS)), 10_000)
    effect = 3 * float(np.hypot(0.15, NOISE / np.sqrt(REQUESTS)))
    p_values = wild_p(study, patterns(6, "rademacher"), effect)
    assert float((p_values <= ALMOST_05).mean()) == pytest.approx(0.755, abs=0.03)


def test_wild_with_two_runs_an_arm_cannot_reject(rng: np.random.Generator) -> None:
    study = studies(rng, "normal", np.full(2, float(REQUESTS)), 2_000)
    for null in (0.0, 1.0, 100.0):
        p_values = wild_p(study, patterns(4, "rademacher"), null)
        assert p_values.min() >= 0.125
