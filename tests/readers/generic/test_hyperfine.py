"""hyperfine: executions, exit codes, parameters, means."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.errors import MalformedArtifactError

FOLDER = "hyperfine/1.15"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def report(**changes: object) -> str:
    result = {
        "command": "decode",
        "mean": 0.5,
        "stddev": 0.1,
        "median": 0.5,
        "min": 0.4,
        "max": 0.6,
        "times": [0.4, 0.5, 0.6],
        "exit_codes": [0, 0, 0],
    }
    return json.dumps({"results": [{**result, **changes}]})


def test_executions_are_processes_of_their_own(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "sweep.json").read_bytes())

    assert [row["e2e_s"] for row in found] == [0.4, 0.5, 0.6, 0.2, None, None]
    assert [row["ok"] for row in found] == [True, True, True, True, False, False]
    assert [row["error"] for row in found[4:]] == ["exit code 1", "ended by a signal"]
    assert len({row["process"] for row in found}) == 6
    assert found[0]["arm"] == "decode --draft 0"
    assert [row["repetition"] for row in found] == [0, 1, 2, 0, 1, 2]
    assert found[3]["settings"] == '{"cfg.draft": "4"}'
    assert [row["order"] for row in found] == [0, 1, 2, 3, 4, 5]
    assert {row["prompt_id"] for row in found} == {None}


def test_means_stand_beside_the_times(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "sweep.json").read_bytes()
    mean = rows(content, "aggregates")[0]

    assert (mean["metric"], mean["statistic"], mean["unit"]) == ("e2e", "mean", "s")
    assert (mean["value"], mean["sd"], mean["n"]) == (0.5, 0.1, 3)


def test_failed_executions_are_named_once(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / FOLDER / "sweep.json").read_bytes()

    assert codes(content) == [("SPS007", "case:2")]


def test_a_table_has_means_only(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "table.csv")
    found = bench.aggregates.to_pylist()
    means = [row for row in found if row["statistic"] == "mean"]

    assert bench.requests.num_rows == 0
    assert means[0]["prompt_id"] == 'sh -c "decode, fast"'
    assert (means[0]["value"], means[0]["sd"]) == (0.5, 0.1)
    assert json.loads(str(means[0]["settings"])) == {"cfg.draft": "0"}


def test_memory_is_a_maximum(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "hyperfine/1.19/memory.json").read_bytes()
    found = {row["metric"]: row for row in rows(content, "aggregates")}

    assert found["peak_memory"]["value"] == 4096
    assert found["user_time"]["value"] == 1.5


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, None),
        ({"mean": 0.7}, "SPS006"),
        ({"median": 0.7}, "SPS006"),
        ({"stddev": 0.3}, "SPS009"),
        ({"exit_codes": [0, 0]}, "SPS006"),
        ({"exit_codes": [0, 0, 2]}, "SPS007"),
        ({"times": [0.0, 0.5, 1.0], "min": 0.0, "max": 1.0, "stddev": 0.5}, "SPS002"),
        ({"times": ["x", 0.5, 0.5]}, "SPS002"),
        ({"command": 5.5}, None),
        ({"command": None, "times": []}, "SPS002"),
        ({"command": "decode [ERROR]"}, "SPS007"),
    ],
)
def test_findings(changes: dict[str, object], code: str | None, codes: Codes) -> None:
    good = json.loads(report())
    bad = json.loads(report(**changes))
    content = json.dumps({"results": [*good["results"], *bad["results"]]})

    assert codes(content) == ([] if code is None else [(code, "case:2")])


def test_a_suffix_of_old_versions_is_no_part_of_the_command(rows: Rows) -> None:
    found = rows(report(command="decode [ERROR]"))

    assert {json.loads(str(row["settings"]))["cfg.command"] for row in found} == {
        "decode"
    }


def test_a_time_of_zero_is_missing(rows: Rows) -> None:
    found = rows(report(times=[0.0, 0.5, 0.6]))

    assert [row["e2e_s"] for row in found] == [None, 0.5, 0.6]


def test_a_document_that_is_cut_off(rows: Rows, codes: Codes) -> None:
    results = json.loads(report())["results"]
    content = json.dumps({"results": results * 3})[:-60]

    assert len(rows(content)) == 6
    assert codes(content) == [("SPS002", "case:1")]


def test_nothing_complete_is_an_error(rows: Rows) -> None:
    with pytest.raises(MalformedArtifactError, match="no complete result"):
        rows(report().partition("0.6]")[0])
