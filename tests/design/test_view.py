"""Requests as arrays: positions, repeats, warm-up, and the runs x prompts table."""

from collections.abc import Callable

import numpy as np
import pytest

from specstats import Design
from specstats.bench import Bench
from specstats.design import view_of

BenchOf = Callable[..., Bench]
Row = dict[str, object]


def row(run: str, prompt: str, seconds: float = 1.0, **values: object) -> Row:
    return {"run": run, "prompt": prompt, "decode_s": seconds, **values}


def test_positions_follow_the_clock(bench_of: BenchOf) -> None:
    view = view_of(
        bench_of(
            row("1", "p", ended_s=30.0),
            row("1", "p", ended_s=10.0),
            row("2", "p", ended_s=5.0),
            row("1", "p", ended_s=20.0),
        )
    )

    assert view.position.tolist() == [2, 0, 0, 1]
    assert view.repetition.tolist() == [2, 0, 0, 1]


def test_positions_without_a_clock_follow_the_file(bench_of: BenchOf) -> None:
    view = view_of(bench_of(row("1", "p", ended_s=9.0), row("1", "q"), row("1", "p")))

    assert view.position.tolist() == [0, 1, 2]
    assert view.repetition.tolist() == [0, 0, 1]
    assert view.prompts == ("p", "q")


def test_declared_repeats_are_kept(bench_of: BenchOf) -> None:
    view = view_of(bench_of(row("1", "p", repeat=5), row("1", "p")))

    assert view.repetition.tolist() == [5, 1]


def test_warm_up_is_left_out_of_timing(bench_of: BenchOf) -> None:
    rows = [row(run, "p", s) for run in ("1", "2") for s in (9.0, 1.0, 1.0)]

    view = view_of(bench_of(*rows), Design(warmup=1))

    assert view.timed.tolist() == [False, True, True] * 2
    assert view.matrix("decode_rate", ["a"]).logs == pytest.approx(np.log(9.0))


def test_run_values_weigh_prompts_equally(bench_of: BenchOf) -> None:
    # 10 tokens: 9 over 1 s, over 3 s twice; mean of log 9 and log 3.
    rows = (row("1", "p", 1.0), row("1", "q", 3.0), row("1", "q", 3.0))

    matrix = view_of(bench_of(*rows)).matrix("decode_rate", ["a"])

    assert matrix.prompts == ("p", "q")
    assert matrix.run_values() == pytest.approx([(np.log(9) + np.log(3)) / 2])


def test_only_common_prompts_count(bench_of: BenchOf) -> None:
    rows = (row("1", "p", 1.0), row("1", "q", 3.0), row("2", "p", 2.0))

    matrix = view_of(bench_of(*rows)).matrix("decode_rate", ["a"])

    assert matrix.common_prompts == ("p",)
    assert not matrix.disjoint_prompts
    assert matrix.run_values() == pytest.approx(np.log([9.0, 4.5]))
    assert matrix.own_values()[0] == pytest.approx((np.log(9) + np.log(3)) / 2)


def test_fresh_prompts(bench_of: BenchOf) -> None:
    matrix = view_of(bench_of(row("1", "p", 1.0), row("2", "q", 3.0))).matrix(
        "decode_rate", ["a"]
    )

    assert matrix.fresh_prompts
    assert matrix.run_values() == pytest.approx(np.log([9.0, 3.0]))


def test_disjoint_prompts(bench_of: BenchOf) -> None:
    rows = (row("1", "p"), row("2", "p"), row("2", "q"), row("3", "q"))

    matrix = view_of(bench_of(*rows)).matrix("decode_rate", ["a"])

    assert matrix.disjoint_prompts
    assert np.isnan(matrix.run_values()).all()


def test_a_cell_that_failed_is_left_out_everywhere(bench_of: BenchOf) -> None:
    rows = (
        row("1", "p", 1.0, repeat=0),
        row("1", "p", 3.0, repeat=1),
        row("2", "p", error="gone", repeat=0),
        row("2", "p", 3.0, repeat=1),
    )

    matrix = view_of(bench_of(*rows)).matrix("decode_rate", ["a"])

    assert matrix.dropped_cells == 1
    assert matrix.run_values() == pytest.approx(np.log([3.0, 3.0]))


def test_arms_and_workloads_are_chosen(bench_of: BenchOf) -> None:
    rows = (
        row("1", "p", 1.0, arm="x", workload="code"),
        row("1", "q", 3.0, arm="x", workload="prose"),
        row("2", "p", 9.0, arm="y", workload="code"),
    )
    view = view_of(bench_of(*rows))

    code = view.matrix("decode_rate", ["x"], workload="code")

    assert (code.prompts, len(code.runs)) == (("p",), 1)
    assert code.run_values() == pytest.approx(np.log([9.0]))
    assert view.matrix("decode_rate", ["x"], workload="chat").runs == ()
    assert view.matrix("decode_rate", ["x", "y"]).of_arm("y").tolist() == [False, True]
    assert view.rows_of("x").tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("prompt_rate", {"n_prompt": 50, "prompt_s": 2.0}),
        ("ttft", {"ttft_s": 25.0}),
        ("e2e", {"e2e_s": 25.0}),
    ],
)
def test_other_metrics(metric: str, values: Row, bench_of: BenchOf) -> None:
    request = {**row("1", "p"), **values}
    bench = bench_of(request, {**request, "error": "gone"})

    np.testing.assert_array_equal(view_of(bench).values(metric), [25.0, np.nan])


@pytest.mark.parametrize("seconds", [0.0, None])
def test_values_that_are_none(seconds: float | None, bench_of: BenchOf) -> None:
    bench = bench_of(row("1", "p", n_prompt=5, prompt_s=seconds, ttft_s=seconds))
    view = view_of(bench)

    assert np.isnan(view.values("prompt_rate")).all()
    assert np.isnan(view.values("ttft")).all()
