"""A loss beyond the margin: proved, ruled out, or neither."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, Estimate, Interval, Verdict
from specstats.analysis.gate import gate_of
from specstats.stats.contrast import Contrast
from specstats.stats.equivalence import tost
from specstats.testing import launch_rows, read_rows

Load = Callable[[str], dict[str, Any]]
VALUES = Path(__file__).resolve().parents[1] / "reference" / "values"
BASE = [100.0, 101.4, 98.7, 100.6, 99.4]


def compare(
    factor: float, margin: float | None, *, noise: float = 1.0, runs: int = 5
) -> Comparison:
    centre = math.exp(np.log(BASE).mean())
    new = [factor * centre * (x / centre) ** noise for x in reversed(BASE)]
    rows = launch_rows({"base": BASE[:runs], "new": new[:runs]})
    bench = read_rows(rows)
    return specstats.speedup(bench, Design(baseline="base"), margin=margin)


def judged(low: float, high: float, verdict: Verdict) -> Estimate:
    assert verdict in Verdict
    interval = Interval(low=low, high=high, confidence_level=0.95, method="t")
    value = math.sqrt(low * high)
    return Estimate(value=value, std_error=0.01, interval=interval, df=8.0)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "gate"),
    [
        (0.90, 0.94, Verdict.SLOWER, "regression"),
        (0.90, 0.97, Verdict.SLOWER, "open"),
        (0.96, 0.99, Verdict.SLOWER, "cleared"),
        (0.96, 0.99, Verdict.EQUIVALENT, "cleared"),
        # The 90 % interval lies inside the margin, the 95 % one not quite.
        (0.95, 1.02, Verdict.EQUIVALENT, "cleared"),
        (0.96, 1.10, Verdict.INCONCLUSIVE, "cleared"),
        (0.90, 1.10, Verdict.INCONCLUSIVE, "open"),
        # Below the margin alone, but not after adjustment for the family.
        (0.90, 0.94, Verdict.INCONCLUSIVE, "open"),
        (1.02, 1.10, Verdict.FASTER, "cleared"),
        (1.02, 1.10, Verdict.INSUFFICIENT, "open"),
        (0.80, 0.90, Verdict.INSUFFICIENT, "open"),
    ],
)
def test_the_table(low: float, high: float, verdict: Verdict, gate: str) -> None:
    # 1 / 1.05 = .9524
    estimate = judged(low, high, verdict)
    assert gate_of(verdict, estimate, capped=False, margin=0.05) == gate
    assert gate_of(verdict, estimate, capped=True, margin=0.05) == "open"
    assert gate_of(verdict, estimate, capped=False, margin=None) is None


def test_a_refusal_clears_nothing() -> None:
    assert gate_of(Verdict.REFUSED, None, capped=False, margin=0.05) == "open"
    found = compare(1.0, 0.05, runs=1)
    assert found.verdict is Verdict.REFUSED
    assert found.gate == "open"


@pytest.mark.parametrize(
    ("factor", "margin", "verdict", "gate", "words"),
    [
        (0.90, 0.02, Verdict.SLOWER, "regression", "slower by more than the margin"),
        (0.97, 0.02, Verdict.SLOWER, "open", "slower, whether by more than the margin"),
        (1.0, 0.05, Verdict.EQUIVALENT, "cleared", "equivalent within the margin"),
        (1.013, 0.02, Verdict.INCONCLUSIVE, "cleared", "not slower by more than the"),
        (1.0, 0.005, Verdict.INCONCLUSIVE, "open", "a loss beyond the margin is not"),
        (1.10, 0.02, Verdict.FASTER, "cleared", "faster."),
        (0.90, None, Verdict.SLOWER, None, "slower."),
        (1.0, None, Verdict.INCONCLUSIVE, None, "inconclusive"),
    ],
)
def test_from_launches(
    factor: float, margin: float | None, verdict: Verdict, gate: str | None, words: str
) -> None:
    found = compare(factor, margin)
    assert found.verdict is verdict
    assert found.gate == gate
    assert words in found.sentence
    assert found.to_dict()["gate"] == gate
    if margin is None:
        assert "margin" not in found.sentence


@pytest.mark.parametrize("factor", np.linspace(0.9, 1.1, 9).tolist())
@pytest.mark.parametrize("margin", [0.005, 0.02, 0.05])
def test_it_agrees_with_the_limits_of_another_package(
    factor: float, margin: float
) -> None:
    found = compare(factor, margin)
    centre = math.exp(np.log(BASE).mean())
    new = [factor * x / centre * centre for x in reversed(BASE)]
    own = scipy.stats.ttest_ind(np.log(new), np.log(BASE), equal_var=False)
    low, high = own.confidence_interval(0.95)
    ninety = own.confidence_interval(0.90)
    bound = math.log1p(margin)
    if high < -bound:
        assert found.gate == "regression"
    elif low > -bound or (ninety.low > -bound and ninety.high < bound):
        assert found.gate == "cleared"
    else:
        assert found.gate == "open"


def test_two_launches_and_a_cap_leave_it_open() -> None:
    thin = compare(1.10, 0.02, runs=2)
    assert thin.verdict is Verdict.INSUFFICIENT
    assert thin.gate == "open"
    rows = launch_rows({"base": BASE, "new": [1.3 * rate for rate in BASE]})
    apart = [{**row, "order": row["arm"] == "new"} for row in rows]
    ordered = [
        {**row, "order": place + 1}
        for place, row in enumerate(sorted(apart, key=lambda row: bool(row["order"])))
    ]
    found = specstats.speedup(read_rows(ordered), Design(baseline="base"), margin=0.02)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "SPS104" in found.findings.codes
    assert found.gate == "open"


def test_controls_have_no_gate() -> None:
    study = specstats.summarize(specstats.datasets.load("h200-tinyspec"), margin=0.05)
    assert [item.gate for item in study.controls] == [None]
    assert {item.gate for item in study.headlines} == {"cleared"}


def test_one_side_of_tost_is_the_gate() -> None:
    """Reference note, section 2.7: Welch, 95 % (-0.0519867, 0.0691703), margin 10 %."""
    case = json.loads((VALUES / "two_arms.json").read_text(encoding="utf-8"))["tost"]
    x, y = np.log(case["candidate"]), np.log(case["baseline"])
    bench = read_rows(launch_rows({"y": np.exp(y).tolist(), "x": np.exp(x).tolist()}))
    found = specstats.speedup(bench, Design(baseline="y"), margin=0.10)
    assert found.estimate is not None
    low, high = found.estimate.interval.low, found.estimate.interval.high
    assert math.log(low) == pytest.approx(-0.0519867, abs=1e-6)
    assert math.log(high) == pytest.approx(0.0691703, abs=1e-6)
    assert found.verdict is Verdict.EQUIVALENT
    assert found.gate == "cleared"
    assert found.estimate.std_error is not None
    contrast = Contrast(
        estimate=math.log(found.estimate.value),
        std_error=found.estimate.std_error,
        df=found.estimate.df or 0.0,
        method="Welch",
    )
    sides = tost(contrast, margin=0.10)
    assert sides.t_low == pytest.approx(4.0035331, abs=1e-5)
    assert sides.t_high == pytest.approx(-3.3414158, abs=1e-5)
    # A margin of 5 % is left open by the lower limit, and not equivalent either.
    open_one = specstats.speedup(bench, Design(baseline="y"), margin=0.05)
    assert open_one.verdict is Verdict.INCONCLUSIVE
    assert open_one.gate == "open"
