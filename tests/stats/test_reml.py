import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._one_way import unprofiled
from specstats.stats.components import one_way
from specstats.stats.profile import profile_intervals
from specstats.stats.reml import (
    group_mean,
    one_way_fit,
    sums_by_label,
    sums_of_groups,
)

UNEQUAL = [[1.0, 3.0, 2.0], [6.0, 4.0], [2.0, 3.0, 1.0, 2.0], [3.5]]


def dense_ml(groups: list[list[float]], between: float, within: float) -> float:
    """-2 log likelihood from the whole covariance matrix, the mean at its best."""
    values = np.concatenate(groups)
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    covariance = between * (labels[:, None] == labels) + within * np.eye(values.size)
    inverse = np.linalg.inv(covariance)
    mean = inverse.sum(axis=0) @ values / inverse.sum()
    normal = stats.multivariate_normal(np.full(values.size, mean), covariance)
    return float(-2.0 * normal.logpdf(values))


def test_likelihood_is_that_of_the_whole_covariance_matrix() -> None:
    sums = sums_of_groups(UNEQUAL)
    for between, within in ((0.0, 1.0), (2.0, 0.5), (0.3, 4.0)):
        found = unprofiled(sums, between, within, restricted=False).criterion
        assert found == pytest.approx(dense_ml(UNEQUAL, between, within))


def test_the_estimate_is_the_least_of_its_neighbourhood() -> None:
    fit = one_way_fit(UNEQUAL, method="ML")
    best = dense_ml(UNEQUAL, fit.between_var, fit.within_var)
    assert fit.criterion == pytest.approx(best)
    for factor in (0.98, 1.02):
        assert dense_ml(UNEQUAL, fit.between_var * factor, fit.within_var) > best
        assert dense_ml(UNEQUAL, fit.between_var, fit.within_var * factor) > best


def test_unequal_groups_equal_statsmodels() -> None:
    rng = np.random.default_rng(5)
    sizes = (3, 9, 4, 20, 6, 2, 11)
    groups = [rng.normal(rng.normal(0.0, 0.5), 1.0, size) for size in sizes]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    model = MixedLM(np.concatenate(groups), np.ones(labels.size), groups=labels)
    peer = model.fit(method="bfgs", gtol=1e-9)
    fit = one_way_fit(groups)
    assert fit.criterion == pytest.approx(-2.0 * peer.llf, rel=1e-9)
    assert fit.between_var == pytest.approx(float(peer.cov_re[0, 0]), rel=1e-3)
    assert fit.within_var == pytest.approx(peer.scale, rel=1e-4)
    same = labels[:, None] == labels
    covariance = fit.between_var * same + fit.within_var * np.eye(labels.size)
    weight = np.linalg.inv(covariance).sum()
    assert fit.std_error == pytest.approx(1.0 / math.sqrt(weight))
    # statsmodels inverts the Hessian of mean and variances together.
    assert fit.std_error == pytest.approx(float(peer.bse_fe[0]), rel=0.02)
    found = group_mean(fit)
    assert found.method == "REML, Satterthwaite df"
    assert 3.0 < found.df < 12.0


def test_balanced_reml_is_the_analysis_of_variance() -> None:
    groups = np.array([[1.0, 2.0, 4.0], [6.0, 5.0, 8.0], [3.0, 2.0, 2.5]])
    fit, parts = one_way_fit(groups), one_way(list(groups))
    assert fit.between_var == pytest.approx(parts.between_var, rel=1e-9)
    assert fit.within_var == pytest.approx(parts.within_var, rel=1e-9)
    assert fit.icc == pytest.approx(parts.icc)
    assert group_mean(fit).df == pytest.approx(2.0)


def test_zero_between_groups_is_an_answer() -> None:
    fit = one_way_fit([[0.0, 2.0], [2.0, 0.0], [0.5, 1.6]])
    assert (fit.between_var, fit.boundary, fit.icc) == (0.0, True, 0.0)
    assert fit.within_var > 0.0
    low, high = profile_intervals(fit).between_sd
    assert low == 0.0
    assert high > 0.1


