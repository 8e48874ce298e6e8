"""llmperf: summaries, responses, strings for numbers, requests left out."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "llmperf/2023-08-31"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def summary(artifacts: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (artifacts / FOLDER / "summary.json").read_text()
    )
    return found


def test_a_summary(artifacts: Path, rows: Rows) -> None:
    content = json.dumps(summary(artifacts))
    values = {
        (row["metric"], row["statistic"]): row for row in rows(content, "aggregates")
    }
    (counts,) = rows(content, "counters")

    assert values["ttft", "mean"]["value"] == 0.15
    assert values["ttft", "mean"]["sd"] == pytest.approx(0.015)
    assert values["itl", "median"]["value"] == pytest.approx(0.018)
    assert values["e2e", "max"]["value"] == 1.25
    assert values["input_tokens", "min"]["value"] == 98.0
    assert values["output_throughput", "rate"]["value"] == 80.0
    assert values["request_throughput", "rate"]["value"] == pytest.approx(4.0)
    assert (counts["n_requests"], counts["n_failed"]) == (10, 3)
    assert (counts["n_prompt"], counts["n_output"]) == (1000, 200)
    assert counts["duration_s"] == pytest.approx(2.5)
    assert counts["ended_s"] == 1790000000.0
    assert counts["workload"] == "100+20 tokens, concurrency 4"


def test_requests_that_were_left_out(artifacts: Path, codes: Codes) -> None:
    assert codes(json.dumps(summary(artifacts))) == [("SPS007", "case:1")]


@pytest.mark.parametrize(
    "values",
    [
        {"results_num_requests_started": 10},
        {"results_error_code_frequency": "{-100.0: 2, 429: 2}"},
        {"results_mean_output_throughput_token_per_s": 40.0},
    ],
)
def test_contradictions(
    values: dict[str, object], artifacts: Path, codes: Codes
) -> None:
    content = json.dumps({**summary(artifacts), **values})

    assert [code for code, _ in codes(content)] == ["SPS007", "SPS006"]


@pytest.mark.parametrize(
    "shown", ["__import__('os')", "{" * 5000, "{1: 2", "", None, 3, "{'a': [1]}"]
)
def test_a_frequency_that_is_no_dict(
    shown: object, artifacts: Path, codes: Codes
) -> None:
    content = json.dumps({**summary(artifacts), "results_error_code_frequency": shown})

    assert "SPS002" not in {code for code, _ in codes(content)}


def test_summaries_by_concurrency(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "by_concurrency.json").read_bytes()
    counts = rows(content, "counters")

    assert [row["entry"] for row in counts] == [1, 2]
    assert [row["n_output"] for row in counts] == [200, 190]
    assert [json.loads(str(row["settings"]))["cfg.concurrency"] for row in counts] == [
        1,
        2,
    ]
    assert codes(content) == []


def test_responses(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "responses.json").read_bytes()
    good, short, failed, empty = rows(content)

    assert (good["ttft_s"], good["e2e_s"], good["n_output"]) == (0.1, 0.52, 20)
    # 0.025 s a token times 20 is the time to the last token.
    assert good["decode_s"] == pytest.approx(0.4)
    assert (short["ok"], short["e2e_s"], short["n_output"]) == (False, None, None)
    assert short["error"] == "-100: Output too few tokens 5"
    assert (failed["ok"], failed["error"]) == (False, "500")
    assert (empty["ok"], empty["n_output"], empty["ttft_s"]) == (True, 0, None)
    assert codes(content) == [("SPS007", "case:4")]


def test_rates_that_count_chunks(artifacts: Path, codes: Codes) -> None:
    entries = json.loads((artifacts / FOLDER / "responses.json").read_text())[:1]
    slow = {**entries[0], "request_output_throughput_token_per_s": 7 / 0.52}

    assert codes(json.dumps(entries)) == []
    assert codes(json.dumps([*entries, slow, slow])) == [("SPS006", "case:2")]


def test_a_total_that_is_not_its_parts(artifacts: Path, codes: Codes) -> None:
    entries = json.loads((artifacts / FOLDER / "responses.json").read_text())[:1]
    entries[0]["number_total_tokens"] = 121

    assert codes(json.dumps(entries)) == [("SPS006", "case:1")]


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), [[1]]],
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    entry = summary(artifacts)
    for key in entry:
        if key != "results_ttft_s_mean":
            bench = specstats.read(json.dumps({**entry, key: wrong}).encode())
            assert bench.inputs[0].entries == 1
    response = json.loads((artifacts / FOLDER / "responses.json").read_text())[0]
    for key in response:
        content = json.dumps([response, {**response, key: wrong}])
        assert specstats.read(content.encode()).inputs[0].entries == 2
