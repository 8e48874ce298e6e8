"""Medusa answers: values by hand and what the file does not say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def entry(**changes: object) -> str:
    choice = {"turns": ["x"], "idxs": [4], "new_tokens": [9], "wall_time": [0.5]}
    row = {"question_id": 1, "choices": [{**choice, **changes}], "tstamp": 5.0}
    return json.dumps(row) + "\n"


def test_steps_are_one_more_than_the_last_index(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / "medusa/e2a5d20/answers.jsonl").read_bytes())

    assert [row["prompt_id"] for row in found] == ["1/1", "1/2", "2"]
    assert [row["n_steps"] for row in found] == [4, 2, 1]
    assert [row["n_output"] for row in found] == [10, 5, 1]
    assert [row["e2e_s"] for row in found] == [0.5, 0.25, 0.125]
    assert {row["decode_s"] for row in found} == {None}
    assert {row["n_accepted"] for row in found} == {None}
    assert json.loads(found[0]["settings"]) == {
        "id.model": "heads-tiny",
        "cfg.temperature": 0.0,
        "cfg.posterior_threshold": 0.09,
        "cfg.posterior_alpha": 0.3,
    }


def test_nothing_tells_the_launch(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "medusa/e2a5d20/answers.jsonl")

    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_index_at_the_limit_of_64_bits(rows: Rows) -> None:
    (found,) = rows(entry(idxs=[2**63 - 1]))

    assert found["n_steps"] is None


@pytest.mark.parametrize("idxs", [None, "x", [-1], [1.5], {"a": 1}])
def test_useless_indices(idxs: object, rows: Rows) -> None:
    (found,) = rows(entry(idxs=idxs))

    assert (found["n_steps"], found["n_output"]) == (None, 9)
