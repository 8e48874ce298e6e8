"""Ollama: API responses, harness CSV, --verbose text and cmd/bench."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.readers.local import ollama_api
from specstats.readers.local._go import go_duration
from specstats.source import Source

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]

DONE = {
    "model": "tiny:1b",
    "created_at": "2025-08-03T10:00:02.5Z",
    "response": "Aye.",
    "done": True,
    "done_reason": "stop",
    "total_duration": 2_500_000_000,
    "load_duration": 100_000_000,
    "prompt_eval_count": 12,
    "prompt_eval_duration": 300_000_000,
    "eval_count": 41,
    "eval_duration": 2_000_000_000,
}


def response(**changed: object) -> str:
    kept = {**DONE, **changed}
    return json.dumps({key: value for key, value in kept.items() if value != "gone"})


def column(found: list[dict[str, object]], name: str) -> list[object]:
    return [row[name] for row in found]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h2m3.5s", 3723.5),
        ("355.5ms", 0.3555),
        ("714us", 714e-6),
        ("714\u00b5s", 714e-6),
        ("714\u03bcs", 714e-6),
        ("12ns", 12e-9),
        (" 0s ", 0.0),
        ("0", 0.0),
        ("", None),
        ("1.5", None),
        ("-1s", None),
        ("1s left", None),
        ("9" * 80 + "s", None),
    ],
)
def test_durations_of_go(text: str, seconds: float | None) -> None:
    assert go_duration(text) == (None if seconds is None else pytest.approx(seconds))


def test_a_chat_stream(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "ollama-api/2025-08/chat.ndjson").read_text("utf-8")
    found = rows(content)

    assert column(found, "entry") == [3, 4, 5]
    assert column(found, "ok") == [True, False, True]
    assert found[1]["error"] == "model runner has unexpectedly stopped"
    first = found[0]
    assert (first["n_prompt"], first["n_output"]) == (None, 41)
    told = [row for row in rows(content, "aggregates") if row["unit"] == "tokens"]
    assert (told[0]["metric"], told[0]["value"]) == ("prompt_tokens", 12)
    assert (first["prompt_s"], first["decode_s"], first["e2e_s"]) == (0.3, 2.0, 2.5)
    assert (first["ttft_s"], first["engine_rate_tps"]) == (None, None)
    assert float(str(first["ended_s"])) - float(str(first["started_s"])) == 2.5
    assert first["output_sha256"] == sha("The sea is blue.")
    assert found[2]["output_sha256"] == sha("Aye.")
    loads = rows(content, "aggregates")
    loads = [row for row in loads if row["metric"] == "load"]
    assert column(loads, "value") == [0.1, 0.09]
    assert set(column(loads, "metric")) == {"load"}


def test_a_hosted_model_has_no_times(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "ollama-api/2025-09-cloud/generate.json").read_text("utf-8")
    (row,) = rows(content)

    assert (row["n_output"], row["decode_s"], row["prompt_s"]) == (17, None, None)
    assert row["output_sha256"] == sha("A colour is wanted.Green.")


def test_pretty_printed_objects_in_a_row(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "ollama-api/2026-08/stream.json").read_text("utf-8")
    (row,) = rows(content)

    assert (row["n_output"], row["decode_s"], row["entry"]) == (3, 0.6, 13)
    assert row["output_sha256"] == sha("One two")


def test_missing_is_not_zero(rows: Rows, codes: Codes) -> None:
    (row,) = rows(response(eval_count="gone", eval_duration="gone"))
    assert (row["n_output"], row["decode_s"]) == (None, None)

    empty = response(response="", eval_count="gone", eval_duration="gone")
    (row,) = rows(empty)
    assert (row["n_output"], row["decode_s"], row["ok"]) == (0, None, True)
    assert codes(empty) == [("SPS007", "case:1")]


def test_a_load_is_no_request(rows: Rows, codes: Codes) -> None:
    loading = response(response="", done_reason="load", eval_count="gone")

    assert rows(loading) == []
    assert column(rows(loading, "aggregates"), "value") == [0.1]
    bare = response(response="", done_reason="load", load_duration="gone")
    assert codes(bare) == [("SPS002", "case:1")]


def test_parts_longer_than_the_whole(codes: Codes) -> None:
    assert codes(response(total_duration=2_400_000_000)) == []
    assert codes(response(total_duration=2_300_000_000)) == [("SPS006", "case:1")]


def test_a_stream_without_its_end(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "ollama-api/2026-08/stream.json").read_text("utf-8")
    cut = content[: content.rindex("{")]

    assert codes(cut) == [("SPS002", "case:1")]


def test_an_error_before_the_first_answer() -> None:
    content = '{"error":"model not found"}\n' + response()
    bench = specstats.read(content.encode())

    assert bench.inputs[0].format == "ollama-api"
    assert bench.column("requests", "ok") == [False, True]


@pytest.mark.parametrize(
    "line", ["[1, 2]", '{"done": "yes"}', '{"done": true', '{"other": 1}', "{}"]
)
def test_entries_that_are_none(line: str) -> None:
    source = Source(name="case", data=f"{response()}\n{line}\n{response()}\n".encode())
    batches = list(ollama_api.READER.parse(source))

    assert sum(batch.parsed for batch in batches) == 2
    assert [x.where[0] for batch in batches for x in batch.findings] == ["case:2"]


@pytest.mark.parametrize(
    "value", [None, [], {}, "12", -1, 1e999, True, 10**30, "x", 1.5]
)
@pytest.mark.parametrize("key", [key for key in DONE if key != "done"])
def test_wrong_types_are_missing(key: str, value: object) -> None:
    content = response(**{key: value}).encode()
    source = Source(name="case", data=content)

    batches = list(ollama_api.READER.parse(source))

    assert sum(batch.entries for batch in batches) == 1


def test_the_csv(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ollama-csv/0.21.2/runs.csv").read_text("utf-8")
    found = rows(content)

    assert column(found, "repetition") == [0, 1, 2]
    assert column(found, "decode_s") == [1.0, 2.0, 1.6]
    assert column(found, "engine_rate_tps") == [64.0, 32.0, 40.0]
    assert column(found, "rate_convention") == ["n", "n", "n"]
    assert column(found, "e2e_s") == [5.51, 2.41, 2.42]
    assert column(found, "phase") == [None] * 3
    assert column(rows(content, "aggregates"), "value") == pytest.approx(
        [4.0, 20.0, 0.1, 20.0, 0.11, 20.0]
    )
    assert codes(content) == []
    assert codes(content.replace(",32,", ",33,")) == [("SPS006", "case:3")]
    assert codes(content.replace("64,2000000000", "many,2000000000")) == [
        ("SPS002", "case:3")
    ]
    assert codes(content + "3,warm\n") == [("SPS002", "case:5")]
    assert codes(content.replace("64,2000000000,32", "0,0,0")) == [("SPS007", "case:3")]


def test_verbose_text(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ollama-verbose/2024/two.txt").read_text("utf-8")
    found = rows(content)

    assert column(found, "entry") == [4, 13]
    assert column(found, "e2e_s") == [3.5, 62.5]
    assert column(found, "decode_s") == [2.5, 60.0]
    assert column(found, "n_output") == [50, 300]
    assert column(found, "engine_rate_tps") == [20.0, 5.0]
    assert column(found, "rate_convention") == ["n", "n"]
    assert json.loads(str(found[0]["settings"]))["id.model"] == "tiny:1b"
    summed = rows(content, "aggregates")
    assert [row["value"] for row in summed if row["metric"] == "load"] == [0.5, 714e-6]
    assert codes(content) == []
    wrong = content.replace(
        "eval rate:            20.00", "eval rate:            25.00"
    )
    assert codes(wrong) == [("SPS006", "case:4")]


def test_verbose_in_a_captured_terminal(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "ollama-verbose/2025-terminal/spinner.log")
    (row,) = bench.requests.to_pylist()

    assert (row["n_output"], row["decode_s"], row["e2e_s"]) == (16, 1.5, 2.1)
    assert bench.runs[0].settings["id.model"] == "tiny:1b"


def test_verbose_models_of_several_blocks(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "ollama-verbose/2024/two.txt").read_text("utf-8")
    first, second = content.split("\n\ntotal duration:       1m")
    named = f"{first}\nmodel_name = other:2b\n\ntotal duration:       1m{second}"

    assert [json.loads(str(x["settings"]))["id.model"] for x in rows(named)] == [
        *("tiny:1b", "other:2b")
    ]


def test_a_verbose_block_that_is_cut_off(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "ollama-verbose/2024/two.txt").read_text("utf-8")

    assert codes(content[: content.rindex("eval count")]) == [("SPS002", "case:13")]
    nothing = content.replace("300 token(s)", "0 token(s)")
    assert codes(nothing) == [("SPS007", "case:13")]


def test_bench_text(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ollama-bench/2025-benchstat/epochs.txt").read_text("utf-8")
    found = rows(content)

    assert column(found, "repetition") == [0, 1]
    assert column(found, "engine_rate_tps") == [50.0, 40.0]
    assert column(found, "ttft_s") == [0.15, 0.16]
    assert column(found, "e2e_s") == [2.5, 3.5]
    assert column(found, "n_output") == [None, None]
    assert column(found, "decode_s") == [None, None]
    assert json.loads(str(found[1]["settings"]))["id.quantisation"] == "Q4_0"
    assert column(rows(content, "aggregates"), "value") == [0.09, 1000.0, 0.08, 1000.0]
    assert codes(content) == []
    wrong = content.replace("20000000.00 ns/token 50", "20000000.00 ns/token 60")
    assert codes(wrong) == [("SPS006", "case:2")]
    assert codes(content.replace("1 160000000 ns/op", "1 fast")) == [
        ("SPS002", "case:9")
    ]
    idle = content.replace("1 25000000.00 ns/token 40.00", "0 0 ns/token 0")
    assert codes(idle) == [("SPS007", "case:7")]


def test_bench_csv(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "ollama-bench/2025-csv/epochs.csv").read_text("utf-8")
    (row,) = rows(content)

    assert (row["n_prompt"], row["prompt_s"]) == (100, 0.1)
    assert (row["n_output"], row["decode_s"]) == (50, 1.0)
    assert (row["ttft_s"], row["e2e_s"]) == (0.15, 1.5)
    assert row["rate_convention"] == "n"
    assert codes(content + "tiny,generate\n") == [("SPS002", "case:8")]
