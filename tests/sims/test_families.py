"""False verdicts of a whole family of comparisons when nothing differs."""

import numpy as np
import pytest
from scipy import special

from specstats.stats.multiplicity import holm
from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

DATASETS = 40_000
ALPHA = 0.05
THREE_SE = 3 * np.sqrt(ALPHA * (1 - ALPHA) / DATASETS)


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_four_null_candidates_sharing_a_baseline(
    rng: np.random.Generator, runs: int
) -> None:
    baseline = rng.normal(0.0, 0.05, (DATASETS, runs))
    columns = []
    for _ in range(4):
        candidate = rng.normal(0.0, 0.05, (DATASETS, runs))
        estimate, variance, df = _welch_arrays(candidate, baseline)
        columns.append(2.0 * special.stdtr(df, -np.abs(estimate) / np.sqrt(variance)))
    p_values = np.column_stack(columns)
    adjusted = np.array([holm(row) for row in p_values.tolist()], dtype=np.float64)
    family = float((adjusted <= ALPHA).any(axis=1).mean())
    assert family <= ALPHA + THREE_SE
    unadjusted = float((p_values <= ALPHA).any(axis=1).mean())
    assert unadjusted > 0.10
    if runs == 10:
        assert unadjusted == pytest.approx(0.166, abs=0.02)
