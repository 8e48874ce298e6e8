"""llama.cpp server responses: values against hand-computed ones."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def response(**timings: object) -> str:
    return json.dumps({"timings": {"predicted_n": 10, "predicted_ms": 500, **timings}})


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_chat_response(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "llama-server/b9862/chat.json").read_bytes()

    (row,) = rows(content)

    assert {key: value for key, value in row.items() if value is not None} == {
        "source": "case",
        "entry": 1,
        "request_id": "chatcmpl-one",
        "ended_s": 1786100400.0,
        "ok": True,
        "finish_reason": "length",
        "n_cached": 7,
        "n_prompt": 40,
        "prompt_s": 0.25,
        "n_output": 128,
        "decode_s": 2.0,
        "engine_rate_tps": 64.0,
        "rate_convention": "n",
        "n_draft": 100,
        "n_accepted": 75,
        "output_sha256": sha256("Hello"),
        "settings": '{"id.build": "b9862-0a1b2c3d4", "id.model": "tiny-q4_0.gguf"}',
    }


def test_a_completion(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "llama-server/b6531/completion.json").read_bytes()

    (row,) = rows(content)

    assert (row["n_output"], row["decode_s"], row["prompt_s"]) == (5, 0.25, 0.03)
    assert row["finish_reason"] == "stop"
    assert row["prompt_id"] == "Say hello"
    assert row["output_sha256"] == sha256("Hello")
    assert json.loads(row["settings"]) == {
        "cfg.speculative.n_max": 16,
        "cfg.temperature": 0.0,
        "cfg.top_k": 1,
        "id.model": "tiny.gguf",
    }


def test_bare_timings(artifacts: Path, rows: Rows) -> None:
    (row,) = rows((artifacts / "llama-server/timings/timings.json").read_bytes())

    assert (row["n_output"], row["decode_s"], row["engine_rate_tps"]) == (200, 10, 20)
    assert (row["n_draft"], row["n_accepted"]) == (300, 60)
    assert row["output_sha256"] is None


def test_a_harness_says_who_served_what(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "llama-server/b10423/runs.jsonl").read_bytes()

    first, second, failed = rows(content)

    assert first["arm"] == "spec"
    assert (first["run_id"], first["block"]) == ("3", "1")
    assert (first["prompt_id"], first["workload"]) == ("code-01", "code")
    assert first["repetition"] == 0
    assert first["process"] == second["process"] == "77@1786100400.5"
    assert first["process_started_s"] == 1786100400.5
    assert (first["started_s"], first["ended_s"]) == (1786100409.0, 1786100410.0)
    assert first["n_steps"] == 4
    assert (first["rate_convention"], second["rate_convention"]) == ("n-1", "n-1")
    assert (second["n_draft"], second["n_accepted"]) == (None, None)
    assert second["n_steps"] == 8
    assert [item["entry"] for item in (first, second, failed)] == [1, 2, 3]
    assert (failed["ok"], failed["error"]) == (False, "503 Loading model")
    assert failed["n_output"] is None
    assert failed["process"] == first["process"]


def test_steps(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "llama-server/b10423/runs.jsonl").read_bytes()

    steps = rows(content, "steps")

    assert [(x["step"], x["n_draft"], x["n_accepted"]) for x in steps] == [
        *((0, 2, 2), (1, 2, 0), (2, 1, 1), (3, 1, 1))
    ]
    assert [x["step_s"] for x in steps] == pytest.approx([0.1, 0.09, 0.11, 0.1])
    assert {x["entry"] for x in steps} == {1}


def test_error_bodies(artifacts: Path, rows: Rows) -> None:
    first, second = rows((artifacts / "llama-server/errors/errors.jsonl").read_bytes())

    assert (first["ok"], first["error"]) == (False, "500 Compute error.")
    assert (second["ok"], second["error"]) == (False, "connection reset")


@pytest.mark.parametrize(
    ("rate", "convention", "found"),
    [
        (20.0, "n", []),
        (18.0, "n-1", []),
        (20.4, "n", []),
        (19.0, None, ["SPS006"]),
        (40.0, None, ["SPS006"]),
        (0.0, None, []),
        (-20.0, None, ["SPS006"]),
        (1e308, None, ["SPS006"]),
    ],
)
def test_the_rate_convention(
    rate: float, convention: str | None, found: list[str], rows: Rows, codes: Codes
) -> None:
    content = response(predicted_per_second=rate)

    assert rows(content)[0]["rate_convention"] == convention
    assert [code for code, _ in codes(content)] == found


def test_a_negative_rate_is_not_kept(rows: Rows) -> None:
    assert rows(response(predicted_per_second=-1))[0]["engine_rate_tps"] is None


def test_more_accepted_than_drafted(rows: Rows, codes: Codes) -> None:
    content = response(draft_n=5, draft_n_accepted=6)

    (row,) = rows(content)

    assert (row["n_draft"], row["n_accepted"]) == (None, None)
    assert codes(content) == [("SPS006", "case:1")]


@pytest.mark.parametrize("draft", [{"draft_n": 5}, {"draft_n_accepted": 5}])
def test_half_of_the_draft_counts(draft: dict[str, int], rows: Rows) -> None:
    (row,) = rows(response(**draft))

    assert (row["n_draft"], row["n_accepted"]) == (None, None)


def test_zero_drafted_is_not_missing(rows: Rows) -> None:
    (row,) = rows(response(draft_n=0, draft_n_accepted=0))

    assert (row["n_draft"], row["n_accepted"]) == (0, 0)


@pytest.mark.parametrize("key", ["predicted_ms", "prompt_ms"])
def test_negative_times_are_not_used(key: str, rows: Rows, codes: Codes) -> None:
    content = response(**{key: -1.0})

    (row,) = rows(content)

    assert row["decode_s" if key == "predicted_ms" else "prompt_s"] is None
    assert codes(content) == [("SPS006", "case:1")]


@pytest.mark.parametrize("count", [True, "10", 1.5, -1, None, 2**63, [1]])
def test_counts_are_whole_numbers(count: object, rows: Rows) -> None:
    assert rows(response(predicted_n=count))[0]["n_output"] is None


def test_large_counts_are_exact(rows: Rows) -> None:
    assert rows(response(predicted_n=2**62 + 1))[0]["n_output"] == 2**62 + 1


@pytest.mark.parametrize("spec", [{"accepted": [1] * 11}, {"step_ms": [1.0] * 11}])
def test_more_steps_than_tokens(
    spec: dict[str, object], rows: Rows, codes: Codes
) -> None:
    content = json.dumps({**json.loads(response()), "spec": spec})

    assert rows(content, "steps") == []
    assert codes(content) == [("SPS006", "case:1")]


def test_steps_that_do_not_add_up(rows: Rows, codes: Codes) -> None:
    timings = json.loads(response(draft_n=9, draft_n_accepted=5))
    content = json.dumps({**timings, "spec": {"accepted": [2, 2], "drafted": [3]}})

    assert codes(content) == [("SPS006", "case:1")]
    assert [x["n_draft"] for x in rows(content, "steps")] == [3, None]


def test_cached_tokens_from_the_usage(rows: Rows) -> None:
    usage = {"prompt_tokens_details": {"cached_tokens": 12}}

    (row,) = rows(json.dumps({**json.loads(response()), "usage": usage}))

    assert row["n_cached"] == 12


def test_long_prompts_are_named_by_digest(rows: Rows) -> None:
    prompt = "word " * 50

    (row,) = rows(json.dumps({**json.loads(response()), "prompt": prompt}))

    assert row["prompt_id"] == f"sha256:{sha256(prompt)[:12]}"


def test_a_digest_in_place_of_the_text(rows: Rows) -> None:
    message = {"content_sha256": "ab12"}
    entry = {**json.loads(response()), "choices": [{"message": message}]}

    assert rows(json.dumps(entry))[0]["output_sha256"] == "ab12"
    assert rows(json.dumps({**json.loads(response()), "spec": {"sha256": "cd"}}))[0][
        "output_sha256"
    ] == ("cd")


def test_lone_surrogates_and_nan_lose_no_request(rows: Rows, codes: Codes) -> None:
    content = (
        '{"timings":{"predicted_n":2,"predicted_ms":NaN},"content":"\\ud800"}\n'
        '{"timings":{"predicted_n":3,"predicted_ms":Infinity},"error":"\\udc00"}\n'
    )

    first, second = rows(content)

    assert (first["n_output"], second["n_output"]) == (2, 3)
    assert (first["decode_s"], second["decode_s"]) == (None, None)
    assert first["output_sha256"] == sha256("?")
    assert codes(content) == []


@pytest.mark.parametrize("kind", ["[]", "{}", "1", "true"])
def test_odd_stop_types(kind: str, rows: Rows) -> None:
    content = response()[:-1] + f', "stop_type": {kind}}}'

    assert rows(content)[0]["finish_reason"] is None


def test_settings_keep_no_number_that_json_cannot_write(rows: Rows) -> None:
    content = response()[:-1] + ', "generation_settings": {"temperature": NaN}, "depth"'
    content += ": 1e999, " + '"sigma": 0.5, "drafter": null, "n_max": [1]}'

    (row,) = rows(content)

    assert json.loads(row["settings"]) == {"cfg.drafter": None, "cfg.sigma": 0.5}


def test_errors_in_json_values_are_located(codes: Codes) -> None:
    content = response() + '\n{"broken": \n[1]\n5\n{"other": 1}\n' + response()

    assert codes(content) == [("SPS002", f"case:{line}") for line in (2, 3, 4, 5)]


def test_findings_of_one_kind_are_bounded(codes: Codes) -> None:
    found = codes(response() + "\n" + "x\n" * 50)

    assert len(found) == 21
    assert found[-1] == ("SPS002", "case")


def test_elements_of_an_array_are_numbered(rows: Rows) -> None:
    content = json.dumps([json.loads(response())] * 3, indent=1)

    assert [row["entry"] for row in rows(content)] == [1, 2, 3]


def test_pretty_printed_values_one_after_another(rows: Rows, codes: Codes) -> None:
    one = json.dumps(json.loads(response()), indent=2)
    content = f"{one}\n{one[:30]}\n{one}\n"

    assert [row["entry"] for row in rows(content)] == [1, 10]
    assert [code for code, _ in codes(content)] == ["SPS002"]


def test_a_cut_off_array_keeps_its_whole_elements(rows: Rows, codes: Codes) -> None:
    content = json.dumps([json.loads(response())] * 3, indent=2)[:-20]

    assert len(rows(content)) == 2
    assert [code for code, _ in codes(content)] == ["SPS002"]
