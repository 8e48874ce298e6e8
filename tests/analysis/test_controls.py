"""Rule K: arms declared identical, the noise floor, and what it forbids."""

import math

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, StudySummary, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6, 99.8]
SAME = [100.4, 99.5, 100.9, 99.7, 100.6]
APART = [rate * 1.03 for rate in SAME]
CONTROL = Design(baseline="base", controls=(("base", "twin"),))


def study(
    twin: list[float], new: list[float], design: Design = CONTROL
) -> StudySummary:
    bench = read_rows(launch_rows({"base": BASE, "twin": twin, "new": new}))
    return specstats.summarize(bench, design)


def welch(first: list[float], second: list[float]) -> tuple[float, float]:
    own = scipy.stats.ttest_ind(np.log(first), np.log(second), equal_var=False)
    interval = own.confidence_interval(0.95)
    return float(interval.low), float(interval.high)


def times(factor: float) -> list[float]:
    return [rate * factor for rate in [100.2, 99.3, 101.0, 100.5, 99.6]]


def only(found: StudySummary) -> Comparison:
    (item,) = found.comparisons
    return item


@pytest.mark.parametrize("twin", [SAME, APART])
def test_the_noise_floor_is_the_farthest_limit(twin: list[float]) -> None:
    found = study(twin, times(1.2))
    low, high = welch(twin, BASE)
    assert found.noise_floor is not None
    assert math.log(found.noise_floor.ratio) == pytest.approx(max(abs(low), abs(high)))
    assert found.noise_floor.controls == ("twin",)


@pytest.mark.parametrize("twin", [SAME, APART, [rate * 2 for rate in SAME]])
def test_a_control_is_never_a_speedup(twin: list[float]) -> None:
    found = study(twin, times(1.2))
    (control,) = found.controls
    assert control.verdict is Verdict.INCONCLUSIVE
    assert control.estimate is not None
    assert "declared identical" in control.sentence
    assert [item.candidate for item in found.comparisons] == ["new"]


def test_a_quiet_control_forbids_nothing() -> None:
    found = study(SAME, times(1.02))
    assert only(found).verdict is Verdict.FASTER
    assert "SPS210" not in found.findings.codes


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        (1.2, Verdict.FASTER),
        (0.8, Verdict.SLOWER),
        (1.04, Verdict.INCONCLUSIVE),
        (0.97, Verdict.INCONCLUSIVE),
    ],
)
def test_claims_inside_the_floor_are_capped(factor: float, verdict: Verdict) -> None:
    found = study(APART, times(factor))
    assert "SPS210" in found.findings.codes
    item = only(found)
    assert item.verdict is verdict
    low, high = welch(times(factor), BASE)
    floor = max(abs(limit) for limit in welch(APART, BASE))
    outside = low > floor or high < -floor
    assert (verdict is not Verdict.INCONCLUSIVE) == outside
    assert ("SPS210" in item.findings.codes) == (not outside)
    alone = specstats.summarize(
        read_rows(launch_rows({"base": BASE, "new": times(factor)})),
        Design(baseline="base"),
    )
    assert only(alone).verdict in {Verdict.FASTER, Verdict.SLOWER}


def test_a_claim_must_hold_against_the_control_too() -> None:
    twin = [rate * 1.009 for rate in BASE]
    found = study(twin, times(1.016))
    assert welch(twin, BASE)[0] < 0  # the control is not told apart
    assert welch(times(1.016), BASE)[0] > 0
    assert welch(times(1.016), twin)[0] < 0
    assert only(found).verdict is Verdict.INCONCLUSIVE
    assert "SPS210" in only(found).findings.codes


def test_a_control_of_one_launch_clears_nothing() -> None:
    found = study(SAME[:1], times(1.2))
    assert found.noise_floor is None
    assert found.controls[0].verdict is Verdict.REFUSED
    assert only(found).verdict is Verdict.INCONCLUSIVE


def test_the_pair_may_be_named_either_way_round() -> None:
    other = Design(baseline="base", controls=(("twin", "base"),))
    one, two = study(APART, times(1.2)), study(APART, times(1.2), other)
    assert one.noise_floor is not None
    assert two.noise_floor is not None
    assert two.noise_floor.ratio == pytest.approx(one.noise_floor.ratio)
    assert [item.candidate for item in two.comparisons] == ["new"]


def test_a_candidate_declared_identical_gets_no_verdict() -> None:
    design = Design(baseline="base", candidate="new", controls=(("base", "new"),))
    bench = read_rows(launch_rows({"base": BASE, "new": times(1.2)}))
    assert specstats.speedup(bench, design).verdict is Verdict.INCONCLUSIVE


def test_controls_that_are_not_of_the_baseline_count_for_the_floor() -> None:
    design = Design(baseline="base", controls=(("new", "twin"),))
    found = study(APART, times(1.2), design)
    assert found.noise_floor is not None
    assert {item.candidate: item.verdict for item in found.comparisons} == {
        "twin": Verdict.INCONCLUSIVE,
        "new": Verdict.FASTER,
    }


@pytest.mark.parametrize("blocked", [False, True])
def test_false_claims_under_an_unmodelled_arm_effect(
    blocked: bool, rng: np.random.Generator
) -> None:
    def draw(shift: float) -> list[float]:
        return [float(x) for x in 100 * np.exp(shift + rng.normal(0, 0.02, 5))]

    claims = 0
    for _ in range(40):
        arms = {name: draw(rng.normal(0, 0.01)) for name in ("base", "twin", "new")}
        bench = read_rows(launch_rows(arms, blocked=blocked))
        item = specstats.compare_all(bench, CONTROL)[0]
        claims += item.verdict in {Verdict.FASTER, Verdict.SLOWER}
    assert claims <= 4


def test_a_capped_claim_says_what_caps_it() -> None:
    study = specstats.summarize(specstats.datasets.path("h200-tinyspec"))
    (noise,) = [
        item
        for item in study.comparisons
        if item.candidate == "spec-noise" and item.scope == "prompts like these"
    ]
    assert noise.verdict is Verdict.INCONCLUSIVE
    assert "inconclusive, although the interval leaves out 1 (SPS210)" in noise.sentence


def test_the_half_width_of_a_control_is_printed() -> None:
    """What it clears is no more than what it could have seen."""
    found = study(SAME, times(1.02))
    low, high = welch(SAME, BASE)
    text = specstats.report.to_text(found)
    assert "half-width" in text
    assert f"x/{math.exp((high - low) / 2):.3f}" in text
    assert "which clears nothing below the floor" in " ".join(text.split())


def test_pairs_of_candidates_are_held_to_the_floor_too() -> None:
    bench = read_rows(
        launch_rows(
            {"base": BASE, "twin": APART, "new": times(1.5), "other": times(1.53)}
        )
    )
    found = specstats.compare_pairs(bench, CONTROL)
    (item,) = [pair for pair in found.pairs if pair.baseline == "new"]
    assert welch(times(1.53), times(1.5))[0] > 0
    assert item.verdict is Verdict.INCONCLUSIVE
    assert "SPS210" in item.findings.codes
    assert found.groups == (("other", "new"),)
