"""LoadGen's early stopping: counts printed in mlcommons/endpoints#417."""

import pytest

from specstats.stats.tails import early_stopping_count, fewest_requests


@pytest.mark.parametrize(
    ("probability", "in_time"),
    [(0.99, [459, 661, 836, 998]), (0.90, [44, 63, 79, 94, 109])],
)
def test_early_stopping(probability: float, in_time: list[int]) -> None:
    found = [
        early_stopping_count(late, probability=probability)
        for late in range(len(in_time))
    ]
    assert found == in_time


def test_single_stream_floors() -> None:
    # One late request and those in time.
    assert early_stopping_count(1, probability=0.99) + 1 == 662
    assert early_stopping_count(1, probability=0.90) + 1 == 64


def test_none_late_is_the_fewest_with_one_beyond() -> None:
    assert fewest_requests(0.99, chance=0.99) == 459
    assert fewest_requests(0.90, chance=0.99) == 44
