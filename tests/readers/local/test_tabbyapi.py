"""TabbyAPI's log and exllama's job results."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def log(artifacts: Path) -> str:
    return (artifacts / "tabbyapi-log/2026-09/requests.log").read_text("utf-8")


def test_metrics_lines(log: str, rows: Rows, codes: Codes) -> None:
    found = rows(log)

    assert [row["request_id"] for row in found] == ["aaaa0001", "aaaa0002", "aaaa0003"]
    assert [row["n_output"] for row in found] == [100, 1, 50]
    assert [row["n_cached"] for row in found] == [40, 1040, 0]
    assert [row["n_prompt"] for row in found] == [1000, 1, 100]
    assert [row["e2e_s"] for row in found] == [3.52, 0.1, 2.1]
    # The rate of one token means nothing.
    assert [row["engine_rate_tps"] for row in found] == [40.0, None, 25.0]
    assert [row["n_draft"] for row in found] == [80, None, None]
    assert [row["n_accepted"] for row in found] == [60, None, None]
    assert [str(row["process"])[-2:] for row in found] == ["#1", "#1", "#2"]
    told = [(row["metric"], row["value"]) for row in rows(log, "aggregates")]
    assert told == [
        ("prompt_rate", 1000.0),
        ("queue_time", 0.02),
        ("queue_time", 0.0),
        ("prompt_rate", 1000.0),
        ("queue_time", 0.0),
    ]
    assert codes(log) == []


def test_without_a_start_line(log: str, rows: Rows) -> None:
    bare = "\n".join(x for x in log.splitlines() if "Started" not in x)

    assert [row["process"] for row in rows(bare)] == [None] * 3


def test_a_line_wrapped_more_than_once(log: str, rows: Rows) -> None:
    wrapped = log.replace(" (Queue: 0.02 s, ", "\n(Queue: 0.02 s,   \n   ")

    assert rows(wrapped)[0]["n_draft"] == 80
    assert rows(wrapped)[0]["e2e_s"] == 3.52


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("(75.00%)", "(80.00%)", ("SPS006", "case:3")),
        ("60 / 80", "90 / 80", ("SPS006", "case:3")),
        ("in 3.52 seconds", "in 9.52 seconds", ("SPS006", "case:3")),
        (" 50 tokens generated", " 0 tokens generated", ("SPS007", "case:7")),
        ("in 2.10 seconds", "in some seconds", ("SPS002", "case:7")),
    ],
)
def test_lines_that_do_not_fit(
    before: str, after: str, found: tuple[str, str], log: str, codes: Codes
) -> None:
    assert before in log

    assert codes(log.replace(before, after)) == [found]


def test_a_log_that_is_cut_off(log: str, rows: Rows, codes: Codes) -> None:
    cut = log[: log.rindex("Generate")]

    assert len(rows(cut)) == 2
    assert codes(cut) == [("SPS002", "case:7")]


def test_exllama_jobs(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "exllama-job/source/jobs.jsonl").read_text("utf-8")
    first, second = rows(content)

    assert (first["n_output"], first["decode_s"], first["prompt_s"]) == (41, 2.0, 0.4)
    assert first["e2e_s"] == pytest.approx(2.5)
    assert (first["n_prompt"], first["n_cached"]) == (100, 20)
    assert (first["n_draft"], first["n_accepted"]) == (45, 30)
    assert first["output_sha256"] == hashlib.sha256(b"Blue.").hexdigest()
    assert (second["n_draft"], second["e2e_s"], second["n_prompt"]) == (None, None, 50)
    assert codes(content) == []
    assert codes(content.replace('"time_generate": 1.0', '"time_generate": []')) == [
        ("SPS002", "case:2")
    ]
    assert codes(content.replace('"new_tokens": 11', '"new_tokens": 0')) == [
        ("SPS007", "case:2")
    ]
    assert codes(content + "[1]\n{\n") == [("SPS002", "case:3"), ("SPS002", "case:4")]
