"""One load, or one sample, that two files tell of."""

import json
from pathlib import Path

import pytest

import specstats
from specstats.bench import Bench

Row = dict[str, object]
LOAD: Row = {
    "scope": "run",
    "arm": "spec",
    "n_requests": 8,
    "n_output": 1000,
    "n_draft": 400,
    "n_accepted": 300,
    "duration_s": 12.3789,
}


def read(tmp_path: Path, *loads: Row) -> Bench:
    for number, load in enumerate(loads):
        lines = ['{"specstats.table": "counters"}', json.dumps({**LOAD, **load})]
        (tmp_path / f"{number}.jsonl").write_text("\n".join(lines))
    return specstats.read(tmp_path)


def test_a_result_and_its_log_are_one_load(tmp_path: Path) -> None:
    bench = read(tmp_path, {}, {"duration_s": 12.38})

    (found,) = specstats.acceptance(bench)

    assert (found.accepted, found.drafted) == (300, 400)
    assert [item.code for item in bench.findings if "load" in item.message] == [
        "SPS003"
    ]


@pytest.mark.parametrize(
    "other",
    [
        {"duration_s": 12.39},
        {"duration_s": None},
        {"n_accepted": 301},
        {"n_output": 1001},
        {"arm": "other"},
        {"scope": "window"},
    ],
)
def test_what_differs_is_another_load(tmp_path: Path, other: Row) -> None:
    bench = read(tmp_path, {}, other)

    assert bench.counters.num_rows == 2
    assert not bench.findings.of("SPS003")


def test_equal_loads_in_one_file_are_two(tmp_path: Path) -> None:
    lines = ['{"specstats.table": "counters"}', json.dumps(LOAD), json.dumps(LOAD)]
    (tmp_path / "loads.jsonl").write_text("\n".join(lines))

    assert specstats.read(tmp_path).counters.num_rows == 2


WINDOW: Row = {"scope": "window", "process": None, "n_output": None, "duration_s": None}


def log(*counts: tuple[int, int], process: str) -> str:
    rows = [
        {**LOAD, **WINDOW, "process": process, "n_draft": tries, "n_accepted": hits}
        for tries, hits in counts
    ]
    lines = ['{"specstats.table": "counters"}', *map(json.dumps, rows)]
    return "\n".join(lines)


def test_a_log_and_an_earlier_copy_are_one(tmp_path: Path) -> None:
    counts = [(400, 300), (410, 290), (390, 280), (500, 333)]
    (tmp_path / "early.jsonl").write_text(log(*counts[:3], process="p1"))
    (tmp_path / "whole.jsonl").write_text(log(*counts, process="p2"))

    bench = specstats.read(tmp_path)
    (found,) = specstats.acceptance(bench)

    assert (found.accepted, found.drafted, found.n_clusters) == (1203, 1700, 1)
    assert [item.where for item in bench.findings.of("SPS003")] == [("early.jsonl",)]


def test_logs_that_differ_are_two(tmp_path: Path) -> None:
    counts = [(400, 300), (410, 290), (390, 280)]
    (tmp_path / "a.jsonl").write_text(log(*counts, process="p1"))
    (tmp_path / "b.jsonl").write_text(log(*counts[::-1], process="p2"))

    (found,) = specstats.acceptance(specstats.read(tmp_path))

    assert found.n_clusters == 2


TIMED: Row = {"arm": "spec", "n_prompt": 34, "n_output": 128, "prompt_s": 0.2213417}


def requests(tmp_path: Path, first: Row, second: Row) -> Bench:
    for name, row in (("log", first), ("answer", second)):
        lines = ['{"specstats.table": "requests"}', json.dumps({**TIMED, **row})]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return specstats.read(tmp_path)


def test_a_log_and_the_response_it_tells_of_are_one_request(tmp_path: Path) -> None:
    logged = {"prompt_s": 0.22134, "decode_s": 4.01234, "process": "p", "n_steps": 40}
    answer = {"decode_s": 4.0123391, "output_sha256": "x", "request_id": "r"}

    bench = requests(tmp_path, logged, answer)

    (row,) = bench.requests.to_pylist()
    assert (row["process"], row["n_steps"], row["output_sha256"]) == ("p", 40, "x")
    assert [run.boundary for run in bench.runs] == ["proved"]
    assert [item.code for item in bench.findings.of("SPS003")] == ["SPS003"]


@pytest.mark.parametrize(
    "other",
    [
        {"decode_s": 4.01236},
        {"decode_s": 4.01234, "n_output": 129},
        {"decode_s": 4.01234, "arm": "other"},
        {"decode_s": 4.01234, "process": "q"},
    ],
)
def test_requests_that_differ_are_two(tmp_path: Path, other: Row) -> None:
    logged = {"decode_s": 4.01234, "process": "p"}

    assert requests(tmp_path, logged, other).requests.num_rows == 2


def test_round_times_may_come_twice(tmp_path: Path) -> None:
    coarse: Row = {"prompt_s": 0.2, "decode_s": 4.0}

    assert requests(tmp_path, coarse, {**coarse, "entry": 2}).requests.num_rows == 2


def test_both_files_of_a_criterion_benchmark_are_one_process(tmp_path: Path) -> None:
    times = [10.0, 20.0, 30.0]
    sample = {"sampling_mode": "Linear", "iters": [1.0, 2.0, 3.0], "times": times}
    (tmp_path / "sample.json").write_text(json.dumps(sample))
    header = "group,function,value,throughput_num,throughput_type,"
    header += "sample_measured_value,unit,iteration_count"
    rows = [f"g,f,,,,{time},ns,{count}" for count, time in enumerate(times, start=1)]
    (tmp_path / "raw.csv").write_text("\n".join([header, *rows]) + "\n")

    bench = specstats.read(tmp_path, arms={"fib": "*"})

    assert [item.format for item in bench.inputs] == ["criterion", "criterion"]
    assert [run.n_requests for run in bench.runs] == [3]


@pytest.mark.parametrize(
    ("names", "arms"),
    [
        (("A.1.json", "A.2.json"), ["A"]),
        (("kimi-k2.5_1k.json", "kimi-k2.5_8k.json"), ["kimi-k2.5_1k", "kimi-k2.5_8k"]),
        (("v0.25.1_a.json", "v0.26.0_a.json"), ["v0.25.1_a", "v0.26.0_a"]),
        (("m2.5_x.json", "m2.5_x_again.json"), ["m2.5_x", "m2.5_x_again"]),
    ],
)
def test_arms_of_names_with_versions(
    names: tuple[str, ...], arms: list[str], tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        timings = {"predicted_n": 9, "predicted_ms": 80.0 + number}
        (tmp_path / name).write_text(json.dumps({"timings": timings}))

    assert list(specstats.read(tmp_path).arms) == arms
