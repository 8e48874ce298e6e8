from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.cluster_robust import (
    RobustKind,
    cluster_robust,
    cluster_robust_mean,
    cluster_robust_totals,
)
from specstats.stats.welch import pooled

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


def by_matrices(
    rows: Array, runs: Codes, arm: Array, power: float
) -> tuple[float, ...]:
    """Sandwich and Satterthwaite's df as they are defined, with full matrices."""
    design = np.column_stack([np.ones(rows.size), arm])
    bread = np.linalg.inv(design.T @ design)
    annihilator = np.eye(rows.size) - design @ bread @ design.T
    residuals = annihilator @ rows
    variance, columns = 0.0, []
    for run in np.unique(runs):
        own = np.flatnonzero(runs == run)
        block = annihilator[np.ix_(own, own)]
        values, vectors = np.linalg.eigh(block)
        adjusted = (vectors * values**power) @ vectors.T
        weights = adjusted @ design[own] @ bread[:, 1]
        variance += float(weights @ residuals[own]) ** 2
        columns.append(annihilator[:, own] @ weights)
    form = np.array(columns) @ np.array(columns).T
    return variance**0.5, float(np.trace(form) ** 2 / np.trace(form @ form))


@pytest.mark.parametrize(
    ("kind", "power"), [("CR0", 0.0), ("CR2", -0.5), ("CR3", -1.0)]
)
def test_the_short_form_is_that_of_the_matrices(
    rng: np.random.Generator, kind: RobustKind, power: float
) -> None:
    runs = np.repeat(np.arange(7), [1, 4, 2, 6, 3, 3, 5])
    rows = rng.normal(0.0, 1.0, 7)[runs] + rng.normal(3.0, 0.3, runs.size)
    arm = (runs % 2).astype(float)
    expected = by_matrices(rows, runs, arm, power)
    found = cluster_robust(rows, runs.tolist(), arm, kind=kind)
    assert (found.std_error, found.df) == pytest.approx(expected)


def test_equal_sizes_give_the_pooled_t(rng: np.random.Generator) -> None:
    means = rng.normal(0.0, 1.0, 8)
    rows = np.repeat(means, 5) + np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 8)
    runs = np.repeat(np.arange(8), 5)
    found = cluster_robust(rows, runs.tolist(), runs < 4)
    expected = pooled(means[:4], means[4:])
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.std_error == pytest.approx(expected.std_error)
    assert found.df == pytest.approx(6.0)


def test_totals_and_rows_agree_far_from_zero(rng: np.random.Generator) -> None:
    runs = np.repeat(np.arange(6), [2, 5, 3, 3, 4, 2])
    rows = rng.normal(0.0, 1.0, runs.size)
    near = cluster_robust(rows, runs.tolist(), runs % 2)
    far = cluster_robust(rows + 1e6, runs.tolist(), runs % 2)
    totals = cluster_robust_totals(
        np.bincount(runs, rows), np.bincount(runs), [0, 1] * 3
    )
    assert far.std_error == pytest.approx(near.std_error, rel=1e-8)
    assert totals.std_error == pytest.approx(near.std_error)
    assert totals.df == pytest.approx(near.df)


def test_a_large_study_takes_no_large_matrices(rng: np.random.Generator) -> None:
    # One run of 100,000 requests would have a block of 80 GB in the hat matrix.
    runs = np.repeat(np.arange(4), [100_000, 20, 20, 100_000])
    found = cluster_robust(rng.normal(size=runs.size), runs.tolist(), runs > 1)
    assert found.df == pytest.approx(2.0, abs=0.01)  # one for each arm


def test_refusals() -> None:
    with pytest.raises(ZeroSpreadError):
        cluster_robust([0.1] * 4 + [0.2] * 4, list("aabbccdd"), [0] * 4 + [1] * 4)
    with pytest.raises(ZeroSpreadError):
        cluster_robust_mean([0.1] * 4, list("aabb"))
    with pytest.raises(ValueError, match="2 clusters or more in each arm"):
        cluster_robust([1.0, 2.0, 3.0, 4.0], list("abcd"), [0, 1, 1, 1])
    with pytest.raises(ValueError, match="2 clusters or more"):
        cluster_robust_mean([1.0, 2.0], list("aa"))
    with pytest.raises(ValueError, match="cluster 'b' has rows of both arms"):
        cluster_robust([1.0, 2.0, 3.0, 4.0], list("abbc"), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="count above zero"):
        cluster_robust_totals([1, 2, 3, 4], [1, 1, 1, 0], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="expected one of"):
        cluster_robust_mean([1.0, 2.0], list("ab"), kind="HC3")  # type: ignore[arg-type]
