import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from specstats.stats.intervals import (
    Contrast,
    ZeroSpreadError,
    aa_log_factor,
    borrowed,
    delta_log_ratio_of_means,
    fieller,
    mean_t,
    next_value,
    pooled,
    sd_from_range,
    sd_interval,
    welch,
    wider,
)

Values = NDArray[np.float64]
LEVELS = st.floats(0.5, 0.99)


def run_values(minimum: int = 2) -> st.SearchStrategy[Values]:
    """Log run values on a grid, not all equal."""
    return (
        hnp.arrays(np.int64, st.integers(minimum, 8), elements=st.integers(0, 400))
        .filter(lambda numbers: bool(np.ptp(numbers) > 0))
        .map(lambda numbers: 3.0 + numbers / 1000.0)
    )


def test_mean_t_by_hand() -> None:
    # 1, 2, 3: mean 2, SD 1, SE 1/sqrt 3, t(2) = 4.302653.
    centre = mean_t([1.0, 2.0, 3.0])
    assert (centre.estimate, centre.df) == (2.0, 2.0)
    assert centre.std_error == pytest.approx(1 / math.sqrt(3))
    assert centre.half_width() == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert centre.interval() == pytest.approx((2 - 2.484138, 2 + 2.484138), rel=1e-6)


def test_sd_interval_of_two_values() -> None:
    # One degree of freedom: chi-square quantiles 0.000982 and 5.023886.
    spread = sd_interval([0.0, 2.0])
    assert spread.sd == pytest.approx(math.sqrt(2))
    assert spread.low == pytest.approx(math.sqrt(2 / 5.023886), rel=1e-6)
    assert spread.high == pytest.approx(math.sqrt(2 / 0.000982069), rel=1e-6)


def test_sd_of_equal_values_is_zero_not_refused() -> None:
    spread = sd_interval([3.1, 3.1, 3.1])
    assert (spread.sd, spread.low, spread.high) == (0.0, 0.0, 0.0)


def test_next_value_by_hand() -> None:
    low, high = next_value([1.0, 2.0, 3.0])
    half_width = 4.302653 * math.sqrt(4 / 3)
    assert (low, high) == pytest.approx((2 - half_width, 2 + half_width), rel=1e-6)


def test_aa_log_factor_by_hand() -> None:
    assert aa_log_factor(0.1, 4) == pytest.approx(2.776445 * 0.1 * math.sqrt(2))
    assert aa_log_factor(0.0, 4) == 0.0


def test_welch_with_equal_variances_and_sizes_is_pooled() -> None:
    arms = [3.0, 3.1, 3.2], [2.0, 2.1, 2.2]
    first, second = welch(*arms), pooled(*arms)
    assert first.df == pytest.approx(4.0)
    assert first.std_error == pytest.approx(second.std_error)
    assert first.estimate == pytest.approx(1.0)


def test_welch_with_one_still_arm_has_the_df_of_the_other() -> None:
    contrast = welch([1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 3.0])
    assert contrast.df == pytest.approx(3.0)


def test_pooled_lends_the_spread_of_one_arm_to_a_single_run() -> None:
    contrast = pooled([5.0], [1.0, 2.0, 3.0])
    assert contrast.df == 2.0
    assert contrast.std_error == pytest.approx(math.sqrt(1 + 1 / 3))


def test_wider_takes_pooled_when_the_small_arm_looks_quiet() -> None:
    small, large = [1.0, 1.001, 1.002], np.linspace(0.0, 1.0, 12)
    chosen = wider(small, large)
    assert chosen.std_error == pooled(small, large).std_error
    assert "pooled" in chosen.method


def test_wider_takes_welch_when_the_small_arm_is_loud() -> None:
    small, large = [0.0, 1.0, 2.0], np.linspace(1.0, 1.02, 12)
    chosen = wider(small, large)
    assert chosen.df == welch(small, large).df
    assert chosen.method.startswith("Welch")


def test_borrowed_by_hand() -> None:
    contrast = borrowed(3.0, 2.5, sd=0.1, df=4, n_candidate=1, n_baseline=1)
    assert contrast.estimate == pytest.approx(0.5)
    assert contrast.half_width() == pytest.approx(aa_log_factor(0.1, 4))
    assert "borrowed" in contrast.method


def test_contrast_p_value_matches_its_interval() -> None:
    contrast = Contrast(estimate=0.2, std_error=0.1, df=7.5, method="given")
    low, high = contrast.interval(0.9)
    assert contrast.p_value(low) == pytest.approx(0.1)
    assert contrast.p_value(high) == pytest.approx(0.1)
    assert contrast.p_value(0.2) == 1.0


@pytest.mark.parametrize("call", [mean_t, next_value])
def test_one_arm_without_spread_is_refused(call: object) -> None:
    assert callable(call)
    with pytest.raises(ZeroSpreadError, match="no spread"):
        call([0.1, 0.1, 0.1])


@pytest.mark.parametrize("call", [welch, pooled, wider, delta_log_ratio_of_means])
def test_two_arms_without_spread_are_refused(call: object) -> None:
    assert callable(call)
    # 0.1 is not exact in binary: the mean of equal values may differ from them.
    with pytest.raises(ZeroSpreadError, match="no spread"):
        call([0.1] * 3, [0.7] * 6)


