"""Lengths, positions and dispersion of arms."""

import json

import numpy as np
import pytest

import specstats
from specstats.analysis.positions import listed_positions
from specstats.bench import Bench
from specstats.results import Acceptance
from specstats.stats.acceptance import cluster_rate
from specstats.stats.dispersion import overdispersion
from specstats.stats.length import mean_length

STEPS = {"p1": [4, 3, 2, 4, 3, 1, 0], "p2": [0, 1, 0, 2, 1], "p3": [2, 4, 4, 1, 3, 2]}
HEADER = '{"specstats.table": "counters"}'


def responses(
    steps: dict[str, list[int]] = STEPS, *, drafts: bool = True, last: int = 4
) -> Bench:
    """Responses that list their steps; the last step of each drafted less."""
    lines = []
    for prompt, accepted in steps.items():
        drafted = [4] * (len(accepted) - 1) + [last]
        told = {"arm": "spec", "prompt_id": prompt, "accepted": accepted}
        lines.append(
            json.dumps(
                {
                    "timings": {
                        "prompt_n": 30,
                        "prompt_ms": 80.0,
                        "predicted_n": 1 + len(accepted) + sum(accepted),
                        "predicted_ms": 900.0,
                        "draft_n": sum(drafted),
                        "draft_n_accepted": sum(accepted),
                    },
                    "spec": told | ({"drafted": drafted} if drafts else {}),
                }
            )
        )
    return specstats.read("\n".join(lines).encode())


def only(bench: Bench) -> Acceptance:
    (found,) = specstats.acceptance(bench)
    return found


def test_positions_by_hand() -> None:
    found = only(responses())
    hits = [value for listed in STEPS.values() for value in listed]
    for place, item in enumerate(found.positions, start=1):
        made = sum(value >= place for value in hits)
        tested = sum(value >= place - 1 for value in hits)
        assert (item.position, item.accepted, item.steps) == (place, made, 18)
        assert (item.rate, item.reached) == (made / 18, tested)
        assert item.conditional == made / tested
    assert len(found.positions) == 4
    # Rates of positions add up to the accepted tokens of a step.
    assert sum(item.rate for item in found.positions) == pytest.approx(
        (found.tokens_per_step or 0) - 1
    )


def test_intervals_of_positions_are_over_prompts() -> None:
    item = only(responses()).positions[1]
    made = [sum(value >= 2 for value in listed) for listed in STEPS.values()]
    tested = [sum(value >= 1 for value in listed) for listed in STEPS.values()]
    steps = [len(listed) for listed in STEPS.values()]
    for interval, tries in (
        (item.interval, steps),
        (item.conditional_interval, tested),
    ):
        expected = cluster_rate(made, tries)
        assert interval is not None
        assert expected is not None
        assert (interval.low, interval.high) == (expected.low, expected.high)


def test_a_draft_cut_short_tests_fewer_positions() -> None:
    steps = {"p1": [4, 2, 1], "p2": [3, 0, 1]}
    found = only(responses(steps, last=1))
    assert [item.reached for item in found.positions] == [6, 3, 3, 2]
    assert [item.steps for item in found.positions] == [6] * 4


def test_without_drafted_tokens_of_steps_nothing_is_conditional() -> None:
    found = only(responses(drafts=False))
    assert len(found.positions) == 4
    assert {item.reached for item in found.positions} == {None}
    assert {item.conditional for item in found.positions} == {None}


def test_length_and_dispersion_are_those_of_stats() -> None:
    found = only(responses())
    hits = np.array([sum(listed) for listed in STEPS.values()])
    steps = np.array([len(listed) for listed in STEPS.values()])
    expected = mean_length(hits + steps, steps)
    spread = overdispersion(hits, 4 * steps)
    assert expected is not None
    assert spread is not None
    assert found.length_interval is not None
    assert found.length_interval.low == pytest.approx(np.exp(expected.interval()[0]))
    assert found.dispersion is not None
    assert found.dispersion.phi == pytest.approx(spread.phi)
    assert found.dispersion.design_effect == pytest.approx(spread.design_effect)


