"""pyperf: processes, warm-ups, calibration, units."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.errors import MalformedArtifactError

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


def suite(*runs: object, **metadata: object) -> str:
    return json.dumps(
        {
            "benchmarks": [{"runs": [{"values": [0.1]}, *runs]}],
            "metadata": {"name": "decode", **metadata},
            "version": "1.0",
        }
    )


def test_runs_are_processes(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "pyperf/2.11/one.json")
    found = bench.requests.to_pylist()

    assert [row["e2e_s"] for row in found] == [0.25, 0.2, 0.3, 0.26, 0.22, 0.31]
    assert [row["phase"] for row in found] == ["warmup", None, None] * 2
    assert [row["repetition"] for row in found] == [None, 0, 1, None, 2, 3]
    assert {row["prompt_id"] for row in found} == {"decode"}
    assert [run.boundary for run in bench.runs] == ["proved", "proved"]
    assert [run.n_requests for run in bench.runs] == [3, 3]
    assert bench.inputs[0].producer == "pyperf 2.11.0"


def test_calibration_gives_no_rows_and_is_no_fault(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / "pyperf/2.11/one.json").read_bytes()

    assert {row["entry"] for row in rows(content)} == {2, 3}
    assert codes(content) == []


def test_no_host_is_kept(artifacts: Path, rows: Rows) -> None:
    for name in ("one.json", "two.json"):
        content = (artifacts / "pyperf/2.11" / name).read_bytes()
        kept = json.dumps([*rows(content), *rows(content, "aggregates")])
        assert "private" not in kept


def test_bytes_are_no_times(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "pyperf/2.11/two.json").read_bytes()
    size = rows(content, "aggregates")[0]

    assert [row["e2e_s"] for row in rows(content)] == [0.1, 0.11]
    assert [row["prompt_id"] for row in rows(content)] == ["encode", "encode"]
    assert (size["metric"], size["unit"], size["value"]) == ("memory", "bytes", 2048)
    assert size["prompt_id"] == "peak"


@pytest.mark.parametrize(
    "run", [{"values": [0.1, "x"]}, {"values": [0.1, -1.0]}, 5, {"values": [None]}]
)
def test_a_run_that_cannot_be_used(run: object, rows: Rows, codes: Codes) -> None:
    assert codes(suite(run)) == [("SPS002", "case:2")]
    assert len(rows(suite(run))) == 1


@pytest.mark.parametrize("warmups", [[[1]], [5], "x", [[1, "x"]], [[1, None]]])
def test_a_warm_up_that_cannot_be_used_is_left_out(warmups: object, rows: Rows) -> None:
    found = rows(suite({"values": [0.2], "warmups": warmups}))

    assert [row["e2e_s"] for row in found] == [0.1, 0.2]


def test_a_document_that_is_cut_off(rows: Rows) -> None:
    content = suite({"values": [0.2]}, {"values": [0.3, 0.4]})
    place = content.index("0.4")

    assert [row["e2e_s"] for row in rows(content[:place])] == [0.1, 0.2]
    with pytest.raises(MalformedArtifactError, match="no complete run"):
        rows('{"benchmarks": [{"runs": [{"values": [0.1], ')
