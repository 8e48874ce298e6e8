import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.speculation import (
    acceptance_from_rate,
    decode_steps,
    draft_length_feasible,
    expected_gain,
    expected_tokens,
    tokens_per_step,
)


def test_expected_tokens_at_the_ends() -> None:
    assert expected_tokens(0.0, 7) == 1.0
    assert expected_tokens(1.0, 7) == 8.0
    assert expected_tokens(0.5, 0) == 1.0
    assert expected_tokens(0.5, 2) == 1.75


def test_expected_gain_without_a_drafter_cost_is_the_tokens() -> None:
    assert expected_gain(0.5, 2, 0.0) == 1.75
    assert expected_gain(0.5, 2, 0.25) == pytest.approx(1.75 / 1.5)


def test_gain_from_measured_step_times() -> None:
    # llama.cpp issue 3649: 52.5 ms a draft, (619.4 + 121.7) ms for two verify modes.
    cost = 52.5 / ((619.4 + 121.7) / 2)
    assert cost == pytest.approx(0.14168, abs=5e-6)
    assert expected_gain(0.80, 5, cost) == pytest.approx(2.159, abs=5e-4)


def test_steps_of_one_request() -> None:
    assert decode_steps(128, 92) == 35
    assert decode_steps(128, 92, first_tokens=0) == 36
    assert decode_steps(128, 92, discarded=2) == 37
    assert decode_steps(10, 20) is None


def test_tokens_per_step() -> None:
    assert tokens_per_step(92, 35) == pytest.approx(127 / 35)
    assert tokens_per_step(0, 5) == 1.0
    assert tokens_per_step(0, 0) is None


def test_draft_length_by_hand() -> None:
    assert draft_length_feasible(6, 2, 3)
    assert draft_length_feasible(0, 2, 3)
    assert not draft_length_feasible(7, 2, 3)
    assert not draft_length_feasible(0, 3, 3)


@given(st.floats(0.001, 0.999), st.integers(1, 20))
def test_rate_is_below_acceptance_and_inverts(acceptance: float, length: int) -> None:
    rate = (expected_tokens(acceptance, length) - 1.0) / length
    assert rate <= acceptance + 1e-12
    assert acceptance_from_rate(rate, length) == pytest.approx(acceptance, abs=1e-9)


def test_rates_at_the_ends() -> None:
    assert acceptance_from_rate(0.0, 3) == 0.0
    assert acceptance_from_rate(1.0, 3) == 1.0


def test_speculation_misuse() -> None:
    with pytest.raises(ValueError, match="share"):
        expected_tokens(1.1, 3)
    with pytest.raises(ValueError, match="share"):
        expected_tokens(0.5, -1)
    with pytest.raises(ValueError, match="cost ratio"):
        expected_gain(0.5, 3, -0.1)
    with pytest.raises(ValueError, match="draft length"):
        acceptance_from_rate(0.5, 0)
    with pytest.raises(ValueError, match="counts"):
        tokens_per_step(-1, 3)
