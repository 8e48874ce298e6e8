import math

import numpy as np
import pytest

from specstats.stats.robust import median_outliers
from specstats.stats.states import gap_threshold, largest_gap


def test_the_ratio_by_hand() -> None:
    found = largest_gap([0.0, 10.0, 1.0, 12.0, 2.0, 11.0])
    assert found is not None
    # Squares 2 + 2 over 6 - 2 degrees of freedom: SD 1.
    assert found.ratio == pytest.approx(8.0)
    assert found.two
    assert (found.low_mean, found.high_mean) == (1.0, 11.0)
    assert found.in_low == (True, False, True, False, True, False)


def test_one_run_apart_is_no_state() -> None:
    found = largest_gap([0.0, 1.0, 2.0, 1.5, 0.5, 40.0])
    assert found is not None
    assert not found.two


def test_two_repeated_values() -> None:
    found = largest_gap([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    assert found is not None
    assert math.isinf(found.ratio)
    assert found.two


def test_no_answer_for_few_or_equal_runs() -> None:
    assert largest_gap([1.0, 1.0, 1.0, 2.0, 2.0]) is None
    assert largest_gap([3.0] * 8) is None


def test_equal_interior_shows_no_gap() -> None:
    found = largest_gap([0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0])
    assert found is not None
    assert found.ratio == 0.0
    assert not found.two


def test_thresholds_fall_with_the_runs() -> None:
    values = [gap_threshold(runs) for runs in range(6, 31)]
    assert (np.diff(values) < 0).all()
    assert gap_threshold(400) == values[-1]
    with pytest.raises(ValueError, match="at least 6"):
        gap_threshold(5)


def test_boots_of_one_setting() -> None:
    # hasso5703/dgx-spark-qwen38 gave 92-111 tok/s over boots; values between are made
    # up. Spread over that range is not two states.
    spread = largest_gap(np.log([92.0, 96.0, 99.0, 104.0, 107.0, 111.0]))
    lottery = largest_gap(np.log([92.0, 93.0, 92.5, 110.0, 111.0, 110.5]))
    assert spread is not None
    assert lottery is not None
    assert (spread.two, lottery.two) == (False, True)


def test_median_outliers() -> None:
    assert median_outliers([3.0, 3.1, 2.9, 3.05, 9.0, 2.95]) == (4,)
    assert median_outliers([3.0, 3.1, 2.9, 9.0]) == ()
    assert median_outliers([3.0, 3.0, 3.0, 3.0, 9.0]) == ()
