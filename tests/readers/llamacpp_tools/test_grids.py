"""llama-batched-bench and sweep-bench: values against hand-computed ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
BATCHED = (
    "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |"
    "      T s |    S t/s |\n"
)
SWEEP = "|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\n"
RECORD = {
    "n_kv_max": 2048,
    "pp": 100,
    "tg": 50,
    "pl": 2,
    "n_kv": 300,
    "t_pp": 0.5,
    "speed_pp": 400.0,
    "t_tg": 2.0,
    "speed_tg": 50.0,
    "t": 2.5,
    "speed": 120.0,
}


def batched(**changes: object) -> str:
    return json.dumps({**RECORD, **changes})


def column(found: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in found]


def settings(row: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(row["settings"])
    return told


def test_batched_table(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-batched-bench/2026/table.txt").read_bytes()
    found = rows(content)

    assert column(found, "entry") == [7, 8, 9, 10, 16]
    # All sequences together: 4 x 32 tokens in 0.8 s are 160 tok/s.
    assert column(found, "n_output") == [32, 128, 256, 128, 128]
    assert column(found, "decode_s") == [0.4, 0.8, 1.0, 1.0, 0.8]
    assert column(found, "engine_rate_tps") == [80.0, 160.0, 256.0, 128.0, 160.0]
    assert set(column(found, "rate_convention")) == {"n"}
    # The last table shares the prompt; PP of 0 has no prompt rate.
    assert column(found, "n_prompt") == [512, 2048, None, 4 * 65472, 512]
    assert column(found, "prompt_s") == [0.256, 1.024, None, 65.472, 0.256]
    assert [row["workload"] for row in found] == ["x1", "x4", "x8", "x4", "x4"]
    assert settings(found[0])["id.model"] == "tiny Q8.gguf"
    assert settings(found[0])["id.build"] == "b8123-0a1b2c3d"
    processes = column(found, "process")
    assert len(set(processes[:4])) == 1
    assert processes[4] != processes[0]
    assert codes(content) == [("SPS002", "case:17")]


def test_rates_of_all_sequences(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "llama-batched-bench/2026/table.txt").read_bytes()
    found = [row for row in rows(content, "aggregates") if row["entry"] in {8, 9}]

    assert [(row["metric"], row["value"]) for row in found] == [
        ("prompt_throughput", 2000.0),
        ("output_throughput", 160.0),
        ("total_throughput", 1192.98),
        ("output_throughput", 256.0),
        ("total_throughput", 256.0),
    ]
    assert set(column(found, "statistic")) == {"value"}
    assert all("all B sequences together" in row["definition"] for row in found)


def test_batched_records(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-batched-bench/readme/bench.jsonl").read_bytes()
    found = rows(content)

    assert column(found, "n_output") == [64, 128, 64]
    assert column(found, "n_prompt") == [128, None, 128]
    assert column(found, "engine_rate_tps") == [32.0, 32.0, 40.0]
    processes = column(found, "process")
    # The first point comes again: another invocation was appended.
    assert processes[0] == processes[1] != processes[2]
    assert codes(content) == []


@pytest.mark.parametrize(
    ("changes", "required"),
    [
        ({"speed_tg": 25.0}, "50.00 tok/s (100 tokens in 2 s)"),
        ({"t": 3.0}, "2.500 s"),
        ({"n_kv": 150}, "300 tokens"),
    ],
)
def test_contradictions(
    changes: dict[str, object],
    required: str,
    parse: Callable[..., list[Any]],
    codes: Codes,
) -> None:
    (batch,) = parse(batched(**changes))

    assert [(x.code, x.required) for x in batch.findings] == [("SPS006", required)]
    assert codes(batched()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"t_tg": None},
        {"t_tg": "2.0"},
        {"t_tg": -1},
        {"pp": 1.5},
        {"pp": -1},
        {"pl": True},
        {"tg": 1e300},
        {"n_kv": []},
        {"t_pp": 1e9},
    ],
    ids=str,
)
def test_bad_records(changes: dict[str, object], rows: Rows, codes: Codes) -> None:
    content = batched() + "\n" + batched(**changes)

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]


def test_rates_may_be_missing(rows: Rows) -> None:
    content = batched().replace("50.0,", "nan,").replace("400.0", "-inf")
    (row,) = rows(content)

    assert (row["n_output"], row["engine_rate_tps"]) == (100, None)
    assert row["rate_convention"] is None
    assert [x["metric"] for x in rows(content, "aggregates")] == ["total_throughput"]


def test_sweep_that_crashed(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ik-sweep-bench/2025/crash.txt").read_bytes()
    found = rows(content)

    assert column(found, "n_cached") == [0, 512, 1024]
    assert column(found, "n_prompt") == [512] * 3
    assert column(found, "prompt_s") == [0.512, 0.64, 0.64]
    assert column(found, "n_output") == column(found, "n_steps") == [128] * 3
    assert column(found, "engine_rate_tps") == [64.0, 50.0, 50.0]
    assert len(set(column(found, "process"))) == 1
    assert settings(found[0])["id.model"] == "tiny-00001-of-00002.gguf"
    assert settings(found[0])["id.gpu_info"] == "Card Three"
    assert settings(found[0])["cfg.n_ubatch"] == 512
    # 512 tokens in 0.64 s are 800 tok/s, not 500.
    assert codes(content) == [("SPS006", "case:10"), ("SPS014", "case:11")]


def test_sweep_records(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ik-sweep-bench/readme/sweep.jsonl").read_bytes()
    found = rows(content)

    assert column(found, "decode_s") == [2.0, 2.56, 3.2]
    processes = column(found, "process")
    # Another n_batch is another process.
    assert processes[0] == processes[1] != processes[2]
    assert codes(content) == []


@pytest.mark.parametrize("header", [BATCHED, SWEEP])
def test_a_header_without_rows(header: str, rows: Rows, codes: Codes) -> None:
    crash = "x.cu:3: GGML_ASSERT(y) failed\n"

    assert rows(header) == []
    assert codes(header) == [("SPS014", "case:1")]
    assert codes(header + crash) == [("SPS014", "case:2")]


def test_an_empty_table_beside_one_with_rows(rows: Rows, codes: Codes) -> None:
    one = "| 8 | 4 | 0 | 1.0 | 8.0 | 1.0 | 4.0 |\n"
    crash = "x.cu:3: GGML_ASSERT(y) failed\n"

    assert codes(SWEEP + one + SWEEP + one) == []
    for content, line in ((SWEEP + SWEEP + one, 1), (SWEEP + one + SWEEP, 3)):
        assert len(rows(content)) == 1
        assert codes(content) == [("SPS014", f"case:{line}")]
    assert codes(SWEEP + crash + SWEEP + one)[0] == ("SPS014", "case:2")
    assert codes(SWEEP + one + crash + SWEEP) == [
        ("SPS014", "case:4"),
        ("SPS014", "case:3"),
    ]


def test_rows_with_too_few_cells(rows: Rows, codes: Codes) -> None:
    content = SWEEP + "| 1 | 2 | 3 |\n| 8 | 4 | 0 | 1.0 | 8.0 | 1.0 | 4.0 |\n"

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]
