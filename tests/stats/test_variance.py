import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.variance import (
    between_block_sd,
    design_effect,
    icc_interval,
    kalibera_jones,
    mean_over_blocks,
    mls_interval,
    one_way,
    total_interval,
)


def test_one_way_by_hand() -> None:
    # Means 1, 5, grand 3; MSA = 2*(4+4) = 16; MSE = (2+2)/2 = 2; var = 7.
    parts = one_way([[0.0, 2.0], [4.0, 6.0]])
    assert (parts.ms_between, parts.ms_within) == (16.0, 2.0)
    assert parts.between_var == pytest.approx(7.0)
    assert parts.icc == pytest.approx(7 / 9)
    assert (parts.between_df, parts.within_df, parts.n0) == (1, 2, 2.0)
    assert not parts.truncated


def test_unbalanced_group_size() -> None:
    # n0 = (6 - (1 + 4 + 9)/6)/2 = 11/6; harmonic mean 3/(1 + 1/2 + 1/3) = 18/11.
    parts = one_way([[1.0], [2.0, 3.0], [4.0, 5.0, 7.0]])
    assert parts.n0 == pytest.approx(11 / 6)
    assert parts.size == pytest.approx(18 / 11)
    assert parts.ms_means == pytest.approx(18 / 11 * np.var([1, 2.5, 16 / 3], ddof=1))


def test_no_spread_at_all() -> None:
    parts = one_way([[1.0, 1.0], [1.0, 1.0]])
    assert (parts.icc, parts.between_var) == (0.0, 0.0)
    with pytest.raises(ValueError, match="spread within groups"):
        icc_interval(parts)


@pytest.mark.parametrize("groups", [[[1.0, 2.0]], [[1.0], [2.0]]])
def test_one_way_misuse(groups: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="two groups"):
        one_way(groups)


def test_design_effect() -> None:
    assert design_effect(0.0, 20) == 1.0
    assert design_effect(1.0, 20) == 20.0


@given(st.lists(st.integers(0, 99), min_size=12, max_size=12), st.floats(0.1, 10))
def test_variances_scale_with_the_square(numbers: list[int], factor: float) -> None:
    groups = np.array(numbers, float).reshape(4, 3)
    groups[0, 0] += 0.5
    parts, scaled = one_way(list(groups)), one_way(list(groups * factor + 7.0))
    assert scaled.within_var == pytest.approx(parts.within_var * factor**2)
    assert mls_interval(scaled) == pytest.approx(
        np.multiply(mls_interval(parts), factor**2), rel=1e-6, abs=1e-9
    )
    assert icc_interval(scaled) == pytest.approx(icc_interval(parts), rel=1e-6)
    wide, narrow = mls_interval(parts, confidence_level=0.99), mls_interval(parts)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    low, high = total_interval(parts)
    assert low <= high


def test_between_block_sd_by_hand() -> None:
    # MSB 16, MSW 2, n0 2: total 16/2 + (1 - 1/2)*2 = 9; df = 81/(64/1 + 1/2).
    spread = between_block_sd([0.0, 2.0, 4.0, 6.0], ["a", "a", "b", "b"])
    assert spread.within_sd == pytest.approx(math.sqrt(2))
    assert spread.within_df == 2
    assert spread.total_sd == pytest.approx(3.0)
    assert spread.total_df == pytest.approx(81 / 64.5)


def test_between_block_sd_with_one_run_per_block_is_the_plain_sd() -> None:
    spread = between_block_sd([1.0, 2.0, 3.0], [1, 2, 3])
    assert (spread.within_sd, spread.within_df) == (None, None)
    assert (spread.total_sd, spread.total_df) == (1.0, 2.0)


def test_between_block_sd_is_never_below_the_spread_within() -> None:
    spread = between_block_sd([0.0, 2.0, 0.1, 1.9], [1, 1, 2, 2])
    assert spread.within_sd is not None
    assert spread.total_sd >= spread.within_sd
    assert spread.total_df <= 3.0


def test_between_block_sd_of_equal_values() -> None:
    spread = between_block_sd([1.0] * 4, [1, 1, 2, 2])
    assert (spread.total_sd, spread.within_sd) == (0.0, 0.0)
    assert spread.total_df == 1.0


def test_between_block_sd_needs_two_blocks() -> None:
    with pytest.raises(ValueError, match="two blocks"):
        between_block_sd([1.0, 2.0], [1, 1])


def test_counts_without_variance_above_are_unbounded() -> None:
    # The middle level adds nothing: no count of inner repetitions is best.
    nested = kalibera_jones([[[9, 5], [8, 3]], [[10, 6], [7, 11]]], costs=(1, 1, 1))
    assert nested.unbiased[1] < 0
    assert nested.counts[0] is None
    assert nested.counts[1] == 1


def test_kalibera_jones_misuse() -> None:
    with pytest.raises(ValueError, match="two repetitions"):
        kalibera_jones([[1.0], [2.0]])
    with pytest.raises(ValueError, match="finite"):
        kalibera_jones([1.0, math.nan])
    with pytest.raises(ValueError, match="2 costs"):
        kalibera_jones([[1.0, 2.0], [2.0, 3.0]], costs=(1.0,))


def test_mean_over_blocks_is_the_t_on_block_means_when_balanced() -> None:
    values = [1.0, 3.0, 2.0, 6.0, 4.0, 8.0]
    found = mean_over_blocks(values, ["a", "a", "b", "b", "c", "c"])
    # Block means 2, 4, 6: mean 4, SD 2, standard error 2 / sqrt 3 on 2 df.
    assert found.estimate == 4.0
    assert found.std_error == pytest.approx(2.0 / math.sqrt(3.0))
    assert found.df == 2.0


def test_mean_over_unequal_blocks_by_hand() -> None:
    # Mean 3; block sums of deviations -4 and 4; B/(B-1) = 2; sqrt(2 * 32) / 4 = 2.
    found = mean_over_blocks([1.0, 1.0, 3.0, 7.0], ["a", "a", "b", "b"])
    assert found.std_error == pytest.approx(math.sqrt(2 * (4.0**2 + 4.0**2)) / 4)
    unequal = mean_over_blocks([1.0, 2.0, 3.0, 6.0], ["a", "a", "a", "b"])
    # Mean 3; sums of deviations -3 and 3: sqrt(2 * 18) / 4 = 1.5.
    assert unequal.std_error == pytest.approx(1.5)


def test_mean_over_blocks_refuses_flat_and_single_blocks() -> None:
    with pytest.raises(ZeroSpreadError):
        mean_over_blocks([1.0, 3.0, 1.0, 3.0], ["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="two blocks"):
        mean_over_blocks([1.0, 2.0], ["a", "a"])
