from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._totals import arm_totals
from specstats.stats.wild import (
    POINTS,
    WildWeights,
    patterns,
    wild_bootstrap,
    wild_bootstrap_totals,
    wild_p,
)

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


def by_least_squares(
    rows: Array, runs: Codes, arm: Array, weights: WildWeights, null: float
) -> float:
    """Share of all patterns with as large a t, each fitted by least squares."""
    design = np.column_stack([np.ones(rows.size), arm])
    bread = np.linalg.inv(design.T @ design)

    def statistic(values: Array) -> float:
        fitted = bread @ design.T @ values
        residuals = values - design @ fitted
        scores = [
            (bread @ design[runs == run].T @ residuals[runs == run])[1]
            for run in np.unique(runs)
        ]
        return float(abs(fitted[1] - null) / np.linalg.norm(scores))

    restricted = np.mean(rows - null * arm) + null * arm
    observed = statistic(rows)
    found = [
        statistic(restricted + np.array(signs)[runs] * (rows - restricted))
        for signs in product(POINTS[weights], repeat=int(runs.max()) + 1)
    ]
    return float(np.mean(np.array(found) >= observed * (1 - 1e-9)))


@pytest.mark.parametrize(
    ("weights", "sizes"),
    [("rademacher", [2, 3, 1, 4, 2, 2]), ("webb", [2, 1, 3, 2])],
)
@pytest.mark.parametrize("null", [0.0, 0.7])
def test_least_squares_in_each_pattern_agree(
    rng: np.random.Generator, weights: WildWeights, sizes: list[int], null: float
) -> None:
    runs = np.repeat(np.arange(len(sizes)), sizes)
    arm = (runs % 2).astype(float)
    rows = rng.normal(0.0, 1.0, len(sizes))[runs] + rng.normal(2.0, 0.3, runs.size)
    expected = by_least_squares(rows, runs, arm, weights, null)
    found = wild_bootstrap(rows, runs.tolist(), arm, weights=weights, null=null)
    assert found.p_value == pytest.approx(expected)


@pytest.mark.parametrize(("clusters", "minimum"), [(4, 0.125), (5, 0.0625)])
def test_few_clusters_cannot_reject(clusters: int, minimum: float) -> None:
    found = wild_bootstrap_totals(
        np.arange(clusters) * 9.0, np.ones(clusters), np.arange(clusters) >= 2
    )
    assert found.minimum_p == minimum
    assert found.p_value >= minimum
    assert found.low is None
    assert found.high is None
    assert f"{clusters} clusters cannot give a p below" in found.notes[0]
    webb = wild_bootstrap_totals(
        np.arange(clusters) * 9.0,
        np.ones(clusters),
        np.arange(clusters) >= 2,
        weights="webb",
    )
    assert webb.minimum_p < 0.01


@settings(max_examples=30)
@given(
    st.lists(st.integers(-50, 50), min_size=6, max_size=7, unique=True),
    st.integers(-20, 20),
)
def test_the_interval_holds_what_is_not_rejected(sums: list[int], shift: int) -> None:
    arm = np.arange(len(sums)) < 3
    counts = np.ones(len(sums))
    found = wild_bootstrap_totals(sums, counts, arm)
    moved = wild_bootstrap_totals(sums + shift * arm, counts, arm, null=shift)
    assert moved.p_value == found.p_value
    if found.low is None or found.high is None:
        return
    assert found.low < found.estimate < found.high
    totals = arm_totals(sums, counts, arm)
    signs = patterns(len(sums), "rademacher")
    step = 1e-6 * (found.high - found.low)
    for limit, outwards in ((found.low, -step), (found.high, step)):
        assert wild_p(totals, signs, limit + outwards) <= 0.05
        assert wild_p(totals, signs, limit - outwards) > 0.05


def test_patterns() -> None:
    signs = patterns(4, "rademacher")
    assert signs.rows.shape == (8, 4)
    assert signs.rows[0].tolist() == [1.0] * 4
    assert len({tuple(row) for row in signs.rows.tolist()}) == 8
    assert patterns(5, "webb").rows.shape == (3 * 6**4, 5)
    assert (POINTS["webb"] ** 2).mean() == pytest.approx(1.0)
    random = patterns(40, "rademacher", n_resamples=200, rng=1)
    assert random.rows.shape == (200, 40)
    assert not random.exact


def test_many_clusters_repeat_with_the_seed(rng: np.random.Generator) -> None:
    sums = rng.normal(0.0, 1.0, 30)
    arm = np.arange(30) % 2
    once = wild_bootstrap_totals(sums, np.ones(30), arm)
    assert once == wild_bootstrap_totals(sums, np.ones(30), arm, rng=20261130)
    assert once.minimum_p == 1e-4
    assert once.low is not None
    assert once.high is not None
    assert once.low < once.estimate < once.high


def test_values_far_from_zero_and_unequal_counts() -> None:
    sums, arm = np.arange(6) * 1e-3, [0, 0, 0, 1, 1, 1]
    near = wild_bootstrap_totals(sums, np.ones(6), arm)
    far = wild_bootstrap_totals(sums + 1e6, np.ones(6), arm)
    assert far.p_value == near.p_value >= near.minimum_p
    assert far.low == pytest.approx(near.low, abs=1e-7)
    weighed = wild_bootstrap_totals([1, 1.5, 2, 5, 5.5, 7], [1, 9, 1, 1, 1, 1], arm)
    assert weighed.p_value >= weighed.minimum_p


def test_refusals() -> None:
    with pytest.raises(ZeroSpreadError):
        wild_bootstrap([0.1, 0.1, 0.3, 0.3], list("abcd"), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="expected one of"):
        patterns(4, "mammen")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 199"):
        wild_bootstrap_totals([1, 2, 3, 4], [1] * 4, [0, 0, 1, 1], n_resamples=9)
