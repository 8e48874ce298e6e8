import numpy as np
import pytest

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.autocorrelation import autocorrelation, effective_size, lag_one


def test_lag_one_by_hand() -> None:
    # Around the mean 3: (2 + 0 + 0 + 2) / 10.
    assert lag_one([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(0.4)
    assert lag_one([1.0, -1.0, 1.0, -1.0]) == pytest.approx(-0.75)


def test_effective_size_never_exceeds_the_values() -> None:
    assert effective_size(100, 0.0) == 100.0
    assert effective_size(100, -0.4) == 100.0
    assert effective_size(100, 0.9) == pytest.approx(100 / 19)
    with pytest.raises(ValueError, match="between -1 and 1"):
        effective_size(10, 1.0)


def test_a_slow_wave_is_dependent_and_a_shuffle_is_not(
    rng: np.random.Generator,
) -> None:
    wave = np.sin(np.arange(40) / 5.0)
    found = autocorrelation(wave, rng=1)
    assert found.rho > 0.9
    assert found.p_value == pytest.approx(1 / 2000)
    assert found.n_effective < 3
    assert autocorrelation(rng.permutation(wave), rng=1).p_value > 0.01


def test_the_test_is_one_sided() -> None:
    assert autocorrelation([1.0, -1.0] * 8, rng=1).p_value > 0.99


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(ZeroSpreadError, match="all values are equal"):
        autocorrelation([2.0] * 9)
    with pytest.raises(ValueError, match="at least 6"):
        autocorrelation([1.0, 2.0, 3.0, 2.0, 1.0])
    with pytest.raises(ValueError, match="at most 5000"):
        autocorrelation(np.arange(5001.0))
