"""AIPerf: values by hand from small artifacts, traps, hostile entries."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers.loadgen import aiperf
from specstats.source import Source

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
RECORDS = "aiperf/0.8.0/profile_export.jsonl"
SUMMARY = "aiperf/0.8.0/profile_export_aiperf.json"


@pytest.fixture
def content(artifacts: Path) -> Callable[[str], str]:
    def read(name: str) -> str:
        return (artifacts / name).read_bytes().decode()

    return read


def values(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def test_records(content: Callable[[str], str], rows: Rows, codes: Codes) -> None:
    found = rows(content(RECORDS))

    assert [row["phase"] for row in found] == ["warmup", None, None, None, None]
    assert [row["ok"] for row in found] == [True, True, True, False, False]
    assert [row["error"] for row in found[3:]] == [
        "InternalServerError: out of memory",
        "cancelled",
    ]
    # 100 + (20 + 30 + 20 + 10) ms; 200 + (40 + 40) ms
    assert values(found[1:3], "ttft_s", "decode_s", "e2e_s", "n_output") == [
        pytest.approx((0.1, 0.08, 0.18, 5)),
        pytest.approx((0.2, 0.08, 0.28, 9)),
    ]
    # 4 tokens in 0.08 s, 8 tokens in 0.08 s
    assert values(found[1:3], "engine_rate_tps", "rate_convention") == [
        (pytest.approx(50.0), "n-1"),
        (pytest.approx(100.0), "n-1"),
    ]
    assert found[0]["decode_s"] is None
    assert values(found[1:2], "prompt_id", "started_s", "ended_s") == [
        ("talk/1", 1700000001.0, pytest.approx(1700000001.18))
    ]
    assert {row["process"] for row in found} == {None}
    assert codes(content(RECORDS)) == []


def test_chunks_are_steps(content: Callable[[str], str], rows: Rows) -> None:
    steps = rows(content(RECORDS), "steps")

    assert values(steps, "entry", "step", "step_s") == [
        (2, 0, pytest.approx(0.02)),
        (2, 1, pytest.approx(0.03)),
        (2, 2, pytest.approx(0.02)),
        (2, 3, pytest.approx(0.01)),
        (3, 0, pytest.approx(0.04)),
        (3, 1, pytest.approx(0.04)),
    ]


def test_early_records_follow_the_unit_beside_the_value(
    content: Callable[[str], str], rows: Rows
) -> None:
    found = rows(content("aiperf/2025-10/profile_export.jsonl"))

    assert [row["phase"] for row in found] == ["warmup", None]
    # latency 0.5 sec, ttft 200 ms
    assert (
        values(found, "e2e_s", "ttft_s", "decode_s")
        == [pytest.approx((0.5, 0.2, 0.3))] * 2
    )
    assert found[0]["started_s"] == 1700000000.0


def test_raw_export(content: Callable[[str], str], rows: Rows) -> None:
    found = rows(content("aiperf/raw/profile_export_raw.jsonl"))

    assert values(found, "ok", "error", "e2e_s", "n_output") == [
        (True, None, pytest.approx(0.4), None),
        (False, "HTTP status 503", None, None),
    ]


def test_summary(content: Callable[[str], str], rows: Rows, codes: Codes) -> None:
    found = printed(rows(content(SUMMARY), "aggregates"))
    (counted,) = rows(content(SUMMARY), "counters")

    assert found["e2e", "mean"] == pytest.approx(0.23)
    assert found["ttft", "p99"] == pytest.approx(0.2)
    assert found["ttft", "median"] == pytest.approx(0.14)
    assert found["tpot", "mean"] == pytest.approx(0.015)
    assert found["itl", "mean"] == pytest.approx(0.03)
    assert found["decode_rate", "mean"] == 75.0
    assert found["request_throughput", "rate"] == 2.0
    assert found["output_throughput", "rate"] == 14.0
    assert values([counted], "n_requests", "n_failed", "n_prompt", "n_output") == [
        (4, 1, 200, 28)
    ]
    assert values([counted], "started_s", "ended_s", "duration_s", "scope") == [
        (1.7e9, 1700000002.0, 2.0, "run")
    ]
    assert codes(content(SUMMARY)) == [("SPS007", "case:1"), ("SPS014", "case:1")]


def test_settings(content: Callable[[str], str], rows: Rows) -> None:
    settings = json.loads(rows(content(SUMMARY), "counters")[0]["settings"])

    assert settings == {
        "cfg.concurrency": 2,
        "cfg.request_count": 4,
        "cfg.endpoint.streaming": True,
        "cfg.endpoint.type": "chat",
        "cfg.extra.ignore_eos": True,
        "cfg.input.random_seed": 7,
        "id.aiperf": "0.8.0",
        "id.device": "Some GPU 9000",
        "id.model": "small-1b",
    }


@pytest.mark.parametrize(("version", "n"), [("2025-10", 3), ("2025-11", None)])
def test_other_shapes(
    content: Callable[[str], str], rows: Rows, codes: Codes, version: str, n: int | None
) -> None:
    summary = content(f"aiperf/{version}/profile_export_aiperf.json")
    found = rows(summary, "aggregates")

    assert {row["n"] for row in found if row["metric"] == "ttft"} == {n}
    assert all(row["value"] is not None for row in found)
    assert rows(summary, "counters")[0]["n_failed"] == 0
    assert codes(summary) == []


def test_absent_percentiles_are_missing(
    content: Callable[[str], str], rows: Rows
) -> None:
    name = "aiperf/2025-10/profile_export_aiperf.json"
    found = printed(rows(content(name), "aggregates"))

    assert set(found) == {
        *(("ttft", name) for name in ("mean", "min", "max", "median")),
        ("e2e", "mean"),
    }


def test_csv(content: Callable[[str], str], rows: Rows, codes: Codes) -> None:
    name = "aiperf/2025-11/profile_export_aiperf.csv"
    found = printed(rows(content(name), "aggregates"))
    (counted,) = rows(content(name), "counters")

    assert found["e2e", "mean"] == pytest.approx(1.23)
    assert ("e2e", "p1") not in found
    assert found["concurrency", "mean"] == 1.5
    assert values([counted], "n_requests", "n_failed", "n_output", "started_s") == [
        (4, 1, 28, 1.7e9)
    ]
    assert codes(content(name)) == [("SPS007", "case:1")]


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_profile_runs_are_no_launches(
    content: Callable[[str], str], rows: Rows, kind: str
) -> None:
    name = f"aiperf/aggregate/profile_export_aiperf_aggregate.{kind}"
    found = rows(content(name), "aggregates")

    assert {row["scope"] for row in found} == {"runs"}
    assert {row["n"] for row in found} == {3}
    assert all("spread between launches" in row["definition"] for row in found)
    means = {row["metric"]: row for row in found if row["statistic"] == "mean"}
    if kind == "json":
        assert values([means["ttft"]], "value", "sd") == [
            (pytest.approx(0.2), pytest.approx(0.01))
        ]
        assert means["ttft"]["definition"].startswith("mean of each run's p99")
    else:
        assert values([means["e2e"]], "value", "sd") == [
            (pytest.approx(0.23), pytest.approx(0.005))
        ]


def test_failed_profile_runs_are_told(
    content: Callable[[str], str], codes: Codes
) -> None:
    name = "aiperf/aggregate/profile_export_aiperf_aggregate.json"
    good = content(name).replace('"label": "run_0002",', "").replace('"error": "x"', "")

    assert codes(content(name)) == [("SPS014", "case:1")]
    assert codes(good.replace("{\n        \n        \n      }", "")) == []


def record(**metrics: object) -> str:
    entry = {
        "metadata": {"x_request_id": "a", "benchmark_phase": "profiling"},
        "metrics": {
            name: {"value": value, "unit": "ms"} for name, value in metrics.items()
        },
    }
    return json.dumps(entry) + "\n"


GOOD = {
    "request_latency": 300.0,
    "time_to_first_token": 100.0,
    "output_sequence_length": 5,
    "inter_token_latency": 50.0,
    "inter_chunk_latency": [100.0, 100.0],
}


def test_contradictions_fire_and_stay_silent(rows: Rows, codes: Codes) -> None:
    assert codes(record(**GOOD)) == []
    for change in (
        {"inter_token_latency": 60.0},
        {"inter_chunk_latency": [100.0]},
        {"inter_chunk_latency": [100.0, None]},
        {"time_to_first_token": 400.0},
    ):
        assert codes(record(**{**GOOD, **change}))[0] == ("SPS006", "case:1")
    short = record(**{**GOOD, "inter_chunk_latency": [100.0]})
    assert rows(short, "steps") == []
    assert rows(short)[0]["decode_s"] == pytest.approx(0.2)


def test_a_rate_that_fits_nothing_has_no_convention(rows: Rows) -> None:
    fits = record(**GOOD, output_token_throughput_per_user=20.0)
    other = record(**GOOD, output_token_throughput_per_user=25.0)

    assert rows(fits)[0]["rate_convention"] == "n-1"
    assert rows(other)[0]["engine_rate_tps"] is None


def test_an_empty_answer_has_no_times(rows: Rows, codes: Codes) -> None:
    empty = record(**{**GOOD, "output_sequence_length": 0})

    (row,) = rows(empty)
    assert (row["ok"], row["ttft_s"], row["decode_s"]) == (True, None, None)
    assert codes(empty) == [("SPS007", "case:1")]


@pytest.mark.parametrize(
    "change",
    [
        {"request_latency": "slow"},
        {"request_latency": None},
        {"request_latency": -5},
        {"request_latency": 1e400},
        {"request_latency": [1]},
        {"request_latency": True},
    ],
)
def test_an_entry_without_latency_is_skipped(
    change: dict[str, object], codes: Codes
) -> None:
    assert codes(record(**{**GOOD, **change}).replace("Infinity", "1e999")) == [
        ("SPS002", "case:1")
    ]


@pytest.mark.parametrize("metrics", [[], "x", {"request_latency": 5}, {"a": {"b": {}}}])
def test_metrics_of_a_wrong_type(metrics: object, codes: Codes) -> None:
    entry = json.loads(record(**GOOD))
    broken = json.dumps({**entry, "metrics": metrics})

    assert codes(record(**GOOD) + broken + "\n") == [("SPS002", "case:2")]


def test_a_summary_in_an_unknown_unit(
    content: Callable[[str], str], codes: Codes, rows: Rows
) -> None:
    odd = content(SUMMARY).replace('"unit": "ms"', '"unit": "parsec"')

    assert ("SPS002", "case:1") in codes(odd)
    assert not [r for r in rows(odd, "aggregates") if r["metric"] == "ttft"]


def test_rates_that_are_not_counts_over_time(
    content: Callable[[str], str], codes: Codes
) -> None:
    wrong = json.loads(content(SUMMARY))
    wrong["output_token_throughput"]["avg"] = 28.0
    window = json.loads(content(SUMMARY))
    window["output_token_throughput"]["avg"] = 28 / 3  # start_time to end_time

    assert ("SPS006", "case:1") in codes(json.dumps(wrong))
    assert ("SPS006", "case:1") not in codes(json.dumps(window))


def test_a_large_summary_is_known_from_its_beginning(
    content: Callable[[str], str],
) -> None:
    head = content(SUMMARY)[:1500].encode()
    assert aiperf.READER.claim(head, "x").score > 0


def test_rows_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aiperf, "_ROWS_A_BATCH", 1)
    source = Source(name="x", data=(record(**GOOD) * 3).encode())

    batches = list(aiperf.READER.parse(source))
    assert [batch.count("requests") for batch in batches] == [1, 1, 1, 0]
