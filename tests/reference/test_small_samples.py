from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from specstats.stats._quantiles import t_critical
from specstats.stats.intervals import hodges_lehmann
from specstats.stats.multiplicity import benjamini_hochberg, holm
from specstats.stats.permutation import exact_permutation_p, sign_flip_p
from specstats.stats.power import minimum_effect
from specstats.stats.ranges import range_df, range_moments

Load = Callable[[str], dict[str, Any]]


def test_benjamini_hochberg(reference: Load) -> None:
    case = reference("small_samples")["benjamini_hochberg"]
    adjusted = benjamini_hochberg(case["p"])
    assert adjusted == pytest.approx(case["adjusted"], rel=1e-6)
    assert sum(p is not None and p <= 0.05 for p in adjusted) == 4


def test_holm(reference: Load) -> None:
    case = reference("small_samples")["benjamini_hochberg"]
    adjusted = holm(case["p"])
    assert adjusted == pytest.approx(case["holm"], rel=1e-6)
    assert sum(p is not None and p <= 0.05 for p in adjusted) == 3


def test_smallest_p_values(reference: Load) -> None:
    case = reference("small_samples")["smallest_p"]
    for index, n in enumerate(case["n"]):
        low, high = np.arange(n) / 100.0, 1.0 + np.arange(n) / 100.0
        rank = hodges_lehmann(high, low).p_value
        assert rank == pytest.approx(case["mann_whitney"][index], rel=1e-4)
        exact = exact_permutation_p(high, low)
        assert exact == pytest.approx(case["mann_whitney"][index], rel=1e-4)
        flips = sign_flip_p(high)
        assert flips == pytest.approx(case["sign_flip"][index], rel=1e-3)


def test_normal_critical_value_covers_too_little(reference: Load) -> None:
    case = reference("small_samples")["smallest_p"]
    for n, expected in zip(case["n"], case["z_coverage"], strict=True):
        coverage = 1.0 - 2.0 * special.stdtr(n - 1, -1.959964)
        assert coverage == pytest.approx(expected, abs=6e-5)


def test_t_critical(reference: Load) -> None:
    case = reference("small_samples")["t_critical_95"]
    found = [t_critical(df, 0.95) for df in case["df"]]
    assert found == pytest.approx(case["value"], abs=6e-4)


def test_range_constants(reference: Load) -> None:
    case = reference("small_samples")["range"]
    moments = np.array([range_moments(runs) for runs in case["runs"]])
    assert moments[:, 0] == pytest.approx(case["d2"], abs=6e-6)
    assert moments[:, 1] == pytest.approx(case["d3"], abs=6e-6)
    df = [range_df(runs) for runs in case["runs"]]
    assert df == pytest.approx(case["df"], abs=6e-3)


@pytest.mark.parametrize("design", ["two_arms", "blocks"])
def test_minimum_speedup(reference: Load, design: str) -> None:
    case = reference("planning")["minimum_speedup"]
    for cv, row in case[design].items():
        sd = float(np.sqrt(np.log1p(float(cv) ** 2)))
        for n, percent in zip(case["n"], row, strict=True):
            effect = minimum_effect(sd, n, blocked=design == "blocks")
            rounding = 0.5 if percent > 100 else 0.05
            found = 100.0 * np.expm1(effect)
            assert found == pytest.approx(percent, abs=rounding + 1e-9), (cv, n)
