"""What would be enough: numbers against powers by SciPy's noncentral t."""

import math

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, ReferenceSpread
from specstats.testing import launch_rows, read_rows

DESIGN = Design(baseline="base")


SHARES = (np.arange(400) + 0.5) / 400


def power(effect: float, sd: float, n: int, *, blocked: bool) -> float:
    """Power of the paired t, or of Welch's averaged over its degrees of freedom."""
    df: float = n - 1 if blocked else 2 * n - 2
    ncp = abs(effect) / sd * math.sqrt(n / 2)
    own = np.array([df])
    if not blocked:
        share = scipy.stats.beta.ppf(SHARES, (n - 1) / 2, (n - 1) / 2)
        own = (n - 1) / (share**2 + (1 - share) ** 2)
    critical = scipy.stats.t.ppf(0.975, own)
    above = scipy.stats.nct.sf(critical, df, ncp)
    return float(np.mean(above + scipy.stats.nct.cdf(-critical, df, ncp)))


def needed(effect: float, sd: float, *, blocked: bool) -> int:
    return next(
        n for n in range(2, 1001) if power(effect, sd, n, blocked=blocked) >= 0.8
    )


def compare(
    base: list[float], new: list[float], *, blocked: bool = False
) -> Comparison:
    return specstats.speedup(
        read_rows(launch_rows({"base": base, "new": new}, blocked=blocked)), DESIGN
    )


@pytest.mark.parametrize("factor", [1.015, 1.03, 0.97])
def test_launches(factor: float) -> None:
    base, new = [100.0, 104.0, 97.0, 102.0], [99.0, 103.5, 101.0, 98.0]
    new = [rate * factor for rate in new]
    logs = np.log(base), np.log(new)
    sd = math.sqrt((logs[0].var(ddof=1) + logs[1].var(ddof=1)) / 2)
    effect = logs[1].mean() - logs[0].mean()
    found = compare(base, new)
    assert found.verdict.value == "inconclusive"
    assert found.needs is not None
    if abs(effect) < 0.01:
        effect = math.log(1.1)
    assert found.needs.runs_per_arm == max(3, needed(effect, sd, blocked=False))
    assert f"SD {sd:.3f}" in found.needs.why


def test_blocks() -> None:
    base, new = [100.0, 104.0, 97.0, 102.0], [102.0, 104.5, 101.0, 101.0]
    gaps = np.log(new) - np.log(base)
    found = compare(base, new, blocked=True)
    assert found.needs is not None
    sd = gaps.std(ddof=1) / math.sqrt(2)
    assert found.needs.runs_per_arm == needed(gaps.mean(), sd, blocked=True)
    assert "blocks" in found.needs.why


def test_a_difference_too_small_to_plan_for() -> None:
    base = [100.0, 104.0, 97.0, 102.0]
    new = [100.1, 103.8, 97.2, 101.9]
    logs = np.log(base), np.log(new)
    sd = math.sqrt((logs[0].var(ddof=1) + logs[1].var(ddof=1)) / 2)
    found = compare(base, new)
    assert found.needs is not None
    assert found.needs.runs_per_arm == needed(math.log(1.1), sd, blocked=False)
    assert "10 %" in found.needs.why


def test_one_launch_an_arm() -> None:
    found = compare([100.0], [110.0])
    assert found.needs is not None
    assert found.needs.runs_per_arm == 3


def test_a_borrowed_spread_plans() -> None:
    bench = read_rows(launch_rows({"base": [100.0], "new": [104.0]}))
    reference = ReferenceSpread(sd=0.03, df=9)
    found = specstats.speedup(bench, DESIGN, reference_spread=reference)
    assert found.needs is not None
    assert found.needs.runs_per_arm == needed(math.log(1.04), 0.03, blocked=False)


def test_what_no_number_of_launches_mends() -> None:
    rows = launch_rows({"base": [100.0, 101, 99], "new": [110.0, 111, 109]})
    rows = [{**row, "id.build": row["arm"]} for row in rows]
    found = specstats.speedup(read_rows(rows), DESIGN)
    assert found.needs is not None
    assert found.needs.runs_per_arm is None
    assert "SPS112" in found.needs.why


def test_a_verdict_needs_nothing() -> None:
    found = compare([100.0, 101, 99], [110.0, 111.5, 109])
    assert found.verdict.value == "faster"
    assert found.needs is None


def test_hopeless() -> None:
    found = compare([1.0, 100.0, 10000.0], [1.02, 101.0, 10300.0])
    assert found.needs is not None
    assert found.needs.runs_per_arm is None
    assert "more than 1000" in found.needs.why
