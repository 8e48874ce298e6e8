"""The table of verdicts: its rows one by one, in the function and in studies."""

from itertools import product

import pytest

import specstats
from specstats import Design, Verdict
from specstats.analysis.verdict import Evidence, decide
from specstats.errors import DesignError, RefusalError
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")


def evidence(**said: bool) -> Evidence:
    names = ("refused", "thin", "capped", "equivalent", "significant", "better")
    return Evidence(**{name: said.get(name, False) for name in names})


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ({"refused": True, "thin": True, "significant": True}, Verdict.REFUSED),
        ({"thin": True, "capped": True, "significant": True}, Verdict.INSUFFICIENT),
        ({"capped": True, "equivalent": True}, Verdict.INCONCLUSIVE),
        ({"capped": True, "significant": True}, Verdict.INCONCLUSIVE),
        ({"equivalent": True, "significant": True}, Verdict.EQUIVALENT),
        ({"significant": True, "better": True}, Verdict.FASTER),
        ({"significant": True}, Verdict.SLOWER),
        ({"better": True}, Verdict.INCONCLUSIVE),
        ({}, Verdict.INCONCLUSIVE),
    ],
)
def test_first_row_that_applies(said: dict[str, bool], verdict: Verdict) -> None:
    assert decide(evidence(**said)) is verdict


def test_only_significance_gives_a_direction() -> None:
    for flags in product((False, True), repeat=6):
        given = Evidence(
            refused=flags[0],
            thin=flags[1],
            capped=flags[2],
            equivalent=flags[3],
            significant=flags[4],
            better=flags[5],
        )
        if decide(given) in {Verdict.FASTER, Verdict.SLOWER}:
            assert flags[:5] == (False, False, False, False, True)


def verdict_of(
    base: list[float], new: list[float], **options: float
) -> specstats.Comparison:
    bench = read_rows(launch_rows({"base": base, "new": new}))
    return specstats.speedup(bench, DESIGN, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        (BASE[:1], NEW[:1], "refused"),
        (BASE[:1], NEW, "refused"),
        (BASE, NEW[:1], "refused"),
        (BASE[:2], NEW[:2], "insufficient"),
        (BASE, NEW[:2], "insufficient"),
        (BASE, NEW, "faster"),
        (NEW, BASE, "slower"),
        (BASE, [100.2, 99.1, 101.1, 100.3], "inconclusive"),
        ([100.0] * 4, [110.0] * 4, "refused"),
        ([100.0] * 4, NEW, "refused"),
        (BASE, [110.0] * 4, "refused"),
    ],
)
def test_independent_runs(base: list[float], new: list[float], verdict: str) -> None:
    found = verdict_of(base, new)
    assert found.verdict.value == verdict
    assert (found.estimate is None) == (verdict == "refused")


@pytest.mark.parametrize(
    ("blocks", "verdict"),
    [(1, "refused"), (2, "insufficient"), (3, "faster"), (4, "faster")],
)
def test_blocks(blocks: int, verdict: str) -> None:
    arms = {"base": BASE[:blocks], "new": NEW[:blocks]}
    bench = read_rows(launch_rows(arms, blocked=True))
    found = specstats.speedup(bench, DESIGN)
    assert found.verdict.value == verdict
    assert found.scope == "future sessions"


def test_min_runs_raises_the_bar() -> None:
    assert verdict_of(BASE, NEW, min_runs=4).verdict is Verdict.FASTER
    found = verdict_of(BASE, NEW, min_runs=5)
    assert found.verdict is Verdict.INSUFFICIENT
    assert "SPS201" in found.findings.codes
    assert found.needs is not None
    assert found.needs.runs_per_arm is not None
    assert found.needs.runs_per_arm >= 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("confidence_level", x) for x in (0.0, 0.5, 1.0, 95.0, float("nan"))),
        *(("margin", x) for x in (0.0, -0.1, 10.0, float("nan"))),
        *(("min_runs", x) for x in (0, 1, 2)),
    ],
)
def test_options_out_of_range(name: str, value: float) -> None:
    with pytest.raises(DesignError, match="expected"):
        verdict_of(BASE, NEW, **{name: value})


@pytest.mark.parametrize("level", [0.51, 0.6, 0.9, 0.99])
def test_any_level_above_half_works(level: float) -> None:
    found = verdict_of(BASE, NEW, confidence_level=level, margin=0.02)
    assert found.estimate is not None
    assert found.estimate.interval.confidence_level == level


def test_require() -> None:
    assert verdict_of(BASE, NEW).require().value == pytest.approx(1.1, abs=0.01)
    refused = verdict_of(BASE[:1], NEW[:1])
    with pytest.raises(RefusalError, match="SPS101") as caught:
        refused.require()
    assert len(caught.value.findings) == len(refused.findings)
    assert not refused.ok


def test_a_comparison_has_no_truth() -> None:
    with pytest.raises(TypeError, match="ambiguous"):
        bool(verdict_of(BASE, NEW))


def test_allow_makes_no_estimate_out_of_one_run() -> None:
    bench = read_rows(launch_rows({"base": BASE[:1], "new": NEW[:1]}))
    found = specstats.speedup(bench, DESIGN, allow=["SPS101", "SPS201", "SPS208"])
    assert found.verdict is Verdict.REFUSED
    assert found.estimate is None


def test_an_arm_is_not_compared_with_itself() -> None:
    bench = read_rows(launch_rows({"base": BASE, "new": NEW}))
    with pytest.raises(DesignError, match="itself"):
        specstats.speedup(bench, Design(baseline="base", candidate="base"))
    with pytest.raises(DesignError, match="itself"):
        specstats.summarize(bench, Design(controls=(("base", "base"),)))
