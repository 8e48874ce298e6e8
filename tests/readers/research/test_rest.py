"""REST answers and HumanEval summaries: values by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def entry(lengths: object, tokens: int) -> str:
    choice = {
        "turns": ["x"],
        "idxs": [2],
        "new_tokens": [tokens],
        "wall_time": [0.5],
        "accept_lengths:": lengths,
    }
    return json.dumps({"question_id": 1, "choices": [choice], "tstamp": 5.0}) + "\n"


def test_the_first_step_of_a_turn_is_put_right(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "rest/50a5fc1/rest.jsonl").read_bytes()
    found, steps = rows(content), rows(content, "steps")

    # Written 2 3 1 for 7 tokens and 0 2 for 3: each turn lacks one.
    assert [row["n_output"] for row in steps] == [3, 3, 1, 1, 2]
    assert [row["n_steps"] for row in found] == [3, 2]
    assert [row["n_accepted"] for row in found] == [4, 1]


def test_the_clock_starts_after_the_prompt(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / "rest/50a5fc1/rest.jsonl").read_bytes())

    assert [row["decode_s"] for row in found] == [0.5, 0.25]
    assert {row["e2e_s"] for row in found} == {None}


def test_the_baseline_drafts_nothing(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "rest/50a5fc1/baseline.jsonl").read_bytes()
    (found,) = rows(content)

    assert (found["n_steps"], found["n_accepted"]) == (3, None)
    assert rows(content, "steps") == []


@pytest.mark.parametrize(
    ("tokens", "expected"), [(6, []), (7, []), (8, ["SPS006"]), (5, ["SPS006"])]
)
def test_one_token_a_turn_may_be_missing(
    tokens: int, expected: list[str], codes: Codes
) -> None:
    assert [code for code, _ in codes(entry([1, 2, 3], tokens))] == expected


def test_the_summary(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "rest/human-eval/summary.txt").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["metric"], x["statistic"], x["value"], x["unit"]) for x in found] == [
        ("mean_accepted_length", "mean", 2.5, "tokens"),
        ("mean_accepted_length", "ratio", 2.25, "tokens"),
        ("time_per_token", "mean", 0.0125, "s"),
        ("time_per_token", "ratio", 0.0121, "s"),
    ]
    assert [row["entry"] for row in found] == [4, 5, 6, 7]


def test_a_summary_with_a_broken_number(codes: Codes) -> None:
    content = "avg_time_per_token:  0.01\navg_time_per_token_micro:  nan\n"

    assert codes(content) == [("SPS002", "case:2")]
