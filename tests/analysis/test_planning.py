"""The verb plan: what it takes from a pilot, and what it answers."""

import math

import pytest

import specstats
from specstats import Design, Plan, ReferenceSpread
from specstats.errors import DesignError, RefusalError
from specstats.stats.planning import run_sd, sd_upper_limit
from specstats.stats.power import power_blocks, power_two_arms
from specstats.testing import launch_rows, read_rows, simulate

GIVEN = ReferenceSpread(sd=0.03, df=9)


def test_an_effect_is_found_with_the_power() -> None:
    found = specstats.plan(GIVEN, effect=1.05)
    upper = sd_upper_limit(0.03, 9)
    assert found.planned_sd == pytest.approx(upper)
    runs = found.runs_per_arm
    assert runs is not None
    assert power_two_arms(math.log(1.05), upper, runs, welch=True) >= 0.8
    assert power_two_arms(math.log(1.05), upper, runs - 1, welch=True) < 0.8
    fewer = found.runs_per_arm_at_pilot_sd
    assert fewer is not None
    assert power_two_arms(math.log(1.05), 0.03, fewer, welch=True) >= 0.8
    assert fewer < runs
    assert found.total_runs == 2 * runs
    assert found.n_blocks is None
    assert found.total_cost is None
    assert specstats.plan(GIVEN, effect=1 / 1.05).runs_per_arm == runs


def test_blocks() -> None:
    found = specstats.plan(GIVEN, effect=1.05, blocks=True, power=0.9)
    blocks = found.n_blocks
    assert blocks == found.runs_per_arm
    assert blocks is not None
    upper = sd_upper_limit(0.03, 9)
    assert power_blocks(math.log(1.05), upper, blocks) >= 0.9
    assert power_blocks(math.log(1.05), upper, blocks - 1) < 0.9
    assert "blocks of one launch of each arm" in found.sentence


def test_the_size_planned_stands_in_the_table() -> None:
    found = specstats.plan(GIVEN, half_width=0.017)
    size = found.size
    assert size is not None
    assert size.half_width <= 0.017
    assert size.runs_per_arm == found.runs_per_arm
    values = found.to_dict()
    assert values["expected_half_width"] == size.half_width
    assert values["detectable_ratio"] == size.detectable_ratio
    ratios = [item.detectable_ratio for item in found.sizes]
    assert ratios == sorted(ratios, reverse=True)
    assert all(
        item.detectable_ratio > item.detectable_ratio_at_pilot_sd
        for item in found.sizes
    )


def test_several_candidates_share_the_level() -> None:
    two = specstats.plan(GIVEN, effect=1.05)
    five = specstats.plan(GIVEN, effect=1.05, n_arms=5)
    assert five.runs_per_arm is not None
    assert two.runs_per_arm is not None
    assert five.runs_per_arm > two.runs_per_arm
    upper = sd_upper_limit(0.03, 9)
    for runs, reached in ((five.runs_per_arm, True), (five.runs_per_arm - 1, False)):
        power = power_two_arms(math.log(1.05), upper, runs, alpha=0.05 / 4, welch=True)
        assert (power >= 0.8) == reached
    assert any("4 candidates are each tested at 1.25 %" in x for x in five.assumptions)
    assert five.total_runs == 5 * five.runs_per_arm


def test_never_fewer_than_a_verdict_needs() -> None:
    assert specstats.plan(GIVEN, effect=3.0).runs_per_arm == 3
    assert specstats.plan(GIVEN, runs=2).runs_per_arm == 3


def test_no_number_is_enough() -> None:
    found = specstats.plan(GIVEN, effect=1.0005)
    assert not found.ok
    assert not found.findings
    assert found.size is None
    with pytest.raises(RefusalError, match="more than 1000"):
        found.require()


def test_a_study_as_pilot_pools_its_arms() -> None:
    rows = launch_rows({"a": [10.0, 11.0, 12.0], "b": [20.0, 21.0, 23.0, 26.0]})
    bench = read_rows(rows)
    spreads = specstats.spread(bench)
    square = 2 * spreads["a"].run_sd_log ** 2 + 3 * spreads["b"].run_sd_log ** 2
    found = specstats.plan(bench, effect=1.2)
    assert found.sd == pytest.approx(math.sqrt(square / 5))
    assert found.sd_df == pytest.approx(5.0)
    study = specstats.summarize(bench)
    assert specstats.plan(study, effect=1.2) == found
    alone = specstats.plan(spreads["b"], effect=1.2)
    assert alone.sd == pytest.approx(spreads["b"].run_sd_log)
    assert alone.sd_df == pytest.approx(3.0)


def test_inside_blocks_the_spread_is_that_of_the_differences() -> None:
    bench = simulate(n_runs=6, blocked=True, sd_block=0.3, sd_run=0.02, rng=4)
    inside = specstats.plan(bench, effect=1.05, blocks=True)
    outside = specstats.plan(bench, effect=1.05)
    item = specstats.speedup(bench, Design(baseline="base"))
    assert item.estimate is not None
    assert item.estimate.std_error is not None
    expected = item.estimate.std_error * math.sqrt(6 / 2)
    assert inside.sd == pytest.approx(expected)
    assert inside.sd_df == 5.0
    assert inside.sd is not None
    assert outside.sd is not None
    assert inside.sd < outside.sd / 3
    # Arms that share their blocks do not add up their degrees of freedom.
    assert outside.sd_df == pytest.approx(5.0)


