import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.blocks import paired_blocks, these_blocks
from specstats.stats.intervals import ZeroSpreadError, pooled, welch

VALUES = [3.0, 3.1, 2.0, 2.2, 3.5, 3.7, 2.6, 2.7]
FLAGS = [True, True, False, False] * 2
DAYS = ["mon"] * 4 + ["tue"] * 4


def test_paired_blocks_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, SE 1/sqrt 3.
    contrast = paired_blocks([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert (contrast.estimate, contrast.df) == (2.0, 2.0)
    assert contrast.std_error == pytest.approx(1 / math.sqrt(3))


def test_paired_blocks_refuses_equal_differences() -> None:
    # The same ratio to the last digit in every block is rounding, not certainty.
    baseline = np.log([21.9, 22.3, 24.1])
    with pytest.raises(ZeroSpreadError, match="same difference"):
        paired_blocks(np.log(2.0 * np.exp(baseline)), baseline)


def test_paired_blocks_needs_matching_blocks() -> None:
    with pytest.raises(ValueError, match="matching blocks"):
        paired_blocks([1.0, 2.0], [1.0, 2.0, 3.0])


def test_these_blocks_by_hand() -> None:
    found = these_blocks(VALUES, FLAGS, DAYS)
    assert found is not None
    # Differences .95 and .95, equal weights; both variances (.005 + .02) / 2.
    assert found.contrast.estimate == pytest.approx(0.95)
    assert found.contrast.std_error == pytest.approx(math.sqrt(0.0125 / 4 * 2))
    assert found.contrast.df == pytest.approx(4.0)
    assert (found.sd_candidate, found.df_candidate) == pytest.approx(
        (math.sqrt(0.0125), 2)
    )
    assert found.interaction_p == pytest.approx(1.0)
    assert found.additive.estimate == pytest.approx(0.95)
    assert found.additive.df == 5.0


def test_interaction_by_hand() -> None:
    # Differences .9 and .1 with cell spread .02: F = (.8^2/2)/(.0008/4) on 1 and 4 df.
    values = [1.01, 0.99, 0.11, 0.09, 1.01, 0.99, 0.91, 0.89]
    found = these_blocks(values, FLAGS, DAYS)
    assert found is not None
    statistic = (0.8**2 / 2) / (8 * 0.01**2 / 4)
    # F(1, 4) is t(4) squared, whose tail has a closed form.
    t = math.sqrt(statistic)
    tail = 0.5 - 0.5 * t / math.sqrt(4 + t**2) * (1 + 2 / (4 + t**2))
    assert found.interaction_p == pytest.approx(2 * tail, rel=1e-6)


def test_one_block_is_welch_there() -> None:
    values, flags = VALUES[:4], FLAGS[:4]
    found = these_blocks(values, flags, DAYS[:4])
    assert found is not None
    assert found.interaction_p is None
    expected = welch(values[:2], values[2:])
    assert found.contrast.estimate == pytest.approx(expected.estimate)
    assert found.contrast.std_error == pytest.approx(expected.std_error)
    assert found.contrast.df == pytest.approx(expected.df)
    assert found.additive.std_error == pytest.approx(
        pooled(values[:2], values[2:]).std_error
    )


def test_blocks_with_one_arm_are_not_used() -> None:
    found = these_blocks(
        [*VALUES, 9.0, 9.5], [*FLAGS, True, True], [*DAYS, "wed", "wed"]
    )
    assert found is not None
    assert found.blocks_used == ("mon", "tue")
    assert found == these_blocks(VALUES, FLAGS, DAYS)


@pytest.mark.parametrize(
    ("values", "flags", "block"),
    [
        ([1.0, 2.0, 3.0, 4.0], [True, False, True, False], [1, 1, 2, 2]),
        ([1.0, 2.0, 2.5, 3.0], [True, True, False, False], [1, 1, 2, 2]),
        ([1.0, 2.0, 2.5], [True, True, False], [1, 1, 1]),
        ([1.0, 1.0, 2.0, 2.0], [True, True, False, False], [1, 1, 1, 1]),
    ],
    ids=["single runs", "no common block", "one arm unrepeated", "no spread"],
)
def test_these_blocks_cannot(
    values: list[float], flags: list[bool], block: list[int]
) -> None:
    assert these_blocks(values, flags, block) is None


def test_labels_and_flags_must_match() -> None:
    with pytest.raises(ValueError, match="labels"):
        these_blocks(VALUES, FLAGS, DAYS[:-1])
    with pytest.raises(ValueError, match="arm flags"):
        these_blocks(VALUES, FLAGS[:-1], DAYS)


@given(st.permutations(range(8)), st.floats(-2, 2), st.floats(-2, 2))
def test_order_and_block_levels_do_not_matter(
    order: list[int], shift: float, jump: float
) -> None:
    values = np.array(VALUES) + shift + jump * (np.array(DAYS) == "tue")
    found = these_blocks(
        values[order], np.array(FLAGS)[order], [DAYS[index] for index in order]
    )
    plain = these_blocks(VALUES, FLAGS, DAYS)
    assert found is not None
    assert plain is not None
    assert found.contrast.estimate == pytest.approx(plain.contrast.estimate)
    assert found.contrast.std_error == pytest.approx(plain.contrast.std_error)
    assert found.additive.std_error == pytest.approx(plain.additive.std_error)


@given(st.lists(st.integers(0, 99), min_size=8, max_size=8))
def test_swapping_arms_changes_the_sign(numbers: list[int]) -> None:
    values = np.array(numbers) / 100.0
    found = these_blocks(values, FLAGS, DAYS)
    swapped = these_blocks(values, ~np.array(FLAGS), DAYS)
    assert (found is None) == (swapped is None)
    if found is not None and swapped is not None:
        assert swapped.contrast.estimate == pytest.approx(-found.contrast.estimate)
        assert swapped.contrast.df == pytest.approx(found.contrast.df)
        assert swapped.interaction_p == pytest.approx(found.interaction_p)
