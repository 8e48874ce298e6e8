"""asv: both versions of results, parameters, failures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
SAMPLES = "asv/2/samples.json"


def changed(artifacts: Path, name: str, result: object) -> str:
    content = json.loads((artifacts / SAMPLES).read_text(encoding="utf-8"))
    content["results"][name] = result
    return json.dumps(content)


def test_results_of_version_1(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "asv/1/results.json").read_bytes()
    found = rows(content, "aggregates")

    assert [(row["prompt_id"], row["value"]) for row in found] == [
        ("m.time_one", 0.25),
        ("m.mem_cache", 344),
        ("m.time_cases(1, a)", 1.0),
        ("m.time_cases(1, b)", 2.0),
        ("m.time_cases(2, b)", 4.0),
    ]
    assert (found[0]["metric"], found[0]["statistic"]) == ("e2e", "value")
    assert (found[1]["metric"], found[1]["unit"]) == ("memory", "bytes")


def test_null_failed_and_nan_was_skipped(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / "asv/1/results.json").read_bytes()

    assert [(row["prompt_id"], row["ok"]) for row in rows(content)] == [
        ("m.time_failed", False),
        ("m.time_cases(2, a)", False),
    ]
    assert codes(content) == [
        ("SPS007", "case:2"),
        ("SPS002", "case:3"),
        ("SPS007", "case:5"),
    ]


def test_samples_of_version_2(artifacts: Path) -> None:
    bench = specstats.read(artifacts / SAMPLES)
    found = bench.requests.to_pylist()

    assert [row["e2e_s"] for row in found] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert found[3]["prompt_id"] == "m.S.time_sum(20)"
    assert [row["repetition"] for row in found] == [0, 1, 2, 0, 1, 2]
    assert [row["started_s"] for row in found] == [1700000001.0, *[None] * 5]
    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_rows_shorter_than_the_header(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / SAMPLES).read_bytes(), "aggregates")
    track = found[-1]

    assert (track["metric"], track["value"]) == ("track_tok_s", 50.0)
    assert (track["unit"], track["definition"]) == (None, "unit in benchmarks.json")


def test_no_machine_is_kept(artifacts: Path, rows: Rows) -> None:
    for name in (SAMPLES, "asv/1/results.json"):
        content = (artifacts / name).read_bytes()
        assert "private" not in json.dumps(rows(content, "aggregates"))


def test_a_median_that_is_not_that_of_the_samples(
    artifacts: Path, codes: Codes
) -> None:
    row = [[0.5], [["10"]], "v", 1, 1, *[None] * 6, [[0.1, 0.2, 0.3]]]

    assert codes(changed(artifacts, "m.time_wrong", row)) == [("SPS006", "case:3")]
    row[0] = [0.2]
    assert codes(changed(artifacts, "m.time_right", row)) == []


@pytest.mark.parametrize(
    "result",
    [
        [[1.0, 2.0], [["a"]]],
        [[1.0], [[]]],
        [],
        "x",
        [[1.0], [list(range(2000))] * 9],
        [["x"], [["a"]]],
        {"params": 5, "result": [[1.0], [2.0]]},
    ],
)
def test_results_that_cannot_be_used(
    result: object, artifacts: Path, codes: Codes
) -> None:
    found = codes(changed(artifacts, "m.time_bad", result))

    assert [where for _, where in found] == ["case:3"]


def test_a_name_with_a_lone_surrogate(artifacts: Path) -> None:
    content = changed(artifacts, "m.track_\ud800", [[1.0], [["a"]]])
    bench = specstats.read(content.encode())

    assert bench.aggregates.column("metric").to_pylist()[-1] == "track_?"
