"""LM Studio: REST v0 and v1, SDK statistics, and the famstack harness."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.readers.local import lmstudio
from specstats.source import Source

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def text_of(artifacts: Path, name: str) -> str:
    return (artifacts / name).read_text("utf-8")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_rest_v0(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "lmstudio/rest-v0/chat.json")
    (row,) = rows(content)

    assert (row["n_prompt"], row["n_output"]) == (20, 40)
    assert (row["engine_rate_tps"], row["rate_convention"]) == (50.5, None)
    assert (row["ttft_s"], row["decode_s"], row["e2e_s"]) == (0.12, None, None)
    assert (row["n_draft"], row["n_accepted"]) == (30, 18)
    assert (row["finish_reason"], row["request_id"]) == ("eosFound", "chatcmpl-made")
    assert row["output_sha256"] == sha("Hm. Yes.")
    settings = json.loads(str(row["settings"]))
    assert settings["id.model"] == "tiny-instruct"
    assert settings["id.build"] == "1.5.0"
    assert settings["cfg.draft_model"] == "micro"
    (time,) = rows(content, "aggregates")
    assert (time["metric"], time["value"]) == ("generation_time", 0.9)
    assert codes(content) == []


def test_rest_v1(artifacts: Path, rows: Rows) -> None:
    content = text_of(artifacts, "lmstudio/rest-v1/chat.json")
    (row,) = rows(content)

    assert (row["n_prompt"], row["n_output"], row["ttft_s"]) == (30, 25, 0.5)
    assert row["engine_rate_tps"] == 31.5
    # What a tool wrote is no output of the model.
    assert row["output_sha256"] == sha("Hm. Yes.")
    assert [x["value"] for x in rows(content, "aggregates")] == [2.5]


def test_pasted_sdk_statistics(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "lmstudio/sdk/stats.txt")
    (row,) = rows(content)

    assert (row["n_output"], row["e2e_s"], row["ttft_s"]) == (100, 2.75, 0.25)
    assert (row["n_draft"], row["n_accepted"]) == (90, 60)
    both = rows(content + content.replace("42.5", "43.5"))
    assert [x["engine_rate_tps"] for x in both] == [42.5, 43.5]
    assert [x["entry"] for x in both] == [1, 15]
    cut = Source(name="case", data=content[:120].encode())
    (batch,) = lmstudio.READER.parse(cut)
    assert [x.code for x in batch.findings] == ["SPS002"]


def test_acceptance_is_over_all_drafted_tokens(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = text_of(artifacts, "lmstudio/sdk/stats.txt")
    wrong = content.replace(
        'ignoredDraftTokensCount": 30', 'ignoredDraftTokensCount": 3'
    )

    assert codes(content) == []
    assert codes(wrong) == [("SPS006", "case:1")]
    (row,) = rows(wrong)
    assert (row["n_draft"], row["n_accepted"]) == (None, None)
    nothing = (
        content.replace("90", "0").replace("60", "0").replace('Count": 30', 'Count": 0')
    )
    assert rows(nothing)[0]["n_draft"] is None
    assert codes(
        content.replace('totalTokensCount": 120', 'totalTokensCount": 121')
    ) == [("SPS006", "case:1")]


def test_sdk_json_lines(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "lmstudio/sdk/results.jsonl")
    first, second = rows(content)

    assert (first["ok"], first["engine_rate_tps"]) == (True, 40.0)
    assert (second["ok"], second["error"]) == (False, "stop reason failed")
    assert (second["ttft_s"], second["n_output"]) == (None, None)
    assert codes(content) == []
    stopped = content.replace("maxPredictedTokensReached", "userStopped")
    assert codes(stopped) == [("SPS014", "case:1")]


def test_a_suppressed_rate_is_missing(artifacts: Path, rows: Rows) -> None:
    content = text_of(artifacts, "lmstudio/sdk/results.jsonl")
    bare = content.replace('"tokensPerSecond": 40.0, ', "")

    assert rows(bare)[0]["engine_rate_tps"] is None
    assert rows(content.replace("40.0", "NaN"))[0]["engine_rate_tps"] is None


def test_an_empty_answer(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "lmstudio/rest-v0/chat.json")
    empty = content.replace('"completion_tokens": 40', '"completion_tokens": 0')
    (row,) = rows(empty)

    assert (row["n_output"], row["ttft_s"], row["engine_rate_tps"]) == (0, None, None)
    assert codes(empty) == [("SPS007", "case:1")]


@pytest.mark.parametrize(
    "item", [{"type": {}}, {"type": [1]}, 7, None, {"type": "message", "content": [1]}]
)
def test_output_of_wrong_types(item: object) -> None:
    stats = {"total_output_tokens": 4, "time_to_first_token_seconds": 1}
    entry = {"output": [item], "stats": stats, "choices": {"x": 1}, "usage": "none"}
    source = Source(name="case", data=json.dumps(entry).encode())

    (batch,) = lmstudio.READER.parse(source)

    assert (batch.entries, batch.parsed) == (1, 1)
    assert batch.tables["requests"]["output_sha256"] == [None]


def test_entries_without_measurements(artifacts: Path, codes: Codes) -> None:
    content = text_of(artifacts, "lmstudio/sdk/results.jsonl")

    assert codes(content + '{"stats": {}}\n[1]\n{"x"\n') == [
        *(("SPS002", "case:3"), ("SPS002", "case:4"), ("SPS002", "case:5"))
    ]


def test_famstack(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "famstack-json/2026-03/turns.json")
    found = rows(content)

    assert [row["prompt_id"] for row in found] == ["turn 1", "turn 2"]
    assert {row["workload"] for row in found} == {"helpdesk"}
    assert [row["n_output"] for row in found] == [60, 100]
    assert [row["decode_s"] for row in found] == [2.0, 4.0]
    assert [row["ttft_s"] for row in found] == [1.0, 0.5]
    assert [row["prompt_s"] for row in found] == pytest.approx([0.9, 0.45])
    assert [row["rate_convention"] for row in found] == ["n", "n"]
    assert codes(content) == []
    assert codes(content.replace('"total": 3.0', '"total": 3.4')) == [
        ("SPS006", "case:1")
    ]
    assert codes(content.replace('"gen_tps": 25.0', '"gen_tps": 35.0')) == [
        ("SPS006", "case:2")
    ]
    assert codes(content.replace('"gen_time": 2.0', '"gen_time": null')) == [
        ("SPS002", "case:1")
    ]
    assert codes(content[:-30])[0] == ("SPS002", "case:1")


def test_a_failed_turn(artifacts: Path, rows: Rows) -> None:
    content = text_of(artifacts, "famstack-json/2026-03/turns.json")
    failed = content.replace('"turn": 2,', '"turn": 2, "error": "timed out",')

    assert [row["ok"] for row in rows(failed)] == [True, False]
    assert rows(failed)[1]["decode_s"] is None
