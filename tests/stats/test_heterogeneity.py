import itertools

import numpy as np
import pytest

from specstats.stats import heterogeneity
from specstats.stats.heterogeneity import heterogeneity_p


def test_against_all_permutations(rng: np.random.Generator) -> None:
    # Steps 0 0 1 2 | 2 2 1: the share of splits with a mean as far apart.
    steps = [0, 0, 1, 2, 2, 2, 1]

    def spread(chosen: tuple[int, ...]) -> float:
        first = sum(steps[k] for k in chosen)
        return first**2 / 4 + (sum(steps) - first) ** 2 / 3

    splits = list(itertools.combinations(range(7), 4))
    exact = np.mean([spread(split) >= spread((0, 1, 2, 3)) - 1e-9 for split in splits])
    found = heterogeneity_p([[2, 1, 1], [0, 1, 2]], rng=rng)
    assert found == pytest.approx(float(exact), abs=0.06)


def test_both_ways_of_drawing_agree(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = [[30, 20, 25], [22, 25, 28], [35, 20, 15]]
    found = []
    for limit in (0, 10**9):
        monkeypatch.setattr(heterogeneity, "_STEPS_A_COUNT", limit)
        found.append(heterogeneity_p(table, rng=rng))
    assert found[0] == pytest.approx(found[1], abs=0.06)


def test_a_seed_gives_one_answer() -> None:
    table = [[30, 20, 25], [22, 25, 28]]
    made = {heterogeneity_p(table, rng=np.random.default_rng(7)) for _ in range(3)}
    assert len(made) == 1


def test_it_holds_its_level(rng: np.random.Generator) -> None:
    shares = [0.3, 0.2, 0.1, 0.4]
    found = [
        heterogeneity_p(rng.multinomial(size, shares), rng=rng)
        for size in rng.integers(10, 40, (200, 5))
    ]
    small = np.mean([value is not None and value < 0.05 for value in found])
    assert small < 0.1


def test_nothing_to_say(rng: np.random.Generator) -> None:
    assert heterogeneity_p([[5, 6]], rng=rng) is None
    assert heterogeneity_p([[5, 6], [0, 0]], rng=rng) is None
    assert heterogeneity_p([[5, 0], [6, 0]], rng=rng) is None


@pytest.mark.parametrize("table", [[1, 2], [[1.5, 2.0]], [[-1, 2], [3, 4]]])
def test_impossible_tables_are_misuse(
    rng: np.random.Generator, table: list[int]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        heterogeneity_p(table, rng=rng)
