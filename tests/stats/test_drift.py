import numpy as np
import pytest

from specstats.stats.drift import additive_residuals, drift_of
from specstats.stats.order import drift_p


def test_two_arms_give_the_p_of_the_order_rule(rng: np.random.Generator) -> None:
    arms = np.array([False, True, True, False, True, False, False, True])
    values = rng.normal(size=8) + np.arange(8) / 3.0 + 5.0 * arms
    found = drift_of(values, arms.tolist(), np.arange(8))
    assert found is not None
    assert found.slope.p_value() == pytest.approx(drift_p(values, arms, np.arange(8)))
    blocks = list("aaaabbbb")
    inside = drift_of(values, arms.tolist(), np.arange(8), blocks)
    assert inside is not None
    assert inside.slope.p_value() == pytest.approx(
        drift_p(values, arms, np.arange(8), blocks)
    )


def test_a_line_by_hand() -> None:
    # Deviations of 0..5 from 2.5; slope = sum(x y) / 17.5.
    noise = np.array([0.1, -0.1, 0.0, 0.0, -0.1, 0.1])
    values = 2.0 + 0.5 * np.arange(6) + noise
    found = drift_of(values, ["a"] * 6, np.arange(6))
    assert found is not None
    assert found.slope.estimate == pytest.approx(0.5)
    assert found.residuals == pytest.approx(noise)


def test_residuals_stand_in_launch_order() -> None:
    values = [3.0, 1.1, 2.0, 5.2, 4.0, 6.1]
    order = [2, 0, 1, 4, 3, 5]
    found = drift_of(values, ["a"] * 6, order)
    straight = drift_of(np.array(values)[np.argsort(order)], ["a"] * 6, range(6))
    assert found is not None
    assert straight is not None
    assert found.residuals == pytest.approx(straight.residuals)


def test_what_cannot_be_told() -> None:
    assert drift_of([1.0, 2.0, 3.0, 4.0, 5.1], ["a"] * 5, range(5)) is None
    assert drift_of([1.0] * 6, ["a"] * 6, range(6)) is None
    # One launch a block: the rank never varies.
    blocks = list("abcdef")
    assert drift_of([1.0, 2.0, 1.5, 3.0, 2.5, 2.0], ["a"] * 6, range(6), blocks) is None


def test_additive_residuals_by_hand() -> None:
    # Two arms in three blocks: half the centred differences, mirrored.
    values = [1.0, 3.0, 2.0, 5.0, 1.0, 6.0]
    arms, blocks = list("xyxyxy"), list("aabbcc")
    found = additive_residuals(values, arms, blocks)
    differences = np.array([2.0, 3.0, 5.0])
    half = (differences - differences.mean()) / 2.0
    assert found is not None
    assert found[1::2] == pytest.approx(half)
    assert found[::2] == pytest.approx(-half)
    assert additive_residuals([1.0, 2.0], ["x", "y"], ["a", "b"]) is None
