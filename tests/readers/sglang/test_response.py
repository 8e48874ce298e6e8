"""SGLang responses: meta_info, counts of drafts, the histogram."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "sglang-response"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def details(artifacts: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (artifacts / FOLDER / "2026/details.json").read_text()
    )
    return found


def test_counts_of_the_extension(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "2026/sglext.json").read_bytes()
    (row,) = rows(content)
    (counts,) = rows(content, "counters")

    assert (row["n_steps"], row["n_draft"], row["n_accepted"]) == (5, 15, 6)
    assert (row["n_prompt"], row["n_cached"], row["n_output"]) == (8, 4, 14)
    assert row["output_sha256"] == hashlib.sha256(b"A short answer.").hexdigest()
    assert (row["finish_reason"], row["request_id"]) == ("stop", "chatcmpl-1")
    # Of 1 + 2 + 2 steps, 4 accepted one or more, 2 two or more, none three.
    assert json.loads(str(counts["accepted_by_position"])) == [4, 2, 0]
    assert (counts["n_verify"], counts["n_draft"], counts["n_accepted"]) == (5, 15, 6)
    assert (counts["scope"], counts["prompt_id"]) == ("run", "chatcmpl-1")


def test_bare_details(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = json.dumps(details(artifacts))
    (row,) = rows(content)

    assert (row["n_steps"], row["n_draft"], row["n_accepted"]) == (8, 16, 4)
    assert (row["n_output"], row["e2e_s"]) == (None, None)
    assert codes(content) == []


def test_a_histogram_of_many(rows: Rows, artifacts: Path) -> None:
    entry = {**details(artifacts), "spec_correct_drafts_histogram": [1] * 1024}
    counts = rows("\n".join([json.dumps(entry)] * 50), "counters")

    assert json.loads(str(counts[49]["accepted_by_position"])) == [*range(1023, 0, -1)]


def test_native_responses(artifacts: Path, rows: Rows) -> None:
    first, aborted = rows((artifacts / FOLDER / "0.5.9/native.jsonl").read_bytes())

    assert (first["e2e_s"], first["n_output"]) == (0.75, 6)
    assert (first["n_prompt"], first["n_cached"]) == (15, 5)
    assert (first["started_s"], first["ended_s"]) == (1790000001.5, 1790000002.25)
    assert (first["engine_rate_tps"], first["rate_convention"]) == (10.0, None)
    assert (first["decode_s"], first["ttft_s"]) == (None, None)
    assert (aborted["ok"], aborted["error"]) == (False, "client left")
    assert (aborted["e2e_s"], aborted["n_output"]) == (None, None)


def test_a_saved_run(artifacts: Path, rows: Rows) -> None:
    (row,) = rows((artifacts / FOLDER / "0.5.9/case.run.json").read_bytes())

    assert (row["e2e_s"], row["n_output"], row["n_steps"]) == (0.75, 6, None)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"spec_correct_drafts_histogram": [5, 1, 2]}, ["SPS006"]),
        ({"spec_correct_drafts_histogram": [6, 2, 1]}, ["SPS006"]),
        ({"spec_accept_rate": 0.5}, ["SPS308"]),  # (4 + 8) / (16 + 8)
        ({"spec_accept_rate": 0.9}, ["SPS006"]),
        ({"spec_accept_rate": 0.251}, []),
    ],
)
def test_cross_checks(
    changes: dict[str, object], code: list[str], artifacts: Path, codes: Codes
) -> None:
    content = json.dumps({**details(artifacts), **changes})

    assert [found for found, _ in codes(content)] == code


def test_a_text_that_was_cut_short(artifacts: Path, rows: Rows, codes: Codes) -> None:
    lines = (artifacts / FOLDER / "0.5.9/native.jsonl").read_text().splitlines()
    entry = json.loads(lines[0])
    entry["output_ids"] = entry["output_ids"][:2]

    assert codes(json.dumps(entry)) == [("SPS006", "case:1")]
    assert rows(json.dumps(entry))[0]["output_sha256"] is None
    assert rows(lines[0])[0]["output_sha256"] is not None


def test_names_of_older_versions(artifacts: Path, rows: Rows) -> None:
    renamed = {
        "spec_num_correct_drafts": "spec_accept_token_num",
        "spec_num_proposed_drafts": "spec_draft_token_num",
        "spec_correct_drafts_histogram": "spec_accept_histogram",
    }
    entry = {renamed.get(key, key): item for key, item in details(artifacts).items()}
    content = json.dumps({"text": "a", "meta_info": {"id": "x", **entry}})
    content = content.replace('"id"', '"completion_tokens": 13, "id"')

    (row,) = rows(content)
    assert (row["n_steps"], row["n_draft"], row["n_accepted"]) == (8, 16, 4)


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge"), [[1]]],
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    for key in details(artifacts):
        content = json.dumps({**details(artifacts), key: wrong})
        if key != "spec_verify_ct":
            assert specstats.read(content.encode()).requests.num_rows == 1
    native = (artifacts / FOLDER / "0.5.9/native.jsonl").read_text().splitlines()[0]
    meta = json.loads(native)["meta_info"]
    for key in meta:
        entry = {"text": wrong, "meta_info": {**meta, key: wrong}}
        if key != "completion_tokens":
            bench = specstats.read(json.dumps(entry).encode())
            assert bench.requests.num_rows == 1
