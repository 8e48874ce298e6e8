"""inference-perf: stages, requests, Prometheus windows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "inference-perf"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def stage(artifacts: Path) -> dict[str, object]:
    path = artifacts / FOLDER / "0.5.0/stage_0_lifecycle_metrics.json"
    found: dict[str, object] = json.loads(path.read_text())
    return found


def changed(entry: dict[str, object], section: str, **values: object) -> str:
    inside = entry[section]
    assert isinstance(inside, dict)
    return json.dumps({**entry, section: {**inside, **values}})


def test_a_stage(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "0.5.0/stage_0_lifecycle_metrics.json")
    values = {
        (row["metric"], row["statistic"]): row for row in bench.aggregates.to_pylist()
    }
    (counts,) = bench.counters.to_pylist()

    assert values["ttft", "mean"]["value"] == 0.1
    assert values["e2e", "p99"]["value"] == pytest.approx(1.52)
    assert values["tpot", "p0.1"]["value"] == pytest.approx(0.0255)
    assert values["itl", "median"]["value"] == 4e-05
    assert "not usable" in values["itl", "median"]["definition"]
    assert values["output_throughput", "rate"]["value"] == 18.0
    assert values["requested_rate", "rate"]["value"] == 2.0
    assert values["ttft", "mean"]["workload"] == "stage 0, 2 req/s"
    assert (counts["n_requests"], counts["n_failed"]) == (9, 1)
    assert (counts["n_prompt"], counts["n_output"]) == (900, 90)
    assert counts["duration_s"] == 5.0
    assert counts["settings"] == '{"cfg.request_rate": 2.0}'
    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_failures_are_counted(artifacts: Path, codes: Codes) -> None:
    assert codes(json.dumps(stage(artifacts))) == [("SPS007", "case:1")]


def test_totals_of_older_versions(artifacts: Path, codes: Codes) -> None:
    path = artifacts / FOLDER / "0.1/stage_1_lifecycle_metrics.json"
    (counts,) = specstats.read(path).counters.to_pylist()

    # Mean lengths 100 and 10.5 times 10 successes.
    assert (counts["n_prompt"], counts["n_output"]) == (1000, 105)
    assert counts["duration_s"] is None
    assert codes(path.read_bytes()) == []


@pytest.mark.parametrize("rate", [-1.0, "fast", "\ud800", 0, [], True])
def test_a_rate_that_is_none(rate: object, artifacts: Path, codes: Codes) -> None:
    content = changed(stage(artifacts), "load_summary", requested_rate=rate)

    assert codes(content) == [("SPS006", "case:1"), ("SPS007", "case:1")]
    bench = specstats.read(content.encode())
    assert bench.counters.to_pylist()[0]["settings"] is None
    assert not any("\ud800" in (item.observed or "") for item in bench.findings)


@pytest.mark.parametrize(
    ("section", "values"),
    [
        ("load_summary", {"count": 12, "achieved_rate": 3.0}),
        ("load_summary", {"achieved_rate": 9.0}),
        ("successes", {"throughput": {"requests_per_sec": 5.0}}),
        ("successes", {"throughput": {"output_tokens_per_sec": 5.0}}),
    ],
)
def test_counts_that_do_not_add_up(
    section: str, values: dict[str, object], artifacts: Path, codes: Codes
) -> None:
    content = changed(stage(artifacts), section, **values)

    assert [code for code, _ in codes(content)] == ["SPS007", "SPS006"]


def test_a_prometheus_window(artifacts: Path) -> None:
    path = artifacts / FOLDER / "0.1/stage_1_prometheus_metrics.json"
    bench = specstats.read(path)
    found = bench.aggregates.to_pylist()

    assert {row["scope"] for row in found} == {"window"}
    assert {row["n"] for row in found if row["metric"] == "ttft"} == {37}
    assert all("interpolated" in row["definition"] for row in found)
    assert {row["workload"] for row in found} == {"stage 1, Prometheus"}
    assert bench.counters.num_rows == 0


def test_requests(artifacts: Path, rows: Rows, codes: Codes) -> None:
    path = artifacts / FOLDER / "0.5.0/per_request_lifecycle_metrics.json"
    good, empty, failed = rows(path.read_bytes())

    assert (good["ttft_s"], good["decode_s"], good["e2e_s"]) == (0.25, 0.5, 1.0)
    assert (good["n_prompt"], good["n_output"]) == (12, 3)
    assert good["started_s"] is None
    assert str(good["prompt_id"]).startswith("sha256:")
    assert (empty["ok"], empty["n_output"], empty["e2e_s"]) == (True, 0, None)
    assert (failed["ok"], failed["error"]) == (False, "HTTP Error 500: boom")
    assert codes(path.read_bytes()) == [("SPS007", "case:2")]


def test_requests_of_older_versions(artifacts: Path, rows: Rows) -> None:
    path = artifacts / FOLDER / "0.1/per_request_lifecycle_metrics.json"
    (row,) = rows(path.read_bytes())

    assert (row["started_s"], row["ended_s"]) == (1760000000.0, 1760000001.0)
    assert (row["ttft_s"], row["decode_s"], row["n_output"]) == (0.5, 0.5, 4)
    assert row["prompt_id"] is None


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), [[1]]],
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    entry = stage(artifacts)
    for key in ("successes", "failures", "benchmark_time_seconds"):
        bench = specstats.read(json.dumps({**entry, key: wrong}).encode())
        assert bench.inputs[0].entries == 1
    for section in ("load_summary", "successes", "failures"):
        inside = entry[section]
        assert isinstance(inside, dict)
        for key in inside:
            content = changed(entry, section, **{key: wrong})
            assert specstats.read(content.encode()).inputs[0].entries == 1
    path = artifacts / FOLDER / "0.5.0/per_request_lifecycle_metrics.json"
    request = json.loads(path.read_text())[0]
    for key in request:
        content = json.dumps([request, {**request, key: wrong}])
        assert specstats.read(content.encode()).inputs[0].entries == 2
    for key in request["info"]["response_metrics"]:
        answer = {**request["info"]["response_metrics"], key: wrong}
        info = {**request["info"], "response_metrics": answer}
        content = json.dumps([{**request, "info": info}])
        assert specstats.read(content.encode()).inputs[0].parsed == 1
