"""The block of vllm bench serve and the statistics of the offline example."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.errors import MalformedArtifactError
from specstats.readers.vllm.bench_log import READER

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]

LOADS = "vllm-bench-log/0.20.0/four-loads.log"
FAILED = "vllm-bench-log/0.21.0/all-failed.log"
STATISTICS = "vllm-offline/v1-2025/stats.txt"


def printed(found: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in found}


def test_a_block_is_a_load(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / LOADS).read_bytes()
    loads = rows(content, "counters")
    first = [row for row in rows(content, "aggregates") if row["entry"] == 4]
    found = printed(first)

    assert [row["entry"] for row in loads] == [4, 40, 76, 112]
    assert [row["duration_s"] for row in loads] == [12.5, 13.5, 14.5, 15.5]
    assert {row["process"] for row in loads} == {None}
    load = loads[0]
    assert (load["n_requests"], load["n_failed"]) == (80, 0)
    assert (load["n_prompt"], load["n_output"]) == (5000, 20480)
    assert (load["n_verify"], load["n_draft"]) == (9733, 29199)
    assert load["n_accepted"] == 5814
    # 37.36 %, 14.92 % and 7.46 % of 9733, and 3636 + 1452 + 726 = 5814.
    assert load["accepted_by_position"] == "[3636, 1452, 726]"
    assert found["ttft", "mean"] == 0.05
    assert found["tpot", "median"] == 0.0036
    assert found["itl", "p99"] == 0.012
    # 20480 / 12.5.
    assert found["output_throughput", "rate"] == 1638.4
    assert found["acceptance_rate", "ratio"] == pytest.approx(0.1991)
    assert found["mean_accepted_length", "ratio"] == 1.6
    assert json.loads(load["settings"]) == {
        "cfg.burstiness": 1.0,
        "cfg.dataset_name": "random",
        "cfg.max_concurrency": 8,
        "cfg.num_prompts": 80,
        "cfg.random_input_len": 64,
        "cfg.random_output_len": 256,
        "cfg.request_rate": "inf",
        "cfg.seed": 0,
        "id.model": "Tiny-1B",
    }


def test_loads_of_unknown_servers_are_one_run(artifacts: Path) -> None:
    bench = specstats.read(artifacts / LOADS)

    assert len(set(bench.counters["run_id"].to_pylist())) == 1
    assert set(bench.counters["run_boundary"].to_pylist()) == {"unknown"}


def test_settings_belong_to_the_next_block_alone(rows: Rows, artifacts: Path) -> None:
    first = (artifacts / LOADS).read_text().split("Namespace")[1]
    second = "=== Serving Benchmark Result ===\nSuccessful requests: 3\n"
    loads = rows(f"Namespace{first}{second}", "counters")

    assert "cfg.seed" in loads[0]["settings"]
    assert loads[1]["settings"] is None


def test_zeros_of_a_load_that_failed_are_not_values(
    rows: Rows, codes: Codes, artifacts: Path
) -> None:
    content = (artifacts / FAILED).read_bytes()
    (load,) = rows(content, "counters")
    left = {"source", "entry", "scope", "n_requests", "n_failed", "settings"}

    assert {name for name, value in load.items() if value is not None} == left
    assert (load["n_requests"], load["n_failed"]) == (0, 80)
    assert rows(content, "aggregates") == []
    assert codes(content) == [("SPS007", "case:4")]


def test_how_many_failed_where_the_block_does_not_say(
    rows: Rows, artifacts: Path
) -> None:
    lines = (artifacts / FAILED).read_text().splitlines(keepends=True)
    content = "".join(line for line in lines if not line.startswith("Failed"))
    (load,) = rows(content, "counters")

    assert load["n_failed"] == 80


def test_some_failed(rows: Rows, codes: Codes, artifacts: Path) -> None:
    content = (artifacts / "vllm-bench-log/0.20.0/some-failed.log").read_bytes()
    (load,) = rows(content, "counters")

    assert (load["n_requests"], load["n_failed"]) == (76, 4)
    assert codes(content) == [("SPS007", "case:4")]


def test_a_block_of_sglang(rows: Rows, artifacts: Path) -> None:
    path = artifacts / "vllm-bench-log/sglang-0.5/accept-length.log"
    found = rows(path.read_bytes(), "aggregates")
    values = printed(found)
    (length,) = [row for row in found if row["metric"] == "mean_accepted_length"]

    assert (length["value"], length["scope"]) == (2.75, "lifetime")
    assert values["e2e", "mean"] == 1.52
    assert values["itl", "max"] == 0.044
    assert values["input_throughput", "rate"] == 250.0
    assert json.loads(rows(path.read_bytes(), "counters")[0]["settings"]) == {
        "cfg.backend": "sglang",
        "cfg.max_concurrency": 4,
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" 1.60 ", " 2.60 "),  # 1 + 5814 / 9733
        (" 19.91 ", " 29.91 "),  # 5814 / 29199
        (" 1638.40 ", " 1738.40 "),  # 20480 / 12.5
    ],
)
def test_numbers_of_a_block_that_contradict_each_other(
    codes: Codes, artifacts: Path, before: str, after: str
) -> None:
    content = (artifacts / LOADS).read_bytes().decode()

    assert before in content
    assert codes(content) == []
    assert codes(content.replace(before, after, 1)) == [("SPS006", "case:4")]


@pytest.mark.parametrize("count", ["", "x", "-3", "1e3", "9" * 30, "nan"])
def test_blocks_without_a_number_of_requests(codes: Codes, count: str) -> None:
    content = f"== Serving Benchmark Result ==\nSuccessful requests: {count}\n=====\n"

    assert codes(content) == [("SPS002", "case:1")]


def test_a_load_that_did_not_end() -> None:
    content = b"Namespace(subparser='bench', bench_type='serve', seed=0)\nStarting\n"

    with pytest.raises(MalformedArtifactError, match="did not come to its end"):
        specstats.read(content)


@pytest.mark.parametrize(
    ("content", "score"),
    [
        (b"============ Serving Benchmark Result ============", 85),
        (b"Namespace(subparser='bench', bench_type='serve', seed=0)", 60),
        (b"Namespace(subparser='bench', bench_type='latency')", 0),
        (b'{"text": "Serving Benchmark Result"}', 0),
        (b"SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens", 0),
    ],
)
def test_sniff(content: bytes, score: int) -> None:
    assert READER.claim(content, "x").score == score


def test_statistics_of_the_offline_example(
    rows: Rows, codes: Codes, artifacts: Path
) -> None:
    content = (artifacts / STATISTICS).read_bytes()
    (load,) = rows(content, "counters")
    (length,) = rows(content, "aggregates")

    assert (load["n_output"], load["n_verify"], load["n_draft"]) == (250, 80, 240)
    assert load["n_accepted"] == 120
    # 0.80, 0.50 and 0.20 of 80.
    assert load["accepted_by_position"] == "[64, 40, 16]"
    assert load["process"].endswith("#0")
    assert length["value"] == 2.5
    assert codes(content) == []


def test_two_engines_printed_into_one_file(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / STATISTICS).read_text() * 2
    found = rows(content, "counters")

    assert [row["process"][-2:] for row in found] == ["#0", "#1"]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("length: 2.50", "length: 3.50", "SPS006"),
        ("num_drafts: 80", "num_drafts: many", "SPS002"),
    ],
)
def test_broken_statistics(
    codes: Codes, artifacts: Path, before: str, after: str, code: str
) -> None:
    content = (artifacts / STATISTICS).read_text().replace(before, after)

    assert [found for found, _ in codes(content)] == [code]


def test_a_length_below_zero_is_no_length(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / STATISTICS).read_text().replace("length: 2.50", "length: -1")

    assert rows(content, "aggregates") == []
    assert len(rows(content, "counters")) == 1


def test_a_block_that_another_cuts_off(rows: Rows) -> None:
    block = "== Serving Benchmark Result ==\nSuccessful requests: 3\n"

    assert [row["n_requests"] for row in rows(block * 2, "counters")] == [3, 3]


def test_arguments_that_are_no_numbers(rows: Rows) -> None:
    content = (
        "Namespace(seed=1.2.3, burstiness=1e-3, top_p=-1, num_prompts=3)\n"
        "== Serving Benchmark Result ==\nSuccessful requests: 3\n"
    )

    assert json.loads(rows(content, "counters")[0]["settings"]) == {
        "cfg.burstiness": 0.001,
        "cfg.num_prompts": 3,
        "cfg.top_p": -1,
    }
