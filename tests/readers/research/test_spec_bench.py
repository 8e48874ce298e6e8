"""Spec-Bench answers: values by hand, sessions, failed turns, forks."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.errors import UnknownFormatError

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
FOLDER = "spec-bench"


def answer(question: int = 1, **changes: object) -> dict[str, Any]:
    choice = {
        "index": 0,
        "turns": ["a b c"],
        "decoding_steps": [2],
        "new_tokens": [5],
        "wall_time": [0.5],
        "accept_lengths": [3, 2],
    }
    choice.update(changes)
    return {
        "question_id": question,
        "category": "qa",
        "answer_id": f"id{question}",
        "model_id": "tiny",
        "choices": [choice],
        "tstamp": 100.0 + question,
    }


def lines(*entries: object) -> str:
    return "\n".join(json.dumps(entry) for entry in entries) + "\n"


def test_turns_are_requests(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "fd2c1cd/answers.jsonl").read_bytes())

    assert [row["prompt_id"] for row in found] == ["1/1", "1/2", "2"]
    assert [row["workload"] for row in found] == ["writing", "writing", "qa"]
    assert [row["e2e_s"] for row in found] == [0.5, 0.25, 0.125]
    assert [row["decode_s"] for row in found] == [None] * 3
    assert [row["n_output"] for row in found] == [6, 3, 2]
    assert [row["n_steps"] for row in found] == [3, 2, 2]
    # New tokens less steps; the second question accepted nothing, yet drafted.
    assert [row["n_accepted"] for row in found] == [3, 1, 0]
    assert [row["n_draft"] for row in found] == [None] * 3
    assert [row["ended_s"] for row in found] == [None, 1700000010.5, 1700000011.5]
    assert [row["process"] for row in found] == [None] * 3
    assert found[0]["output_sha256"] == hashlib.sha256(b"Rivers run.").hexdigest()
    assert json.loads(found[0]["settings"]) == {
        "id.model": "tiny-1b-chain",
        "cfg.dtype": "float16",
        "cfg.temperature": 0.0,
    }


def test_steps_are_split_over_turns(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "fd2c1cd/answers.jsonl").read_bytes(), "steps")

    assert [(row["entry"], row["step"], row["n_output"]) for row in found] == [
        *((1, 0, 3), (1, 1, 1), (1, 2, 2)),
        *((1, 0, 2), (1, 1, 1)),
        *((2, 0, 1), (2, 1, 1)),
    ]
    assert [row["n_accepted"] for row in found] == [2, 0, 1, 1, 0, 0, 0]


def test_plain_decoding_drafts_nothing(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "fd2c1cd/vanilla.jsonl").read_bytes()
    found = rows(content)

    assert [row["n_steps"] for row in found] == [6, 3]
    assert [row["n_accepted"] for row in found] == [None, None]
    assert rows(content, "steps") == []


def test_a_question_that_comes_again_begins_a_session(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "appended/sessions.jsonl")

    assert [(run.boundary, run.n_requests) for run in bench.runs] == [
        ("proved", 2),
        ("proved", 2),
    ]
    (found,) = bench.findings.of("SPS308")
    assert found.observed is not None
    assert found.observed.startswith("2 of 2 ")


def test_equal_steps_of_equal_texts_are_no_finding(rows: Rows, codes: Codes) -> None:
    again = [answer(1), answer(2)]
    for entry in again:
        entry.update(answer_id=entry["answer_id"] + "b", tstamp=entry["tstamp"] + 900)
    content = lines(answer(1), answer(2), *again)

    assert codes(content) == []
    assert [row["process"][-2:] for row in rows(content)] == ["#0", "#0", "#1", "#1"]


def test_a_pause_alone_proves_nothing(rows: Rows) -> None:
    late = {**answer(2), "tstamp": 1e9}

    assert [row["process"] for row in rows(lines(answer(1), late))] == [None, None]


def test_repeats_out_of_the_order_of_time_prove_nothing(rows: Rows) -> None:
    before = {**answer(1), "answer_id": "other", "tstamp": 1.0}

    assert [row["process"] for row in rows(lines(answer(1), before))] == [None, None]


def test_models_in_one_file_have_sessions_of_their_own(rows: Rows) -> None:
    entries = []
    for number, model in enumerate(("a", "b", "a", "b")):
        entry = {**answer(1), "model_id": model, "answer_id": str(number)}
        entries.append({**entry, "tstamp": 100.0 + number})

    found = [row["process"][-2:] for row in rows(lines(*entries))]

    assert found == ["#0", "#1", "#2", "#3"]


def test_a_copied_answer_is_read_once(rows: Rows, codes: Codes) -> None:
    content = lines(answer(1), answer(1))

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]


def test_errors_are_failed_requests(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "fork-nan/errors.jsonl").read_bytes()
    found = rows(content)

    assert [row["ok"] for row in found] == [False, False, True]
    assert [row["error"] for row in found] == ["ERROR", "ERROR", None]
    assert found[0]["n_output"] is None
    assert found[0]["e2e_s"] is None
    assert codes(content) == []


def test_the_counts_of_a_failed_turn_are_stale(rows: Rows, codes: Codes) -> None:
    entry = answer(
        turns=["fine", "ERROR"],
        decoding_steps=[2, 2],
        new_tokens=[5, 5],
        wall_time=[0.5, 0.5],
        accept_lengths=[3, 2, 3, 2],
    )

    found = rows(lines(entry))

    assert [(row["ok"], row["n_steps"]) for row in found] == [(True, 2), (False, None)]
    assert len(rows(lines(entry), "steps")) == 2
    assert codes(lines(entry)) == []


def test_a_fork_writes_bare_values(artifacts: Path, rows: Rows) -> None:
    path = artifacts / FOLDER / "fork-article/summaries.jsonl"
    (found,) = rows(path.read_bytes())

    assert (found["prompt_id"], found["n_output"], found["n_steps"]) == ("3", 9, 4)
    assert found["e2e_s"] == 0.75
    assert found["n_accepted"] is None
    assert found["output_sha256"] == hashlib.sha256(b"Short.").hexdigest()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"accept_lengths": [3, 1]}, "SPS006"),  # 4 tokens in steps, 5 in all
        ({"accept_lengths": [3, 1, 1]}, "SPS006"),  # 3 lengths, 2 steps
        ({"accept_lengths": [3, "x"]}, "SPS006"),
        ({"wall_time": [0]}, "SPS006"),
        ({"wall_time": [1e999]}, "SPS006"),
        ({"wall_time": [0.5, 0.5]}, "SPS006"),
        ({"new_tokens": [0], "accept_lengths": []}, "SPS007"),
    ],
)
def test_contradictions(changes: dict[str, Any], code: str, codes: Codes) -> None:
    assert codes(lines(answer(**changes))) == [(code, "case:1")]
    assert codes(lines(answer())) == []


def test_contradictory_lengths_give_no_acceptance(rows: Rows) -> None:
    (found,) = rows(lines(answer(accept_lengths=[3, 1])))

    assert found["n_accepted"] is None
    assert found["e2e_s"] == 0.5


def test_an_empty_answer_has_no_time(rows: Rows) -> None:
    (found,) = rows(lines(answer(new_tokens=[0], accept_lengths=[])))

    assert (found["n_output"], found["e2e_s"]) == (0, None)


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "7",
        '{"question_id": 3}',
        '{"question_id": null, "choices": [{"decoding_steps": [1]}]}',
        '{"question_id": 3, "choices": [null, 4]}',
        '{"question_id": 3, "choices": [{"decoding_steps": [null], "turns": [1]}]}',
    ],
)
def test_broken_entries(broken: str, rows: Rows, codes: Codes) -> None:
    content = lines(answer()) + broken + "\n"

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]


def test_a_block_of_nul_bytes_at_the_end(rows: Rows, codes: Codes) -> None:
    content = lines(answer()).encode() + b"\0" * 64

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]


def test_a_number_of_steps_beyond_64_bits(rows: Rows) -> None:
    (found,) = rows(lines(answer(decoding_steps=[10**30], accept_lengths=[])))

    assert found["n_steps"] is None


def test_answers_without_timing_are_refused_with_the_reason() -> None:
    entry = {"question_id": 1, "choices": [{"index": 0, "turns": ["text"]}]}

    with pytest.raises(UnknownFormatError, match="without any timing"):
        specstats.read(lines(entry).encode())
