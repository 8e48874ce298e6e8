import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._limits import studentized
from specstats.stats._resampling import every_resample, weighted_quantile
from specstats.stats.bootstrap import (
    BootstrapMethod,
    NoFiniteLimitsError,
    paired_bootstrap,
    two_arm_bootstrap,
)

METHODS: list[BootstrapMethod] = ["bootstrap-t", "bca", "percentile"]
VALUES = st.lists(
    st.integers(-1000, 1000).map(lambda number: number / 100), min_size=4, max_size=5
)


def test_resamples_of_two_values_by_hand() -> None:
    plan = every_resample(2)
    assert plan.rows.tolist() == [[0, 0], [0, 1], [1, 1]]
    assert plan.weights == pytest.approx([0.25, 0.5, 0.25])


@pytest.mark.parametrize("size", [1, 3, 5, 7])
def test_resamples_have_the_moments_of_a_mean(size: int) -> None:
    values = np.arange(size) ** 2.0
    plan = every_resample(size)
    means = values[plan.rows].mean(axis=1)
    assert plan.weights.sum() == pytest.approx(1.0)
    assert plan.weights @ means == pytest.approx(values.mean())
    variance = plan.weights @ (means - values.mean()) ** 2
    assert variance == pytest.approx(values.var() / size)


def test_quantile_is_the_first_value_that_reaches_the_level() -> None:
    draws = np.array([3.0, 1.0, 2.0])
    weights = np.array([0.25, 0.25, 0.5])
    found = [
        float(weighted_quantile(draws, weights, level))
        for level in (0.0, 0.25, 0.26, 0.75, 0.76, 1.0)
    ]
    assert found == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]


def test_percentile_of_two_values_by_hand() -> None:
    # Means 0, 1, 2 with chances 1/4, 1/2, 1/4: at 95 % the limits are the data.
    found = paired_bootstrap([0.0, 2.0], method="percentile")
    assert (found.low, found.estimate, found.high) == (0.0, 1.0, 2.0)
    assert found.n_resamples == 3
    assert found.p_value is None
    assert "cover less" in found.notes[0]


def test_bca_of_symmetric_values_is_the_percentile_interval() -> None:
    values = [-2.0, -1.0, 0.0, 1.0, 2.0]
    bca = paired_bootstrap(values, method="bca")
    plain = paired_bootstrap(values, method="percentile")
    assert (bca.low, bca.high) == (plain.low, plain.high)


def test_constant_resamples_are_put_outside() -> None:
    draws, errors = np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.0, 0.0, 0.5, 0.0])
    found = studentized(draws, errors, np.asarray(0.0))
    assert found.tolist() == [-np.inf, 0.0, 2.0, np.inf]


def test_constant_resamples_are_told_and_may_refuse() -> None:
    values = [0.1, 0.2, 0.4, 0.9]
    found = paired_bootstrap(values, method="bootstrap-t")
    assert "a share of 0.016 of the resamples is constant" in found.notes[0]
    with pytest.raises(NoFiniteLimitsError, match="at level"):
        paired_bootstrap(values, method="bootstrap-t", confidence_level=0.99)


@pytest.mark.parametrize("method", METHODS)
def test_constants_are_refused(method: BootstrapMethod) -> None:
    with pytest.raises(ZeroSpreadError):
        paired_bootstrap([0.3] * 5, method=method)
    with pytest.raises(ZeroSpreadError):
        two_arm_bootstrap([0.3] * 5, [0.1] * 5, method=method)


def test_limits_that_coincide_are_refused() -> None:
    with pytest.raises(ZeroSpreadError):
        paired_bootstrap([0.0, 2.0], method="percentile", confidence_level=0.4)


def test_one_constant_arm_is_no_reason_to_refuse() -> None:
    found = two_arm_bootstrap([1.0, 2.0, 3.0, 5.0], [0.5] * 4, method="bootstrap-t")
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize(("method", "size"), [("bootstrap-t", 3), ("percentile", 1)])
def test_too_few_values(method: BootstrapMethod, size: int) -> None:
    with pytest.raises(ValueError, match="expected at least"):
        paired_bootstrap(np.arange(size), method=method)
    with pytest.raises(ValueError, match="expected at least"):
        two_arm_bootstrap(np.arange(9), np.arange(size), method=method)


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="expected one of"):
        paired_bootstrap(np.arange(5), method="basic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 199 resamples"):
        paired_bootstrap(np.arange(5), method="bca", n_resamples=50)
    with pytest.raises(ValueError, match="level between 0 and 1"):
        paired_bootstrap(np.arange(5), method="bca", confidence_level=1.0)


@pytest.mark.parametrize("method", METHODS)
def test_random_resamples_repeat_and_agree_with_all(method: BootstrapMethod) -> None:
    first, second = np.log([17.4, 19.8, 22.6, 24.9, 27.3]), np.log([26, 28, 24, 30, 27])
    long = [np.concatenate([arm] * 2) for arm in (first, second)]
    once = two_arm_bootstrap(*long, method=method)
    again = two_arm_bootstrap(*long, method=method, rng=20261130)
    other = two_arm_bootstrap(*long, method=method, rng=np.random.default_rng(1))
    assert once == again
    assert once.n_resamples == 9999
    assert (once.low, once.high) != (other.low, other.high)
    assert other.low == pytest.approx(once.low, abs=0.01)
    assert other.high == pytest.approx(once.high, abs=0.01)


def test_p_value_is_never_zero_and_agrees_with_the_interval() -> None:
    far = two_arm_bootstrap(
        [9, 9.1, 9.2, 9.4], [1, 1.1, 1.2, 1.4], method="bootstrap-t"
    )
    near = two_arm_bootstrap(
        [1, 1.1, 1.2, 1.4], [1, 1.1, 1.2, 1.4], method="bootstrap-t"
    )
    assert far.p_value is not None
    assert near.p_value is not None
    assert 0.0 < far.p_value < 0.05 < near.p_value
    assert near.low < 0.0 < near.high
    assert far.low > 0.0


@given(VALUES, VALUES, st.integers(-5, 5), st.sampled_from(METHODS))
def test_shift_and_mirror(
    first: list[float], second: list[float], shift: int, method: BootstrapMethod
) -> None:
    try:
        found = two_arm_bootstrap(first, second, method=method)
    except ValueError:
        return
    moved = two_arm_bootstrap(np.add(first, shift), second, method=method)
    assert moved.low == pytest.approx(found.low + shift, abs=1e-9)
    assert moved.high == pytest.approx(found.high + shift, abs=1e-9)
    assert found.low < found.high
