"""genai-perf: raw profile, summaries, CSV and console table."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers.loadgen import genai_perf

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def text(artifacts: Path, name: str) -> str:
    return (artifacts / "genai-perf" / name).read_bytes().decode()


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def test_profile(artifacts: Path, rows: Rows) -> None:
    found = rows(text(artifacts, "0.0.16/profile_export.json"))
    first, whole, empty, triton = found

    # The role at 50 ms is no token; text at 100, 140 and 190 ms; [DONE] at 191 ms.
    assert (first["ttft_s"], first["decode_s"], first["e2e_s"]) == pytest.approx(
        (0.1, 0.09, 0.191)
    )
    assert (first["n_prompt"], first["n_output"]) == (11, 4)
    assert first["output_sha256"] == hashlib.sha256(b"Hello!").hexdigest()
    assert first["workload"] == "concurrency 2"
    assert (whole["ttft_s"], whole["decode_s"]) == (None, None)
    assert whole["e2e_s"] == pytest.approx(0.3)
    assert (empty["ok"], empty["error"], empty["e2e_s"]) == (False, "no response", None)
    assert (triton["ttft_s"], triton["decode_s"]) == pytest.approx((20e-9, 50e-9))
    assert triton["workload"] == "request_rate 1.5"


def test_profile_steps(artifacts: Path, rows: Rows) -> None:
    steps = rows(text(artifacts, "0.0.16/profile_export.json"), "steps")

    assert [(row["entry"], row["step"]) for row in steps] == [
        (1, 0),
        (1, 1),
        (4, 0),
        (4, 1),
    ]
    assert [row["step_s"] for row in steps] == pytest.approx([0.04, 0.05, 2e-8, 3e-8])


def test_summary(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.0.16/profile_export_genai_perf.json")
    found = printed(rows(content, "aggregates"))

    assert found["ttft", "mean"] == pytest.approx(0.01159)
    assert found["tpot", "median"] == pytest.approx(0.004)
    assert found["output_throughput", "rate"] == 443.39
    (counted,) = rows(content, "counters")
    assert counted["n_requests"] == 20
    settings = json.loads(counted["settings"])
    assert settings["id.model"] == "small-1b"
    assert settings["cfg.perf_analyzer.stimulus.concurrency"] == 2
    assert not any("url" in key for key in settings)


def test_csv(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.0.16/profile_export_genai_perf.csv")
    found = printed(rows(content, "aggregates"))

    assert found["e2e", "mean"] == pytest.approx(1.07189)
    assert found["output_length", "mean"] == 15.95
    assert found["request_throughput", "rate"] == 27.8
    assert rows(content, "counters")[0]["n_requests"] == 20


def test_console_table(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "console/table.txt")
    found = printed(rows(content, "aggregates"))

    assert found["ttft", "mean"] == pytest.approx(0.0215)
    assert found["tpot", "p99"] == pytest.approx(0.0059)
    # The unit of this label stands in the row below.
    assert found["decode_rate", "max"] == 220.0
    assert found["output_throughput", "rate"] == 390.0
    assert ("output_throughput", "min") not in found
    assert rows(content, "counters")[0]["n_requests"] == 12


def profile(request: object) -> str:
    experiment = {"experiment": {"mode": "concurrency", "value": 1}}
    return json.dumps({"experiments": [{**experiment, "requests": [request]}]})


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        {"timestamp": "1", "response_timestamps": [2]},
        {"timestamp": 5, "response_timestamps": [4]},
        {"timestamp": 5, "response_timestamps": [9, 8]},
        {"timestamp": 5, "response_timestamps": [9, None]},
        {"timestamp": -5, "response_timestamps": [9]},
        {"timestamp": 10**400, "response_timestamps": [9]},
    ],
)
def test_requests_without_times_in_order(request_: object, codes: Codes) -> None:
    assert codes(profile(request_)) == [("SPS002", "case:1")]


@pytest.mark.parametrize(
    "outputs",
    [None, [], [None, None], [{"response": "data: {"}, {"response": 5}], "ab"],
)
def test_outputs_that_say_nothing(outputs: object, rows: Rows) -> None:
    request = {"timestamp": 0, "response_timestamps": [1, 2]}
    (row,) = rows(profile({**request, "response_outputs": outputs}))

    assert row["e2e_s"] == pytest.approx(2e-9)
    assert (row["ttft_s"], row["decode_s"], row["n_output"]) == (None, None, None)


def test_a_table_without_rows_is_refused(parse: Callable[..., object]) -> None:
    from specstats.errors import MalformedArtifactError

    with pytest.raises(MalformedArtifactError, match="no row"):
        parse("NVIDIA GenAI-Perf | LLM Metrics\n┃ Statistic ┃ avg ┃\n")


def test_a_profile_that_is_cut_off_within_a_text(artifacts: Path) -> None:
    content = text(artifacts, "0.0.16/profile_export.json")
    head = content[: content.index("delta") + 5].encode()

    assert genai_perf.READER.claim(head, "x").score > 0
