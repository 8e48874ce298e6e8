"""vLLM bench serve: loads, requests of --save-detailed, what contradicts itself."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.readers._base import Batch

FOLDER = "vllm-bench-serve"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]
Parse = Callable[..., list[Batch]]


@pytest.fixture
def drafting(artifacts: Path) -> dict[str, object]:
    return loaded(artifacts, "0.26.0/drafting.json")


@pytest.fixture
def detailed(artifacts: Path) -> dict[str, object]:
    return loaded(artifacts, "0.26.0/detailed.json")


def content(artifacts: Path, case: str) -> str:
    return (artifacts / FOLDER / case).read_text(encoding="utf-8")


def loaded(artifacts: Path, case: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(content(artifacts, case))
    return found


def value(rows: list[dict[str, object]], metric: str, statistic: str) -> object:
    (found,) = (
        row["value"]
        for row in rows
        if (row["metric"], row["statistic"]) == (metric, statistic)
    )
    return found


def settings(row: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = json.loads(str(row["settings"]))
    return found


def messages(batches: list[Batch], code: str = "SPS006") -> list[str]:
    return [
        item.message
        for batch in batches
        for item in batch.findings
        if item.code == code
    ]


def test_printed_numbers_in_seconds_and_fractions(artifacts: Path, rows: Rows) -> None:
    found = rows(content(artifacts, "0.26.0/drafting.json"), "aggregates")

    assert value(found, "ttft", "mean") == pytest.approx(0.05)
    assert value(found, "tpot", "median") == pytest.approx(0.01)
    assert value(found, "e2e", "p99") == pytest.approx(0.48)
    assert value(found, "output_throughput", "rate") == 80.0
    assert value(found, "total_throughput", "rate") == 208.0
    assert value(found, "concurrency", "max") == 4.0
    # Percent in the file, a fraction here; the rates by position are fractions there.
    assert value(found, "acceptance_rate", "ratio") == 0.5
    assert value(found, "mean_accepted_length", "ratio") == 2.0
    mean = next(row for row in found if row["metric"] == "ttft")
    assert (mean["sd"], mean["n"]) == (pytest.approx(0.005), 8)
    assert not [row for row in found if row["statistic"] == "p50"]


def test_counts_of_a_load(artifacts: Path, rows: Rows, codes: Codes) -> None:
    text = content(artifacts, "0.26.0/drafting.json")
    (row,) = rows(text, "counters")

    assert (row["scope"], row["duration_s"]) == ("run", 2.0)
    assert (row["n_requests"], row["n_failed"]) == (8, 0)
    assert (row["n_prompt"], row["n_output"]) == (256, 160)
    assert (row["n_verify"], row["n_draft"], row["n_accepted"]) == (76, 152, 76)
    assert row["accepted_by_position"] == "[57, 19]"
    assert row["process"] is None
    assert settings(row) == {
        "cfg.backend": "openai",
        "cfg.burstiness": 1.0,
        "cfg.endpoint_type": "openai",
        "cfg.max_concurrency": 2,
        "cfg.num_prompts": 8,
        "cfg.num_speculative_tokens": 2,
        "cfg.request_rate": "inf",
        "id.model": "tiny-1b",
    }
    assert codes(text) == []


def test_requests_of_the_lists(artifacts: Path, rows: Rows) -> None:
    text = content(artifacts, "0.26.0/detailed.json")
    first, failed, empty, last = rows(text)
    steps = rows(text, "steps")

    assert (first["n_prompt"], first["n_output"], first["ok"]) == (10, 4, True)
    assert (first["ttft_s"], first["e2e_s"]) == (0.1, 0.155)
    assert first["decode_s"] == pytest.approx(0.05)
    assert first["started_s"] == 1790000000.5
    assert first["output_sha256"] == hashlib.sha256(b"a b c").hexdigest()
    assert [(row["entry"], row["step"], row["step_s"]) for row in steps] == [
        (1, 0, 0.02),
        (1, 1, 0.03),
    ]
    assert (failed["ok"], failed["ttft_s"], failed["n_output"]) == (False, None, None)
    assert str(failed["error"]).endswith("ConnectionResetError: gone")
    assert (empty["ok"], empty["n_output"], empty["ttft_s"]) == (True, 0, None)
    assert (last["decode_s"], last["ttft_s"], last["e2e_s"]) == (None, 0.2, 0.2)
    assert [row["entry"] for row in rows(text)] == [1, 2, 3, 4]


def test_failed_and_empty_answers_are_counted(artifacts: Path, parse: Parse) -> None:
    found = messages(parse(content(artifacts, "0.26.0/detailed.json")), "SPS007")

    assert found[0] == "1 of 4 requests failed"
    assert found[1].startswith("1 of 4 listed answers claim success and are empty")


def test_lists_of_an_old_version(artifacts: Path, rows: Rows, codes: Codes) -> None:
    text = content(artifacts, "0.6.6/lists.json")
    first, second = rows(text)
    (counted,) = rows(text, "counters")

    # Without latencies: 0.05 + 0.01 + 0.01 and 0.07 + 3 times 0.02.
    assert first["e2e_s"] == pytest.approx(0.07)
    assert second["e2e_s"] == pytest.approx(0.13)
    assert second["decode_s"] == pytest.approx(0.06)
    assert first["started_s"] is None
    assert counted["n_failed"] == 0
    assert settings(first)["id.model"] == "tiny-1b"
    assert settings(first)["cfg.request_rate"] == 4.0
    assert codes(text) == []


def test_a_load_that_failed_gives_no_values(artifacts: Path, rows: Rows) -> None:
    text = content(artifacts, "0.25.1/all-failed.json")
    (row,) = rows(text, "counters")

    assert rows(text, "aggregates") == []
    assert (row["n_requests"], row["n_failed"]) == (0, 8)
    assert (row["duration_s"], row["n_output"]) == (None, None)


def test_failures_without_a_key(
    drafting: dict[str, object], rows: Rows, codes: Codes
) -> None:
    del drafting["failed"]
    drafting["num_prompts"] = 10
    text = json.dumps(drafting)

    assert [row["n_failed"] for row in rows(text, "counters")] == [2]
    assert codes(text) == [("SPS007", "case:1")]


def test_completed_but_empty(drafting: dict[str, object], rows: Rows) -> None:
    drafting.update(total_output_tokens=0, output_throughput=0.0)
    text = json.dumps(drafting)

    assert rows(text, "aggregates") == []
    assert [row["n_requests"] for row in rows(text, "counters")] == [8]


def test_appended_results(artifacts: Path, rows: Rows) -> None:
    found = rows(content(artifacts, "0.25.1/appended.json"), "counters")

    assert [(row["entry"], row["duration_s"]) for row in found] == [(1, 2.0), (2, 4.0)]
    told = settings(found[0])
    assert (told["id.build"], told["id.device"]) == ("0.25.1", "Tiny GPU")
    assert told["cfg.tensor_parallel"] == "2"


def test_appended_results_are_one_unknown_launch(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "0.25.1/appended.json")

    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_reduced_files(artifacts: Path, rows: Rows) -> None:
    text = content(artifacts, "0.7/reduced.json")

    assert rows(text, "counters") == []
    assert value(rows(text, "aggregates"), "ttft", "p99") == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"request_throughput": 5.0}, "request_throughput times duration"),
        ({"output_throughput": 90.0}, "output_throughput times duration"),
        ({"total_token_throughput": 80.0}, "total_token_throughput times duration"),
        ({"p99_itl_ms": 1.0}, "p99_itl is below the median"),
        ({"spec_decode_acceptance_rate": 0.5}, "the printed acceptance rate is not"),
        ({"spec_decode_acceptance_length": 1.0}, "the printed acceptance length is"),
        ({"spec_decode_accepted_tokens": 200}, "more accepted than drafted"),
        (
            {"spec_decode_per_position_acceptance_rates": [0.75, 0.75]},
            "acceptance by position does not sum",
        ),
        ({"mean_itl_ms": 10.0}, "mean ITL over mean TPOT"),
        (
            {
                "spec_decode_num_drafts": 176,
                "spec_decode_draft_tokens": 352,
                "spec_decode_accepted_tokens": 176,
            },
            "the server counted more tokens",
        ),
    ],
)
def test_contradictions(
    changes: dict[str, object], message: str, drafting: dict[str, object], parse: Parse
) -> None:
    found = messages(parse(json.dumps({**drafting, **changes})))

    assert any(text.startswith(message) for text in found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"output_lens": [5, 0, 0, 1]}, "total_output_tokens is not the sum"),
        ({"input_lens": [9, 11, 12, 14]}, "total_input_tokens is not the sum"),
        ({"mean_ttft_ms": 120.0}, "mean_ttft_ms is not the mean of ttfts"),
        ({"errors": ["", "x", "x", ""]}, "the lists hold another number"),
    ],
)
def test_contradictions_of_the_lists(
    changes: dict[str, object], message: str, detailed: dict[str, object], parse: Parse
) -> None:
    found = messages(parse(json.dumps({**detailed, **changes})))

    assert [text[: len(message)] for text in found] == [message]


def test_shortened_lists_contradict_nothing(
    detailed: dict[str, object], parse: Parse
) -> None:
    for name in ("input_lens", "output_lens", "ttfts", "itls", "errors"):
        detailed[name] = detailed[name][:2]  # type: ignore[index]

    assert messages(parse(json.dumps(detailed))) == []


def test_unequal_answers_do_not_compare_itl_with_tpot(
    drafting: dict[str, object], parse: Parse
) -> None:
    drafting.update(
        total_output_tokens=161,
        output_throughput=80.5,
        total_token_throughput=208.5,
        mean_itl_ms=16.0,
    )

    assert messages(parse(json.dumps(drafting))) == []


@pytest.mark.parametrize(
    "told",
    [
        "{'rejection_sample_method': 'synthetic'}",
        '{"synthetic_acceptance_rates": [0.6]}',
        "kimi fixed_ar mtp",
    ],
)
def test_synthetic_acceptance(
    told: str, drafting: dict[str, object], rows: Rows, codes: Codes
) -> None:
    text = json.dumps({**drafting, "speculative_config": told})

    assert codes(text) == [("SPS309", "case:1")]
    assert settings(rows(text, "counters")[0])["cfg.synthetic_acceptance"] is True


def test_unlimited_rate_as_a_literal(drafting: dict[str, object], rows: Rows) -> None:
    drafting["request_rate"] = float("inf")

    (row,) = rows(json.dumps(drafting), "counters")

    assert settings(row)["cfg.request_rate"] == "inf"


@pytest.mark.parametrize("key", ["host_name", "user", "base_url", "api_key", "run_s"])
def test_no_setting(key: str, drafting: dict[str, object], rows: Rows) -> None:
    (row,) = rows(json.dumps({**drafting, key: "x"}), "counters")

    assert f"cfg.{key}" not in settings(row)


def test_entries_that_are_no_results(
    drafting: dict[str, object], rows: Rows, codes: Codes
) -> None:
    text = json.dumps(drafting) + '\n{"completed": 1}\n{"model_id":\n'

    assert codes(text) == [("SPS002", "case:2"), ("SPS002", "case:3")]
    assert len(rows(text, "counters")) == 1


@pytest.mark.parametrize(
    "strange",
    [
        None,
        "x",
        -1,
        1e308,
        10**400,
        [],
        [[]],
        {"a": 1},
        True,
        float("nan"),
        [1e308] * 4,
    ],
)
def test_strange_values(
    strange: object, detailed: dict[str, object], read_or_refuse: Callable[..., object]
) -> None:
    for key in detailed:
        if key != "model_id":
            read_or_refuse(json.dumps({**detailed, key: strange}).encode())
    for name in ("ttfts", "itls", "errors", "output_lens", "latencies"):
        read_or_refuse(json.dumps({**detailed, name: [strange] * 4}).encode())
        read_or_refuse(
            json.dumps({**detailed, name: [[strange, strange]] * 4}).encode()
        )


def test_many_chunks_come_in_batches(detailed: dict[str, object], parse: Parse) -> None:
    detailed["itls"] = [[0.001] * 15_000] * 4
    detailed["output_lens"] = [15_001] * 4
    detailed["errors"] = [""] * 4

    batches = parse(json.dumps(detailed))

    assert sum(batch.count("steps") for batch in batches) == 60_000
    assert max(batch.count("steps") for batch in batches) <= 30_000


def test_sorted_keys_with_lists_longer_than_the_head(
    detailed: dict[str, object], parse: Parse
) -> None:
    detailed["generated_texts"] = ["x" * 1_200_000, "", "", "y"]

    batches = parse(json.dumps(detailed, sort_keys=True))

    assert sum(batch.count("requests") for batch in batches) == 4
