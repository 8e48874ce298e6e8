import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.blocks import paired_blocks
from specstats.stats.order import (
    drift_p,
    fixed_pair_order,
    fully_separated,
    order_adjusted,
    order_r_squared,
)

AB = [True, False]


def arms(sequence: str) -> list[bool]:
    return [letter == "A" for letter in sequence]


@pytest.mark.parametrize(
    ("sequence", "expected"),
    # Squared correlation of a 0/1 vector with ranks 1..n, by hand.
    [("AB", 1.0), ("AABB", 0.8), ("ABAB", 0.2), ("ABBA", 0.0), ("AAABBB", 27 / 35)],
)
def test_order_r_squared_by_hand(sequence: str, expected: float) -> None:
    order = np.arange(len(sequence))
    found = order_r_squared(arms(sequence), order)
    assert found == pytest.approx(expected, abs=1e-12)


def test_order_is_ranked_within_blocks() -> None:
    flags, block = arms("ABBA") * 2, [1] * 4 + [2] * 4
    times = [0.0, 1.0, 5.0, 100.0, 1e6, 1e6 + 3, 1e6 + 4, 1e6 + 5]
    assert order_r_squared(flags, times, block) == pytest.approx(0.0, abs=1e-12)
    assert order_r_squared(arms("ABAB"), [1, 2, 3, 4], [1, 1, 2, 2]) == 1.0
    assert order_r_squared(arms("ABBA"), [1, 2, 3, 4], [1, 1, 2, 2]) == 0.0


def test_arm_that_never_varies_in_a_block_says_nothing_about_order() -> None:
    assert order_r_squared(arms("AABB"), [1, 2, 3, 4], [1, 1, 2, 2]) == 0.0
    assert order_r_squared(AB, [7.0, 7.0]) == 0.0


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_r_squared_is_a_share(times: list[int]) -> None:
    found = order_r_squared(arms("ABABAB"), times)
    assert 0.0 <= found <= 1.0
    negated = [-time for time in times]
    assert order_r_squared(arms("ABABAB"), negated) == pytest.approx(found, abs=1e-12)


def test_adjustment_takes_a_linear_drift_out() -> None:
    order = np.arange(6)
    noise = np.array([0.01, -0.02, 0.0, 0.015, -0.01, 0.005])
    flags = np.array(arms("AABABB"))
    values = 3.0 + 0.4 * flags - 0.1 * order + noise
    found = order_adjusted(values, flags, order)
    assert found is not None
    assert found.estimate == pytest.approx(0.4, abs=0.03)
    assert found.df == 3.0
    slope = drift_p(values, flags, order)
    assert slope is not None
    assert slope < 0.01


def test_adjustment_agrees_with_paired_blocks_less_one_df() -> None:
    flags = arms("ABBAABBA")
    order, block = list(range(8)), [1, 1, 2, 2, 3, 3, 4, 4]
    values = np.array([3.0, 2.0, 2.1, 3.2, 3.1, 2.05, 2.0, 3.15])
    found = order_adjusted(values, flags, order, block)
    pairs = paired_blocks(values[flags], values[~np.array(flags)])
    assert found is not None
    # Half the pairs run in each order, so the drift term moves nothing.
    assert found.estimate == pytest.approx(pairs.estimate)
    assert found.df == pairs.df - 1


@pytest.mark.parametrize(
    ("sequence", "block"),
    [("ABABAB", [1, 1, 2, 2, 3, 3]), ("ABB", None), ("AB", None), ("AAAA", None)],
    ids=["collinear", "no residual df", "too few runs", "one arm"],
)
def test_adjustment_cannot(sequence: str, block: list[int] | None) -> None:
    values = np.linspace(1.0, 2.0, len(sequence)) ** 2
    order = np.arange(len(sequence))
    assert order_adjusted(values, arms(sequence), order, block) is None


def test_adjustment_without_residual_spread_is_none() -> None:
    values = 0.1 * np.arange(6) + np.array(arms("ABBABA"))
    assert order_adjusted(values, arms("ABBABA"), np.arange(6)) is None
    assert drift_p(values, arms("ABBABA"), np.arange(6)) is None


def test_drift_needs_six_runs() -> None:
    values = [1.0, 2.0, 3.0, 4.1, 5.0]
    assert drift_p(values, arms("ABABA"), range(5)) is None
    assert drift_p([*values, 6.0], arms("ABABAB"), range(6)) is not None


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [("AAABBB", True), ("BBA", True), ("AABAB", False), ("ABBA", False)],
)
def test_fully_separated(sequence: str, expected: bool) -> None:
    assert fully_separated(arms(sequence), np.arange(len(sequence))) is expected


def test_equal_times_do_not_separate() -> None:
    assert not fully_separated(AB, [1.0, 1.0])


def test_fully_separated_needs_both_arms() -> None:
    with pytest.raises(ValueError, match="both arms"):
        fully_separated([True, True], [1, 2])


@pytest.mark.parametrize(
    ("sequence", "size", "expected"),
    [
        ("ABABAB", 2, True),
        ("ABBA", 2, False),
        ("AB", 2, False),
        ("AABBAABB", 4, True),
        ("ABBAABBA", 4, False),
        ("ABABAA", 2, True),
    ],
    ids=["AB thrice", "reversed", "one block", "AABB", "balanced ABBA", "skipped"],
)
def test_fixed_pair_order(sequence: str, size: int, expected: bool) -> None:
    block = np.arange(len(sequence)) // size
    order = np.arange(len(sequence))
    shuffled = np.random.default_rng(1).permutation(len(sequence))
    found = fixed_pair_order(
        np.array(arms(sequence))[shuffled], order[shuffled], block[shuffled].tolist()
    )
    assert found is expected


def test_lengths_must_match() -> None:
    with pytest.raises(ValueError, match="expected"):
        order_adjusted([1.0, 2.0, 3.0], AB, [1, 2])
    with pytest.raises(ValueError, match="expected"):
        order_r_squared(AB, [1, 2, 3])
