"""pytest-benchmark: rounds, statistics, what tests recorded."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def report(artifacts: Path, **changes: object) -> str:
    path = artifacts / "pytest-benchmark/5.3/data.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["benchmarks"][0]["stats"].update(changes)
    return json.dumps(content)


def test_rounds_share_a_process(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "pytest-benchmark/5.3/data.json")
    found = bench.requests.to_pylist()

    assert [row["e2e_s"] for row in found] == [0.1, 0.3, 0.2]
    assert [row["repetition"] for row in found] == [0, 1, 2]
    assert {row["workload"] for row in found} == {"decode"}
    assert {row["prompt_id"] for row in found} == {"test_d.py::test_draft[4]"}
    assert [(run.boundary, run.n_requests) for run in bench.runs] == [("proved", 3)]


def test_statistics_and_extra_info(artifacts: Path, rows: Rows) -> None:
    found = rows(report(artifacts), "aggregates")
    values = {(row["metric"], row["statistic"]): row["value"] for row in found}

    assert values == {
        ("e2e", "mean"): 0.2,
        ("e2e", "median"): 0.2,
        ("e2e", "min"): 0.1,
        ("e2e", "max"): 0.3,
        ("accepted", "value"): 2.5,
    }
    assert (found[0]["sd"], found[0]["n"], found[0]["scope"]) == (0.1, 3, "run")


def test_settings_hold_no_host(artifacts: Path, rows: Rows) -> None:
    settings = json.loads(str(rows(report(artifacts))[0]["settings"]))

    assert settings["cfg.draft"] == 4
    assert settings["cfg.mode"] == "greedy"
    assert settings["id.cpu"] == "Test CPU"
    assert settings["id.build"] == "pytest-benchmark 5.3.1"
    assert "private" not in json.dumps(settings)


def test_without_data_there_are_only_aggregates(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "pytest-benchmark/2.5/stats.json")
    found = bench.aggregates.to_pylist()

    assert bench.requests.num_rows == 0
    assert [row["value"] for row in found] == [0.002, 0.0019, 0.001, 0.003]
    assert {row["n"] for row in found} == {7}
    assert {row["prompt_id"] for row in found} == {"t.py::test_plain"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"mean": 0.25}, "SPS006"),
        ({"rounds": 4}, "SPS006"),
        ({"max": 0.4}, "SPS006"),
        ({"stddev": 0.2}, "SPS009"),
        ({"data": [0.1, "x"]}, "SPS002"),
        ({"data": [0.1, -0.5]}, "SPS002"),
        ({"ops": "x", "total": None}, None),
    ],
)
def test_findings(
    changes: dict[str, object], code: str | None, artifacts: Path, codes: Codes
) -> None:
    expected = [] if code is None else [(code, "case:1")]

    assert codes(report(artifacts, **changes)) == expected


def test_hostile_parts_are_left_out(artifacts: Path, rows: Rows) -> None:
    content = json.loads(report(artifacts))
    content["machine_info"] = [1]
    content["commit_info"] = "x"
    content["benchmarks"][0].update(params=[1], extra_info="x", options=None)

    assert len(rows(json.dumps(content))) == 3
