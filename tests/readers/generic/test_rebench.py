"""ReBench: sessions, invocations, criteria."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
SESSIONS = "rebench/1.4/sessions.data"
HEADER = "invocation\titeration\tvalue\tunit\tcriterion\tbenchmark\n"


def test_invocations_of_sessions_are_processes(artifacts: Path) -> None:
    bench = specstats.read(artifacts / SESSIONS)
    found = bench.requests.to_pylist()

    assert [row["e2e_s"] for row in found] == pytest.approx(
        [0.1205, 0.1215, 0.1195, 0.1305]
    )
    assert [row["repetition"] for row in found] == [1, 2, 1, 1]
    assert {row["prompt_id"] for row in found} == {"Loop 8"}
    assert [run.n_requests for run in bench.runs] == [2, 1, 1]
    assert {run.boundary for run in bench.runs} == {"proved"}


def test_parts_are_no_times_of_their_own(artifacts: Path, rows: Rows) -> None:
    part = rows((artifacts / SESSIONS).read_bytes(), "aggregates")[0]

    assert (part["metric"], part["unit"], part["value"]) == ("gc", "s", 0.0205)


def test_columns_are_found_by_name(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "rebench/1.0/no-run-id.data").read_bytes()
    memory = rows(content, "aggregates")[0]

    assert [row["e2e_s"] for row in rows(content)] == [0.5]
    assert rows(content)[0]["prompt_id"] == "Loop fast 8"
    assert (memory["metric"], memory["unit"]) == ("memory", "bytes")


def test_no_user_or_host_is_kept(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / SESSIONS).read_bytes())

    assert "private" not in json.dumps(found)
    assert json.loads(str(found[0]["settings"]))["id.cpu"] == "Test CPU"


@pytest.mark.parametrize(
    "row",
    [
        "1\t1\tx\tms\ttotal\tB",
        "1\t1\t5\tms\ttotal",
        "1\t1\t-5\tms\ttotal\tB",
        "1\t1\t1e999\tms\ttotal\tB",
        "nonsense",
    ],
)
def test_a_row_that_cannot_be_used(row: str, codes: Codes) -> None:
    assert codes(f"#!rebench\n{HEADER}1\t1\t5\tms\ttotal\tB\n{row}\n") == [
        ("SPS002", "case:4")
    ]


def test_a_broken_environment_is_left_out(rows: Rows) -> None:
    content = f"# Environment: {{[\n{HEADER}1\t1\t5\tms\ttotal\tB\n"

    assert rows(content)[0]["e2e_s"] == pytest.approx(0.005)
