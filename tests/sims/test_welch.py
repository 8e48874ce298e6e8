"""Coverage of the default interval for independent runs, and of pooled requests.

Two arms, n runs each, 20 requests a run: log rate = run effect + noise (SD .05), 40,000
data sets. The expected figures are those of the statistics note (section 3),
found with another program on 20,000; the difference of two such figures has an SD of
about .002, so .008 is four of them.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.welch import _pooled_arrays, _welch_arrays

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 40_000
REQUESTS = 20
NOISE = 0.05
MONTE_CARLO = 0.008
LAUNCHES = ["normal", "bimodal", "skewed", "t3"]
EXPECTED = {
    "normal": {2: 0.976, 3: 0.966, 5: 0.957, 10: 0.951},
    "bimodal": {2: 0.924, 3: 0.979, 5: 0.975, 10: 0.956},
    "skewed": {2: 0.975, 3: 0.973, 5: 0.973, 10: 0.963},
    "t3": {2: 0.982, 3: 0.974, 5: 0.965, 10: 0.959},
}
POOLED_REQUESTS = {2: 0.257, 3: 0.292, 5: 0.319, 10: 0.335}


def launches(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Array:
    """Draw run effects; both arms have the same mean, so the effect is 0."""
    if kind == "normal":
        return rng.normal(0.0, 0.15, shape)
    if kind == "bimodal":
        slow = rng.random(shape) < 0.3
        return np.where(slow, -0.35, 0.0) + rng.normal(0.0, 0.03, shape)
    if kind == "skewed":
        return -rng.exponential(0.15, shape)
    return 0.10 * rng.standard_t(3, shape)


def requests(rng: np.random.Generator, kind: str, runs: int) -> Array:
    effects = launches(rng, kind, (DATASETS, runs))[..., None]
    return effects + rng.normal(0.0, NOISE, (DATASETS, runs, REQUESTS))


def coverage(parts: tuple[Array, Array, Array | float]) -> float:
    estimate, variance, df = parts
    half_width = special.stdtrit(df, 0.975) * np.sqrt(variance)
    return float((np.abs(estimate) <= half_width).mean())


@pytest.mark.parametrize("kind", LAUNCHES)
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_welch_on_run_means_covers(
    rng: np.random.Generator, kind: str, runs: int
) -> None:
    first, second = (requests(rng, kind, runs).mean(axis=-1) for _ in range(2))
    found = coverage(_welch_arrays(first, second))
    assert found == pytest.approx(EXPECTED[kind][runs], abs=MONTE_CARLO)
    assert found > 0.91


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_pooled_requests_do_not_cover(rng: np.random.Generator, runs: int) -> None:
    first, second = (
        requests(rng, "normal", runs).reshape(DATASETS, -1) for _ in range(2)
    )
    found = coverage(_welch_arrays(first, second))
    assert found == pytest.approx(POOLED_REQUESTS[runs], abs=0.015)
    assert found < 0.40


@pytest.mark.parametrize(
    ("sizes", "sds", "welch", "pooled"),
    [
        ((2, 8), (0.15, 0.15), 0.912, 0.951),
        ((3, 10), (0.15, 0.15), 0.937, 0.950),
        ((3, 10), (0.15, 0.05), 0.932, 0.746),
        ((3, 10), (0.05, 0.15), 0.954, 0.994),
        ((5, 5), (0.15, 0.03), 0.948, 0.926),
    ],
)
def test_unequal_arms(
    rng: np.random.Generator,
    sizes: tuple[int, int],
    sds: tuple[float, float],
    welch: float,
    pooled: float,
) -> None:
    arms = [
        rng.normal(0.0, np.hypot(sd, NOISE / np.sqrt(REQUESTS)), (DATASETS, size))
        for sd, size in zip(sds, sizes, strict=True)
    ]
    assert coverage(_welch_arrays(*arms)) == pytest.approx(welch, abs=MONTE_CARLO)
    assert coverage(_pooled_arrays(*arms)) == pytest.approx(pooled, abs=0.01)


def test_wider_of_both_repairs_a_quiet_small_arm(rng: np.random.Generator) -> None:
    first = launches(rng, "bimodal", (DATASETS, 3))
    second = launches(rng, "bimodal", (DATASETS, 10))
    parts = _welch_arrays(first, second), _pooled_arrays(first, second)
    alone = coverage(parts[0])
    half_widths = [
        special.stdtrit(df, 0.975) * np.sqrt(variance) for _, variance, df in parts
    ]
    wider = (np.abs(parts[0][0]) <= np.maximum(*half_widths)).mean()
    assert alone == pytest.approx(0.868, abs=0.01)
    assert wider > 0.93