def test_controls_are_a_pilot_too() -> None:
    bench = specstats.datasets.load("h200-tinyspec")
    found = specstats.plan(bench, effect=1.05, blocks=True)
    assert "5 blocks of 5 comparisons" in found.assumptions[0]


def test_requests_follow_the_costs() -> None:
    bench = simulate(n_runs=8, n_prompts=4, n_requests=3, sd_request=0.08, rng=1)
    plain = specstats.plan(bench, half_width=0.05)
    assert plain.requests_per_run == 12
    assert plain.n_prompts == 4
    cheap = specstats.plan(bench, half_width=0.05, launch_cost=60, request_cost=0.1)
    dear = specstats.plan(bench, half_width=0.05, launch_cost=1, request_cost=1)
    assert cheap.requests_per_run is not None
    assert dear.requests_per_run is not None
    assert dear.requests_per_run < 12 < cheap.requests_per_run
    for found in (cheap, dear):
        assert found.requests_per_run is not None
        assert found.requests_per_run % 4 == 0
        assert found.sd == plain.sd
    assert cheap.planned_sd is not None
    assert dear.planned_sd is not None
    assert plain.planned_sd is not None
    assert cheap.planned_sd < plain.planned_sd < dear.planned_sd
    parts = [item.components or {} for item in specstats.spread(bench).values()]
    told = [part["request"] for part in parts]
    squares = [sd**2 for sd in told if isinstance(sd, float)]
    inside = math.sqrt(sum(squares) / len(parts))
    assert plain.sd is not None
    launch = math.sqrt(plain.sd**2 - inside**2 / 12)
    expected = run_sd(
        launch_sd=launch, request_sd=inside, requests=cheap.requests_per_run
    )
    assert plain.sd_df is not None
    assert cheap.planned_sd == pytest.approx(sd_upper_limit(expected, plain.sd_df))
    assert cheap.total_runs is not None
    cost = cheap.total_runs * (60 + 0.1 * cheap.requests_per_run)
    assert cheap.total_cost == pytest.approx(cost)


def test_costs_without_a_spread_between_requests() -> None:
    found = specstats.plan(GIVEN, runs=4, launch_cost=3, request_cost=1)
    assert found.total_cost is None
    assert found.requests_per_run is None
    assert any("are not planned" in text for text in found.assumptions)
    whole = specstats.plan(GIVEN, runs=4, launch_cost=3)
    assert whole.total_cost == 24


@pytest.mark.parametrize(
    ("arms", "blocks", "code"),
    [
        ({"a": [10.0], "b": [20.0]}, False, "SPS101"),
        ({"a": [10.0, 10.0, 10.0]}, False, "SPS208"),
        ({"a": [10.0, 11.0], "b": [20.0, 21.0]}, True, "SPS201"),
    ],
)
def test_refusals_are_data(
    arms: dict[str, list[float]], blocks: bool, code: str
) -> None:
    found = specstats.plan(read_rows(launch_rows(arms)), effect=1.1, blocks=blocks)
    assert not found.ok
    assert found.findings.codes == (code,)
    assert found.findings[0].remedy in found.sentence
    assert found.sizes == ()
    assert found.total_runs is None
    with pytest.raises(RefusalError) as caught:
        found.require()
    assert caught.value.findings == tuple(found.findings)
    values = found.to_dict()
    assert values["runs_per_arm"] is None
    assert values["pilot"] == {"sd_log": None, "df": None}


def test_a_pilot_without_the_metric() -> None:
    bench = read_rows(launch_rows({"a": [10.0, 11.0, 12.0]}))
    found = specstats.plan(bench, effect=1.1, metric="ttft")
    assert found.findings.codes == ("SPS201",)


def test_misuse() -> None:
    with pytest.raises(DesignError, match="nothing given"):
        specstats.plan(GIVEN)
    with pytest.raises(DesignError, match="effect and half_width"):
        specstats.plan(GIVEN, effect=1.1, half_width=0.1)
    with pytest.raises(DesignError, match="degrees of freedom says"):
        specstats.plan(0.05, effect=1.1)  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="goes with a Bench"):
        specstats.plan(GIVEN, effect=1.1, design=Design(baseline="a"))
    with pytest.raises(DesignError, match="n_arms"):
        specstats.plan(GIVEN, effect=1.1, n_arms=1)
    with pytest.raises(TypeError, match="ambiguous"):
        bool(specstats.plan(GIVEN, effect=1.1))


def test_words() -> None:
    found: Plan = specstats.plan(GIVEN, effect=1.1)
    assert str(found) == found.sentence
    assert repr(found) == f"Plan({found.sentence!r})"
    assert found.require() is found
