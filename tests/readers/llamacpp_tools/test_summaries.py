"""Printed summaries: llama-speculative, performance lines, LocalScore."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers.llamacpp.localscore import score_of

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
SUMMARY = """\
encoded   20 tokens in    0.200 seconds, speed:  100.000 t/s
decoded  120 tokens in    4.000 seconds, speed:   30.000 t/s

n_draft   = 8
n_predict = 120
n_drafted = 100
n_accept  = 80
accept    = 80.000%
"""
PERF = (
    "llama_perf_context_print: prompt eval time =     100.00 ms /    20 tokens "
    "(    5.00 ms per token,   200.00 tokens per second)\n"
    "llama_perf_context_print:        eval time =    1000.00 ms /    49 runs   "
    "(   20.41 ms per token,    49.00 tokens per second)\n"
    "llama_perf_context_print:       total time =    1130.00 ms /    69 tokens\n"
)


def column(found: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in found]


def settings(row: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(row["settings"])
    return told


def test_two_runs(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-speculative/2023-09/two-runs.log").read_bytes()
    found = rows(content)

    assert column(found, "n_output") == [120, 120]
    assert column(found, "decode_s") == [4.0, None]
    assert column(found, "engine_rate_tps") == [30.0, None]
    assert column(found, "rate_convention") == ["n", None]
    assert column(found, "n_draft") == [100, None]
    assert column(found, "n_accepted") == [80, None]
    # 120 tokens, 80 of them drafted: 40 passes of the target.
    assert column(found, "n_steps") == [40, 120]
    assert column(found, "prompt_s") == [0.2, None]
    assert len(set(column(found, "process"))) == 2
    # "Run 1" and "Run 2" differ in their numbers only.
    assert column(found, "arm") == [None, None]
    assert codes(content) == []


def test_speculative_simple(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-speculative/2024-11/simple.log").read_bytes()
    (row,) = rows(content)

    assert (row["n_prompt"], row["prompt_s"]) == (14, 0.056)
    assert (row["n_output"], row["decode_s"], row["n_steps"]) == (200, 2.5, 50)
    assert settings(row) == {
        "cfg.n_draft_max": 5,
        "id.build": "b4180-46c69e0e",
        "id.draft_model": "draft.gguf",
        "id.model": "target.gguf",
    }
    assert codes(content) == []


def test_headings_that_tell_arms_apart(rows: Rows) -> None:
    named = f"## With\n{SUMMARY}\n## Without ##\n{SUMMARY}"
    half = f"## With\n{SUMMARY}\n{SUMMARY}"

    assert column(rows(named), "arm") == ["With", "Without"]
    assert column(rows(half), "arm") == [None, None]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("accept    = 80.000%", "accept    = 70.000%"),
        ("n_accept  = 80", "n_accept  = 101"),
        ("n_predict = 120", "n_predict = 121"),
        ("speed:   30.000", "speed:   31.000"),
    ],
)
def test_summaries_that_contradict(old: str, new: str, codes: Codes) -> None:
    assert codes(SUMMARY) == []
    assert set(codes(SUMMARY.replace(old, new))) == {("SPS006", "case:1")}


def test_more_accepted_than_drafted(rows: Rows) -> None:
    (row,) = rows(SUMMARY.replace("n_accept  = 80", "n_accept  = 110"))

    assert (row["n_draft"], row["n_accepted"], row["n_steps"]) == (None, None, None)
    assert row["decode_s"] == 4.0


@pytest.mark.parametrize("lost", ["n_accept  = 80", "n_drafted = 100"])
def test_a_summary_without_counts(lost: str, rows: Rows, codes: Codes) -> None:
    content = SUMMARY + SUMMARY.replace(lost, "x")

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:9")]


def test_performance_lines(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-perf/2024/two-blocks.log").read_bytes()
    found = rows(content)

    # 99 runs are 100 tokens: the first one comes from the prompt.
    assert column(found, "n_output") == [100, None]
    assert column(found, "n_steps") == [99, None]
    assert column(found, "decode_s") == [2.475, None]
    assert column(found, "engine_rate_tps") == [40.0, None]
    assert column(found, "rate_convention") == ["n-1", None]
    assert column(found, "n_prompt") == [13, 2048]
    assert column(found, "prompt_s") == [0.052, 1.024]
    assert len(set(column(found, "process"))) == 2
    assert codes(content) == []


def test_wording_of_2023(artifacts: Path, rows: Rows) -> None:
    (row,) = rows((artifacts / "llama-perf/2023/timings.log").read_bytes())

    assert (row["n_output"], row["decode_s"]) == (128, 6.35)
    assert settings(row) == {"id.build": "b1234-abcdef0", "id.model": "old.gguf"}


def test_wording_of_2025(artifacts: Path, rows: Rows) -> None:
    (row,) = rows((artifacts / "llama-perf/2025/common.log").read_bytes())

    assert (row["n_output"], row["decode_s"]) == (50, 1.0)
    assert row["settings"] is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("49.00 tokens per", "48.00 tokens per"),
        ("200.00 tokens per", "100.00 tokens per"),
        ("/    69 tokens", "/    70 tokens"),
    ],
)
def test_blocks_that_contradict(old: str, new: str, codes: Codes) -> None:
    assert codes(PERF) == []
    assert codes(PERF.replace(old, new)) == [("SPS006", "case:1")]


def test_a_block_without_work(rows: Rows, codes: Codes) -> None:
    content = PERF + PERF.replace("/    20 tokens", "").replace("/    49 runs", "")

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:4")]


def test_lines_beside_other_results_are_theirs(artifacts: Path, codes: Codes) -> None:
    table = (artifacts / "ik-sweep-bench/2025/crash.txt").read_bytes()

    assert codes(table + PERF.encode()) == codes(table)


def test_localscore(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "localscore/llamafile/result.json").read_bytes()
    found, means = rows(content), rows(content, "aggregates")

    assert column(found, "e2e_s") == [1.0, 3.0, 50.0]
    assert column(found, "decode_s") == [None] * 3
    assert column(found, "n_output") == [16, 16, 1024]
    assert [(x["prompt_id"], x["metric"], x["value"], x["n"]) for x in means] == [
        ("pp1024+tg16", "prompt_rate", 4000.0, 2),
        ("pp1024+tg16", "decode_rate", 20.0, 2),
        ("pp1024+tg16", "ttft", 0.4, 2),
        ("pp64+tg1024", "prompt_rate", 2000.0, 1),
        ("pp64+tg1024", "decode_rate", 20.0, 1),
        ("pp64+tg1024", "ttft", 0.6, 1),
        (None, "prompt_rate", 3000.0, 2),
        (None, "decode_rate", 20.0, 2),
        (None, "ttft", 0.5, 2),
        (None, "performance_score", 493.2424, None),
    ]
    assert settings(found[0])["id.model"] == "Tiny 1B"
    assert codes(content) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"avg_prompt_tps": 3000.0', '"avg_prompt_tps": 2900.0'),
        ('"performance_score": 493.2424', '"performance_score": 600'),
        ('"avg_ns": 2000000000', '"avg_ns": 2100000000'),
    ],
)
def test_localscore_contradictions(
    old: str, new: str, artifacts: Path, codes: Codes
) -> None:
    content = (artifacts / "localscore/llamafile/result.json").read_text()

    assert old in content
    assert {code for code, _ in codes(content.replace(old, new))} == {"SPS006"}


def test_a_localscore_document_that_is_cut_off(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "localscore/llamafile/result.json").read_text()
    cut = content.index('"results_summary"')

    assert column(rows(content[:cut]), "e2e_s") == [1.0, 3.0, 50.0]


def test_localscore_table(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "localscore-table/2025-07/table.tsv").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["entry"], x["metric"], x["value"], x["unit"]) for x in found] == [
        (2, "prompt_rate", 2000.0, "tok/s"),
        (2, "decode_rate", 100.0, "tok/s"),
        (2, "ttft", 0.5, "s"),  # 500 ms
        (2, "performance_score", 737.0, "1"),
        (3, "prompt_rate", 64.0, "tok/s"),
        (3, "decode_rate", 8.0, "tok/s"),
        (3, "ttft", 8.0, "s"),  # 8.0 s
        (3, "performance_score", 40.0, "1"),
    ]
    assert len(set(column(found, "process"))) == 2
    # Listed twice, and without a rate.
    assert codes(content) == [("SPS002", "case:4"), ("SPS002", "case:5")]


def test_the_score() -> None:
    # 10 x cube root of 64 x 8 / 8.
    assert score_of(64.0, 8.0, 8.0) == pytest.approx(40.0)
