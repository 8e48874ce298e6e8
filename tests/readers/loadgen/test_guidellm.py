"""GuideLLM: four generations, values by hand, traps, hostile entries."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers.loadgen import guidellm
from specstats.source import Source

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def text(artifacts: Path, name: str) -> str:
    return (artifacts / "guidellm" / name).read_text(encoding="utf-8")


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def test_v01(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text(artifacts, "0.1/sweep.json")
    first, single, failed, other = rows(content)

    # 0.25 s to the first token, then 0.1 + 0.2 + 0.1 s; 0.05 s to the end
    assert (first["ttft_s"], first["decode_s"], first["e2e_s"]) == pytest.approx(
        (0.25, 0.4, 0.7)
    )
    assert (first["n_prompt"], first["n_output"]) == (9, 4)
    assert (single["ttft_s"], single["decode_s"]) == (0.5, None)
    assert (failed["ok"], failed["error"]) == (False, "connection refused")
    assert [first["workload"], other["workload"]] == ["synchronous", "constant 2.5"]
    assert first["prompt_id"] == hashlib.sha256(b"Count").hexdigest()[:16]
    assert json.loads(first["settings"])["id.model"] == "small-1b"
    assert codes(content) == []


def test_v01_decode_times_are_steps(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.1/sweep.json")
    requests, steps = rows(content), rows(content, "steps")

    assert [row["step_s"] for row in steps] == pytest.approx([0.1, 0.2, 0.1, 0.1, 0.2])
    assert [row["entry"] for row in steps] == [2, 2, 2, 6, 6]
    assert [row["entry"] for row in requests] == [2, 3, 4, 6]


def test_v02(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text(artifacts, "0.2/constant.json")
    a, b, failed, cut = rows(content)

    assert (a["ttft_s"], a["decode_s"], a["e2e_s"]) == pytest.approx((0.2, 0.8, 1.0))
    assert (b["ttft_s"], b["decode_s"], b["e2e_s"]) == pytest.approx((0.3, 1.7, 2.0))
    assert (failed["ok"], failed["error"]) == (False, "TimeoutError: too late")
    assert (cut["ok"], cut["ttft_s"]) == (False, None)
    assert cut["error"].startswith("incomplete")
    assert a["workload"] == "constant 4.0"
    assert codes(content) == []


def test_v02_printed_numbers(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.2/constant.json")
    listed = rows(content, "aggregates")
    found = printed(listed)
    (counted,) = rows(content, "counters")

    assert found["e2e", "mean"] == 1.5
    assert found["ttft", "mean"] == pytest.approx(0.25)
    assert found["e2e_per_token", "mean"] == pytest.approx(0.1875)
    assert found["tpot", "p99.9"] == pytest.approx(0.17)
    assert found["request_throughput", "rate"] == 0.2
    assert found["output_throughput", "rate"] == 1.6
    assert max(row["value"] for row in listed) < 838860
    assert (counted["n_requests"], counted["n_failed"]) == (2, 2)
    assert (counted["n_prompt"], counted["n_output"]) == (24, 16)
    assert counted["duration_s"] == 10.0


def test_v05_warm_up_and_steps(artifacts: Path, rows: Rows) -> None:
    found = rows(text(artifacts, "0.5/window.json"))

    # The measured window begins at 3 s; the requests end at 2, 4.5 and 7 s.
    assert [row["phase"] for row in found] == ["warmup", None, None]
    # 5 chunks for 9 tokens: four after the first
    # Chunks that the client saw are no steps that the engine counted.
    assert [row["n_steps"] for row in found] == [None] * 3
    assert [row["decode_s"] for row in found] == pytest.approx([1.8] * 3)


def test_v05_a_window_that_ends_too_late(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.5/window.json")
    found = printed(rows(content, "aggregates"))

    # 3 requests in 10 s; printed were 2 in 27 s
    assert found["request_throughput", "rate"] == pytest.approx(0.3)
    assert ("concurrency", "mean") not in found
    (counted,) = rows(content, "counters")
    assert (counted["n_requests"], counted["n_output"]) == (3, None)


def test_the_window_is_reported_with_both_figures(
    artifacts: Path, parse: Callable[..., list[Any]]
) -> None:
    content = text(artifacts, "0.5/window.json")
    (late,) = [item for batch in parse(content) for item in batch.findings]
    good = content.replace('"measure_end_time": 1700000030.0', '"measure_end_time": 1')

    assert (late.code, late.where) == ("SPS006", ("case:1",))
    assert (late.observed, late.required) == (
        "0.0741 requests/s",
        "0.3000 requests/s",
    )
    assert [item for batch in parse(good) for item in batch.findings] == []


def test_v08_load_levels_are_no_repeats(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.8/rates.json")
    found = rows(content)

    assert {row["workload"] for row in found} == {"constant 2.0"}
    assert [row["ok"] for row in found] == [True, True, True, False]
    assert found[-1]["error"] == "boom"
    assert {row["workload"] for row in rows(content, "aggregates")} == {
        "constant 2.0",
        "constant 4.0",
    }
    assert {row["process"] for row in found} == {None}
    settings = json.loads(found[0]["settings"])
    assert (settings["id.guidellm"], settings["cfg.seed"]) == ("0.8.0", 42)


def changed(artifacts: Path, **fields: object) -> str:
    document = json.loads(text(artifacts, "0.5/window.json"))
    document["benchmarks"][0]["requests"]["successful"][1].update(fields)
    return json.dumps(document)


def test_a_mean_that_is_not_that_of_the_requests(artifacts: Path, codes: Codes) -> None:
    wrong = changed(artifacts, request_latency=3.0)
    sample = json.loads(wrong)
    del sample["benchmarks"][0]["requests"]["successful"][2]

    assert codes(wrong).count(("SPS006", "case:1")) == 2
    # A sample of the requests cannot contradict the numbers of all.
    assert codes(json.dumps(sample)).count(("SPS006", "case:1")) == 1


@pytest.mark.parametrize("value", [None, "2", [], -1, 1e400, {}, True])
def test_a_request_without_latency_is_skipped(
    value: object, artifacts: Path, codes: Codes
) -> None:
    content = changed(artifacts, request_latency=value).replace("Infinity", "1e999")
    assert ("SPS002", "case:3") in codes(content)


def test_timings_of_wrong_types(artifacts: Path, rows: Rows) -> None:
    broken: list[object] = [None, [], {"timings": []}]
    for info in (*broken, {"timings": {"token_iterations": "5"}}):
        row = rows(changed(artifacts, info=info))[1]
        assert (row["decode_s"], row["n_steps"], row["e2e_s"]) == (None, None, 2.0)


def test_benchmarks_that_are_no_objects(artifacts: Path, codes: Codes) -> None:
    document = json.loads(text(artifacts, "0.8/rates.json"))
    document["benchmarks"].append(None)

    assert [code for code, _ in codes(json.dumps(document))] == ["SPS002"]


def test_a_long_report_is_known_from_its_beginning(artifacts: Path) -> None:
    for name in ("0.1/sweep", "0.2/constant", "0.5/window", "0.8/rates"):
        content = text(artifacts, f"{name}.json").encode()
        assert guidellm.READER.claim(content[:1200], "x").score > 0


@pytest.mark.parametrize("name", ["0.1/sweep", "0.2/constant", "0.5/window"])
def test_a_report_that_is_cut_off_within_a_text(artifacts: Path, name: str) -> None:
    content = text(artifacts, f"{name}.json")
    cut = content.replace('"output": "', '"output": "{[a, ') + "}"
    head = cut[: cut.rindex('"output": "') + 16].encode()

    assert guidellm.READER.claim(head, "x").score > 0
    assert guidellm.READER.claim(head[1:], "x").score == 0


def test_rows_come_in_batches(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(name="x", data=text(artifacts, "0.5/window.json").encode())
    whole = list(guidellm.READER.parse(source))
    monkeypatch.setattr(guidellm, "_ROWS_A_BATCH", 1)

    parts = list(guidellm.READER.parse(source))
    assert [part.count("requests") for part in parts] == [1, 1, 1, 0, 0]
    assert [x for part in parts for x in part.findings] == [
        x for batch in whole for x in batch.findings
    ]
