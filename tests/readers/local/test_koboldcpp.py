"""KoboldCpp: benchmark CSV and console."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def text_of(artifacts: Path, name: str) -> str:
    return (artifacts / name).read_text("utf-8")


def number_of(row: dict[str, object]) -> str:
    return str(row["process"]).partition("#")[2]


def settings_of(row: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = json.loads(str(row["settings"]))
    return found


def test_each_row_is_a_launch(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "koboldcpp-csv/1.66/bench.csv")
    found = rows(content)

    assert [number_of(row) for row in found] == ["1", "2"]
    assert [row["entry"] for row in found] == [2, 3]
    assert [row["engine_rate_tps"] for row in found] == [20.0, 25.0]
    assert [row["decode_s"] for row in found] == [5.0, 4.0]
    assert [row["n_output"] for row in found] == [None, None]
    assert [row["e2e_s"] for row in found] == [15.0, 12.0]
    assert float(str(found[1]["ended_s"])) - float(str(found[0]["ended_s"])) == 3600
    assert settings_of(found[1])["id.model"] == "tiny-1b, the second.q4_0"
    assert settings_of(found[1])["cfg.max_ctx"] == 1100
    told = rows(content, "aggregates")
    assert [row["value"] for row in told] == [100.0, 20.0, 125.0, 25.0]
    assert all("nominal" in str(row["definition"]) for row in told)
    assert codes(content) == []


def test_flags_of_a_row(artifacts: Path, rows: Rows) -> None:
    (row,) = rows(text_of(artifacts, "koboldcpp-csv/1.68/bench.csv"))
    settings = settings_of(row)

    assert settings["cfg.Cublas_Args"] == "['0', 'mmq']"
    assert settings["cfg.FlashAttention"] == "True"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("5.00,20.00,15.00", "5.00,20.00,19.00", "SPS006"),
        ("5.00,20.00,15.00", "5.00,30.00,15.00", "SPS006"),
        ("10.00,100.00,5.00", "ten,100.00,5.00", "SPS002"),
    ],
)
def test_rows_that_do_not_fit(
    before: str, after: str, expected: str, artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, "koboldcpp-csv/1.66/bench.csv")

    assert codes(content.replace(before, after)) == [(expected, "case:2")]


def test_the_console(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "koboldcpp-console/1.65/console.log")
    first, second = rows(content)

    # 25 tok/s for 8 s are the 200 tokens asked for, not the 80 generated.
    assert (first["n_output"], first["decode_s"]) == (80, 8.0)
    assert (first["engine_rate_tps"], first["n_prompt"]) == (None, 500)
    assert codes(content) == [("SPS006", "case:5")]
    assert (second["n_output"], second["engine_rate_tps"]) == (100, 25.0)
    assert (second["rate_convention"], second["e2e_s"]) == ("n", 4.05)
    assert [number_of(first), number_of(second)] == ["1", "1"]
    assert settings_of(first)["id.build"] == "1.65"
    bare = content.partition("\n")[2]
    assert [row["process"] for row in rows(bare)] == [None, None]


def test_a_right_rate_of_an_early_end(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = text_of(artifacts, "koboldcpp-console/1.65/console.log")
    right = content.replace(
        "40.0ms/T = 25.00T/s), Total:13", "100ms/T = 10.00T/s), Total:13"
    )

    assert rows(right)[0]["engine_rate_tps"] == 10.0
    assert codes(right) == []


def test_the_wording_of_2023(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "koboldcpp-console/2023/console.log")
    (row,) = rows(content)

    assert (row["n_prompt"], row["prompt_s"]) == (200, 2.0)
    assert (row["n_output"], row["decode_s"], row["e2e_s"]) == (50, 5.0, 7.0)
    assert row["engine_rate_tps"] is None
    assert codes(content.replace("Generation:5.00s", "Generation:fast")) == [
        ("SPS002", "case:3")
    ]
    assert codes(content.replace("(50 / 50", "(0 / 50")) == [("SPS007", "case:3")]


def test_the_result_of_a_benchmark(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "koboldcpp-console/2024-bench/result.txt")
    (row,) = rows(content)

    assert (row["prompt_s"], row["decode_s"], row["e2e_s"]) == (10.0, 5.0, 15.0)
    assert (row["engine_rate_tps"], row["n_output"]) == (20.0, None)
    assert settings_of(row)["cfg.gen_amount"] == 100
    assert [number_of(x) for x in rows(content + content)] == ["1", "2"]
    assert codes(content.replace("TotalTime: 15.000s", "TotalTime: 16.000s")) == [
        ("SPS006", "case:14")
    ]
    assert codes(content.replace("GenerationTime: 5.000s", "GenerationTime: -")) == [
        ("SPS002", "case:14")
    ]


def test_a_benchmark_and_its_line_are_one_measurement(
    artifacts: Path, rows: Rows
) -> None:
    line = (
        "CtxLimit:1100/1100, Amt:100/100, Process:10.00s (10.0ms/T = 100.00T/s), "
        "Generate:5.00s (50.0ms/T = 20.00T/s), Total:15.00s (6.67T/s)\n"
    )
    content = line + text_of(artifacts, "koboldcpp-console/2024-bench/result.txt")

    assert [row["entry"] for row in rows(content)] == [1]
    assert len(rows(content, "aggregates")) == 2