def test_zero_inside_groups_is_an_answer() -> None:
    fit = one_way_fit([[1.0, 1.0], [3.0, 3.0, 3.0], [5.0]])
    assert (fit.between_var, fit.within_var, fit.icc) == (4.0, 0.0, 1.0)
    assert not fit.boundary
    assert fit.std_error == pytest.approx(2.0 / math.sqrt(3.0))
    assert group_mean(fit).df == 2.0
    with pytest.raises(ZeroSpreadError):
        profile_intervals(fit)


def test_equal_values_have_no_variance_and_no_interval() -> None:
    fit = one_way_fit([[2.1, 2.1], [2.1, 2.1]])
    assert (fit.between_var, fit.within_var, fit.mean) == (0.0, 0.0, 2.1)
    with pytest.raises(ZeroSpreadError):
        group_mean(fit)
    with pytest.raises(ZeroSpreadError):
        profile_intervals(fit)


@pytest.mark.parametrize("groups", [[[1.0, 2.0]], [[1.0], [2.0]], []])
def test_misuse(groups: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="expected"):
        one_way_fit(groups)


def test_limits_are_where_the_deviance_rises_by_the_quantile() -> None:
    fit = one_way_fit(UNEQUAL, method="ML")
    found = profile_intervals(fit)
    within = np.linspace(0.05, 12.0, 4001)
    at_high = min(dense_ml(UNEQUAL, found.between_sd[1] ** 2, w) for w in within)
    assert at_high - fit.criterion == pytest.approx(3.841459, abs=1e-3)
    assert profile_intervals(fit, confidence_level=0.5).between_sd[0] > 0.0
    assert profile_intervals(one_way_fit(UNEQUAL)).mean is None


def test_three_ways_to_the_same_sums() -> None:
    table = np.random.default_rng(1).normal(5.0, 1.0, (6, 4))
    labels = np.repeat(np.arange(6), 4)
    fits = [
        one_way_fit(table),
        one_way_fit(list(table)),
        one_way_fit(sums_by_label(table.ravel(), labels)),
        one_way_fit(sums_by_label(table.ravel(), [f"run {x}" for x in labels])),
    ]
    for fit in fits[1:]:
        assert fit.between_var == pytest.approx(fits[0].between_var, rel=1e-9)
        assert fit.criterion == pytest.approx(fits[0].criterion, rel=1e-12)


@given(
    st.lists(
        st.lists(st.integers(0, 60), min_size=1, max_size=5), min_size=3, max_size=6
    ),
    st.floats(0.01, 100.0),
)
def test_scale_order_and_shift(numbers: list[list[int]], factor: float) -> None:
    if all(len(group) == 1 for group in numbers):
        numbers[0] = [*numbers[0], 61]
    groups = [np.array(group, dtype=float) for group in numbers]
    fit = one_way_fit(groups)
    moved = one_way_fit([group * factor + 3.0 for group in reversed(groups)])
    assert fit.between_var >= 0.0
    assert fit.within_var >= 0.0
    scale = factor**2
    whole = fit.between_var + fit.within_var
    close = pytest.approx(fit.between_var * scale, rel=1e-5, abs=1e-6 * whole * scale)
    assert moved.between_var == close
    assert moved.boundary is fit.boundary


def test_repeating_requests_inside_runs_leaves_the_mean_to_the_runs() -> None:
    groups = [[1.0, 2.0, 4.0], [6.0, 5.0, 8.0], [3.0, 2.0, 2.5], [4.0, 4.5, 5.0]]
    once = group_mean(one_way_fit(groups))
    often = group_mean(one_way_fit([group * 50 for group in groups]))
    assert often.std_error == pytest.approx(once.std_error, rel=1e-9)
    assert often.df == pytest.approx(once.df, rel=1e-6)
