import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.length import length_difference, mean_length
from specstats.stats.twoway_acceptance import two_way_length

PAIRS = st.lists(
    st.tuples(st.integers(1, 200), st.integers(0, 400)), min_size=2, max_size=8
)


def test_two_clusters_by_hand() -> None:
    # The two leave-one-out logs are the clusters' own: log 3 and log 2.
    found = mean_length([30, 20], [10, 10])
    assert found is not None
    assert found.estimate == pytest.approx(math.log(2.5))
    assert found.std_error == pytest.approx(math.log(1.5) / 2)
    assert found.df == 1


def test_three_clusters_by_hand() -> None:
    found = mean_length([30, 24, 10], [10, 12, 8])
    logs = [math.log(34 / 20), math.log(40 / 18), math.log(54 / 22)]
    mean = sum(logs) / 3
    assert found is not None
    assert found.estimate == pytest.approx(math.log(64 / 30))
    assert found.std_error == pytest.approx(
        math.sqrt(2 / 3 * sum((value - mean) ** 2 for value in logs))
    )


def test_one_cluster_says_nothing() -> None:
    assert mean_length([30], [10]) is None
    assert mean_length([30, 0], [10, 0]) is None
    assert length_difference([30], [10], [20, 24], [10, 11]) is None
    assert two_way_length([30, 20], [10, 10], ["r", "r"], ["a", "b"]) is None


def test_equal_ratios_have_no_interval() -> None:
    with pytest.raises(ZeroSpreadError):
        mean_length([21, 42, 63], [7, 14, 21])
    with pytest.raises(ZeroSpreadError):
        length_difference([30, 30], [10, 10], [20, 20], [10, 10])


@pytest.mark.parametrize(
    ("tokens", "steps"),
    [([0, 5], [2, 2]), ([5, 5], [-1, 2]), ([5], [1, 2]), ([[5]], [[1]])],
)
def test_impossible_counts_are_misuse(tokens: list[int], steps: list[int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        mean_length(tokens, steps)


def test_infinite_counts_are_misuse() -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_length([math.inf, 2.0], [1, 1])


def test_independent_difference_by_hand() -> None:
    found = length_difference([30, 20], [10, 10], [24, 16], [10, 10])
    variance = (math.log(1.5) / 2) ** 2
    assert found is not None
    assert found.estimate == pytest.approx(math.log(2.5 / 2))
    assert found.std_error == pytest.approx(math.sqrt(2 * variance))
    assert found.df == pytest.approx(2.0)


def test_an_arm_without_spread_leaves_the_df_of_the_other() -> None:
    found = length_difference([30, 20, 28], [10, 10, 10], [20, 20], [10, 10])
    assert found is not None
    assert found.df == pytest.approx(2.0)


def test_two_way_with_equal_prompts_is_the_linearised_run_interval() -> None:
    # Deviations of 5, 5, -5, -5 tokens over 100: V_runs = 2 (100 + 100) / 100^2.
    found = two_way_length(
        [30, 30, 20, 20], [10] * 4, [1, 1, 2, 2], ["x", "y", "x", "y"]
    )
    assert found is not None
    assert found.std_error == pytest.approx(math.sqrt(2 * 200) / 100)
    assert found.df == 1
    with pytest.raises(ZeroSpreadError):
        two_way_length([20] * 4, [10] * 4, [1, 1, 2, 2], ["x", "y", "x", "y"])


@given(PAIRS)
def test_scale_and_order_do_not_matter(pairs: list[tuple[int, int]]) -> None:
    steps = np.array([step for step, _ in pairs], dtype=float)
    tokens = steps + np.array([hits for _, hits in pairs], dtype=float)
    try:
        found = mean_length(tokens, steps)
        turned = mean_length(tokens[::-1], steps[::-1])
        scaled = mean_length(tokens * 3, steps)
    except ZeroSpreadError:
        assert np.ptp(tokens / steps) < 1e-9
        return
    assert found is not None
    assert turned is not None
    assert scaled is not None
    assert turned.std_error == pytest.approx(found.std_error)
    assert scaled.std_error == pytest.approx(found.std_error, rel=1e-6)
    assert scaled.estimate == pytest.approx(found.estimate + math.log(3))
