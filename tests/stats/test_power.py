import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from specstats.stats._noncentral import two_sided_power
from specstats.stats.power import (
    minimum_effect,
    power_blocks,
    power_two_arms,
    runs_needed,
)
from specstats.stats.welch import _welch_arrays


@pytest.mark.parametrize(
    ("noncentrality", "df"), [(0.5, 1), (16.3, 1), (3.0, 2), (3.1, 8), (2.8, 38)]
)
def test_noncentral_t_agrees_with_scipy_where_scipy_answers(
    noncentrality: float, df: float
) -> None:
    critical = float(-special.stdtrit(df, 0.025))
    expected = (
        1.0
        - special.nctdtr(df, noncentrality, critical)
        + special.nctdtr(df, noncentrality, -critical)
    )
    assert two_sided_power(noncentrality, df, critical) == pytest.approx(expected)


def test_noncentral_t_far_out() -> None:
    critical = float(-special.stdtrit(1, 0.025))
    # T exceeds c where chi is below Z / c: about P(chi < 40 / c) for so large a shift.
    expected = 2.0 * special.ndtr(40.0 / critical) - 1.0
    assert two_sided_power(40.0, 1, critical) == pytest.approx(expected, abs=1e-4)


def test_power_without_effect_is_alpha() -> None:
    assert power_two_arms(0.0, 0.1, 5) == pytest.approx(0.05)
    assert power_blocks(0.0, 0.1, 2, alpha=0.01) == pytest.approx(0.01)


def test_sign_of_the_effect_does_not_matter() -> None:
    assert power_two_arms(-0.1, 0.1, 5) == power_two_arms(0.1, 0.1, 5)


def test_minimum_effect_has_the_power_asked_for() -> None:
    effect = minimum_effect(0.05, 5)
    assert power_two_arms(effect, 0.05, 5) == pytest.approx(0.8)
    effect = minimum_effect(0.05, 2, blocked=True, power=0.9)
    assert power_blocks(effect, 0.05, 2) == pytest.approx(0.9)


@pytest.mark.parametrize("blocked", [False, True])
def test_runs_needed_is_the_smallest(blocked: bool) -> None:
    power = power_blocks if blocked else power_two_arms
    needed = runs_needed(math.log(1.1), 0.05, blocked=blocked)
    assert needed is not None
    assert power(math.log(1.1), 0.05, needed) >= 0.8
    assert power(math.log(1.1), 0.05, needed - 1) < 0.8


def test_runs_needed_has_a_limit() -> None:
    assert runs_needed(0.001, 0.2) is None
    assert runs_needed(0.0, 0.2, max_runs=50) is None
    assert runs_needed(1.0, 0.2, max_runs=1) is None
    assert runs_needed(10.0, 0.01) == 2


@given(st.floats(0.001, 1.0), st.integers(2, 30), st.floats(0.01, 100))
def test_minimum_effect_scales_with_the_sd(sd: float, n: int, factor: float) -> None:
    effect = minimum_effect(sd, n)
    assert minimum_effect(sd * factor, n) == pytest.approx(effect * factor, rel=1e-6)
    assert minimum_effect(sd, n + 1) < effect


@pytest.mark.parametrize(
    ("n", "type_1", "power"),
    # Where the pooled test has power .80.
    [(2, 0.0234, 0.476), (3, 0.0351, 0.696), (5, 0.0442, 0.777), (10, 0.0486, 0.796)],
)
def test_welch_has_less_power(
    rng: np.random.Generator, n: int, type_1: float, power: float
) -> None:
    effect = minimum_effect(0.05, n)
    assert power_two_arms(0.0, 0.05, n, welch=True) == pytest.approx(type_1, abs=1e-4)
    found = power_two_arms(effect, 0.05, n, welch=True)
    assert found == pytest.approx(power, abs=1e-3)
    first = rng.normal(effect, 0.05, (40_000, n))
    estimate, variance, df = _welch_arrays(first, rng.normal(0.0, 0.05, (40_000, n)))
    significant = np.abs(estimate) > special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert significant.mean() == pytest.approx(found, abs=0.01)


def test_welch_and_pooled_meet_for_many_runs() -> None:
    for n in (59, 60, 61, 400):
        effect = minimum_effect(0.05, n)
        assert power_two_arms(effect, 0.05, n, welch=True) == pytest.approx(
            0.8, abs=2e-4
        )
    assert runs_needed(0.2, 0.1, welch=True) == 6
    assert runs_needed(0.2, 0.1) == 6
    assert minimum_effect(0.05, 3, welch=True) > minimum_effect(0.05, 3)
    assert minimum_effect(0.05, 3, welch=True, blocked=True) == minimum_effect(
        0.05, 3, blocked=True
    )


def test_planning_misuse() -> None:
    with pytest.raises(ValueError, match="n >= 2"):
        power_two_arms(0.1, 0.1, 1)
    with pytest.raises(ValueError, match="sd > 0"):
        power_blocks(0.1, 0.0, 3)
    with pytest.raises(ValueError, match="expected power"):
        runs_needed(0.1, 0.1, power=1.0)
    with pytest.raises(ValueError, match="expected alpha"):
        power_two_arms(0.1, 0.1, 3, alpha=0.0)
    with pytest.raises(ValueError, match="above alpha"):
        minimum_effect(0.1, 3, power=0.04)
