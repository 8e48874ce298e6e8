"""SGLang bench_one_batch: samples, what the rates mean, repeats."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "sglang-one-batch"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def test_offline_batches_below_headings(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "offline/headings.jsonl").read_bytes()
    one, four = rows(content)

    assert (one["e2e_s"], one["prompt_s"], one["ttft_s"]) == (0.1, 0.02, 0.02)
    assert one["decode_s"] == pytest.approx(0.08)
    assert (one["n_prompt"], one["n_output"]) == (128, 17)
    assert (four["n_prompt"], four["n_output"]) == (512, 68)
    assert (four["ttft_s"], four["decode_s"]) == (None, None)
    assert [one["entry"], four["entry"]] == [2, 5]
    assert json.loads(str(one["settings"]))["cfg.heading"] == "eager"
    assert json.loads(str(four["settings"]))["cfg.heading"] == "compiled"
    assert one["prompt_id"] == "batch 1, 128+17"


def test_offline_rates(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "offline/headings.jsonl").read_bytes()
    found = {
        (row["entry"], row["metric"]): row["value"]
        for row in rows(content, "aggregates")
    }

    assert found[2, "step"] == 0.005
    assert found[2, "decode_rate"] == 200.0
    assert found[5, "prompt_throughput"] == 12800.0
    assert found[5, "total_throughput"] == 2900.0


def test_repeats_of_an_unknown_launch(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "server-2025/appended.jsonl")

    assert bench.column("requests", "repetition") == [0, 1]
    assert bench.column("requests", "e2e_s") == [0.5, 0.25]
    assert bench.column("requests", "decode_s") == [None, None]
    assert [run.boundary for run in bench.runs] == ["unknown"]
    definitions = [
        row["definition"]
        for row in bench.aggregates.to_pylist()
        if row["metric"] == "output_throughput"
    ]
    assert all("prefill included" in str(text) for text in definitions)


def test_the_newer_server_form(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "server-2026/acc-length.jsonl").read_bytes()
    (row,) = rows(content)
    found = {item["metric"]: item for item in rows(content, "aggregates")}

    assert (row["ttft_s"], row["n_output"]) == (0.1, 21)
    assert row["decode_s"] == pytest.approx(0.5)
    assert found["mean_accepted_length"]["value"] == 3.1
    assert found["mean_accepted_length"]["scope"] == "lifetime"
    assert "after the first token" in str(found["output_throughput"]["definition"])
    assert found["cache_hit_rate"]["value"] == 0.25


def test_a_contradiction(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / FOLDER / "server-2025/appended.jsonl").read_text()

    assert codes(content) == []
    assert codes(content.replace("440.0", "880.0")) == [("SPS006", "case:1")]


@pytest.mark.parametrize(
    "wrong", ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), 0]
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    first = (artifacts / FOLDER / "server-2025/appended.jsonl").read_text()
    entry = json.loads(first.splitlines()[0])
    for key in entry:
        content = first + json.dumps({**entry, key: wrong}) + "\n"
        bench = specstats.read(content.encode())
        skipped = [item.where for item in bench.findings.of("SPS002")]
        assert len(skipped) + bench.inputs[0].parsed == 3


def test_tokens_beyond_any_count(rows: Rows) -> None:
    entry = {"batch_size": 2**40, "input_len": 2**40, "output_len": 2**40, "latency": 1}
    (row,) = rows(json.dumps(entry))

    assert (row["n_prompt"], row["n_output"]) == (None, None)
