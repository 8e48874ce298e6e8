"""Acceptance of arms that only counters of their processes show."""

import json

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats.bench import Bench
from specstats.results import Acceptance
from specstats.testing import launch_rows, read_rows

Row = dict[str, object]
HEADER = '{"specstats.table": "counters"}'
LAUNCHES = {"p1": (60, 100), "p2": (90, 140), "p3": (40, 90)}


def bench_of(*rows: Row, more: str = "") -> Bench:
    usual: Row = {"arm": "spec", "scope": "run"}
    lines = [HEADER, *(json.dumps({**usual, **row}) for row in rows)]
    return specstats.read("\n".join([*lines, more]).encode())


def counted(process: str, accepted: int, drafted: int, **more: object) -> Row:
    return {"process": process, "n_accepted": accepted, "n_draft": drafted, **more}


def only(*rows: Row, level: float = 0.95) -> Acceptance:
    (found,) = specstats.acceptance(bench_of(*rows), confidence_level=level)
    return found


def jackknife(pairs: list[tuple[int, int]], level: float) -> list[float]:
    """Logit, leaving out one launch at a time, t with G - 1 degrees of freedom."""
    table, count = np.array(pairs, dtype=float), len(pairs)

    def logit(sums: np.ndarray) -> float:
        return float(np.log(sums[0] / (sums[1] - sums[0])))

    out = np.array(
        [logit(np.delete(table, k, axis=0).sum(axis=0)) for k in range(count)]
    )
    error = np.sqrt((count - 1) / count * ((out - out.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.5 + level / 2, count - 1) * error
    whole = logit(table.sum(axis=0))
    return [float(1 / (1 + np.exp(-x))) for x in (whole - half, whole + half)]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_launches_are_the_replicates(level: float) -> None:
    found = only(*(counted(p, *pair) for p, pair in LAUNCHES.items()), level=level)

    assert (found.accepted, found.drafted) == (190, 330)
    assert found.rate == 190 / 330
    assert (found.cluster, found.n_clusters) == ("run", 3)
    assert found.interval is not None
    assert found.interval.confidence_level == level
    expected = jackknife(list(LAUNCHES.values()), level)
    assert [found.interval.low, found.interval.high] == pytest.approx(
        expected, rel=2e-3
    )
    assert found.method.endswith("; from counters of the process (run)")
    assert (found.naive.drafted, found.naive.accepted) == (330, 190)


def test_two_launches_have_an_interval() -> None:
    found = only(counted("p1", 60, 100), counted("p2", 90, 140))

    assert found.interval is not None
    assert found.interval.low < found.rate < found.interval.high


def test_one_launch_has_none_whatever_its_windows() -> None:
    windows = [counted("p1", 10 + k, 20 + k, scope="window") for k in range(5)]

    found = only(*windows)

    assert found.interval is None
    assert (found.accepted, found.drafted) == (60, 110)
    assert found.n_clusters == 1
    assert found.method.startswith("no interval: one launch")


def test_one_launch_is_found_by_the_rule() -> None:
    report = specstats.summarize(bench_of(counted("p1", 60, 100)))

    assert "SPS305" in {item.code for item in report.findings}


def test_launches_that_nothing_tells_apart_are_one() -> None:
    found = only({"n_accepted": 5, "n_draft": 9}, {"n_accepted": 7, "n_draft": 9})

    assert (found.accepted, found.drafted, found.n_clusters) == (12, 18, 1)
    assert found.interval is None


@pytest.mark.parametrize(
    ("scopes", "rate"),
    [
        (("lifetime", "run"), 0.5),
        (("run", "window"), 0.5),
        (("lifetime", "window", "delta"), 0.5),
        (("lifetime", "delta"), 0.5),
    ],
)
def test_the_narrowest_scope_wins(scopes: tuple[str, ...], rate: float) -> None:
    *wider, narrowest = scopes
    rows = [counted("p1", 99, 100, scope=scope) for scope in wider]

    found = only(*rows, counted("p1", 10, 20, scope=narrowest))

    assert (found.accepted, found.drafted, found.rate) == (10, 20, rate)
    assert f"({narrowest})" in found.method


def test_the_narrowest_scope_is_that_of_each_launch() -> None:
    found = only(
        counted("p1", 99, 100, scope="lifetime"),
        counted("p1", 10, 20, scope="delta"),
        counted("p2", 30, 40, scope="lifetime"),
    )

    assert (found.accepted, found.drafted, found.n_clusters) == (40, 60, 2)
    assert found.method.endswith("(delta, lifetime)")


def test_two_readings_of_a_launch_count_between_them() -> None:
    found = only(
        counted("p1", 100, 110, scope="lifetime", ended_s=10.0),
        counted("p1", 130, 170, scope="lifetime", ended_s=20.0),
    )

    assert (found.accepted, found.drafted) == (30, 60)


def test_all_decode_steps_come_before_verified_ones() -> None:
    row = counted("p1", 60, 100, n_verify=40, n_steps=60, n_output=125, n_requests=5)

    found = only(row)

    assert (found.steps, found.tokens_per_step) == (60, 2.0)  # (125 - 5) / 60
    assert found.step_convention == (
        "decode steps counted by the process, drafted or not"
    )
    assert found.n_requests == 5


def test_verified_steps_have_their_bonus_token() -> None:
    found = only(counted("p1", 60, 100, n_verify=40))

    assert (found.steps, found.tokens_per_step) == (40, 2.5)  # 1 + 60 / 40
    assert found.step_convention == "verify steps counted by the process"


@pytest.mark.parametrize("missing", ["n_steps", "n_output"])
def test_steps_that_one_launch_does_not_count_are_left_out(missing: str) -> None:
    full: Row = {"n_steps": 60, "n_output": 120, "n_verify": 40}
    other = {key: value for key, value in full.items() if key != missing}

    found = only(counted("p1", 60, 100, **full), counted("p2", 60, 100, **other))

    assert (found.steps, found.tokens_per_step) == (80, 2.5)
    assert found.step_convention == "verify steps counted by the process"


def test_no_steps_no_length() -> None:
    found = only(counted("p1", 60, 100))

    assert (found.steps, found.tokens_per_step, found.step_convention) == (
        *(None, None, None),
    )


@pytest.mark.parametrize(
    "row",
    [
        counted("p1", 0, 0),
        {"process": "p1", "n_output": 50},
        {"process": "p1", "n_draft": 50},
    ],
)
def test_counters_without_drafts_give_nothing(row: Row) -> None:
    assert specstats.acceptance(bench_of(row)) == ()


def test_a_launch_that_drafted_nothing_is_no_replicate() -> None:
    found = only(counted("p1", 60, 100), counted("p2", 0, 0))

    assert found.n_clusters == 1
    assert found.interval is None


def test_requests_with_drafts_come_before_counters() -> None:
    rows = launch_rows({"spec": [50.0, 51.0]}, prompts=("a", "b"))
    lines = [
        json.dumps({**row, "n_draft": 10, "n_accepted": 4, "output_sha256": "x"})
        for row in rows
    ]
    requests = "\n".join(['{"specstats.table": "requests"}', *lines])

    (found,) = specstats.acceptance(bench_of(counted("p1", 9, 10), more=requests))

    assert found.rate == 0.4
    assert "counters" not in found.method


def test_configured_acceptance_is_no_acceptance() -> None:
    settings = '{"cfg.synthetic_acceptance": true}'

    assert specstats.acceptance(bench_of(counted("p", 9, 10, settings=settings))) == ()


def test_arms_are_told_apart() -> None:
    bench = bench_of(counted("p1", 9, 10), counted("p2", 1, 10, arm="other"))

    found = {item.arm: item.rate for item in specstats.acceptance(bench)}

    assert found == {"spec": 0.9, "other": 0.1}


def test_an_arm_with_neither_gives_nothing() -> None:
    assert specstats.acceptance(read_rows(launch_rows({"base": [50.0]}))) == ()


def test_counters_of_no_known_launch_are_not_added_to_known_ones() -> None:
    loads: list[Row] = [
        {"n_accepted": 30, "n_draft": 60},
        {"n_accepted": 60, "n_draft": 80},
    ]
    bench = bench_of(counted("p", 90, 140, scope="window"), *loads)

    (found,) = specstats.acceptance(bench)

    assert (found.accepted, found.drafted, found.n_clusters) == (90, 140, 1)
    assert found.interval is None
    (said,) = [
        item
        for item in specstats.check(bench).of("SPS005")
        if "left out of acceptance" in item.message
    ]
    assert said.subject == ("spec",)


def test_counters_of_no_known_launch_alone_are_one_launch() -> None:
    bench = bench_of(
        {"n_accepted": 30, "n_draft": 60}, {"n_accepted": 60, "n_draft": 80}
    )

    (found,) = specstats.acceptance(bench)

    assert (found.accepted, found.drafted, found.n_clusters) == (90, 140, 1)
    assert not any(
        "left out" in item.message for item in specstats.check(bench).of("SPS005")
    )


def test_what_counters_do_not_tell_is_missing() -> None:
    (found,) = specstats.acceptance(bench_of(counted("p", 9, 10)))

    assert found.n_distinct_generations is None
    assert found.n_requests is None