@pytest.mark.parametrize(
    ("std_error", "df", "estimate"),
    [(-1.0, 3.0, 0.0), (math.nan, 3.0, 0.0), (1.0, 0.0, 0.0), (1.0, 3.0, math.inf)],
)
def test_contrast_holds_no_impossible_numbers(
    std_error: float, df: float, estimate: float
) -> None:
    with pytest.raises(ValueError, match="not a contrast"):
        Contrast(estimate=estimate, std_error=std_error, df=df, method="given")


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([1.0], "at least 2"),
        ([[1.0, 2.0]], "one dimension"),
        ([1.0, math.nan], "finite"),
        ([1.0, math.inf], "finite"),
    ],
)
def test_wrong_arrays_are_misuse(values: list[float], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        mean_t(values)


def test_other_misuse() -> None:
    with pytest.raises(ValueError, match="three runs"):
        pooled([1.0], [2.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_t([1.0, 2.0]).interval(95)
    with pytest.raises(ValueError, match="sd >= 0"):
        aa_log_factor(-0.1, 4)
    with pytest.raises(ValueError, match="a run in each arm"):
        borrowed(1.0, 1.0, sd=0.1, df=3, n_candidate=0, n_baseline=1)
    with pytest.raises(ValueError, match="positive values"):
        fieller([1.0, -2.0], [1.0, 2.0])


def test_fieller_without_a_denominator_is_unbounded() -> None:
    found = fieller([10.0, 11.0], [1.0, 30.0])
    assert found.g >= 1
    assert found.low is None
    assert found.high is None


@given(run_values(3), run_values(3), st.floats(0.1, 10))
def test_fieller_swaps_to_the_inverse(first: Values, second: Values, c: float) -> None:
    found = fieller(np.exp(first) * c, np.exp(second) * c)
    swapped = fieller(np.exp(second), np.exp(first))
    assert found.ratio == pytest.approx(1 / swapped.ratio)
    if found.low is not None and found.high is not None and found.g < 0.9:
        assert swapped.low == pytest.approx(1 / found.high)
        assert swapped.high == pytest.approx(1 / found.low)


@pytest.mark.parametrize("call", [welch, pooled, wider])
@given(first=run_values(), second=run_values(), shift=st.floats(-5, 5))
def test_swap_scale_and_order(
    call: object, first: Values, second: Values, shift: float
) -> None:
    assert callable(call)
    contrast = call(first, second)
    swapped = call(second, first)
    assert swapped.estimate == pytest.approx(-contrast.estimate)
    assert swapped.interval()[0] == pytest.approx(-contrast.interval()[1])
    scaled = call(first[::-1] + shift, np.roll(second, 1) + shift)
    assert scaled.estimate == pytest.approx(contrast.estimate, abs=1e-9)
    assert scaled.std_error == pytest.approx(contrast.std_error, rel=1e-6)


@given(run_values(), run_values(), LEVELS, LEVELS)
def test_intervals_nest(first: Values, second: Values, a: float, b: float) -> None:
    contrast = welch(first, second)
    inner, outer = contrast.interval(min(a, b)), contrast.interval(max(a, b))
    assert outer[0] <= inner[0] <= contrast.estimate <= inner[1] <= outer[1]
    assert 0.0 <= contrast.p_value() <= 1.0


@given(run_values(), run_values())
def test_p_below_alpha_exactly_when_the_interval_excludes_zero(
    first: Values, second: Values
) -> None:
    contrast = welch(first, second)
    low, high = contrast.interval()
    if min(abs(low), abs(high)) > 1e-12:
        assert (contrast.p_value() < 0.05) == (low > 0 or high < 0)


@given(run_values(), run_values())
def test_welch_df_lies_between_the_smaller_arm_and_the_sum(
    first: Values, second: Values
) -> None:
    contrast = welch(first, second)
    smallest = min(first.size, second.size) - 1
    slack = 1e-9
    assert smallest - slack <= contrast.df <= first.size + second.size - 2 + slack


def test_tiny_spread_keeps_its_degrees_of_freedom() -> None:
    unit = np.array([1.0, 2.0, 4.0])
    small = welch(unit * 1e-100, unit * 2e-100)
    assert small.df == pytest.approx(welch(unit, unit * 2).df)


def test_sd_from_the_range_of_two_runs() -> None:
    spread = sd_from_range(10.0, 10.0 * math.e, runs=2)
    assert spread.sd_log == pytest.approx(math.sqrt(math.pi) / 2)
    assert spread.df == pytest.approx(1.0)


def test_sd_from_range_refuses_what_is_no_range() -> None:
    with pytest.raises(ValueError, match="at least 2 runs"):
        sd_from_range(1.0, 2.0, runs=1)
    with pytest.raises(ValueError, match="0 < low < high"):
        sd_from_range(2.0, 2.0, runs=3)


def test_more_runs_behind_a_range_mean_less_spread() -> None:
    spreads = [sd_from_range(17.4, 27.3, runs=runs) for runs in range(2, 30)]
    sds = [spread.sd_log for spread in spreads]
    assert sds == sorted(sds, reverse=True)
    dfs = [spread.df for spread in spreads]
    assert dfs == sorted(dfs)
