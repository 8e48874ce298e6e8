"""A spread borrowed from earlier launches."""

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, ReferenceSpread, Verdict
from specstats.errors import DesignError
from specstats.testing import launch_rows, read_rows

REFERENCE = ReferenceSpread(sd=0.02, df=9)


def compare(base: list[float], new: list[float], *allow: str) -> Comparison:
    bench = read_rows(launch_rows({"base": base, "new": new}))
    return specstats.speedup(
        bench, Design(baseline="base"), reference_spread=REFERENCE, allow=allow
    )


@pytest.mark.parametrize(("n_base", "n_new"), [(1, 1), (1, 3), (4, 2)])
def test_interval(n_base: int, n_new: int) -> None:
    base, new = [100.0, 101, 99, 100.5][:n_base], [120.0, 121, 122][:n_new]
    found = compare(base, new)
    half = scipy.stats.t.ppf(0.975, 9) * 0.02 * np.sqrt(1 / n_base + 1 / n_new)
    gap = np.log(new).mean() - np.log(base).mean()
    assert found.estimate is not None
    interval = found.estimate.interval
    expected = np.exp([gap, gap - half, gap + half])
    assert [found.estimate.value, interval.low, interval.high] == pytest.approx(
        expected
    )
    assert found.estimate.df == 9
    assert found.method is not None
    assert "borrowed" in found.method


@pytest.mark.parametrize("runs", [1, 4])
def test_it_is_capped_unless_allowed(runs: int) -> None:
    base, new = [100.0, 101, 99, 100.5][:runs], [120.0, 121, 119, 120.5][:runs]
    assert compare(base, new).verdict is Verdict.INSUFFICIENT
    assert compare(base, new, "SPS201").verdict is Verdict.INSUFFICIENT
    assert compare(base, new, "SPS101").verdict is Verdict.FASTER


def test_a_ratio_inside_the_borrowed_band() -> None:
    found = compare([100.0], [103.0])
    assert "SPS202" in found.findings.codes
    assert "SPS202" not in compare([100.0], [120.0]).findings.codes


def test_blocks_do_not_borrow() -> None:
    rows = launch_rows({"base": [100.0], "new": [120.0]}, blocked=True)
    found = specstats.speedup(
        read_rows(rows),
        Design(baseline="base"),
        reference_spread=REFERENCE,
        allow=["SPS101", "SPS201"],
    )
    assert found.verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    ("sd", "df"), [(0.0, 9), (-0.1, 9), (0.1, 0), (float("nan"), 9)]
)
def test_no_spread_to_borrow(sd: float, df: float) -> None:
    with pytest.raises(DesignError, match="reference spread"):
        ReferenceSpread(sd=sd, df=df)


@pytest.mark.parametrize(
    "text", ["", "0.1", "0.1:", ":9", "a:b", "0:9", "0.1:-3", "inf:9"]
)
def test_text_that_is_no_spread(text: str) -> None:
    with pytest.raises(DesignError, match="SD:DF"):
        ReferenceSpread.parse(text)


def test_text_that_is_one() -> None:
    assert ReferenceSpread.parse("0.05:9") == ReferenceSpread(sd=0.05, df=9.0)
