from collections.abc import Callable
from typing import Any

import pytest

from specstats.stats.speculation import (
    acceptance_from_rate,
    decode_steps,
    draft_length_feasible,
    expected_gain,
    expected_tokens,
    tokens_per_step,
)

Load = Callable[[str], dict[str, Any]]


def test_expected_tokens(reference: Load) -> None:
    for acceptance, length, tokens in reference("speculation")["expected_tokens"][
        "rows"
    ]:
        found = expected_tokens(acceptance, length)
        assert found == pytest.approx(tokens, rel=2e-4)


def test_expected_gain(reference: Load) -> None:
    for *case, gain in reference("speculation")["expected_gain"]["rows"]:
        assert expected_gain(*case) == pytest.approx(gain, abs=5e-4)


def test_measured_table(reference: Load) -> None:
    rows = reference("speculation")["measured_table"]["rows"]
    for length, acceptance, cost, tokens, gain in rows:
        assert expected_tokens(acceptance, length) == pytest.approx(tokens, abs=5e-4)
        found = expected_gain(acceptance, length, cost)
        assert found == pytest.approx(gain, abs=6e-3)


def test_best_length(reference: Load) -> None:
    rows = reference("speculation")["best_length"]["rows"]
    for acceptance, cost, length, gain in rows:
        gains = {k: expected_gain(acceptance, k, cost) for k in range(1, 60)}
        assert max(gains, key=gains.__getitem__) == length
        assert gains[length] == pytest.approx(gain, abs=5e-4)


def test_rate_and_acceptance(reference: Load) -> None:
    values = reference("speculation")
    for rate, length, acceptance in values["rate_to_acceptance"]["rows"]:
        found = acceptance_from_rate(rate, length)
        assert found == pytest.approx(acceptance, abs=5e-5)
    for acceptance, length, rate in values["acceptance_to_rate"]["rows"]:
        found = (expected_tokens(acceptance, length) - 1) / length
        assert found == pytest.approx(rate, abs=5e-4)
        assert acceptance_from_rate(found, length) == pytest.approx(acceptance)


def test_steps(reference: Load) -> None:
    case = reference("speculation")["steps"]
    for row in case["fixed_length"] + case["variable_length"]:
        output, _, accepted, _, first, discarded, steps = row
        found = decode_steps(output, accepted, first_tokens=first, discarded=discarded)
        assert found == steps, row


def test_fixed_length_drafts_fit_their_budget(reference: Load) -> None:
    for row in reference("speculation")["steps"]["fixed_length"]:
        _, drafted, _, length, _, _, steps = row
        assert draft_length_feasible(drafted, steps, length), row
        assert not draft_length_feasible(drafted, steps, length - 1), row


def test_no_fixed_length_fits_111_drafted_in_35_steps() -> None:
    assert decode_steps(128, 92) == 35
    assert not any(draft_length_feasible(111, 35, length) for length in range(1, 40))


def test_first_token_of_each_request_is_not_a_step(reference: Load) -> None:
    case = reference("speculation")["many_requests"]
    per_step = (case["output"] - case["requests"]) / case["steps"]
    assert per_step == pytest.approx(case["per_step"], abs=5e-5)


def test_tokens_per_step(reference: Load) -> None:
    for accepted, steps, tokens in reference("speculation")["tokens_per_step"]["rows"]:
        assert tokens_per_step(accepted, steps) == pytest.approx(tokens, abs=6e-4)
