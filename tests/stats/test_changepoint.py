import numpy as np
import pytest

from specstats.stats import changepoint
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.changepoint import (
    change_test,
    pelt,
    robust_variance,
    split_statistics,
)

NOISE = [0.3, -0.2, 0.1, -0.4, 0.2, 0.0, -0.1, 0.4, -0.3, 0.1]


def best_split(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    price: float,
) -> tuple[int, ...]:
    """Try every segmentation by plain dynamic programming, nothing pruned."""
    size = values.size
    best: list[tuple[float, tuple[int, ...]]] = [(-price, ())]
    for end in range(1, size + 1):
        ways: list[tuple[float, tuple[int, ...]]] = [(np.inf, ())]
        for start in range(end - 2):
            part = values[start:end]
            total = best[start][0] + ((part - part.mean()) ** 2).sum() + price
            places = best[start][1] + ((start,) if start else ())
            ways.append((float(total), places))
        best.append(min(ways, key=lambda way: way[0]))
    return best[size][1]


@pytest.mark.parametrize("penalty", [0.5, 1.0, 3.0])
def test_pruning_loses_nothing(rng: np.random.Generator, penalty: float) -> None:
    found = []
    for _ in range(20):
        values = rng.normal(size=26) + np.repeat(rng.normal(0.0, 2.0, 7), 4)[:26]
        price = penalty * np.log(26) * robust_variance(values)
        places = pelt(values, penalty=penalty)
        assert places == best_split(values, price)
        found.append(len(places))
    assert max(found) > 1


def test_two_changes_are_found() -> None:
    values = np.array(NOISE + NOISE + NOISE) + np.repeat([10.0, 20.0, 12.0], 10)
    assert pelt(values) == (10, 20)


def test_a_change_of_spread_alone() -> None:
    values = np.concatenate([np.array(NOISE), 12 * np.array(NOISE)])
    assert pelt(values, cost="mean and variance") == (10,)


def test_segments_have_three_values() -> None:
    values = np.array(NOISE + NOISE)
    values[7] += 50.0
    places = (0, *pelt(values), 20)
    assert min(np.diff(places)) >= changepoint.MINIMUM_SEGMENT


def test_few_or_equal_values_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 20"):
        pelt(NOISE)
    with pytest.raises(ZeroSpreadError, match="neighbours are equal"):
        pelt([1.0] * 15 + [2.0] * 15)
    with pytest.raises(ZeroSpreadError, match="all values are equal"):
        change_test([1.0] * 8)
    with pytest.raises(ValueError, match="at least 6"):
        change_test([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="at most 5000"):
        change_test(np.arange(5001.0))


def test_split_statistics_are_t_statistics() -> None:
    values = np.array([1.0, 2.0, 4.0, 3.0, 9.0, 8.0, 7.0])
    first, second = values[:3], values[3:]
    pooled = (2 * first.var(ddof=1) + 3 * second.var(ddof=1)) / 5
    t = (first.mean() - second.mean()) / np.sqrt(pooled * (1 / 3 + 1 / 4))
    found = split_statistics(values[None, :])[0]
    assert found.shape == (2,)
    assert found[0] == pytest.approx(abs(t))


def test_change_test_reports_the_best_place() -> None:
    found = change_test([5.0, 5.2, 4.9, 5.1, 5.0, 9.0, 9.2, 8.9, 9.1], rng=3)
    assert found.after == 5
    assert found.p_value < 0.05
    assert found.before_mean == pytest.approx(5.04)
    assert found.after_mean == pytest.approx(9.05)
    assert change_test(NOISE, rng=3).p_value > 0.1


def test_a_seed_repeats_the_p_value() -> None:
    assert change_test(NOISE, rng=5) == change_test(NOISE, rng=5)


def test_smallest_p_with_a_step_between_two_values() -> None:
    # 3 of 6: the step can stand in 2 of the 20 arrangements.
    found = change_test([1.0, 1.0, 1.0, 2.0, 2.0, 2.0], rng=1)
    assert found.p_value == pytest.approx(0.1, abs=0.03)
