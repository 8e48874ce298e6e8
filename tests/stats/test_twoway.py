import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.blocks import paired_blocks
from specstats.stats.intervals import ZeroSpreadError, welch
from specstats.stats.twoway import prompts_blocked, prompts_unblocked

PROMPTS = np.array([0.0, 0.5, 1.0, 1.5])


def test_equal_prompt_effects_leave_the_run_interval() -> None:
    # Prompts differ in level only, so only runs supply variance.
    first = np.add.outer([3.0, 3.1, 3.3], PROMPTS)
    second = np.add.outer([2.0, 2.2, 2.3], PROMPTS)
    found, runs = (
        prompts_unblocked(first, second),
        welch(first.mean(axis=1), second.mean(axis=1)),
    )
    assert found.estimate == pytest.approx(runs.estimate)
    assert found.std_error == pytest.approx(runs.std_error)
    assert found.df == pytest.approx(runs.df)


def test_equal_runs_leave_the_prompt_interval() -> None:
    first = np.tile(PROMPTS**2, (3, 1))
    second = np.tile(PROMPTS, (2, 1))
    found = prompts_unblocked(first, second)
    prompts = paired_blocks(first[0], second[0])
    assert found.estimate == pytest.approx(prompts.estimate)
    assert found.std_error == pytest.approx(prompts.std_error)
    assert found.df == pytest.approx(3.0)


def test_unblocked_by_hand() -> None:
    first = np.array([[0.0, 1.0], [1.0, 4.0]])
    second = np.array([[0.0, 0.0], [0.0, 0.0]])
    # Run means .5, 2.5: V_run = 2/2 = 1. Prompt ratios .5, 2.5: V_prompt = 1.
    # Residuals +-.5: MS = 1, V_rp = 1/(2*2) = .25. V = 1.75; df = 1.75^2/(1+1), cap 3.
    found = prompts_unblocked(first, second)
    assert found.estimate == pytest.approx(1.5)
    assert found.std_error == pytest.approx(np.sqrt(1.75))
    assert found.df == pytest.approx(1.75**2 / 2)


def test_blocked_by_hand() -> None:
    table = np.array([[0.0, 1.0], [1.0, 4.0]])
    # S_b^2/B = 1, S_p^2/P = 1, MS_res/(BP) = .25.
    found = prompts_blocked(table)
    assert found.std_error == pytest.approx(np.sqrt(1.75))
    assert found.df == pytest.approx(1.75**2 / 2)


def test_variance_is_floored_at_the_larger_part() -> None:
    # Pure interaction: block and prompt means are equal but for the tilt.
    table = np.array([[1.0, -1.0, 0.3], [-1.0, 1.0, 0.0]])
    found = prompts_blocked(table)
    blocks = table.mean(axis=1).var(ddof=1) / 2
    prompts = table.mean(axis=0).var(ddof=1) / 3
    assert found.std_error**2 == pytest.approx(max(blocks, prompts))


def test_df_is_capped() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        first, second = rng.normal(size=(2, 4, 6))
        assert prompts_unblocked(first, second).df <= 4 + 4 + 6 - 3


def test_flat_tables_are_refused() -> None:
    with pytest.raises(ZeroSpreadError, match="neither runs nor prompts"):
        prompts_unblocked(np.tile(PROMPTS, (2, 1)), np.tile(PROMPTS + 1, (2, 1)))
    with pytest.raises(ZeroSpreadError, match="neither runs nor prompts"):
        prompts_blocked(np.full((3, 4), 0.1))


@pytest.mark.parametrize(
    ("first", "second", "match"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), "same prompts"),
        (np.ones((1, 3)), np.ones((2, 3)), "at least 2 x 2"),
        (np.ones(3), np.ones((2, 3)), "two dimensions"),
        (np.full((2, 3), np.nan), np.ones((2, 3)), "finite"),
    ],
)
def test_wrong_tables_are_misuse(
    first: np.ndarray, second: np.ndarray, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        prompts_unblocked(first, second)


@given(st.lists(st.integers(0, 50), min_size=24, max_size=24))
def test_order_and_levels_do_not_matter(numbers: list[int]) -> None:
    table = np.array(numbers, dtype=float).reshape(2, 3, 4) / 100.0
    table[:, 0, 0] += (0.7, 0.2)
    found = prompts_unblocked(table[0], table[1])
    moved = prompts_unblocked(
        table[0][::-1, ::-1] + PROMPTS, table[1][:, ::-1] + PROMPTS
    )
    assert moved.estimate == pytest.approx(found.estimate)
    assert moved.std_error == pytest.approx(found.std_error)
    swapped = prompts_unblocked(table[1], table[0])
    assert swapped.estimate == pytest.approx(-found.estimate)
    assert swapped.df == pytest.approx(found.df)
