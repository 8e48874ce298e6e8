"""genai-bench: requests, printed numbers, units, contradictions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def document(artifacts: Path, name: str) -> dict[str, Any]:
    path = artifacts / "genai-bench/0.0.2" / f"{name}.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("name", ["seconds", "milliseconds"])
def test_units(name: str, artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = json.dumps(document(artifacts, name))
    first, second, *failed = rows(content)
    found = {
        (row["metric"], row["statistic"]): row["value"]
        for row in rows(content, "aggregates")
    }

    assert (first["ttft_s"], first["decode_s"], first["e2e_s"]) == pytest.approx(
        (0.2, 0.8, 1.0)
    )
    assert (second["n_prompt"], second["n_output"]) == (20, 17)
    # 16 tokens after the first in 1.6 s
    assert (second["engine_rate_tps"], second["rate_convention"]) == (
        pytest.approx(10.0),
        "n-1",
    )
    assert found["ttft", "mean"] == pytest.approx(0.3)
    assert found["decode_rate", "mean"] == 10.0
    assert found["request_throughput", "rate"] == 0.5
    assert [row["error"] for row in failed] == (
        ["500: server fell over"] if name == "seconds" else []
    )
    assert codes(content) == []


def test_counts(artifacts: Path, rows: Rows) -> None:
    content = json.dumps(document(artifacts, "seconds"))
    (counted,) = rows(content, "counters")

    assert (counted["n_requests"], counted["n_failed"]) == (2, 1)
    assert (counted["n_prompt"], counted["n_output"]) == (40, 26)
    assert counted["duration_s"] == 4.0
    assert json.loads(counted["settings"])["cfg.num_concurrency"] == 2


@pytest.mark.parametrize(
    ("key", "value", "places"),
    [
        ("output_inference_speed", 5.0, ["case:2"]),
        ("e2e_latency", 2.0, ["case:2", "case:1"]),
    ],
)
def test_contradictions(
    key: str, value: float, places: list[str], artifacts: Path, codes: Codes
) -> None:
    wrong = document(artifacts, "seconds")
    wrong["individual_request_metrics"][0][key] = value

    assert codes(json.dumps(wrong)) == [("SPS006", place) for place in places]


def test_a_rate_that_is_not_count_over_time(artifacts: Path, codes: Codes) -> None:
    wrong = document(artifacts, "seconds")
    wrong["aggregated_metrics"]["requests_per_second"] = 1.0

    assert codes(json.dumps(wrong)) == [("SPS006", "case:1")]


def test_an_empty_answer_has_no_times(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    empty = document(artifacts, "milliseconds")
    empty["individual_request_metrics"][0]["num_output_tokens"] = 0

    assert rows(json.dumps(empty))[0]["ttft_s"] is None
    assert codes(json.dumps(empty)) == [("SPS007", "case:2")]


@pytest.mark.parametrize("value", [None, "1", [], -1, {}, True])
def test_a_request_without_latency(
    value: object, artifacts: Path, codes: Codes
) -> None:
    broken = document(artifacts, "seconds")
    broken["individual_request_metrics"][1]["e2e_latency"] = value

    assert codes(json.dumps(broken))[0] == ("SPS002", "case:3")


def test_an_unknown_unit_is_skipped(artifacts: Path, codes: Codes) -> None:
    odd = {**document(artifacts, "seconds"), "_time_unit": "fortnight"}
    assert codes(json.dumps(odd)) == [("SPS002", "case:1")]


def test_failures_that_are_not_listed(artifacts: Path, codes: Codes) -> None:
    more = document(artifacts, "seconds")
    more["aggregated_metrics"]["num_error_requests"] = 3

    assert codes(json.dumps(more)) == [("SPS007", "case:1")]