def test_tokens_are_never_worth_more_than_they_are() -> None:
    found = only(responses({"p1": [2, 2, 1, 2], "p2": [2, 1, 2, 2]}))
    assert found.dispersion is None or (found.dispersion.n_effective or 0) <= 32
    alike = only(responses({"p1": [2, 2, 1, 2], "p2": [2, 1, 2, 3]}))
    assert alike.dispersion is not None
    assert alike.dispersion.design_effect < 1
    assert alike.dispersion.n_effective == 32


def test_one_prompt_has_positions_and_no_interval() -> None:
    found = only(responses({"p1": STEPS["p1"]}))
    assert found.positions[0].rate == 6 / 7
    assert found.positions[0].interval is None
    assert (found.length_interval, found.dispersion) == (None, None)


def counters(*rows: dict[str, object]) -> Acceptance:
    usual = {"arm": "spec", "scope": "run"}
    lines = [HEADER, *(json.dumps(usual | row) for row in rows)]
    return only(specstats.read("\n".join(lines).encode()))


def launch(process: str, positions: list[int], **more: object) -> dict[str, object]:
    return {
        "process": process,
        "n_verify": 40,
        "n_draft": 120,
        "n_accepted": sum(positions),
        "accepted_by_position": json.dumps(positions),
    } | more


def test_counters_of_positions_over_launches() -> None:
    found = counters(launch("a", [32, 25, 20]), launch("b", [30, 21, 14]))
    first, second, _ = found.positions
    assert (first.accepted, first.steps, first.reached) == (62, 80, 80)
    assert (second.accepted, second.reached) == (46, 62)
    expected = cluster_rate([25, 21], [40, 40])
    assert expected is not None
    assert second.interval is not None
    assert (second.interval.low, second.interval.high) == (expected.low, expected.high)
    lengths = mean_length([117, 105], [40, 40])
    assert lengths is not None
    assert found.length_interval is not None
    assert found.length_interval.high == pytest.approx(np.exp(lengths.interval()[1]))
    assert found.dispersion is not None


def test_counters_of_one_launch_have_no_interval_whatever_its_windows() -> None:
    rows = [launch("a", [32 - k, 25 - k, 20 - k], scope="window") for k in range(4)]
    found = counters(*rows)
    assert found.positions[0].accepted == 32 + 31 + 30 + 29
    assert {item.interval for item in found.positions} == {None}
    assert (found.length_interval, found.dispersion) == (None, None)
    assert found.method.startswith("no interval: one launch")


def test_drafts_of_unlike_lengths_leave_the_tested_steps_unknown() -> None:
    found = counters(launch("a", [32, 25, 20], n_draft=110))
    assert [item.accepted for item in found.positions] == [32, 25, 20]
    assert {item.reached for item in found.positions} == {None}


@pytest.mark.parametrize(
    "told",
    ["[32, 25, 21]", "[20, 25, 32]", "[41, 20, 16]", "[32, 45]", "[]"],
)
def test_positions_that_cannot_be_are_not_used(told: str) -> None:
    found = counters(launch("a", [32, 25, 20], accepted_by_position=told))
    assert found.positions == ()
    assert found.accepted == 77


@pytest.mark.parametrize(
    ("told", "verified"),
    [("oops", 9), ("{}", 9), ('["a"]', 9), ("[true]", 9), (None, 9), ("[3]", None)],
)
def test_what_is_no_list_of_positions(told: object, verified: object) -> None:
    assert listed_positions(told, verified) is None
    assert listed_positions("[5, 3]", 9) == [5, 3]


def test_launches_with_unlike_lists_have_no_positions() -> None:
    assert counters(launch("a", [32, 25, 20]), launch("b", [30, 21])).positions == ()
    rows = [launch("a", [32, 25, 20]), launch("a", [30, 21])]
    assert counters(*(row | {"scope": "window"} for row in rows)).positions == ()
