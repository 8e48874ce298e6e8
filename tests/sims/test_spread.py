"""Coverage of intervals of a spread and of bands for two single runs."""

import math

import numpy as np
import pytest
from scipy import special

from specstats.stats.intervals import aa_log_factor, mean_t, sd_from_range
from specstats.stats.variance import (
    icc_interval,
    mean_over_blocks,
    mls_interval,
    one_way,
)

pytestmark = pytest.mark.sim

DATASETS = 3_000
MEANS = 4_000


@pytest.mark.parametrize(
    ("runs", "sd_run", "sd_request", "means_only"),
    [(3, 0.15, 0.05, 0.948), (3, 0.05, 0.15, 0.904), (5, 0.05, 0.15, 0.880)],
)
def test_variance_between_runs(
    rng: np.random.Generator,
    runs: int,
    sd_run: float,
    sd_request: float,
    means_only: float,
) -> None:
    truth = sd_run**2
    share = truth / (truth + sd_request**2)
    tails = 2 * special.gammaincinv((runs - 1) / 2, (0.975, 0.025))
    between = correlation = naive = 0
    for _ in range(DATASETS):
        effects = rng.normal(0.0, sd_run, (runs, 1))
        data = effects + rng.normal(0.0, sd_request, (runs, 20))
        parts = one_way(list(data))
        low, high = mls_interval(parts)
        between += low <= truth <= high
        low, high = icc_interval(parts)
        correlation += low <= share <= high
        low, high = (runs - 1) * data.mean(axis=1).var(ddof=1) / tails
        naive += low <= truth <= high
    assert between / DATASETS == pytest.approx(0.95, abs=0.016)
    assert correlation / DATASETS == pytest.approx(0.95, abs=0.016)
    assert naive / DATASETS == pytest.approx(means_only, abs=0.025)


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_band_of_two_single_runs(rng: np.random.Generator, runs: int) -> None:
    values = rng.normal(0.0, 1.0, (100_000, runs))
    gap = np.abs(rng.normal(0.0, np.sqrt(2.0), 100_000))
    known = gap <= aa_log_factor(1.0, runs - 1) * values.std(axis=1, ddof=1)
    assert known.mean() == pytest.approx(0.95, abs=0.004)
    unit = sd_from_range(1.0, np.e, runs=runs)
    ranges = np.ptp(values, axis=1)
    found = (gap <= aa_log_factor(unit.sd_log, unit.df) * ranges).mean()
    assert 0.95 <= found < 0.965
    # With the critical value of the normal the same SD covers too little.
    normal = (gap <= 1.959964 * np.sqrt(2.0) * unit.sd_log * ranges).mean()
    assert normal < (0.80 if runs == 2 else 0.95)


@pytest.mark.parametrize(("blocks", "runs"), [(3, 2), (4, 2), (6, 3)])
def test_the_mean_of_an_arm_covers_over_blocks_and_not_over_runs(
    rng: np.random.Generator, blocks: int, runs: int
) -> None:
    label = np.repeat(np.arange(blocks), runs).tolist()
    over_blocks = over_runs = 0
    for _ in range(MEANS):
        session = np.repeat(rng.normal(0.0, 0.06, blocks), runs)
        values = session + rng.normal(0.0, 0.02, blocks * runs)
        low, high = mean_over_blocks(values, label).interval(0.95)
        over_blocks += low <= 0.0 <= high
        low, high = mean_t(values).interval(0.95)
        over_runs += low <= 0.0 <= high
    error = 3.0 * math.sqrt(0.95 * 0.05 / MEANS)
    assert abs(over_blocks / MEANS - 0.95) <= error
    assert over_runs / MEANS < 0.90
