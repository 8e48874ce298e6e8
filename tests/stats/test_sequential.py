import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._quantiles import t_critical
from specstats.stats.sequential import (
    Anytime,
    anytime_critical,
    anytime_paired,
    anytime_two_arms,
)
from specstats.stats.welch import pooled

FIVE = [0.10, 0.12, 0.09, 0.11, 0.13]


def test_by_hand() -> None:
    # n = 5, mean .11, SD .0158114, SE .0070711, t = 15.556, r = 21, nu = 4.
    found = anytime_paired(FIVE)
    assert found.estimate == pytest.approx(0.11)
    assert found.std_error == pytest.approx(math.sqrt(0.00025 / 5))
    assert found.df == 4.0
    square = 0.11**2 / (0.00025 / 5)
    inside = (1 + square / 4) / (1 + square / (4 * 21))
    assert found.e_value == pytest.approx(inside**2.5 / math.sqrt(21))
    assert found.p_value == pytest.approx(1.0 / found.e_value)
    k = (math.sqrt(21) / 0.05) ** 0.4
    half_width = found.std_error * math.sqrt(4 * (k - 1) / (1 - k / 21))
    assert found.half_width() == pytest.approx(half_width)
    assert found.interval() == pytest.approx((0.11 - half_width, 0.11 + half_width))
    assert found.method == "anytime-valid t on block differences (g = 4)"


def test_two_arms_by_hand() -> None:
    first, second = [1.0, 1.1, 1.2, 1.3], [1.0, 1.1]
    found = anytime_two_arms(first, second)
    fixed = pooled(first, second)
    assert (found.estimate, found.std_error) == (fixed.estimate, fixed.std_error)
    assert found.df == 4.0
    assert found.effective_n == pytest.approx(8 / 6)
    assert "pooled" in found.method


def test_no_effect_is_no_evidence() -> None:
    found = anytime_paired([-0.1, 0.1, -0.2, 0.2])
    assert found.e_value == pytest.approx(1 / math.sqrt(17))
    assert found.p_value == 1.0


def test_unbounded_is_a_refusal() -> None:
    found = anytime_paired([0.10, 0.11, 0.12])
    assert found.interval() == (-math.inf, math.inf)
    assert found.p_value > 0.05
    assert math.isfinite(found.interval(0.8)[0])
    with pytest.raises(ZeroSpreadError):
        anytime_paired([0.1, 0.1, 0.1])
    with pytest.raises(ZeroSpreadError):
        anytime_two_arms([0.1, 0.1], [0.2, 0.2])
    with pytest.raises(ZeroSpreadError):
        Anytime(
            estimate=1.0, std_error=0.0, df=3.0, effective_n=4.0, g=4.0, method="none"
        )


def test_huge_evidence_does_not_overflow() -> None:
    values = 1.0 + 1e-9 * np.arange(300.0)
    found = anytime_paired(values)
    assert found.e_value == math.inf
    assert found.p_value < 1e-300


def test_misuse() -> None:
    for g in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="g above 0"):
            anytime_paired(FIVE, g=g)
        with pytest.raises(ValueError, match="g above 0"):
            anytime_two_arms(FIVE, FIVE[:3], g=g)
        with pytest.raises(ValueError, match="g above 0"):
            anytime_critical(5, 4, g=g)
    with pytest.raises(ValueError, match="at least 2"):
        anytime_paired([0.1])
    with pytest.raises(ValueError, match="three runs"):
        anytime_two_arms([0.1], [0.2])
    with pytest.raises(ValueError, match="level"):
        anytime_paired(FIVE).interval(1.0)


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=20),
    st.floats(0.5, 0.999),
    st.sampled_from([0.5, 1.0, 4.0]),
)
def test_p_value_and_interval_agree(
    values: list[float], level: float, g: float
) -> None:
    if np.ptp(values) < 1e-6:
        return
    found = anytime_paired(values, g=g)
    low, high = found.interval(level)
    if abs(found.p_value - (1.0 - level)) > 1e-9:
        assert (found.p_value < 1.0 - level) == (not low <= 0.0 <= high)
    assert found.half_width(level) > found.std_error


@given(st.integers(4, 200), st.floats(0.5, 0.99))
def test_wider_than_the_fixed_interval(n: int, level: float) -> None:
    assert anytime_critical(n, n - 1, confidence_level=level) > t_critical(n - 1, level)
