"""The studentised range against tables and SciPy, Games-Howell against SciPy."""

import numpy as np
import pytest
import scipy.stats

from specstats.stats.studentized import (
    games_howell_p,
    studentized_range_critical,
    studentized_range_tail,
)
from specstats.stats.welch import welch


@pytest.mark.parametrize(
    ("arms", "df", "published"),
    [
        # Upper 5 % points as printed in tables of Tukey's studentised range.
        (2, 10, 3.151),
        (3, 10, 3.877),
        (4, 5, 5.218),
        (5, 10, 4.654),
        (3, 20, 3.578),
        (10, 30, 4.824),
        (3, 2, 8.331),
    ],
)
def test_published_points(arms: int, df: float, published: float) -> None:
    found = studentized_range_critical(0.95, arms, df)
    assert found == pytest.approx(published, abs=2.5e-3)


@pytest.mark.parametrize("arms", [2, 3, 6, 10])
@pytest.mark.parametrize("df", [1.3, 2.0, 3.7, 8.0, 25.5, 120.0])
@pytest.mark.parametrize("q", [0.1, 1.0, 3.3, 6.0, 15.0])
def test_tail_as_scipy(arms: int, df: float, q: float) -> None:
    expected = float(scipy.stats.studentized_range.sf(q, arms, df))
    assert studentized_range_tail(q, arms, df) == pytest.approx(expected, abs=2e-7)


@pytest.mark.parametrize("df", [1.5, 4.0, 11.2])
@pytest.mark.parametrize("t", [0.3, 1.7, 4.2])
def test_two_arms_are_a_t_test(df: float, t: float) -> None:
    expected = 2 * scipy.stats.t.sf(t, df)
    assert games_howell_p(t, 2, df) == pytest.approx(expected, abs=1e-7)


def test_games_howell_as_scipy(rng: np.random.Generator) -> None:
    arms = [rng.normal(mean, sd, n) for mean, sd, n in
            ((0.0, 0.02, 5), (0.05, 0.1, 4), (0.1, 0.03, 7))]  # fmt: skip
    expected = scipy.stats.tukey_hsd(*arms, equal_var=False)
    for first in range(3):
        for second in range(first):
            pair = welch(arms[first], arms[second])
            found = games_howell_p(pair.estimate / pair.std_error, 3, pair.df)
            assert found == pytest.approx(expected.pvalue[first, second], abs=1e-6)


@pytest.mark.parametrize("bad", [(-1.0, 3, 5.0), (1.0, 1, 5.0), (1.0, 3, 0.0)])
def test_what_it_cannot_answer(bad: tuple[float, int, float]) -> None:
    with pytest.raises(ValueError, match="expected q"):
        studentized_range_tail(*bad)


def test_an_infinite_range_is_exceeded_by_nothing() -> None:
    assert studentized_range_tail(float("inf"), 3, 5.0) == 0.0
