"""SpecDecode-Bench simulator traces: the walk by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def trace(lengths: object, tokens: int = 6) -> str:
    ids = list(range(tokens))
    row = {"id": "1", "generated_token_ids": ids, "acc_x": {"acc_len": lengths}}
    return json.dumps(row) + "\n"


def test_methods_are_arms(artifacts: Path, rows: Rows) -> None:
    path = artifacts / "specdecode-simulator/2fdccbd/traces.jsonl"
    found = rows(path.read_bytes())

    assert [row["arm"] for row in found] == ["chain", "lookup"]
    assert {(row["prompt_id"], row["n_prompt"], row["n_output"]) for row in found} == {
        ("5", 3, 6)
    }
    assert {row["e2e_s"] for row in found} == {None}


def test_the_walk_is_not_the_plain_mean(artifacts: Path, rows: Rows) -> None:
    path = artifacts / "specdecode-simulator/2fdccbd/traces.jsonl"
    found = rows(path.read_bytes(), "aggregates")

    # 1 3 2 1 2 1: positions 0, 1, 4 -> steps of 1, 3, 2: 6 tokens in 3 steps.
    assert [(x["arm"], x["metric"], x["value"], x["n"]) for x in found] == [
        ("chain", "mean_accepted_length", 2.0, 3),
        ("chain", "accepted_length_by_position", pytest.approx(10 / 6), 6),
        ("lookup", "mean_accepted_length", 1.0, 5),
        ("lookup", "accepted_length_by_position", 1.0, 5),
    ]


def test_a_step_ends_with_the_text(rows: Rows) -> None:
    (found, _) = rows(trace([1, 1, 9], tokens=4), "aggregates")

    assert found["value"] == pytest.approx(4 / 3)


@pytest.mark.parametrize("lengths", [[], [0, 1], [1, None], [1, -2], [1.5], ["1"]])
def test_useless_lengths(lengths: object, rows: Rows, codes: Codes) -> None:
    content = trace([1, 2]) + trace(lengths)

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]
