"""Google Benchmark: repetitions and aggregates, kept apart."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
NEW, OLD = (
    "google-benchmark/1.8/repetitions.json",
    "google-benchmark/1.3/no-run-type.json",
)


def one(**entry: object) -> str:
    good = {"name": "BM_Good", "real_time": 1.0, "time_unit": "ms"}
    return json.dumps({"context": {}, "benchmarks": [good, entry]})


def test_repetitions_are_samples(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / NEW).read_bytes())

    assert [row["e2e_s"] for row in found] == [pytest.approx(10e-6), 14e-6, None]
    assert [row["repetition"] for row in found] == [0, 1, 0]
    assert [row["ok"] for row in found] == [True, True, False]
    assert found[2]["error"] == "no model"
    assert len({row["process"] for row in found}) == 1
    assert "private" not in json.dumps(found)


def test_aggregates_count_nothing_twice(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / NEW).read_bytes(), "aggregates")
    mean = next(row for row in found if row["statistic"] == "mean")
    cv = next(row for row in found if row["statistic"] == "ratio")

    assert (mean["metric"], mean["prompt_id"]) == ("e2e", "BM_Decode/4")
    assert (mean["value"], mean["sd"]) == (pytest.approx(12e-6), pytest.approx(2.8e-6))
    assert (cv["metric"], cv["unit"], cv["value"]) == ("e2e_cv", "1", 0.2333)


def test_counters_of_the_user(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / NEW).read_bytes(), "aggregates")
    values = [
        (row["metric"], row["unit"], row["value"])
        for row in found
        if row["definition"] == "user counter"
    ]

    assert values == [
        ("items_per_second", "items/s", 100000.0),
        ("accepted", None, 2.5),
        ("items_per_second", "items/s", 80000.0),
        ("accepted", None, 2.5),
    ]


def test_old_files_tell_aggregates_by_name(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / OLD).read_bytes()

    assert [(row["prompt_id"], row["e2e_s"]) for row in rows(content)] == [
        ("BM_Step", 0.002),
        ("BM_Step", 0.004),
        ("BM_geometric_mean", 0.005),
    ]


def test_producer_and_failures_are_told(artifacts: Path, codes: Codes) -> None:
    assert codes((artifacts / NEW).read_bytes()) == [("SPS007", "case:6")]
    assert codes((artifacts / OLD).read_bytes()) == [("SPS014", "case:1")]


@pytest.mark.parametrize(
    ("unit", "seconds"), [("ns", 3e-9), ("us", 3e-6), ("ms", 3e-3), ("s", 3.0)]
)
def test_units(unit: str, seconds: float, rows: Rows) -> None:
    found = rows(one(name="BM_X", real_time=3, time_unit=unit))

    assert found[1]["e2e_s"] == pytest.approx(seconds)


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "BM_X", "real_time": "3", "time_unit": "ns"},
        {"name": "BM_X", "real_time": 3, "time_unit": "fortnight"},
        {"name": "BM_X", "real_time": 3, "time_unit": 7},
        {"name": None, "real_time": 3},
        {"name": "BM_X"},
        {},
    ],
)
def test_a_benchmark_that_cannot_be_used(
    entry: dict[str, object], codes: Codes
) -> None:
    assert codes(one(**entry)) == [("SPS002", "case:2")]


def test_skipped_benchmarks_failed(rows: Rows) -> None:
    found = rows(one(name="BM_X", skipped="error", skip_message="why", real_time=0))

    assert (found[1]["ok"], found[1]["error"]) == (False, "why")
