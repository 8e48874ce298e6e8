"""llama-spec-bench: attempts, counts by drafter and position, and summaries."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
FOLDER = "ik-spec-bench/2026-07"
HEADER = (
    "| task     | run | stage   |  tokens | stop  | time(s) |   tok/s | rounds |"
    "    accepted |    rate |  a.len | pos accept |\n"
)
STAGE = {
    "type": "mtp",
    "drafts": 10,
    "draft_tokens": 20,
    "accepted": 15,
    "accept_percent": 75.0,
    "accept_length": 2.5,
    "drafted_by_position": [10, 10],
    "accepted_by_position": [9, 6],
}
ATTEMPT = {
    "row_type": "attempt",
    "task": "code",
    "run": 1,
    "ok": True,
    "stop": "eog",
    "generated": 26,
    "decode_s": 0.5,
    "decode_tps": 52.0,
    "error": None,
}


def attempt(**changes: object) -> str:
    return json.dumps({**ATTEMPT, "stages": [STAGE], **changes})


def staged(**changes: object) -> str:
    return attempt(stages=[{**STAGE, **changes}])


def column(found: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in found]


def test_table(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "table.md").read_bytes()
    found = rows(content)

    assert column(found, "prompt_id") == ["code", "code", "trans...", "story"]
    assert column(found, "repetition") == [0, 1, 0, 0]
    assert column(found, "n_output") == [61, 61, 100, None]
    assert column(found, "decode_s") == [1.0, 1.22, 2.0, None]
    assert column(found, "engine_rate_tps") == [61.0, 50.0, 50.0, None]
    assert column(found, "rate_convention") == ["n", "n", "n", None]
    assert column(found, "n_draft") == [60, 59, 70, None]
    assert column(found, "n_accepted") == [40, 40, 50, None]
    assert column(found, "n_steps") == [20, 20, 40, None]
    assert column(found, "finish_reason") == ["stop", "stop", "length", None]
    assert column(found, "ok") == [True, True, True, False]
    assert found[3]["error"] == "decode failed"
    assert len(set(column(found, "process"))) == 1
    assert codes(content) == []


def test_positions_of_a_table(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "table.md").read_bytes()

    # 90, 70 and 40 % of 20 are 18, 14 and 8, together 40; one token fewer can only
    # be missing at the end: 42.1 % of 19 are 8. 70 of 80 tokens leave it open.
    assert column(rows(content, "counters"), "accepted_by_position") == [
        *("[18, 14, 8]", "[18, 14, 8]"),
        None,
    ]
    assert column(rows(content, "counters"), "n_verify") == [20, 20, 40]


def test_repeat_summary(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "table.md").read_bytes(), "aggregates")

    assert [(x["metric"], x["value"], x["sd"], x["n"]) for x in found] == [
        ("decode_rate", 55.5, 5.5, 2),
        ("acceptance_rate", 0.6723, pytest.approx(0.0056), 2),
        ("mean_accepted_length", 3.0, 0.0, 2),
    ]


def test_details_and_drafter_chains(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "details.md").read_bytes()
    chain, base = rows(content)
    counters = rows(content, "counters")

    assert (chain["n_draft"], chain["n_accepted"], chain["n_steps"]) == (120, 58, 30)
    assert (chain["n_prompt"], chain["prompt_s"], chain["e2e_s"]) == (25, 0.5, 2.0)
    assert (base["n_draft"], base["n_output"], base["decode_s"]) == (None, 90, 3.0)
    assert chain["arm"] == "ngram..+mtp"
    assert base["arm"] == "baseline"
    assert chain["process"] != base["process"]
    assert column(counters, "accepted_by_position") == [
        "[8, 7, 6, 5, 2, 1, 1, 0]",
        "[16, 12]",
    ]
    assert column(rows(content, "aggregates"), "value") == [0.01, 0.25]
    assert codes(content) == []


def test_compact_rows(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "compact.jsonl").read_bytes()
    found = rows(content)

    assert column(found, "entry") == [2, 3, 4, 6]
    assert column(found, "repetition") == [0, 1, 0, 0]
    assert column(found, "n_draft") == [60, 30, None, None]
    assert column(found, "ok") == [True, True, False, True]
    assert found[2]["error"] == "prompt does not fit into context"
    # A summary ends a process; the second one does not draft.
    assert column(found, "arm") == ["mtp", "mtp", "mtp", "baseline"]
    processes = column(found, "process")
    assert processes[0] == processes[2] != processes[3]
    assert column(rows(content, "counters"), "accepted_by_position") == [
        "[18, 14, 8]",
        "[19, 10]",
    ]
    # 111 tokens in 2.25 s; 69 of 90 drafted; 1 + 69 / 40.
    values = column(rows(content, "aggregates"), "value")
    assert values == pytest.approx([111 / 2.25, 69 / 90, 2.725, 30.0])
    assert codes(content) == []


def test_detailed_rows(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "detailed.jsonl").read_bytes()
    (row,) = rows(content)

    assert (row["workload"], row["prompt_id"], row["repetition"]) == ("code", "code", 0)
    assert (row["n_prompt"], row["prompt_s"], row["e2e_s"]) == (30, 0.5, 1.5)
    digest = hashlib.sha256(b"for x in y: pass").hexdigest()
    assert row["output_sha256"] == digest
    told = json.loads(row["settings"])
    assert told["id.model"] == "tiny.gguf"
    assert told["cfg.stage_chain"] == "mtp:n_max=3"
    assert (told["cfg.seed"], told["cfg.max_tokens"]) == (42, 64)
    assert codes(content) == []


@pytest.mark.parametrize(
    ("changes", "observed"),
    [
        ({"accept_length": 1.5}, "1.5"),
        ({"accept_percent": 80.0}, "0.8000"),
        ({"accepted_by_position": [9, 5]}, "14 over the positions"),
        ({"accepted": 21}, "21 accepted of 20"),
    ],
)
def test_counts_that_contradict(
    changes: dict[str, object],
    observed: str,
    parse: Callable[..., list[Any]],
    codes: Codes,
) -> None:
    (batch,) = parse(staged(**changes))

    assert [(x.code, x.observed) for x in batch.findings] == [("SPS006", observed)]
    assert codes(attempt()) == []


def test_a_rate_that_contradicts(codes: Codes) -> None:
    assert codes(attempt(decode_tps=50.0)) == [("SPS006", "case:1")]


def test_counts_that_are_wrong_are_not_used(rows: Rows) -> None:
    content = staged(accepted=21, accepted_by_position=None)

    assert rows(content)[0]["n_draft"] is None
    assert rows(content, "counters") == []


def test_drafts_of_an_attempt_that_failed(rows: Rows) -> None:
    content = attempt(ok=False, stop="fail", error="no") + "\n" + attempt(run=2)
    failed, good = rows(content, "counters")

    assert (failed["n_requests"], failed["n_failed"]) == (0, 1)
    assert (good["n_requests"], good["n_failed"]) == (1, None)
    assert failed["n_draft"] == good["n_draft"] == 20


def test_an_answer_without_tokens(rows: Rows, codes: Codes) -> None:
    content = attempt(generated=0)

    assert rows(content)[0]["decode_s"] is None
    assert codes(content) == [("SPS007", "case:1")]


def test_a_summary_of_other_attempts(codes: Codes) -> None:
    summary = {"row_type": "summary", "attempts": 2, "failures": 0, "generated": 26}
    good = {**summary, "attempts": 1, "speculative": {}}

    assert codes(attempt() + "\n" + json.dumps(good)) == []
    assert codes(attempt() + "\n" + json.dumps({**good, "attempts": 2})) == [
        ("SPS006", "case:2")
    ]
    assert codes(attempt() + "\n" + json.dumps({**good, "generated": 27})) == [
        ("SPS006", "case:2")
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"task": None},
        {"ok": "yes"},
        {"generated": -1},
        {"generated": "26"},
        {"row_type": "other"},
        {"row_type": 5},
    ],
    ids=str,
)
def test_bad_rows(changes: dict[str, object], rows: Rows, codes: Codes) -> None:
    content = attempt() + "\n" + attempt(**changes)

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", "case:2")]


@pytest.mark.parametrize(
    "changes",
    [
        {"stages": 5},
        {"stages": [5, None]},
        {"stages": [{"accepted_by_position": 3}]},
        {"stages": [{"drafts": 1e300, "accepted_by_position": [None] * 9}]},
        {"decode_s": "x", "decode_tps": []},
        {"run": -3},
    ],
    ids=str,
)
def test_odd_values_lose_nothing_else(changes: dict[str, object], rows: Rows) -> None:
    (row,) = rows(attempt(**changes))

    assert row["n_output"] == 26


def test_a_table_that_is_cut_off(rows: Rows, codes: Codes) -> None:
    row = "| code | 1 | mtp | 26 | eog | 0.500 | 52.00 | 10 | 15/20 | 75.00% | 2.50 |"
    whole = f"{HEADER}{row} 90.0% 60.0% |\n"

    assert codes(whole) == []
    assert rows(whole[:-2]) == rows(whole) or len(rows(whole[:-2])) == 1
    assert codes(whole[:-2]) == [("SPS002", "case:2")]
    assert rows(HEADER + row[:40]) == []
    assert codes(HEADER + row[:40]) == [("SPS002", "case:2")]
    (counter,) = rows(whole[:-8], "counters")
    assert counter["accepted_by_position"] is None


def test_times_below_zero_are_none(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "details.md").read_text()
    changed = content.replace("|     2.000 |", "|    -2.000 |")
    changed = changed.replace("|     0.500 |", "|    -0.500 |")
    chain = rows(changed.replace("|   1.500 |", "|  -1.500 |"))[0]

    assert (chain["e2e_s"], chain["prompt_s"], chain["decode_s"]) == (None, None, None)
    assert chain["n_output"] == 90
