"""Requests that the artifact marks as warm-up stay out of estimates."""

import json

import pytest

import specstats
from specstats.bench import Bench

Row = dict[str, object]
HEADER = '{"specstats.table": "requests"}'


def rows(*, mark: str | None) -> list[Row]:
    """Give two launches an arm: a slow, little accepted first request, three usual."""
    found: list[Row] = []
    for arm, seconds in (("base", 1.0), ("spec", 0.5)):
        for run in ("1", "2"):
            for turn in range(4):
                first = turn == 0
                row: Row = {
                    "arm": arm,
                    "run": f"{arm}-{run}",
                    "prompt": "p" if first else f"p{turn}",
                    "phase": mark if first else None,
                    "n_output": 100,
                    "decode_s": 50.0 if first else seconds + 0.01 * int(run),
                    "rate_convention": "n",
                }
                if arm == "spec":
                    row |= {"n_draft": 100, "n_accepted": 1 if first else 80}
                    row["output_sha256"] = f"text of {row['prompt']}"
                found.append(row)
    return found


def bench_of(entries: list[Row]) -> Bench:
    lines = [
        json.dumps({key: value for key, value in row.items() if value is not None})
        for row in entries
    ]
    return specstats.read("\n".join([HEADER, *lines]).encode())


def test_rows_keep_their_mark() -> None:
    bench = bench_of(rows(mark="warmup"))

    assert bench.column("requests", "phase") == ["warmup", None, None, None] * 4
    assert bench.requests.num_rows == 16
    assert {run.n_requests for run in bench.runs} == {4}


def test_marked_requests_are_left_out_of_rates() -> None:
    bench = bench_of(rows(mark="warmup"))
    report = specstats.summarize(bench, specstats.Design(baseline="base"))

    values = {arm.arm: arm.metrics["decode_rate"] for arm in report.arms}

    # 100 tokens in 1.01 s and 1.02 s, in 0.51 s and 0.52 s.
    assert values["base"].run_values == pytest.approx((100 / 1.01, 100 / 1.02))
    assert values["spec"].run_values == pytest.approx((100 / 0.51, 100 / 0.52))
    assert values["spec"].n_requests == 6
    assert values["spec"].minimum == pytest.approx(100 / 0.52)
    assert report.arms[1].n_requests == 8


def test_marked_requests_are_left_out_of_acceptance() -> None:
    (found,) = specstats.acceptance(bench_of(rows(mark="warmup")))

    assert (found.accepted, found.drafted, found.rate) == (240, 300, 0.8)
    assert (found.n_requests, found.n_clusters) == (6, 3)
    assert (found.naive.accepted, found.naive.drafted) == (480, 600)


def test_they_are_noted() -> None:
    report = specstats.summarize(bench_of(rows(mark="warmup")))

    (found,) = report.findings.of("SPS015")
    assert found.level == "note"
    assert found.observed == "4 of 16 requests"
    assert found.where == ("<bytes>",)


@pytest.mark.parametrize("mark", [None, "measured", "", "Warmup"])
def test_other_phases_are_measured(mark: str | None) -> None:
    bench = bench_of(rows(mark=mark))
    report = specstats.summarize(bench, specstats.Design(baseline="base"))

    assert not report.findings.of("SPS015")
    assert report.arms[1].metrics["decode_rate"].minimum == 2.0
    assert specstats.acceptance(bench)[0].drafted == 400


def test_marked_and_declared_warm_up_add_up() -> None:
    bench = bench_of(rows(mark="warmup"))
    design = specstats.Design(baseline="base", warmup=2)
    report = specstats.summarize(bench, design)

    # The first request is marked; the second is left out as declared.
    assert report.arms[0].metrics["decode_rate"].n_requests == 4
    assert report.findings.of("SPS015")
    assert report.findings.of("SPS402")


def test_an_arm_of_warm_up_alone_has_no_rate() -> None:
    entries = [
        {**row, "phase": "warmup" if row["arm"] == "spec" else None}
        for row in rows(mark=None)
    ]

    bench = bench_of(entries)
    report = specstats.summarize(bench, specstats.Design(baseline="base"))

    metrics = {arm.arm: arm.metrics for arm in report.arms}
    assert "decode_rate" not in metrics.get("spec", {})
    assert specstats.acceptance(bench) == ()
    assert "decode_rate" in metrics["base"]
