"""Factorial study: one document a load, counts behind printed ratios."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
RUN = "specdecode-study/d96e4fb/run.json"


@pytest.fixture
def run(artifacts: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((artifacts / RUN).read_text(encoding="utf-8"))
    return loaded


def test_counts(artifacts: Path, rows: Rows) -> None:
    (found,) = rows((artifacts / RUN).read_bytes(), "counters")

    # (2.5 - 1) tokens accepted in each of 256 steps, of 384 / 0.375 drafted.
    assert (found["n_verify"], found["n_accepted"], found["n_draft"]) == (
        *(256, 384, 1024),
    )
    assert (found["n_requests"], found["n_failed"], found["n_output"]) == (10, 0, 640)
    assert found["duration_s"] == 10.0
    assert found["ended_s"] == 1767225600.0
    # A sweep drives several loads through one server.
    assert found["process"] is None


def test_latencies_are_seconds(artifacts: Path, rows: Rows) -> None:
    found = {
        (row["metric"], row["statistic"]): row["value"]
        for row in rows((artifacts / RUN).read_bytes(), "aggregates")
    }

    assert found["ttft", "mean"] == 0.06
    assert found["itl", "median"] == 0.0135
    assert found["e2e", "p99"] == pytest.approx(1.2)
    assert found["output_throughput", "rate"] == 64.0
    assert found["acceptance_rate", "ratio"] == 0.375
    assert found["mean_accepted_length", "ratio"] == 2.5


def test_settings(artifacts: Path, rows: Rows) -> None:
    (found,) = rows((artifacts / RUN).read_bytes(), "counters")
    settings = json.loads(found["settings"])

    assert settings["cfg.spec_decode"] == "chain"
    assert settings["cfg.num_speculative_tokens"] == 4
    assert settings["id.model"] == "tiny-1b"
    assert settings["id.build"] == "0.24.0"
    assert not {"cfg.host", "cfg.port", "cfg.repeat_idx"} & set(settings)


def test_a_failed_load(run: dict[str, Any], rows: Rows, codes: Codes) -> None:
    content = json.dumps({**run, "measured": None, "status": "failed"})

    assert [code for code, _ in codes(content)] == ["SPS014", "SPS002"]
    assert rows(content, "counters") == []


def test_a_partial_load(run: dict[str, Any], rows: Rows, codes: Codes) -> None:
    run["measured"]["num_errors"] = 2
    content = json.dumps({**run, "status": "partial"})

    assert codes(content) == [("SPS007", "case:1")]
    assert rows(content, "counters")[0]["n_failed"] == 2


@pytest.mark.parametrize("moment", [None, 5, "then", "2026-01-01T00:00:00"])
def test_a_time_without_zone(moment: object, run: dict[str, Any], rows: Rows) -> None:
    run["env"]["timestamp_utc"] = moment

    assert rows(json.dumps(run), "counters")[0]["ended_s"] is None


def test_throughput_against_tokens(run: dict[str, Any], codes: Codes) -> None:
    assert codes(json.dumps(run)) == []
    run["measured"]["throughput_tok_s"] = 70.0
    assert codes(json.dumps(run)) == [("SPS006", "case:1")]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("accepted_length_tau", 2.5001),
        ("accepted_length_tau", 1e300),
        ("accepted_length_tau", "2.5"),
        ("acceptance_rate", 1e-320),
        ("spec_num_drafts", -1),
        ("spec_num_drafts", 10**30),
    ],
)
def test_ratios_without_counts_behind_them(
    key: str, value: object, run: dict[str, Any], rows: Rows
) -> None:
    run["measured"][key] = value
    (found,) = rows(json.dumps(run), "counters")

    assert found["n_draft"] is None
