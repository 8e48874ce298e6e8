from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specstats.stats.autocorrelation import effective_size
from specstats.stats.changepoint import change_test, pelt
from specstats.stats.states import gap_threshold
from specstats.stats.trend import exact_p, mann_kendall

Load = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize("name", ["nile", "no_ties", "ties"])
def test_mann_kendall(reference: Load, name: str) -> None:
    case = reference("time_series")[name]
    found = mann_kendall(case["values"])
    assert found.statistic == case["statistic"]
    assert found.variance == pytest.approx(case["variance"], rel=2e-7)
    assert found.z == pytest.approx(case["z"], rel=2e-6)
    if "p_value" in case:
        assert found.p_value == pytest.approx(case["p_value"], rel=2e-6)


def test_nile_slope(reference: Load) -> None:
    case = reference("time_series")["nile"]
    found = mann_kendall(case["values"])
    assert found.tau_b == pytest.approx(case["tau_b"], rel=2e-7)
    assert found.slope == pytest.approx(case["slope"], rel=1e-12)
    assert found.low == pytest.approx(case["slope_low"], rel=2e-7)
    assert found.high == pytest.approx(case["slope_high"], rel=2e-7)


@pytest.mark.parametrize("penalty", [2.0, 3.0])
def test_nile_change(reference: Load, penalty: float) -> None:
    case = reference("time_series")["nile"]
    assert pelt(case["values"], penalty=penalty) == (case["change_after"],)
    found = change_test(case["values"], rng=1)
    assert found.after == case["change_after"]
    means = [found.before_mean, found.after_mean]
    assert means == pytest.approx(case["means"], rel=1e-8)


@pytest.mark.parametrize("size", [3, 5, 8, 10])
def test_exact_p_is_that_of_scipy(size: int) -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(size)
    for _ in range(20):
        values = rng.normal(size=size)
        known = kendalltau(np.arange(size), values, method="exact")
        found = mann_kendall(values)
        assert found.exact
        assert found.p_value == pytest.approx(float(known.pvalue), rel=1e-9)
        assert found.tau_b == pytest.approx(float(known.statistic), abs=1e-12)
        assert exact_p(found.statistic, size) == found.p_value


def test_effective_size(reference: Load) -> None:
    case = reference("time_series")["effective_size"]
    found = effective_size(case["n"], case["rho"])
    assert found == pytest.approx(case["n_effective"], abs=5e-5)


def test_gap_thresholds(reference: Load) -> None:
    case = reference("time_series")["gap_thresholds"]
    for runs in (6, 8, 10):
        # The 99 % point of 6 runs has a heavy tail beyond it: .02 relative.
        assert gap_threshold(runs) == pytest.approx(case[str(runs)], rel=0.021)
