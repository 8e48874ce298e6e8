"""llama-bench samples and tables: values against hand-computed ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
RECORD = {"n_prompt": 0, "n_gen": 8, "samples_ns": [4e8, 5e8]}


def record(**changes: object) -> str:
    return json.dumps({**RECORD, **changes})


def test_samples(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / "llama-bench/b9862/bench.jsonl").read_bytes())

    assert [(row["prompt_id"], row["repetition"], row["entry"]) for row in found] == [
        *(("pp512", 0, 1), ("pp512", 1, 1)),
        *(("tg128 @ d4096", number, 2) for number in range(3)),
        ("pp512", 0, 3),
    ]
    assert [row["prompt_s"] for row in found[:2]] == [0.5, 0.5]
    assert [row["n_prompt"] for row in found[:2]] == [512, 512]
    assert [row["decode_s"] for row in found[2:5]] == pytest.approx([8.0, 4.0, 3.0])
    assert [row["engine_rate_tps"] for row in found[2:5]] == [16.0, 32.0, 42.666667]
    assert {row["rate_convention"] for row in found[2:5]} == {"n"}
    assert found[0]["started_s"] == 1785672000.0
    assert [row["started_s"] for row in found[3:5]] == [None, None]


def test_a_test_that_comes_again_is_another_process(
    artifacts: Path, rows: Rows
) -> None:
    found = rows((artifacts / "llama-bench/b9862/bench.jsonl").read_bytes())
    processes = [row["process"] for row in found]

    assert len(set(processes[:5])) == 1
    assert processes[5] not in processes[:5]


def test_settings_and_identities(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / "llama-bench/b9862/bench.jsonl").read_bytes())

    assert json.loads(found[0]["settings"]) == {
        "cfg.flash_attn": True,
        "cfg.n_batch": 2048,
        "cfg.n_ubatch": 512,
        "id.backends": "CUDA",
        "id.build_commit": "0a1b2c3d4",
        "id.build_number": "9862",
        "id.cpu_info": "CPU",
        "id.gpu_info": "GPU",
        "id.model_filename": "tiny.gguf",
        "id.model_type": "tiny Q4_0",
    }


def test_a_wrapped_deviation_is_recomputed(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "llama-bench/b9862/bench.jsonl")

    (found,) = bench.findings.of("SPS009")

    # Samples 8, 4, 3 s: mean 5, squares 9 + 1 + 4 over 2, root of 7 s.
    assert found.observed == "3000000000 ns"
    assert found.required == "2645751311 ns"
    assert found.where == ("bench.jsonl:2",)


def test_prompt_and_generation_in_one_test(artifacts: Path, rows: Rows) -> None:
    mixed, plain = rows((artifacts / "llama-bench/b4461/bench.json").read_bytes())

    assert (mixed["prompt_id"], mixed["e2e_s"]) == ("pp100+tg50", 2.0)
    assert (mixed["n_prompt"], mixed["n_output"], mixed["decode_s"]) == (100, 50, None)
    assert (plain["decode_s"], plain["n_output"], plain["n_steps"]) == (1.0, 50, 50)
    assert mixed["process"] == plain["process"]


def test_noise_around_the_records(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-bench/noise/bench.jsonl").read_bytes()

    assert [row["decode_s"] for row in rows(content)] == [0.5]
    # Lines of the devices are no entries.
    assert codes(content) == [("SPS002", "case:4")]


@pytest.mark.parametrize(
    "changes",
    [
        {"samples_ns": []},
        {"samples_ns": {}},
        {"samples_ns": [1e9, 0]},
        {"samples_ns": [1e9, -1]},
        {"samples_ns": [1e9, "2"]},
        {"samples_ns": [1e9, None]},
        {"samples_ns": [1e9, 1e300]},
        {"n_gen": 0},
        {"n_gen": -8},
        {"n_gen": "8"},
        {"samples_ns": [1] * 100_001},
    ],
    ids=lambda changes: str(changes)[:30],
)
def test_bad_records_are_skipped(
    changes: dict[str, object], rows: Rows, codes: Codes
) -> None:
    content = record(**changes)

    assert rows(content) == []
    assert codes(content) == [("SPS002", "case:1")]


@pytest.mark.parametrize("stddev", [1e308, -5, "x", None, True])
def test_odd_deviations(stddev: object, rows: Rows) -> None:
    assert len(rows(record(stddev_ns=stddev))) == 2


@pytest.mark.parametrize("time", ["9999-99-99", "x", 5, "0001-01-01T00:00:00Z", ""])
def test_odd_clocks(time: object, rows: Rows) -> None:
    started = rows(record(test_time=time))[0]["started_s"]

    assert started is None or started < 0


def test_csv(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-bench-table/csv/bench.csv").read_bytes()

    first, second = rows(content, "aggregates")

    assert (first["prompt_id"], first["metric"]) == ("pp512", "prompt_rate")
    assert (first["value"], first["sd"], first["unit"]) == (1024.5, 2.25, "tok/s")
    assert (second["prompt_id"], second["metric"]) == ("tg128 @ d4096", "decode_rate")
    assert (second["value"], second["sd"]) == (32.125, 0.5)
    settings = json.loads(first["settings"])
    assert settings["id.build_commit"] == "12e45678"  # not 12 with a huge exponent
    assert settings["id.cpu_info"] == "CPU, 16 cores"
    assert settings["cfg.n_batch"] == 2048
    assert codes(content) == [("SPS002", "case:4")]


def test_markdown(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-bench-table/markdown/bench.md").read_bytes()

    found = rows(content, "aggregates")

    assert [(x["prompt_id"], x["metric"], x["value"], x["sd"]) for x in found] == [
        ("pp512", "prompt_rate", 1024.5, 12.25),
        ("tg128 @ d4096", "decode_rate", 32.12, 0.5),
        ("pp512+tg64", "total_rate", 80.0, 1.0),
    ]
    assert json.loads(found[0]["settings"]) == {
        "cfg.n_gpu_layers": 99,
        "id.backends": "Vulkan",
        "id.build_commit": "0a1b2c3d4",
        "id.build_number": "9862",
        "id.model_type": "tiny Q4_0",
    }
    assert {row["statistic"] for row in found} == {"mean"}
    assert {row["scope"] for row in found} == {"run"}
    assert codes(content) == [("SPS002", "case:8")]


@pytest.mark.parametrize("mean", ["nan", "inf", "1e999", "-1.0", "", "1_0", "\u0661"])
def test_means_that_are_none(mean: str, rows: Rows, codes: Codes) -> None:
    content = f"build_commit,n_prompt,n_gen,avg_ts\nab,0,8,{mean}\n"

    assert rows(content, "aggregates") == []
    assert codes(content) == [("SPS002", "case:2")]


def test_a_quote_that_never_closes_loses_its_row_only(rows: Rows) -> None:
    content = 'build_commit,n_prompt,n_gen,avg_ts\n"ab,0,8,1\nab,0,8,2\nab,0\n'

    assert [x["value"] for x in rows(content, "aggregates")] == [2]


def test_a_header_without_rows(codes: Codes) -> None:
    assert codes("| model | test | t/s |\n") == [("SPS014", "case:1")]
