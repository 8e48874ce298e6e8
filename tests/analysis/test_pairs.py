"""All pairs of arms: Holm over k(k-1)/2, groups not told apart, a winner or none."""

import math
from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.stats
from hypothesis import given

import specstats
from specstats import Design, Verdict
from specstats.analysis.ranking import maximal_groups
from specstats.defaults import DEFAULTS
from specstats.errors import DesignError
from specstats.stats.multiplicity import holm
from specstats.testing import launch_rows, read_rows

ARMS = {
    "off": [100.0, 101.3, 99.2, 100.6],
    "k2": [150.4, 148.5, 151.9, 149.7],
    "k4": [151.1, 149.6, 150.2, 152.3],
    "k8": [121.0, 119.2, 122.4, 120.1],
}


def bench_of(arms: dict[str, list[float]]) -> specstats.Bench:
    return read_rows(launch_rows(arms))


def test_every_pair_once_as_welch_on_logs() -> None:
    found = specstats.compare_pairs(bench_of(ARMS))
    pairs = {(item.baseline, item.candidate): item for item in found.pairs}
    assert set(pairs) == set(combinations(ARMS, 2))
    plain = [
        scipy.stats.ttest_ind(np.log(ARMS[b]), np.log(ARMS[a]), equal_var=False)
        for a, b in pairs
    ]
    assert [item.p_value for item in found.pairs] == pytest.approx(
        [float(own.pvalue) for own in plain]
    )
    adjusted = holm([float(own.pvalue) for own in plain])
    assert [item.p_holm for item in found.pairs] == pytest.approx(adjusted)
    assert {item.family_size for item in found.pairs} == {6}


def test_simultaneous_limits_are_bonferroni_over_all_pairs() -> None:
    (item, *_) = specstats.compare_pairs(bench_of(ARMS)).pairs
    own = scipy.stats.ttest_ind(
        np.log(ARMS["k2"]), np.log(ARMS["off"]), equal_var=False
    )
    limits = own.confidence_interval(1 - 0.05 / 6)
    assert item.simultaneous is not None
    assert item.simultaneous.low == pytest.approx(math.exp(limits.low))
    assert item.simultaneous.high == pytest.approx(math.exp(limits.high))


def test_arms_not_told_apart_share_the_first_place() -> None:
    found = specstats.compare_pairs(bench_of(ARMS))
    assert [item.arm for item in found.arms] == ["k4", "k2", "k8", "off"]
    assert found.groups == (("k4", "k2"),)
    assert found.winner is None
    assert "no winner; k4 and k2 are not separable" in str(found)
    assert not found.told_apart("k2", "k4")
    assert found.told_apart("k8", "k4")


def test_ratios_are_to_the_geometric_mean_of_all() -> None:
    found = specstats.compare_pairs(bench_of(ARMS))
    logs = {arm: np.log(rates).mean() for arm, rates in ARMS.items()}
    centre = np.mean(list(logs.values()))
    for item in found.arms:
        assert item.ratio == pytest.approx(math.exp(logs[item.arm] - centre))


def test_a_clear_winner_is_named() -> None:
    found = specstats.compare_pairs(
        bench_of({name: ARMS[name] for name in ("off", "k2", "k8")})
    )
    assert found.winner == "k2"
    assert found.groups == ()
    assert "k2 is ahead of all others" in found.sentence


def test_single_launches_rank_nothing() -> None:
    found = specstats.compare_pairs(
        bench_of({arm: rates[:1] for arm, rates in ARMS.items()})
    )
    assert {item.verdict for item in found.pairs} == {Verdict.REFUSED}
    assert (found.arms, found.groups, found.winner) == ((), (), None)
    assert found.unranked == tuple(ARMS)
    assert "every pair is refused" in found.sentence


def test_an_arm_of_one_launch_is_not_ranked_and_is_named() -> None:
    found = specstats.compare_pairs(bench_of(ARMS | {"one": [170.0]}))
    assert found.unranked == ("one",)
    assert "not ranked: one" in found.sentence
    assert {item.family_size for item in found.pairs if item.ok} == {6}


def test_two_launches_are_not_told_apart() -> None:
    found = specstats.compare_pairs(
        bench_of({arm: rates[:2] for arm, rates in ARMS.items()})
    )
    assert {item.verdict for item in found.pairs} == {Verdict.INSUFFICIENT}
    assert len(found.groups[0]) == len(ARMS)


def test_controls_are_not_ranked_and_cap_claims() -> None:
    arms = ARMS | {"twin": [rate * 1.3 for rate in ARMS["off"]]}
    design = Design(baseline="off", controls=(("off", "twin"),))
    found = specstats.compare_pairs(bench_of(arms), design)
    assert "twin" not in [item.arm for item in found.arms]
    by_pair = {(item.baseline, item.candidate): item for item in found.pairs}
    assert by_pair["off", "k8"].verdict is Verdict.INCONCLUSIVE
    assert "SPS210" in by_pair["off", "k8"].findings.codes
    assert by_pair["off", "k2"].verdict is Verdict.FASTER


