from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.trend import exact_p, mann_kendall


def test_all_orders_of_five_are_counted() -> None:
    scores = [mann_kendall(order).statistic for order in permutations(range(5))]
    for score in set(scores):
        share = np.mean([abs(other) >= abs(score) for other in scores])
        assert exact_p(score, 5) == pytest.approx(share)


@pytest.mark.parametrize(
    ("runs", "smallest"),
    [(3, 1 / 3), (4, 1 / 12), (5, 1 / 60), (6, 1 / 360)],
)
def test_the_smallest_p(runs: int, smallest: float) -> None:
    assert mann_kendall(range(runs)).p_value == pytest.approx(smallest)


def test_drift_of_a_published_case() -> None:
    # lablup/mlxcel pull request 1182: milliseconds of repeats, back to back.
    four = mann_kendall(np.log([37.3, 39.8, 49.8, 50.4, 50.6]))
    assert (four.statistic, four.exact) == (10, True)
    assert four.p_value == pytest.approx(1 / 60)
    one = mann_kendall([30.7, 30.9, 30.8, 30.8, 31.0])
    assert one.p_value > 0.1
    assert not one.exact


def test_limits_by_hand() -> None:
    # 10 slopes; no rank pair falls in 1 of 120 orders, so the outermost slopes.
    found = mann_kendall([1.0, 2.0, 4.0, 7.0, 6.0])
    assert (found.low, found.high) == (-1.0, 3.0)
    assert found.achieved_level == pytest.approx(1 - 2 / 120)
    assert found.slope == pytest.approx((4 / 3 + 1.5) / 2)


def test_four_values_have_no_interval() -> None:
    found = mann_kendall([1.0, 2.0, 4.0, 7.0])
    assert (found.low, found.high, found.achieved_level) == (None, None, None)


def test_no_interval_without_width() -> None:
    found = mann_kendall(range(12))
    assert found.slope == 1.0
    assert (found.low, found.high) == (None, None)


def test_equal_values_are_refused() -> None:
    with pytest.raises(ZeroSpreadError, match="all values are equal"):
        mann_kendall([0.1 + 0.2, 0.3, 0.3, 0.3])


def test_places_must_differ() -> None:
    with pytest.raises(ValueError, match="3 different places"):
        mann_kendall([1.0, 2.0, 3.0], order=[1, 1, 2])
    with pytest.raises(ValueError, match="at least 3 values"):
        mann_kendall([1.0, 2.0])
    with pytest.raises(ValueError, match="at most 2000"):
        mann_kendall(np.arange(2001.0))


def test_order_sorts_and_scales() -> None:
    found = mann_kendall([4.0, 1.0, 2.0], order=[30.0, 0.0, 10.0])
    assert found.statistic == 3
    assert found.slope == pytest.approx(0.1)


@given(
    st.lists(
        st.integers(-50, 50).map(lambda value: value / 4), min_size=3, max_size=14
    ).filter(lambda values: len(set(values)) > 1)
)
def test_reversed_time_turns_the_trend(values: list[float]) -> None:
    forward, backward = mann_kendall(values), mann_kendall(values[::-1])
    assert forward.statistic == -backward.statistic
    assert forward.p_value == backward.p_value
    assert forward.slope == pytest.approx(-backward.slope)
    assert -1.0 <= forward.tau_b <= 1.0
    if forward.low is not None and backward.high is not None:
        assert forward.low == pytest.approx(-backward.high)
        assert forward.low <= forward.slope
