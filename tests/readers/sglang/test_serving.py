"""SGLang bench_serving: loads, requests of --output-details, launches."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "sglang-bench-serving"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def loads(artifacts: Path, case: str = "0.5.9/two-loads.jsonl") -> bytes:
    return (artifacts / FOLDER / case).read_bytes()


def value(rows: list[dict[str, object]], metric: str, statistic: str) -> object:
    return next(
        row["value"]
        for row in rows
        if row["metric"] == metric and row["statistic"] == statistic
    )


def test_aggregates_of_a_load(artifacts: Path, rows: Rows) -> None:
    found = rows(loads(artifacts), "aggregates")
    first = [row for row in found if row["entry"] == 1]

    assert value(first, "e2e", "mean") == pytest.approx(0.4)
    assert value(first, "e2e", "p99") == pytest.approx(0.8)
    assert value(first, "itl", "max") == pytest.approx(0.04)
    assert value(first, "output_throughput", "rate") == 128.0
    assert value(first, "concurrency", "mean") == pytest.approx(1.6)
    mean = next(row for row in first if row["metric"] == "ttft")
    assert (mean["statistic"], mean["sd"], mean["n"]) == ("mean", 0.002, 8)
    assert {row["scope"] for row in first} == {"request", "run", "lifetime"}


def test_the_accepted_length_is_of_the_lifetime(artifacts: Path, rows: Rows) -> None:
    found = rows(loads(artifacts), "aggregates")
    lengths = [row for row in found if row["metric"] == "mean_accepted_length"]

    assert [row["value"] for row in lengths] == [2.75, 2.8]
    assert {row["scope"] for row in lengths} == {"lifetime"}
    assert all("bonus token included" in str(row["definition"]) for row in lengths)


def test_counts_of_a_load(artifacts: Path, rows: Rows) -> None:
    found = rows(loads(artifacts), "counters")

    assert [row["duration_s"] for row in found] == [2.0, 1.6]
    assert [(row["n_requests"], row["n_prompt"], row["n_output"]) for row in found] == [
        (8, 512, 256),
        (8, 512, 256),
    ]


def test_lines_of_one_launch_share_it(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "0.5.9/two-loads.jsonl")

    assert bench.column("counters", "process") == ["sglang seed 771234567"] * 2
    assert [run.boundary for run in bench.runs] == ["proved"]


def test_settings(artifacts: Path, rows: Rows) -> None:
    settings = json.loads(str(rows(loads(artifacts), "counters")[0]["settings"]))

    assert settings["cfg.request_rate"] == "inf"
    assert settings["cfg.speculative_num_draft_tokens"] == 4
    assert settings["id.model"] == "tiny-llm-1b"
    assert settings["id.draft_model"] == "tiny-eagle3"
    assert settings["id.build"] == "0.5.9"
    assert not any("seed" in key or "host" in key for key in settings)


def test_prefill_and_decode_apart(artifacts: Path, rows: Rows) -> None:
    (row,) = rows(loads(artifacts, "0.5.9/prefill-decode-apart.jsonl"), "counters")
    settings = json.loads(str(row["settings"]))

    assert row["process"] == "sglang seed 400000001+400000002"
    assert settings["cfg.disaggregation_mode"] == "decode"
    assert settings["cfg.prefill_mem_fraction_static"] == 0.4
    assert settings["cfg.servers"] == 2


def test_requests_with_details(artifacts: Path, rows: Rows) -> None:
    found = rows(loads(artifacts, "0.5.9/output-details.jsonl"))

    assert [row["ok"] for row in found] == [True, True, True, False]
    assert [row["ttft_s"] for row in found] == [0.016, 0.024, None, None]
    assert found[0]["decode_s"] == pytest.approx(0.03)
    assert [row["n_output"] for row in found] == [4, 5, 0, None]
    assert found[3]["error"] == "Connection refused"
    assert found[0]["output_sha256"] is not None
    # The seed 42 was chosen, so it tells no launches apart.
    assert {row["process"] for row in found} == {None}


def test_empty_answers_are_counted(artifacts: Path, codes: Codes) -> None:
    found = codes(loads(artifacts, "0.5.9/output-details.jsonl"))

    assert found == [("SPS007", "case:1")]
    assert codes(loads(artifacts)) == []


def test_keys_of_old_versions(artifacts: Path, rows: Rows) -> None:
    found = rows(loads(artifacts, "0.3/old-keys.jsonl"), "aggregates")

    assert value(found, "e2e", "mean") == pytest.approx(0.9)
    assert value(found, "itl", "median") == pytest.approx(0.011)
    assert value(found, "output_throughput", "rate") == 100.0


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("request_throughput", 5.0),
        ("output_throughput", 100.0),
        ("concurrency", 3.0),
        ("total_output_tokens_retokenized", 120),
    ],
)
def test_a_contradiction(key: str, wrong: float, artifacts: Path, codes: Codes) -> None:
    entry = json.loads(loads(artifacts).splitlines()[0])
    entry[key] = wrong

    assert codes(json.dumps(entry)) == [("SPS006", "case:1")]


def test_lists_that_are_not_the_load(artifacts: Path, codes: Codes) -> None:
    entry = json.loads(loads(artifacts, "0.5.9/output-details.jsonl"))
    shorter = {**entry, "output_lens": entry["output_lens"][:2]}
    slower = {**entry, "output_lens": [4, 5, 3, 0], "ttfts": [0.5, 0.5, 0.5, 0]}

    assert codes(json.dumps(shorter)) == [("SPS006", "case:1")]
    assert codes(json.dumps(slower)) == [("SPS006", "case:1")]


def test_nothing_was_completed(artifacts: Path, codes: Codes) -> None:
    entry = json.loads(loads(artifacts).splitlines()[0])
    zeros = {
        key: 0.0 if isinstance(item, float) and "rate" not in key else item
        for key, item in entry.items()
    }

    assert codes(json.dumps({**zeros, "completed": 0})) == [("SPS007", "case:1")]


@pytest.mark.parametrize("wrong", ["8", None, -1, 1.5, [], {}, True, 1e300])
def test_a_load_without_a_count(wrong: object, artifacts: Path, codes: Codes) -> None:
    good = loads(artifacts).splitlines()[0].decode()
    entry = {**json.loads(good), "completed": wrong}

    assert codes(good + "\n" + json.dumps(entry)) == [("SPS002", "case:2")]


@pytest.mark.parametrize(
    "wrong",
    ["x", None, -1, [], {}, True, 1e999, [[1]], pytest.param(10**400, id="huge")],
)
def test_wrong_types_give_no_numbers(wrong: object, artifacts: Path) -> None:
    entry = json.loads(loads(artifacts, "0.5.9/output-details.jsonl"))
    for key in entry:
        if key not in {"completed", "total_output_tokens_retokenized"}:
            changed = json.dumps({**entry, key: wrong})
            bench = specstats.read(changed.encode())
            assert bench.inputs[0].entries == 1
    for key in ("ttfts", "itls", "input_lens", "output_lens", "errors"):
        changed = json.dumps({**entry, key: [wrong] * 4})
        assert specstats.read(changed.encode()).inputs[0].parsed == 1
