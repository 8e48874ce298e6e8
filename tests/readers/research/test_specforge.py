"""SpecForge results, SpecBundle tables and bench_model_speedup lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def config(**changes: object) -> dict[str, object]:
    metrics = [{"output_throughput": 100.0, "latency": 2.0, "accept_length": 2.0}]
    values = {"batch_size": 1, "steps": 3, "topk": 1, "num_draft_tokens": 4}
    return {**values, "metrics": metrics, **changes}


def line(**changes: object) -> str:
    values = {"batch_size": 1, "steps": 3, "topk": 1, "num_draft_tokens": 4}
    told = {"acc_length": 2.5, "duration": 10.0, "throughput": 200.0}
    rest = {"completion_tokens": 2000, "benchmark": "chat"}
    return json.dumps({**values, **told, **rest, **changes}) + "\n"


def test_results_of_one_run(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "specforge/bench-eagle3/results.jsonl").read_bytes()
    found = rows(content, "aggregates")
    rates = [row for row in found if row["metric"] == "output_throughput"]
    accepted = [row for row in found if row["metric"] == "mean_accepted_length"]

    assert [(row["workload"], row["arm"], row["value"]) for row in rates] == [
        ("mathset", "baseline", 50.0),
        ("mathset", "steps 3, topk 1, draft 4", 100.0),
        ("chatset", "baseline", 40.0),
        ("chatset", "steps 3, topk 1, draft 4", 41.0),
    ]
    # One server a configuration, for all benchmarks.
    assert [row["process"][-2:] for row in rates] == ["#0", "#1", "#0", "#1"]
    assert [row["value"] for row in accepted] == [2.5, 1.0]
    assert {row["value"] for row in found if row["metric"] == "duration"} == {
        *(10.0, 5.0, 8.0)
    }


def test_a_length_of_one_with_drafting(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "specforge/bench-eagle3/results.jsonl").read_bytes()

    assert codes(content) == [("SPS308", "case:4")]
    assert codes(json.dumps({"model": "m", "chat": [config()]})) == []


def test_a_server_that_was_there_before(rows: Rows) -> None:
    entry = config(steps=None, topk=None, num_draft_tokens=None)
    found = rows(json.dumps({"model": "m", "chat": [entry]}), "aggregates")

    assert {(row["arm"], row["process"]) for row in found} == {(None, None)}


def test_a_copied_baseline_is_one_measurement(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / "specforge/spec-bundle/data.json").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["arm"], x["metric"], x["value"]) for x in found] == [
        ("baseline", "output_throughput", 100.25),
        ("someone/draft-tiny", "output_throughput", 180.5),
        ("someone/draft-tiny", "mean_accepted_length", 2.5),
        ("someone/draft-tiny", "output_throughput", 190.5),
        ("someone/draft-tiny", "mean_accepted_length", 2.75),
    ]
    assert codes(content) == [("SPS014", "case:1")]
    assert codes(content.replace(b"100.25", b"100.5", 1)) == []


@pytest.mark.parametrize(
    ("name", "arm"),
    [
        ("Wihtout EAGLE3", "baseline"),
        ("Without EAGLE3", "baseline"),
        ("Witness/draft", "Witness/draft"),
        ("with/out", "with/out"),
    ],
)
def test_names_of_baselines(name: str, arm: str, rows: Rows) -> None:
    metrics = [{"Name": name, "output_throughput": 5.0}]
    table = {"results": [config(metrics=metrics)]}
    found = rows(json.dumps({"M": {"chat": table}}), "aggregates")

    assert [row["arm"] for row in found] == [arm]


@pytest.mark.parametrize("metrics", [[], [None], [{"output_throughput": "x"}]])
def test_configurations_without_numbers(metrics: object, codes: Codes) -> None:
    content = json.dumps({"model": 1, "chat": [config(), config(metrics=metrics)]})

    assert codes(content) == [("SPS002", "case:2")]


def test_lines_of_the_speedup_bench(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "specforge-bench/result/dev.jsonl").read_bytes()
    found, counts = rows(content, "aggregates"), rows(content, "counters")

    assert [row["arm"] for row in counts] == [
        "baseline",
        *["steps 3, topk 1, draft 4"] * 2,
        "baseline",
    ]
    assert [row["n_output"] for row in counts] == [2000, 2000, 2010, 2000]
    assert [row["duration_s"] for row in counts] == [20.0, 10.0, 10.5, 21.0]
    assert [x["value"] for x in found if x["metric"] == "mean_accepted_length"] == [
        *(2.5, 2.52)
    ]
    assert {row["process"] for row in counts} == {None}


def test_repeats_that_are_none(codes: Codes) -> None:
    assert codes(line() + line(acc_length=2.6)) == []
    assert codes(line() + line(acc_length=2.7)) == [("SPS308", "case:1")]
    assert codes(line() + line(acc_length=2.7, topk=2)) == []


def test_throughput_against_tokens(codes: Codes) -> None:
    assert codes(line(throughput=200.5)) == []
    assert codes(line(throughput=220.0)) == [("SPS006", "case:1")]


@pytest.mark.parametrize("rate", [None, 0, -1, "200", [1], 1e999])
def test_lines_without_a_rate(rate: object, codes: Codes) -> None:
    assert codes(line() + line(throughput=rate)) == [("SPS002", "case:2")]