def test_lower_is_better_for_latencies() -> None:
    rows = [
        row | {"e2e_s": row["decode_s"]} for row in launch_rows(ARMS) if row["decode_s"]
    ]
    found = specstats.compare_pairs(read_rows(rows), metric="e2e")
    assert found.arms[0].arm == "k4"


@pytest.mark.parametrize("count", [1, DEFAULTS.max_ranked_arms + 1])
def test_too_few_and_too_many_arms(count: int) -> None:
    arms = {f"a{place}": [100.0, 101.0] for place in range(count)}
    with pytest.raises(DesignError, match=f"{count} arms to pair"):
        specstats.compare_pairs(bench_of(arms))


def test_summarize_ranks_three_arms_and_not_two() -> None:
    three = specstats.summarize(bench_of(ARMS))
    assert [item.groups for item in three.rankings] == [(("k4", "k2"),)]
    report = three.to_dict()["rankings"]
    assert isinstance(report, list)
    assert report[0]["winner"] is None
    assert len(report[0]["pairs"]) == 6
    text = specstats.report.to_text(three)
    assert "Ranking by decode rate" in text
    assert "All pairs" not in text
    two = specstats.summarize(bench_of({arm: ARMS[arm] for arm in ("off", "k2")}))
    assert two.rankings == ()


def test_many_arms_are_ranked_when_asked() -> None:
    arms = {
        f"a{place}": [100.0 + place, 101.0 + 2 * place, 99.0]
        for place in range(DEFAULTS.ranked_arms + 1)
    }
    quiet = specstats.summarize(bench_of(arms))
    assert (quiet.rankings, quiet.not_ranked) == ((), 11)
    assert "11 arms make 55 pairs" in specstats.report.to_text(quiet)
    asked = specstats.summarize(bench_of(arms), all_pairs=True)
    assert len(asked.rankings[0].pairs) == 55
    assert "All pairs, decode rate" in specstats.report.to_text(asked)


def test_a_named_candidate_asks_for_no_ranking() -> None:
    design = Design(baseline="off", candidate="k2")
    assert specstats.summarize(bench_of(ARMS), design).rankings == ()


def test_tinyspec_has_no_winner() -> None:
    (found,) = specstats.summarize(specstats.datasets.load("h200-tinyspec")).rankings
    assert found.groups == (("spec-g4", "spec-g8"),)
    assert found.winner is None
    assert found.sentence.endswith("spec-g4 and spec-g8 are not separable.")


@given(st.lists(st.booleans(), min_size=15, max_size=15))
def test_groups_are_the_maximal_cliques(flags: list[bool]) -> None:
    names = "abcdef"
    linked = {
        frozenset(pair)
        for pair, flag in zip(combinations(names, 2), flags, strict=True)
        if flag
    }
    near = {
        arm: tuple(x for x in names if frozenset((arm, x)) in linked) for arm in names
    }
    cliques = [
        set(chosen)
        for size in range(2, 7)
        for chosen in combinations(names, size)
        if all(frozenset(pair) in linked for pair in combinations(chosen, 2))
    ]
    maximal = {
        frozenset(one) for one in cliques if not any(one < other for other in cliques)
    }
    assert {frozenset(group) for group in maximal_groups(near)} == maximal


def test_games_howell_as_scipy() -> None:
    found = specstats.compare_pairs(bench_of(ARMS), adjustment="games-howell")
    logs = [np.log(rates) for rates in ARMS.values()]
    expected = scipy.stats.tukey_hsd(*logs, equal_var=False)
    limits = expected.confidence_interval(0.95)
    lows, highs = np.asarray(limits.low), np.asarray(limits.high)
    places = {arm: place for place, arm in enumerate(ARMS)}
    for item in found.pairs:
        at = places[item.candidate], places[item.baseline]
        assert item.p_holm == pytest.approx(float(expected.pvalue[at]), abs=1e-6)
        assert item.simultaneous is not None
        assert math.log(item.simultaneous.low) == pytest.approx(lows[at], abs=1e-5)
        assert math.log(item.simultaneous.high) == pytest.approx(highs[at], abs=1e-5)
    assert "6 pairs with Games-Howell" in found.sentence
    assert found.groups == (("k4", "k2"),)


def test_games_howell_is_refused_in_blocks_and_other_names_too() -> None:
    blocked = read_rows(launch_rows(ARMS, blocked=True))
    with pytest.raises(DesignError, match="share blocks"):
        specstats.compare_pairs(blocked, adjustment="games-howell")
    with pytest.raises(DesignError, match="adjustment"):
        specstats.compare_pairs(blocked, adjustment="none")  # type: ignore[arg-type]
