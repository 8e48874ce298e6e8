import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.tails import (
    WITHIN_ONE_LAUNCH,
    QuantileInterval,
    TooFewRequests,
    early_stopping_count,
    fewest_requests,
    quantile_interval,
    run_quantiles,
)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(-1000, 1000)), min_size=1, max_size=60
    ),
    st.sampled_from([0.05, 0.5, 0.9, 0.99]),
)
def test_run_quantiles_are_those_of_numpy(
    rows: list[tuple[int, int]], probability: float
) -> None:
    codes, values = np.array(rows).T
    found = run_quantiles(values, codes, 4, probability, minimum=1)
    for run in range(4):
        own = values[codes == run]
        assert np.ma.getmaskarray(found)[run] == (own.size == 0)
        if own.size:
            assert found[run] == pytest.approx(np.quantile(own, probability))


def test_runs_of_few_requests_are_masked_and_fail_loudly() -> None:
    codes = np.repeat([0, 1, 3], [299, 298, 400])
    found = run_quantiles(np.arange(codes.size), codes, 4, 0.99)
    assert found.mask.tolist() == [False, True, True, False]
    assert not np.isnan(np.asarray(found.data)).any()
    assert np.isinf(np.asarray(found.data)[[1, 2]]).all()
    assert run_quantiles([1.0] * 5, [70_000] * 5, 70_001, 0.5)[70_000] == 1.0


def test_several_quantiles_have_minima_of_their_own() -> None:
    codes = np.repeat([2, 0, 1], [4, 59, 300])
    found = run_quantiles(np.arange(363.0), codes, 3, (0.5, 0.95, 0.99))
    assert np.ma.getmaskarray(found).tolist() == [
        [False, False, True],
        [False, False, True],
        [True, False, True],
    ]
    for probability, row in zip((0.5, 0.95, 0.99), found, strict=True):
        assert (
            row.tolist()
            == run_quantiles(np.arange(363.0), codes, 3, probability).tolist()
        )
    with pytest.raises(ValueError, match="probability"):
        run_quantiles([1.0], [0], 1, (0.5, 1.0), minimum=1)


@pytest.mark.parametrize(
    ("values", "codes", "message"),
    [
        ([1.0, np.nan], [0, 0], "finite"),
        ([1.0, 2.0], [0, 2], "from 0 to 1"),
        ([1.0, 2.0], [-1, 0], "from 0 to 1"),
        ([1.0, 2.0], [0.0, 1.0], "whole run codes"),
        ([1.0, 2.0], [0], "whole run codes"),
    ],
)
def test_run_quantiles_refuse(
    values: list[float], codes: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run_quantiles(values, codes, 2, 0.5)


@pytest.mark.parametrize(("n_requests", "coverage"), [(6, 0.96875), (10, 0.978515625)])
def test_median_interval_by_hand(n_requests: int, coverage: float) -> None:
    # 6 values: [min, max] covers 1 - 2^-5; 10: the 2nd to the 9th, 1 - 2 * 11 / 1024.
    found = quantile_interval(np.arange(n_requests), probability=0.5)
    assert isinstance(found, QuantileInterval)
    assert found.coverage == pytest.approx(coverage)
    assert found.scope == WITHIN_ONE_LAUNCH
    assert (found.low, found.high) == ((0, 5) if n_requests == 6 else (1, 8))


@pytest.mark.parametrize("probability", [0.01, 0.5, 0.95, 0.99])
@pytest.mark.parametrize("n_requests", [368, 1000, 5000])
def test_order_statistics_are_the_innermost(
    n_requests: int, probability: float
) -> None:
    found = quantile_interval(np.arange(1, n_requests + 1), probability=probability)
    assert isinstance(found, QuantileInterval)
    binomial = stats.binom(n_requests, probability)
    assert binomial.cdf(found.low - 1) <= 0.025 < binomial.cdf(found.low)
    assert binomial.sf(found.high - 1) <= 0.025 < binomial.sf(found.high - 2)
    exact = binomial.cdf(found.high - 1) - binomial.cdf(found.low - 1)
    assert found.coverage == pytest.approx(exact)
    assert found.coverage >= 0.95


def test_too_few_requests_is_an_outcome() -> None:
    found = quantile_interval(np.arange(367), probability=0.99)
    assert isinstance(found, TooFewRequests)
    assert (found.n_requests, found.needed) == (367, 368)
    assert found.message == (
        "367 requests say too little of the 0.99 quantile; 368 are needed"
    )
    assert isinstance(quantile_interval(range(5), probability=0.5), TooFewRequests)


def test_ties_give_no_interval_of_width_zero() -> None:
    with pytest.raises(ZeroSpreadError):
        quantile_interval([3.0] * 20, probability=0.5)


@given(st.floats(0.01, 0.999), st.floats(0.5, 0.999))
def test_fewest_requests_is_the_smallest(probability: float, chance: float) -> None:
    needed = fewest_requests(probability, chance=chance)
    outer = max(probability, 1.0 - probability)
    assert outer**needed <= (1.0 - chance) * (1 + 1e-6)
    assert outer ** (needed - 1) >= (1.0 - chance) * (1 - 1e-6)


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="probability"):
        fewest_requests(1.0)
    with pytest.raises(ValueError, match="0 or more"):
        early_stopping_count(-1, probability=0.9)
    # A tolerance asks for less: more requests may be late.
    assert early_stopping_count(0, probability=0.99, tolerance=0.01) < 459
