"""trtllm-bench: reports, printed blocks, requests."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def table(rows: list[dict[str, object]]) -> dict[tuple[object, object], object]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def test_a_report(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "trtllm-bench/1.2.0/report.json").read_bytes()
    found = table(rows(content, "aggregates"))

    assert found["e2e", "median"] == pytest.approx(0.19)
    assert found["e2e", "mean"] == pytest.approx(0.2)
    assert found["ttft", "p99"] == pytest.approx(0.06)
    assert found["tpot", "mean"] == pytest.approx(0.0085)
    assert found["output_throughput", "rate"] == 100.0
    assert found["request_output_throughput", "mean"] == 110.0
    # issue_rate 2.5e17 is 0.25 s in nanoseconds, times 1e9.
    assert found["issue_interval", "mean"] == pytest.approx(0.25)
    # The mean of speeds explodes when tokens come in a burst: the median alone stays.
    assert [key for key in found if key[0] == "decode_rate"] == [
        ("decode_rate", "median")
    ]


def test_counts_and_settings_of_a_report(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "trtllm-bench/1.2.0/report.json").read_bytes()
    (row,) = rows(content, "counters")
    settings = json.loads(str(row["settings"]))

    assert (row["n_requests"], row["n_prompt"], row["n_output"]) == (10, 165, 200)
    assert row["duration_s"] == pytest.approx(2.0)
    assert str(row["process"]).endswith("#0")
    assert settings["cfg.dataset"] == "in16.json"
    assert settings["id.model"] == "tiny-llm-1b"
    assert settings["id.device"] == "Some GPU"
    assert "someone" not in str(settings)
    assert "None" not in str(settings)


def test_speculation_is_a_lower_bound(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "trtllm-bench/1.2.0/speculative.json").read_bytes()
    listed = rows(content, "aggregates")
    found = table(listed)

    assert found["acceptance_rate", "mean"] == 0.35
    assert found["mean_accepted_length", "median"] == 2.0
    assert "lower bound" in str(
        next(row for row in listed if row["metric"] == "acceptance_rate")["definition"]
    )
    settings = json.loads(str(listed[0]["settings"]))
    assert settings["cfg.speculative_mode"] == "Eagle3"
    assert "id.device" not in settings


def test_the_block_of_old_versions(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "trtllm-bench/0.16.0/block.txt").read_bytes()
    found = table(rows(content, "aggregates"))
    (row,) = rows(content, "counters")

    assert found == {
        ("output_throughput", "rate"): 80.0,
        ("request_throughput", "rate"): 8.0,
        ("issue_interval", "mean"): pytest.approx(5e-5),
    }
    assert (row["n_requests"], row["n_prompt"], row["n_output"]) == (40, 1280, 400)
    assert row["duration_s"] == pytest.approx(5.0)
    assert json.loads(str(row["settings"]))["id.build"] == "0.16.0"


def test_blocks_are_launches(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "trtllm-bench/1.2.0/two-blocks.txt")
    found = bench.aggregates.to_pylist()
    firsts = [row for row in found if str(row["process"]).endswith("#0")]

    assert len(bench.runs) == 2
    assert {run.boundary for run in bench.runs} == {"proved"}
    assert bench.column("counters", "n_output") == [200, 200]
    assert table(firsts)["ttft", "median"] == pytest.approx(0.028)
    assert table(firsts)["e2e", "p99"] == pytest.approx(0.26)
    assert table(firsts)["total_throughput", "rate"] == 180.0


def test_a_contradiction(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "trtllm-bench/1.2.0/report.json").read_text()

    assert codes(content) == []
    wrong = content.replace(
        '"request_throughput_req_s": 5.0', '"request_throughput_req_s": 6.0'
    )
    assert codes(wrong) == [("SPS006", "case:1")]


def test_a_log_that_ends_too_early(codes: Codes) -> None:
    content = "[TRT-LLM] [I] Preparing to run throughput benchmark...\nout of memory\n"

    assert codes(content) == [("SPS002", "case:1")]


def test_single_requests(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "trtllm-bench-requests/1.x/requests.json").read_bytes()
    first, second, failed = rows(content)

    assert first["ttft_s"] == pytest.approx(0.05)
    assert first["e2e_s"] == pytest.approx(0.25)
    assert first["decode_s"] == pytest.approx(0.2)
    assert (first["n_output"], first["n_steps"]) == (11, 4)
    assert (first["n_draft"], first["n_accepted"]) == (None, None)
    assert (second["ttft_s"], second["e2e_s"]) == (None, pytest.approx(0.3))
    assert (failed["ok"], failed["e2e_s"]) == (False, None)
    assert codes(content) == [("SPS007", "case:3")]


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), [[1]]],
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    report = json.loads((artifacts / "trtllm-bench/1.2.0/speculative.json").read_text())
    for section, parts in report.items():
        for key in parts or ():
            changed = json.dumps({**report, section: {**parts, key: wrong}})
            bench = specstats.read(changed.encode())
            assert bench.inputs[0].entries == 1
    requests = json.loads(
        (artifacts / "trtllm-bench-requests/1.x/requests.json").read_text()
    )
    for key in requests[0]:
        changed = json.dumps([requests[1], {**requests[0], key: wrong}])
        assert specstats.read(changed.encode()).inputs[0].entries == 2
