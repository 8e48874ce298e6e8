"""LMDeploy, Text Generation Inference and inference-benchmarker: from source only."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.readers._registry import READERS

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]
EXPERIMENTAL = (
    "lmdeploy",
    "tgi-benchmark",
    "inference-benchmarker",
    "trtllm-bench-requests",
)


def test_they_are_marked_as_experimental() -> None:
    marked = {reader.name for reader in READERS if reader.experimental}

    assert marked >= set(EXPERIMENTAL)


def test_lmdeploy(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "lmdeploy/0.10/profile.csv").read_bytes()
    found = rows(content, "aggregates")
    counts = rows(content, "counters")
    times = {
        (row["entry"], row["metric"]): row["value"]
        for row in found
        if row["statistic"] == "mean"
    }

    assert times[2, "e2e"] == pytest.approx(0.7005)
    assert times[2, "ttft"] == pytest.approx(0.05025)
    assert (3, "ttft") not in times
    assert [row["n_output"] for row in counts] == [1280, 1216]
    assert [row["duration_s"] for row in counts] == [4.0, 3.8]
    settings = json.loads(str(counts[0]["settings"]))
    assert (settings["cfg.bs"], settings["cfg.backend"]) == (16, "turbomind")
    assert "cfg.sharegpt_output_len" not in settings
    assert codes(content) == []
    wrong = content.replace(b"320.000,700", b"100.000,700")
    assert codes(wrong) == [("SPS006", "case:2")]


def test_the_older_columns_of_lmdeploy(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "lmdeploy/0.7/legacy.csv").read_bytes()
    found = {row["metric"]: row["value"] for row in rows(content, "aggregates")}

    assert found == {
        "ttft": 0.125,
        "request_throughput": 4.5,
        "output_throughput": 900.0,
        "total_throughput": 1900.0,
    }


def test_lmdeploy_rows_that_do_not_fit(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "lmdeploy/0.10/profile.csv").read_text()

    assert codes(content + "turbomind,16\n") == [("SPS002", "case:4")]
    assert codes(content + "x," * 18 + "x\n") == [("SPS002", "case:4")]


def test_tgi(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "tgi-benchmark/3.x/table.md").read_bytes()
    found = rows(content, "aggregates")
    values = {
        (row["metric"], row["prompt_id"], row["statistic"]): row["value"]
        for row in found
    }

    assert values["prompt", "batch 1", "mean"] == pytest.approx(0.0205)
    assert values["prompt", "batch 2", "p90"] == pytest.approx(0.025)
    assert values["step", "batch 2", "median"] == pytest.approx(0.011)
    assert values["decode", "batch 1", "max"] == pytest.approx(0.077)
    assert values["decode_rate", "batch 2", "mean"] == 181.82
    assert len(found) == 6 * 6 + 4 * 3
    settings = json.loads(str(found[0]["settings"]))
    assert settings["cfg.temperature"] == 0.5
    assert settings["cfg.decode_length"] == 8
    assert "cfg.top_n_tokens" not in settings
    assert codes(content) == []


def test_tgi_rows_that_do_not_fit(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "tgi-benchmark/3.x/table.md").read_text()
    wrong = content + "| Decode | x | y | z |\n"

    assert [code for code, _ in codes(wrong)] == ["SPS002"]


def test_inference_benchmarker(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "inference-benchmarker/1.x/report.json").read_bytes()
    found = rows(content, "aggregates")
    loads = rows(content, "counters")
    second = {
        (row["metric"], row["statistic"]): row["value"]
        for row in found
        if row["workload"] == "constant@2.00req/s"
    }

    assert second["ttft", "mean"] == pytest.approx(0.044)
    assert second["itl", "p90"] == pytest.approx(0.0165)
    assert second["output_throughput", "rate"] == 190.0
    assert [(row["n_requests"], row["n_failed"]) for row in loads] == [(2, 0), (19, 1)]
    assert [row["duration_s"] for row in loads] == [4.0, 10.0]
    settings = json.loads(str(loads[1]["settings"]))
    assert settings["cfg.rate"] == 2.0
    assert "hostname" not in str(settings)
    assert codes(content) == [("SPS007", "case:1")]
    wrong = content.replace(b"190.0", b"250.0")
    assert [code for code, _ in codes(wrong)] == ["SPS007", "SPS006"]


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), [[1]]],
)
def test_wrong_types_in_a_report(wrong: object, artifacts: Path) -> None:
    report = json.loads(
        (artifacts / "inference-benchmarker/1.x/report.json").read_text()
    )
    for key in report["results"][0]:
        results = [report["results"][0], {**report["results"][1], key: wrong}]
        changed = json.dumps({**report, "results": results})
        assert specstats.read(changed.encode()).inputs[0].entries == 2
    for key in report["config"]:
        changed = json.dumps({**report, "config": {**report["config"], key: wrong}})
        assert specstats.read(changed.encode()).inputs[0].parsed == 2
