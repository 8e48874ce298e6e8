"""MLX: benchmark trials, generate summaries, dflash, receipts, contexts, logs."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def text_of(artifacts: Path, name: str) -> str:
    return (artifacts / name).read_text("utf-8")


def column(found: list[dict[str, object]], name: str) -> list[object]:
    return [row[name] for row in found]


def number_of(process: object) -> str:
    return str(process).partition("#")[2]


def test_trials(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-lm-benchmark/2026/two.txt")
    found = rows(content)

    assert [number_of(x) for x in column(found, "process")] == ["1", "1", "2"]
    assert column(found, "repetition") == [0, 1, 0]
    assert column(found, "engine_rate_tps") == [20.0, 21.0, None]
    assert column(found, "rate_convention") == ["n", "n", None]
    assert column(found, "n_output") == [32, 32, None]
    assert column(found, "e2e_s") == [2.25, 2.18, 3.4]
    told = [
        (row["metric"], row["statistic"], row["value"], row["n"])
        for row in rows(content, "aggregates")
    ]
    assert ("decode_rate", "mean", 20.5, 2) in told
    assert ("output_throughput", "value", 60.0, None) in told
    assert ("output_throughput", "mean", 60.0, 1) in told
    assert codes(content) == []
    wrong = content.replace("generation_tps=20.500", "generation_tps=20.600")
    assert codes(wrong) == [("SPS006", "case:5")]
    assert codes(content.replace("generation_tps=21.000", "generation_tps=nan")) == [
        ("SPS002", "case:4")
    ]


def test_trials_of_the_first_version(artifacts: Path, rows: Rows) -> None:
    found = rows(text_of(artifacts, "mlx-lm-benchmark/2025/first.txt"))

    assert column(found, "e2e_s") == [None, None]
    assert column(found, "n_prompt") == [64, 64]


def test_trials_without_a_timing_line(artifacts: Path, rows: Rows) -> None:
    content = text_of(artifacts, "mlx-lm-benchmark/2025/first.txt")
    bare = content.partition("\n")[2]
    found = rows(bare + bare)

    assert [number_of(x) for x in column(found, "process")] == ["1", "1", "2", "2"]
    assert column(found, "n_output") == [None] * 4


def test_a_generate_summary(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-generate/2025/answer.txt")
    (row,) = rows(content)

    assert (row["n_prompt"], row["n_output"]) == (12, 40)
    assert (row["engine_rate_tps"], row["rate_convention"]) == (30.25, "n")
    assert number_of(row["process"]) == "1"
    text = "It rains,\nthen it stops."
    assert row["output_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert column(rows(content, "aggregates"), "value") == [120.5, 2.5]
    assert column(rows(content + content), "process") == [None, None]
    assert rows(content.replace("then", "=========="))[0]["output_sha256"] is not None
    fenced = content.replace("then it stops.", "==========")
    assert rows(fenced)[0]["output_sha256"] is None
    (single,) = rows(content.replace("Generation: 40", "Generation: 1"))
    assert single["engine_rate_tps"] is None
    empty = content.replace("Generation: 40", "Generation: 0")
    assert codes(empty) == [("SPS007", "case:6")]


def test_dflash(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "dflash-mlx/2026/result.json")
    found = rows(content)
    plain, drafted = found[0], found[1]

    assert column(found, "arm") == ["baseline", "dflash"] * 2
    assert column(found, "repetition") == [0, 0, 1, 1]
    assert (plain["ttft_s"], drafted["ttft_s"]) == (0.2, 0.15)
    assert (plain["engine_rate_tps"], drafted["engine_rate_tps"]) == (20.0, 50.0)
    # 20 cycles of 5 tokens; 0.8 of 100 are accepted: 80 and a bonus token a cycle.
    assert (drafted["n_steps"], drafted["n_output"]) == (20, 100)
    assert (drafted["n_accepted"], drafted["n_draft"]) == (80, None)
    assert (plain["n_steps"], plain["n_output"], plain["n_accepted"]) == (None,) * 3
    assert "cfg.draft_model" not in json.loads(str(plain["settings"]))
    assert len(set(column(found, "process"))) == 1
    assert codes(content) == [("SPS308", "case:1")]
    summed = rows(content, "aggregates")
    assert {row["metric"] for row in summed} == {
        *("mean_accepted_length", "acceptance_ratio", "decode_rate", "speedup")
    }
    ratio = next(row for row in summed if row["metric"] == "acceptance_ratio")
    assert "over generated tokens" in str(ratio["definition"])


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ('"speedup": 2.5}\n  ]', '"speedup": 2.6}\n  ]', "case:2"),
        ('"dflash_tps_max": 55.0', '"dflash_tps_max": 65.0', "case:1"),
        ('"acceptance_ratio": 0.8, "peak', '"acceptance_ratio": 0.7, "peak', "case:1"),
    ],
)
def test_dflash_that_contradicts_itself(
    before: str, after: str, place: str, artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, "dflash-mlx/2026/result.json")
    assert before in content

    found = codes(content.replace(before, after, 1))

    assert ("SPS006", place) in found


def test_dflash_that_lacks_an_arm(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "dflash-mlx/2026/result.json")
    lame = content.replace('"generation_tps": 20.0', '"generation_tps": null')
    none = lame.replace('"generation_tps": 50.0', '"generation_tps": "fast"')

    assert column(rows(lame), "arm") == ["dflash", "baseline", "dflash"]
    assert ("SPS002", "case:1") in codes(none)


def test_contexts(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-context-csv/2026/contexts.csv")
    found = rows(content)

    assert column(found, "arm") == ["Q4 SINGLE 1", "Q4 SINGLE 1", "Q8 SINGLE 1"]
    assert column(found, "prompt_id") == ["ctx1024", "ctx4096", "ctx1024"]
    assert column(found, "engine_rate_tps") == [100.5, 90.25, 60.5]
    assert column(found, "ttft_s") == [1.0, 5.1, 1.1]
    assert "left" not in str(column(found, "settings"))
    assert codes(content) == []
    assert codes(content.replace("5.1,0.09", "5.1,0.19")) == [("SPS006", "case:3")]
    assert codes(content.replace("90.25", "fast")) == [("SPS002", "case:3")]


def test_the_hybrid_log(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-hybrid-log/2026/run.log")
    found = rows(content)

    assert column(found, "phase") == ["warmup", None, None] * 2
    assert column(found, "engine_rate_tps") == [50.5, 60.5, 61.5, 59.0, 58.0, 57.0]
    assert column(found, "prompt_s")[:3] == pytest.approx([0.3, 0.04, 0.042])
    assert column(found, "ttft_s")[:3] == pytest.approx([0.301, 0.041, 0.043])
    assert set(column(found, "arm")) == {"Tiny-1B plain"}
    assert column(found, "prompt_id") == ["short"] * 3 + ["long"] * 3
    assert {number_of(x) for x in column(found, "process")} == {"1"}
    settings = json.loads(str(found[0]["settings"]))
    assert (settings["cfg.max_tokens"], settings["cfg.coreml"]) == (50, "OFF")
    medians = rows(content, "aggregates")
    assert [x["value"] for x in medians if x["metric"] == "decode_rate"] == [61.0, 57.5]
    assert codes(content) == []
    wrong = content.replace("decode=61.0tok/s", "decode=61.4tok/s")
    assert codes(wrong) == [("SPS006", "case:17")]
    empty = content.replace("Median (2 runs)", "Median (0 runs)")
    assert codes(empty.replace("1.50GB \n", "1.50GB (warmup)\n")) == []
    again = {number_of(x) for x in column(rows(content + content), "process")}
    assert again == {"1", "2"}
    bare = content[content.index("[1/2]") :]
    assert column(rows(f"\n{bare}"), "process") == [None] * 6


def test_the_receipt(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-mtp-receipt/2026-07/smoke.json")
    found = rows(content)

    assert column(found, "arm") == ["mtp", "ar"]
    assert column(found, "e2e_s") == [3.0, 5.0]
    assert column(found, "decode_s") == [None, None]
    assert column(found, "engine_rate_tps") == [10.0, 5.0]
    assert column(found, "process") == [None, None]
    assert len(set(column(found, "output_sha256"))) == 1
    models = [json.loads(str(row["settings"]))["id.model"] for row in found]
    assert models == ["tiny-mtp", "tiny-ar"]
    assert codes(content) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"speedup": 2.0', '"speedup": 1.5'),
        ('"outputs_match": true', '"outputs_match": false'),
        ('"generation_s": 5.0', '"generation_s": 4.0'),
    ],
)
def test_a_receipt_that_contradicts_itself(
    before: str, after: str, artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, "mlx-mtp-receipt/2026-07/smoke.json")

    assert [code for code, _ in codes(content.replace(before, after))] == ["SPS006"]


def test_a_receipt_without_a_time(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "mlx-mtp-receipt/2026-07/smoke.json")
    lame = content.replace('"generation_s": 5.0', '"generation_s": "5"')

    assert column(rows(lame), "arm") == ["mtp"]
    assert codes(lame) == [("SPS002", "case:2")]
