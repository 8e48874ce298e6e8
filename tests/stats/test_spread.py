import numpy as np
import pytest

from specstats.stats.equivalence import tost
from specstats.stats.intervals import Contrast
from specstats.stats.robust import grubbs_outlier, leave_one_out_range
from specstats.stats.spread import range_statement, zero_spread


def test_zero_spread_at_the_resolution() -> None:
    # 24.9 and 25.0 tok/s: s = .0028, q = .004, q/sqrt 12 = .00115.
    assert not zero_spread(np.log([24.9, 25.0]), resolution_log=0.1 / 24.95)
    assert zero_spread(np.log([25.0, 25.0]), resolution_log=0.004)
    assert zero_spread(np.log([24.9, 25.0]), resolution_log=0.01)


def test_equal_values_have_no_spread_at_any_resolution() -> None:
    assert zero_spread([0.1] * 6, resolution_log=0.0)
    assert not zero_spread([0.1, 0.1 + 1e-9], resolution_log=0.0)


def test_zero_spread_misuse() -> None:
    with pytest.raises(ValueError, match="resolution"):
        zero_spread([1.0, 2.0], resolution_log=-1.0)


def test_range_statement() -> None:
    assert range_statement(10.0, 15.0) == 1.5
    assert range_statement(10.0, 10.0) == 1.0
    with pytest.raises(ValueError, match="low <= high"):
        range_statement(2.0, 1.0)


def test_grubbs_critical_value() -> None:
    # Two-sided 1 % limit for n = 5 is 1.764 (tables): only a run that stands alone.
    quiet = [1.0, 1.001, 0.999, 1.0005, 1.4]
    assert grubbs_outlier(quiet) == 4
    assert grubbs_outlier([1.0, 1.1, 0.9, 1.05, 1.4]) is None


def test_grubbs_needs_five_runs_with_spread() -> None:
    assert grubbs_outlier([1.0, 1.0, 1.0, 9.0]) is None
    assert grubbs_outlier([1.0] * 6) is None


def test_grubbs_finds_the_low_side_too() -> None:
    assert grubbs_outlier([-5.0, 1.0, 1.01, 0.99, 1.0, 1.02]) == 0


def test_leave_one_out_by_hand() -> None:
    # Full difference 1; without 4 it is -.5 + ..., see the four cases.
    found = leave_one_out_range([1.0, 4.0], [1.0, 2.0])
    assert found == (-0.5, 2.5)


def test_leave_one_out_with_single_runs() -> None:
    assert leave_one_out_range([1.0], [2.0]) is None
    assert leave_one_out_range([1.0], [2.0, 4.0]) == (-3.0, -1.0)


def test_tost_agrees_with_the_interval() -> None:
    contrast = Contrast(estimate=0.01, std_error=0.02, df=10, method="given")
    low, high = contrast.interval(0.9)
    margin = np.expm1(max(-low, high))
    assert tost(contrast, margin=float(margin)).p_value == pytest.approx(0.05)
    assert tost(contrast, margin=0.001).p_value > 0.05
    with pytest.raises(ValueError, match="margin"):
        tost(contrast, margin=0.0)
