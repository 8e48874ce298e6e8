"""Trend, change and state tests under no effect, their power, and what must fail.

Normal run values with SD 1 unless said otherwise. The bounds are 4 SDs of the Monte
Carlo error around the figure that theory or the statistics note gives.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.changepoint import change_test, pelt, split_statistics
from specstats.stats.order import drift_p
from specstats.stats.robust import grubbs_outlier, median_outliers
from specstats.stats.states import gap_threshold, largest_gap
from specstats.stats.trend import exact_p, mann_kendall
from tests.sims.make_gap_thresholds import gap_ratios

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
SERIES = 20_000


def within(share: float, expected: float, count: int) -> bool:
    return abs(share - expected) <= 4.0 * math.sqrt(expected * (1 - expected) / count)


def scores(values: Array) -> NDArray[np.intp]:
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(np.sign(values[:, second] - values[:, first]).sum(axis=1), int)


def rejected(values: Array) -> float:
    runs = values.shape[1]
    found, counts = np.unique(scores(values), return_counts=True)
    small = [exact_p(int(score), runs) <= 0.05 for score in found]
    return float(counts[small].sum() / len(values))


# P(p <= .05) by counting: the largest attainable level that is at most .05.
@pytest.mark.parametrize(
    ("runs", "level"),
    [(5, 2 / 120), (6, 12 / 720), (7, 150 / 5040), (8, 0.0312), (10, 0.0466)],
)
def test_mann_kendall_holds_its_level(
    rng: np.random.Generator, runs: int, level: float
) -> None:
    assert within(rejected(rng.normal(size=(SERIES, runs))), level, SERIES)
    assert within(rejected(rng.standard_t(2, (SERIES, runs))), level, SERIES)


def test_four_runs_never_reject(rng: np.random.Generator) -> None:
    assert rejected(np.sort(rng.normal(size=(100, 4)), axis=1)) == 0.0


@pytest.mark.parametrize("runs", [6, 9, 14])
def test_ties_do_not_break_the_level(rng: np.random.Generator, runs: int) -> None:
    rounded = np.round(rng.normal(size=(2000, runs)), 0)
    varying = rounded[np.ptp(rounded, axis=1) > 0]
    found = [mann_kendall(row).p_value <= 0.05 for row in varying]
    assert np.mean(found) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / len(found))


@pytest.mark.parametrize("runs", [6, 8, 12])
def test_slope_limits_cover(rng: np.random.Generator, runs: int) -> None:
    slope = 0.2
    series = rng.normal(size=(1500, runs)) + slope * np.arange(runs)
    covered = []
    for row in series:
        found = mann_kendall(row)
        assert found.low is not None
        assert found.high is not None
        covered.append(found.low <= slope <= found.high)
    # The achieved level is above the nominal one with few values.
    level = mann_kendall(series[0]).achieved_level
    assert level is not None
    assert within(float(np.mean(covered)), level, len(covered))


@pytest.mark.parametrize("runs", [6, 8, 12])
def test_the_drift_test_holds_its_level(rng: np.random.Generator, runs: int) -> None:
    arms = np.arange(runs) % 2 == 1
    order = np.arange(runs, dtype=float)
    found = [drift_p(rng.normal(size=runs), arms, order) for _ in range(3000)]
    share = float(np.mean([p is not None and p < 0.05 for p in found]))
    assert within(share, 0.05, len(found))


def test_the_drift_test_sees_a_drift(rng: np.random.Generator) -> None:
    # 10 % over the session, run SD 2 %: the figures of the order rule.
    arms = np.array([False, True, True, False] * 2)
    order = np.arange(8, dtype=float)
    drift = np.linspace(0.0, -0.1, 8)
    found = [drift_p(drift + rng.normal(0.0, 0.02, 8), arms, order) for _ in range(500)]
    assert np.mean([p is not None and p < 0.05 for p in found]) > 0.95


def test_autocorrelation_breaks_the_trend_test(rng: np.random.Generator) -> None:
    noise = rng.normal(size=(2000, 10))
    series = np.zeros_like(noise)
    series[:, 0] = noise[:, 0]
    for place in range(1, 10):
        series[:, place] = 0.7 * series[:, place - 1] + noise[:, place]
    assert rejected(series) > 0.15


@pytest.mark.parametrize("runs", [6, 8, 10, 15, 30])
def test_one_normal_state_passes(rng: np.random.Generator, runs: int) -> None:
    count = 100_000
    values = rng.normal(size=(count, runs))
    ratios = gap_ratios(values)
    assert within(float((ratios > gap_threshold(runs)).mean()), 0.01, count)
    for row, ratio in zip(values[:50], ratios[:50], strict=True):
        found = largest_gap(row)
        assert found is not None
        assert found.ratio == pytest.approx(ratio)


def slow_state(rng: np.random.Generator, runs: int) -> Array:
    """30 % of the launches are slower by .35, run SD .03 (statistics note)."""
    slow = rng.random((SERIES, runs)) < 0.3
    return np.where(slow, -0.35, 0.0) + rng.normal(0.0, 0.03, (SERIES, runs))


@pytest.mark.parametrize(("runs", "power"), [(6, 0.45), (8, 0.70), (10, 0.80)])
def test_a_slow_state_is_seen(
    rng: np.random.Generator, runs: int, power: float
) -> None:
    values = slow_state(rng, runs)
    assert (gap_ratios(values) > gap_threshold(runs)).mean() > power


def test_skewed_launches_are_flagged_too(rng: np.random.Generator) -> None:
    # Said in the documentation: the label means "not one normal state".
    ratios = gap_ratios(-rng.exponential(0.15, (SERIES, 10)))
    assert 0.02 < (ratios > gap_threshold(10)).mean() < 0.15


@pytest.mark.parametrize("runs", [5, 8, 20])
def test_flags_of_single_runs(rng: np.random.Generator, runs: int) -> None:
    values = rng.normal(size=(3000, runs))
    grubbs = np.mean([grubbs_outlier(row) is not None for row in values])
    median = np.mean([bool(median_outliers(row)) for row in values])
    assert within(float(grubbs), 0.01, 3000)
    # The limit of 3.5 robust SDs has no level in small samples.
    assert median > 0.06


@pytest.mark.parametrize("runs", [8, 20])
def test_the_change_test_holds_its_level(rng: np.random.Generator, runs: int) -> None:
    found = [
        change_test(rng.normal(size=runs), rng=rng, draws=199).p_value <= 0.05
        for _ in range(1000)
    ]
    assert within(float(np.mean(found)), 0.05, 1000)


@pytest.mark.parametrize(("runs", "share"), [(8, 0.09), (20, 0.25), (100, 0.40)])
def test_a_t_test_at_the_best_place_over_rejects(
    rng: np.random.Generator, runs: int, share: float
) -> None:
    largest = split_statistics(rng.normal(size=(4000, runs))).max(axis=1)
    critical = special.stdtrit(runs - 2.0, 0.975)
    assert (largest > critical).mean() > share


@pytest.mark.parametrize(("runs", "most"), [(20, 0.12), (30, 0.10), (100, 0.03)])
def test_segmentation_seldom_splits_noise(
    rng: np.random.Generator, runs: int, most: float
) -> None:
    found = [bool(pelt(rng.normal(size=runs))) for _ in range(1000)]
    assert np.mean(found) < most


@pytest.mark.parametrize(("values", "most"), [(20, 0.14), (100, 0.05)])
def test_mean_and_variance_seldom_split_noise(
    rng: np.random.Generator, values: int, most: float
) -> None:
    found = [
        bool(pelt(rng.normal(size=values), cost="mean and variance"))
        for _ in range(1000)
    ]
    assert np.mean(found) < most


def test_segmentation_finds_a_change(rng: np.random.Generator) -> None:
    found = []
    for _ in range(300):
        values = rng.normal(size=40)
        values[25:] += 3.0
        found.append(any(abs(place - 25) <= 1 for place in pelt(values)))
    assert np.mean(found) > 0.9
