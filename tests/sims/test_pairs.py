"""False verdicts among all pairs of arms when nothing differs."""

from itertools import combinations

import numpy as np
import pytest
from scipy import special

from specstats.stats.multiplicity import holm
from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

DATASETS = 10_000
ALPHA = 0.05
THREE_SE = 3 * np.sqrt(ALPHA * (1 - ALPHA) / DATASETS)


@pytest.mark.parametrize("runs", [3, 5])
@pytest.mark.parametrize("spreads", [(0.05,) * 5, (0.02, 0.02, 0.05, 0.05, 0.15)])
def test_five_equal_arms(
    rng: np.random.Generator, runs: int, spreads: tuple[float, ...]
) -> None:
    arms = [rng.normal(0.0, sd, (DATASETS, runs)) for sd in spreads]
    columns = []
    for first, second in combinations(arms, 2):
        estimate, variance, df = _welch_arrays(second, first)
        columns.append(2.0 * special.stdtr(df, -np.abs(estimate) / np.sqrt(variance)))
    p_values = np.column_stack(columns)
    adjusted = np.array([holm(row) for row in p_values.tolist()], dtype=np.float64)
    assert float((adjusted <= ALPHA).any(axis=1).mean()) <= ALPHA + THREE_SE
    unadjusted = float((p_values <= ALPHA).any(axis=1).mean())
    assert unadjusted > 0.15  # without Holm one study in five has a "winner"
