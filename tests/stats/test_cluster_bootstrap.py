from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._ratio_law import RatioLaw
from specstats.stats._resampling import every_resample
from specstats.stats.bootstrap import BootstrapMethod, paired_bootstrap
from specstats.stats.cluster_bootstrap import cluster_ratio_bootstrap, random_totals

Array = NDArray[np.float64]
METHODS: list[BootstrapMethod] = ["bootstrap-t", "bca", "percentile"]


def test_two_clusters_by_hand() -> None:
    # Totals 2/2, 3/5 twice and 4/8.
    found = cluster_ratio_bootstrap([1, 2], [1, 4], method="percentile")
    assert found.estimate == pytest.approx(3 / 5)
    assert (found.low, found.high) == pytest.approx((0.5, 1.0))
    assert found.n_resamples == 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [6, 40])
def test_equal_denominators_give_the_bootstrap_of_a_mean(
    rng: np.random.Generator, method: BootstrapMethod, size: int
) -> None:
    values = rng.gamma(3.0, 2.0, size)
    ratio = cluster_ratio_bootstrap(values * 4, np.full(size, 4.0), method=method)
    mean = paired_bootstrap(values, method=method)
    tolerance = 1e-9 if size == 6 else 0.1
    assert ratio.estimate == pytest.approx(mean.estimate)
    assert ratio.low == pytest.approx(mean.low, abs=tolerance)
    assert ratio.high == pytest.approx(mean.high, abs=tolerance)


@pytest.mark.parametrize(
    ("method", "name"), [("bca", "BCa"), ("percentile", "percentile")]
)
def test_scipy_agrees(
    rng: np.random.Generator,
    method: BootstrapMethod,
    name: Literal["BCa", "percentile"],
) -> None:
    bottoms = rng.integers(50, 500, 80)
    tops = rng.binomial(bottoms, rng.beta(8.0, 3.0, 80))
    ours = cluster_ratio_bootstrap(tops, bottoms, method=method, n_resamples=50_000)
    theirs = stats.bootstrap(
        [tops.astype(float), bottoms.astype(float)],
        lambda top, bottom, axis: top.sum(axis) / bottom.sum(axis),
        paired=True,
        method=name,
        n_resamples=50_000,
        rng=rng,
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.002)
    assert ours.high == pytest.approx(theirs.high, abs=0.002)
    assert ours.high - ours.low > 0.03


@pytest.mark.parametrize("size", [3, 1000, 70_000])
def test_random_totals_have_the_mean_and_variance_of_sums(
    rng: np.random.Generator, size: int
) -> None:
    columns = rng.normal(2.0, 1.0, (size, 2))
    count = 300 if size > 1000 else 4000
    totals = random_totals(columns, count, rng)
    off = totals.mean(axis=0) - columns.sum(axis=0)
    sd = columns.std(axis=0) * np.sqrt(size)
    assert np.abs(off / sd * np.sqrt(count)).max() < 4.0
    assert totals.std(axis=0) == pytest.approx(sd, rel=4 / np.sqrt(2 * count))


def test_constant_resamples_are_found_despite_rounding() -> None:
    found = cluster_ratio_bootstrap([0.1, 0.7, 1.1, 0.3], [0.3, 0.9, 1.7, 0.7])
    assert "a share of 0.016 of the resamples is constant" in found.notes[0]
    assert found.p_value is not None


def test_refusals() -> None:
    with pytest.raises(ZeroSpreadError):
        cluster_ratio_bootstrap([0.1, 0.2, 0.3, 0.7], [0.3, 0.6, 0.9, 2.1])
    with pytest.raises(ValueError, match="at least 4 values"):
        cluster_ratio_bootstrap([1, 2, 3], [1, 1, 1])
    with pytest.raises(ValueError, match="above zero"):
        cluster_ratio_bootstrap([1, 2, 3, 4], [1, 1, 1, 0])
    with pytest.raises(ValueError, match="as many denominators"):
        cluster_ratio_bootstrap([1, 2, 3, 4], [1, 1, 1, 1, 1])


@pytest.mark.parametrize("size", [20, 100, 1000])
def test_the_law_of_all_resamples_is_that_of_many(
    rng: np.random.Generator, size: int
) -> None:
    bottoms = rng.integers(200, 2000, size)
    tops = rng.binomial(bottoms, rng.beta(8.0, 3.0, size))
    for method in METHODS[1:]:
        found = cluster_ratio_bootstrap(tops, bottoms, method=method)
        drawn = cluster_ratio_bootstrap(
            tops, bottoms, method=method, n_resamples=40_000
        )
        assert found.n_resamples == 0
        assert found.method.endswith("of clusters, all resamples by inversion")
        assert found.notes == drawn.notes
        # Five standard errors of a quantile of 40,000 draws, BCa's bias included.
        tolerance = 0.035 * (drawn.high - drawn.low)
        assert found.low == pytest.approx(drawn.low, abs=tolerance)
        assert found.high == pytest.approx(drawn.high, abs=tolerance)


def test_the_law_against_every_resample(rng: np.random.Generator) -> None:
    bottoms = rng.uniform(1.0, 3.0, 9)
    tops = bottoms * rng.uniform(0.4, 0.9, 9)
    estimate = tops.sum() / bottoms.sum()
    law = RatioLaw(tops=tops, bottoms=bottoms, estimate=estimate, std_error=0.1)
    plan = every_resample(9)
    ratios = tops[plan.rows].sum(axis=1) / bottoms[plan.rows].sum(axis=1)
    for ratio in np.quantile(ratios, [0.05, 0.2, 0.5, 0.9]):
        share = plan.weights[ratios <= ratio].sum()
        assert law.cdf(float(ratio)) == pytest.approx(share, abs=0.003)


@pytest.mark.parametrize(
    "tops",
    [
        np.repeat([0.0, 1.0], [700, 300]),
        np.append(1.0 + np.linspace(-1e-3, 1e-3, 999), 50.0),
    ],
    ids=["steps", "outlier"],
)
def test_laws_with_steps_are_left_to_random_resamples(tops: Array) -> None:
    found = cluster_ratio_bootstrap(tops, np.ones(tops.size), method="percentile")
    assert found.n_resamples == 9999
    assert found.low < found.estimate < found.high


def test_extreme_levels_are_left_to_random_resamples(rng: np.random.Generator) -> None:
    tops = rng.gamma(5.0, 1.0, 50)
    found = cluster_ratio_bootstrap(
        tops, np.ones(50), method="percentile", confidence_level=0.999999
    )
    assert found.n_resamples == 9999
