"""evalscope perf: summaries old and new, percentiles, contradictions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def text(artifacts: Path, name: str) -> str:
    return (artifacts / "evalscope-perf" / name).read_text(encoding="utf-8")


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


@pytest.mark.parametrize("version", ["1.0", "1.8"])
def test_summary(version: str, artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text(artifacts, f"{version}/benchmark_summary.json")
    found = printed(rows(content, "aggregates"))
    (counted,) = rows(content, "counters")

    # The older version prints seconds where the newer one prints milliseconds.
    assert found["ttft", "mean"] == pytest.approx(0.3)
    assert found["tpot", "mean"] == pytest.approx(0.0252)
    assert found["e2e", "mean"] == 3.5
    assert found["output_throughput", "rate"] == 64.0
    assert found["request_throughput", "rate"] == 0.5
    assert counted["n_requests"] == 10
    assert counted["n_failed"] == (1 if version == "1.8" else 0)
    assert counted["duration_s"] == 20.0
    assert json.loads(counted["settings"]) == {"cfg.concurrency": 2}
    assert codes(content) == ([("SPS007", "case:1")] if version == "1.8" else [])


def test_percentiles(artifacts: Path, rows: Rows) -> None:
    found = rows(text(artifacts, "1.0/benchmark_percentile.json"), "aggregates")

    assert printed(found)["ttft", "median"] == 0.3
    assert printed(found)["tpot", "p99"] == 0.03
    assert printed(found)["e2e_rate", "p99"] == 40.0
    assert {row["entry"] for row in found} == {1, 2}


def test_runs(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "1.8/runs.json")
    found = rows(content, "aggregates")
    (counted,) = rows(content, "counters")

    assert printed(found)["e2e", "p99"] == 4.0
    assert {row["n"] for row in found} == {9}
    assert (counted["n_requests"], counted["n_failed"]) == (9, 1)
    assert counted["workload"] == "Concurrency 2"


@pytest.mark.parametrize(
    ("key", "value"), [("Test Duration (s)", 40.0), ("Total Throughput (tok/s)", 80.0)]
)
def test_contradictions(key: str, value: float, artifacts: Path, codes: Codes) -> None:
    content = json.loads(text(artifacts, "1.8/benchmark_summary.json"))

    wrong = {**content, "Failed Requests": 0, key: value}
    assert codes(json.dumps(wrong)) == [("SPS006", "case:1")]


@pytest.mark.parametrize("value", [None, "5", [], -1, {}, True])
def test_values_of_wrong_types_are_missing(
    value: object, artifacts: Path, rows: Rows
) -> None:
    content = json.loads(text(artifacts, "1.8/benchmark_summary.json"))
    wrong = json.dumps({**content, "TTFT (ms)": value})

    assert ("ttft", "mean") not in printed(rows(wrong, "aggregates"))


def test_an_unknown_unit_is_no_value(artifacts: Path, rows: Rows) -> None:
    odd = text(artifacts, "1.8/benchmark_summary.json").replace("TTFT (ms)", "TTFT (h)")
    assert ("ttft", "mean") not in printed(rows(odd, "aggregates"))


def test_rows_that_do_not_fit_their_columns(artifacts: Path, codes: Codes) -> None:
    content = json.loads(text(artifacts, "1.8/runs.json"))
    content["runs"].append(None)
    content["runs"].append({"percentile_columns": ["a"], "percentile_rows": [[1, 2]]})

    assert codes(json.dumps(content)) == [("SPS002", "case:2"), ("SPS002", "case:3")]
