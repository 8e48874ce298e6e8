import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats._effects import Effects
from specstats.stats._roots import descend, root
from specstats.stats._search import best_ratios


@given(st.floats(-50.0, 50.0), st.floats(0.1, 9.0))
def test_root_of_a_cube(place: float, reach: float) -> None:
    found = root(lambda x: (x - place) ** 3, place - reach, place + 2.0 * reach)
    assert found == pytest.approx(place, abs=1e-4 * reach)


@given(st.floats(0.01, 30.0))
def test_root_of_a_logarithm(place: float) -> None:
    found = root(lambda x: math.log(x / place), place / 99.0, place * 70.0)
    assert found == pytest.approx(place, rel=1e-10)


def test_root_at_an_end() -> None:
    assert root(lambda x: x, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 1.0, 0.0, 1.0) == 1.0


def test_descend_through_a_bent_valley() -> None:
    def valley(x: np.ndarray) -> float:
        return float((1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2)

    def slope(x: np.ndarray) -> np.ndarray:
        bend = 200.0 * (x[1] - x[0] ** 2)
        return np.array([-2.0 * (1.0 - x[0]) - 2.0 * x[0] * bend, bend])

    found = descend(valley, slope, np.array([-1.2, 1.0]))
    assert found == pytest.approx([1.0, 1.0], abs=1e-6)


def test_ratios_at_the_edge_are_exactly_zero() -> None:
    def criterion(ratios: np.ndarray) -> float:
        return float((ratios[0] - 2.0) ** 2 + 3.0 * ratios[1])

    found = best_ratios(criterion, [1.0, 1.0])
    assert found[0] == pytest.approx(2.0, rel=1e-6)
    assert found[1] == 0.0


def test_slopes_of_the_likelihood_are_its_differences() -> None:
    rng = np.random.default_rng(0)
    model = Effects(
        means=rng.normal(size=40),
        sizes=rng.integers(1, 4, 40).astype(float),
        within=3.0,
        fixed=np.column_stack([np.ones(40), rng.normal(size=40)]),
        codes=(np.arange(40) % 5, rng.permutation(40) % 7),
    )
    at, cell, step = np.array([0.4, 0.9]), 0.3, 1e-5
    slopes = model.slopes(at, cell=cell)
    for i in range(2):
        move = step * np.eye(2)[i]
        rise = model.at(at + move, cell=cell).criterion
        rise -= model.at(at - move, cell=cell).criterion
        assert slopes[i] == pytest.approx(rise / (2.0 * step), rel=1e-6)
    rise = model.at(at, cell=cell + step).criterion
    rise -= model.at(at, cell=cell - step).criterion
    assert slopes[2] == pytest.approx(rise / (2.0 * step), rel=1e-6)
