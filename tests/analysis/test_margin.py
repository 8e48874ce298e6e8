"""Equivalence inside a margin: the 1 - 2 alpha interval decides."""

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 100.4, 99.7, 100.1, 99.9]
CLOSE = [100.2, 99.8, 100.3, 99.9, 100.1]
SLIGHTLY = [rate * 1.01 for rate in BASE]


def compare(new: list[float], margin: float | None) -> Comparison:
    bench = read_rows(launch_rows({"base": BASE, "new": new}))
    return specstats.speedup(bench, Design(baseline="base"), margin=margin)


def ninety(new: list[float]) -> tuple[float, float]:
    own = scipy.stats.ttest_ind(np.log(new), np.log(BASE), equal_var=False)
    interval = own.confidence_interval(0.90)
    return float(interval.low), float(interval.high)


@pytest.mark.parametrize("new", [CLOSE, SLIGHTLY])
@pytest.mark.parametrize("margin", [0.001, 0.002, 0.005, 0.01, 0.012, 0.015, 0.03])
def test_it_agrees_with_two_one_sided_tests(new: list[float], margin: float) -> None:
    low, high = ninety(new)
    inside = -np.log1p(margin) <= low and high <= np.log1p(margin)
    assert (compare(new, margin).verdict is Verdict.EQUIVALENT) == inside


def test_without_a_margin_nothing_is_equivalent() -> None:
    assert compare(CLOSE, None).verdict is Verdict.INCONCLUSIVE


def test_detectable_but_equivalent() -> None:
    plain = compare(SLIGHTLY, None)
    assert plain.verdict is Verdict.FASTER
    found = compare(SLIGHTLY, 0.03)
    assert found.verdict is Verdict.EQUIVALENT
    assert "equivalent within the margin" in found.sentence
    assert "a difference is detectable" in found.sentence
    assert found.estimate == plain.estimate


def test_equivalent_and_not_detectable() -> None:
    found = compare(CLOSE, 0.03)
    assert found.verdict is Verdict.EQUIVALENT
    assert "detectable" not in found.sentence


def test_a_difference_beyond_the_margin_is_faster() -> None:
    assert compare([rate * 1.1 for rate in BASE], 0.03).verdict is Verdict.FASTER


def test_thin_evidence_is_not_equivalent() -> None:
    bench = read_rows(launch_rows({"base": BASE[:2], "new": CLOSE[:2]}))
    found = specstats.speedup(bench, Design(baseline="base"), margin=0.5)
    assert found.verdict is Verdict.INSUFFICIENT
