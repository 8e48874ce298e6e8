import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.permutation import (
    exact_permutation_p,
    failure_rate_p,
    sign_flip_p,
)

INTEGERS = st.lists(st.integers(-20, 20), min_size=1, max_size=5)


def test_exact_permutation_by_hand() -> None:
    # Only the split itself and its mirror reach the largest difference of 20.
    assert exact_permutation_p([4, 5, 6], [1, 2, 3]) == pytest.approx(2 / 20)
    assert exact_permutation_p([1, 2], [1, 2]) == 1.0


def test_ties_count_despite_rounding() -> None:
    # 0.1 + 0.2 differs from 0.3 in binary; the splits tie on paper.
    assert exact_permutation_p([0.1, 0.2], [0.3, 0.0]) == 1.0


def test_permutation_has_a_limit() -> None:
    assert exact_permutation_p(np.arange(10), np.arange(10)) is not None
    assert exact_permutation_p(np.arange(11), np.arange(11)) is None


def test_sign_flip_by_hand() -> None:
    assert sign_flip_p([1.0, 2.0, 3.0]) == 0.25
    assert sign_flip_p([1.0, -1.0]) == 1.0
    assert sign_flip_p(np.ones(21)) is None


@given(INTEGERS, INTEGERS, st.integers(-5, 5))
def test_permutation_properties(
    first: list[int], second: list[int], shift: int
) -> None:
    p_value = exact_permutation_p(first, second)
    assert p_value is not None
    assert 0.0 < p_value <= 1.0
    assert exact_permutation_p(second, first) == p_value
    moved = exact_permutation_p(
        [value + shift for value in reversed(first)],
        [value + shift for value in second],
    )
    assert moved == p_value


@given(INTEGERS)
def test_sign_flip_properties(differences: list[int]) -> None:
    p_value = sign_flip_p(differences)
    assert p_value is not None
    assert 2.0 ** (1 - len(differences)) <= p_value <= 1.0
    assert sign_flip_p([-value for value in differences]) == p_value


def test_failures_by_hand() -> None:
    # One of the six splits and its mirror put both bad runs together.
    p_value = failure_rate_p([5, 5, 0, 0], [10] * 4, [True, True, False, False])
    assert p_value == pytest.approx(2 / 6)
    assert failure_rate_p([0] * 4, [10] * 4, [True, True, False, False]) == 1.0


def test_unequal_totals_use_pooled_rates() -> None:
    p_value = failure_rate_p([1, 9], [2, 90], [True, False])
    assert p_value == 1.0


def test_many_runs_are_sampled_reproducibly() -> None:
    failed = [3] * 10 + [0] * 10
    flags = [True] * 10 + [False] * 10
    first = failure_rate_p(failed, [10] * 20, flags, rng=1)
    assert first == failure_rate_p(failed, [10] * 20, flags, rng=1)
    # 2 of 184,756 splits are as extreme: hardly any of the draws.
    assert 1 / 20_000 <= first <= 4 / 20_000
    generator = np.random.default_rng(2)
    middling = failure_rate_p(
        [1, 0] * 9 + [0, 1], [10] * 20, [True, False] * 10, rng=generator
    )
    # Monte Carlo estimate of an exact value below .01.
    assert 0.0 < middling < 0.01


def test_exact_and_sampled_p_agree() -> None:
    failed = np.array([2, 1, 1, 0, 2, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    flags = np.arange(16) < 8
    exact = failure_rate_p(failed, np.full(16, 10), flags)
    sampled = failure_rate_p(
        np.append(failed, [0, 1]),
        np.full(18, 10),
        np.append(flags, [True, False]),
        rng=0,
    )
    assert exact == pytest.approx(sampled, abs=0.15)


@pytest.mark.parametrize(
    ("failed", "total", "flags", "match"),
    [
        ([3, 0], [2, 2], [True, False], "failed <= total"),
        ([0, 0], [0, 2], [True, False], "requests in every run"),
        ([1, 0], [2, 2], [True, True], "both arms"),
    ],
)
def test_failure_misuse(
    failed: list[int], total: list[int], flags: list[bool], match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        failure_rate_p(failed, total, flags)
