import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from specstats.stats.intervals import hodges_lehmann, hodges_lehmann_paired

Values = NDArray[np.float64]


def run_values(minimum: int = 2) -> st.SearchStrategy[Values]:
    """Log run values on a grid, not all equal."""
    return (
        hnp.arrays(np.int64, st.integers(minimum, 8), elements=st.integers(0, 400))
        .filter(lambda numbers: bool(np.ptp(numbers) > 0))
        .map(lambda numbers: 3.0 + numbers / 1000.0)
    )


def test_hodges_lehmann_needs_four_and_four() -> None:
    assert hodges_lehmann([1, 2, 3], [4, 5, 6]).low is None
    found = hodges_lehmann([1, 2, 3, 4], [15, 26, 37, 48])
    assert (found.low, found.high) == (-47.0, -11.0)
    assert found.achieved_level == pytest.approx(1 - 2 / 70)
    assert found.p_value == pytest.approx(2 / 70)


def test_hodges_lehmann_paired_needs_six() -> None:
    assert hodges_lehmann_paired([1, 2, 3, 4, 5]).low is None
    found = hodges_lehmann_paired([1, 2, 3, 4, 5, 7])
    assert (found.low, found.high) == (1.0, 7.0)
    assert found.achieved_level == 0.96875
    assert found.p_value == 0.03125


def test_ranks_with_ties() -> None:
    # Mid-ranks 1, 3, 3 | 3, 5: rank sum 7, which 3 of 10 splits have and none beats.
    found = hodges_lehmann([1.0, 2.0, 2.0], [2.0, 3.0])
    assert found.statistic == 1.0
    assert found.p_value == pytest.approx(2 * 3 / 10)


def test_zero_differences_do_not_count_in_the_signed_rank_test() -> None:
    found = hodges_lehmann_paired([0.0, 1.0, 2.0, 3.0])
    assert found.statistic == 6.0
    assert found.p_value == 0.25


@given(run_values(4), run_values(4), st.floats(-3, 3))
def test_hodges_lehmann_follows_a_shift(
    first: Values, second: Values, shift: float
) -> None:
    found, moved = hodges_lehmann(first, second), hodges_lehmann(first + shift, second)
    assert moved.estimate == pytest.approx(found.estimate + shift, abs=1e-9)
    swapped = hodges_lehmann(second, first)
    assert swapped.estimate == pytest.approx(-found.estimate)
    assert swapped.p_value == pytest.approx(found.p_value)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.estimate <= found.high


def test_exact_counts_have_a_limit() -> None:
    with pytest.raises(ValueError, match="at most 100"):
        hodges_lehmann(np.arange(101), np.arange(4))
