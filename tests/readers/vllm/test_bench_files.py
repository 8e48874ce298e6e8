"""vLLM bench latency, throughput and sweep; spec-bench-vllm; InferenceX."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.bench import Bench

Row = dict[str, object]
Rows = Callable[..., list[Row]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]
STRANGE = [None, "x", -1, 1e308, 10**400, [], {"a": 1}, True, float("nan"), [1e308] * 3]
SWEEP = "vllm-bench-sweep/0.25.1/SERVE--max_num_seqs=4-BENCH--max_concurrency=2"


def entry(artifacts: Path, case: str) -> Row:
    content = (artifacts / case).read_text(encoding="utf-8")
    found: Row = json.loads(content.partition('\n{"date')[0])
    return found


def printed(rows: list[Row]) -> dict[tuple[object, object], object]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def settings(row: Row) -> Row:
    found: Row = json.loads(str(row["settings"]))
    return found


def table(bench: Bench, name: str) -> list[Row]:
    found: list[Row] = getattr(bench, name).to_pylist()
    return found


def test_iterations_are_samples_of_one_process(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "vllm-bench-latency/0.10/iterations.json")
    found = table(bench, "requests")

    assert [(row["repetition"], row["e2e_s"]) for row in found] == [
        (0, 1.5),
        (1, 2.0),
        (2, 2.5),
    ]
    assert {(row["n_output"], row["decode_s"]) for row in found} == {(None, None)}
    assert [run.boundary for run in bench.runs] == ["proved"]
    assert printed(table(bench, "aggregates")) == {
        ("e2e", "mean"): 2.0,
        ("e2e", "p10"): 1.6,
        ("e2e", "median"): 2.0,
        ("e2e", "p99"): 2.49,
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"avg_latency": 2.1}, ["SPS006"]),
        ({"percentiles": {"50": 2.4}}, ["SPS006"]),
        ({"latencies": []}, []),
        ({"latencies": [1.0, "x"]}, ["SPS002"]),
        ({"latencies": [], "avg_latency": None}, ["SPS002"]),
    ],
)
def test_latency_findings(
    changes: Row, expected: list[str], artifacts: Path, codes: Codes
) -> None:
    good = entry(artifacts, "vllm-bench-latency/0.10/iterations.json")

    assert [code for code, _ in codes(json.dumps({**good, **changes}))] == expected


def test_throughput_counts_prompt_tokens(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "vllm-bench-throughput/0.10/plain.json")
    (row,) = table(bench, "counters")

    assert (row["duration_s"], row["n_requests"]) == (10.0, 20)
    assert (row["n_prompt"], row["n_output"]) == (None, None)
    assert (row["run_boundary"], row["scope"]) == ("proved", "run")
    assert printed(table(bench, "aggregates")) == {
        ("request_throughput", "rate"): 2.0,
        ("total_throughput", "rate"): 300.0,
        ("total_tokens", "total"): 3000.0,
    }


def test_throughput_with_lengths(artifacts: Path, rows: Rows, codes: Codes) -> None:
    good = entry(artifacts, "vllm-bench-throughput/variant/lengths.json")
    (row,) = rows(json.dumps(good), "counters")
    (other,) = rows(json.dumps({**good, "ouput": 60}), "counters")

    assert (row["n_prompt"], row["n_output"]) == (2000, 1000)
    assert settings(row)["cfg.output_len"] == 50
    assert (other["n_prompt"], other["n_output"]) == (None, None)
    assert codes(json.dumps({**good, "ouput": 60})) == [("SPS006", "case:1")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"requests_per_second": 3.0}, ["SPS006"]),
        ({"tokens_per_second": 30.0}, ["SPS006"]),
        ({"elapsed_time": 0.0}, ["SPS002"]),
        ({"num_requests": None}, ["SPS002"]),
    ],
)
def test_throughput_findings(
    changes: Row, expected: list[str], artifacts: Path, codes: Codes
) -> None:
    good = entry(artifacts, "vllm-bench-throughput/0.10/plain.json")

    assert [code for code, _ in codes(json.dumps({**good, **changes}))] == expected


def test_runs_of_a_sweep_are_one_launch(artifacts: Path) -> None:
    bench = specstats.read(artifacts / SWEEP, arms={"s": "*"})
    found = table(bench, "counters")

    assert [(run.boundary, len(run.processes)) for run in bench.runs] == [("proved", 1)]
    # The summary holds both runs again: its counts would be there twice.
    assert [row["duration_s"] for row in found] == [2.0, 1.0]
    copies = [
        row
        for row in table(bench, "aggregates")
        if "the same numbers as run=1.json" in str(row["definition"])
    ]
    assert printed(copies)["output_throughput", "rate"] == 160.0
    assert settings(found[0])["cfg.max_num_seqs"] == 4


def test_files_named_one_by_one_are_one_launch_too(artifacts: Path) -> None:
    files = [artifacts / SWEEP / f"run={number}.json" for number in (0, 1)]

    bench = specstats.read(files, arms={"s": "*"})

    assert [(run.boundary, len(run.processes)) for run in bench.runs] == [("proved", 1)]


def test_other_serve_parameters_are_another_launch(
    artifacts: Path, tmp_path: Path
) -> None:
    content = (artifacts / SWEEP / "run=0.json").read_bytes()
    for number, folder in enumerate(
        ("SERVE--a=1-BENCH--b=1", "SERVE--a=1-BENCH--b=2", "SERVE--a=2-BENCH--b=1")
    ):
        (tmp_path / folder).mkdir()
        changed = content.replace(b"101500", b"10150%d" % number)
        (tmp_path / folder / "run=0.json").write_bytes(changed)

    bench = specstats.read(tmp_path, arms={"s": "**"})

    assert len({row["process"] for row in table(bench, "counters")}) == 2


def test_a_run_without_its_folder_proves_nothing(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / SWEEP / "run=0.json").read_bytes()
    (row,) = rows(content, "counters")

    assert (row["process"], row["run_boundary"]) == (None, "unknown")


def test_a_warm_up_of_a_sweep_counts_nothing(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / SWEEP / "run=0.json").read_bytes()
    warm = content.replace(b'"run_number": 0', b'"run_number": -1')

    assert rows(warm, "counters") == []
    assert all("warm-up" in str(row["definition"]) for row in rows(warm, "aggregates"))


def test_a_table_of_draft_lengths(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "spec-bench-vllm/2024-12/table.jsonl")
    found = table(bench, "counters")

    assert [(row["arm"], row["duration_s"]) for row in found] == [
        ("no drafting", 4.0),
        ("no drafting", 2.0),
        ("3 draft tokens", 2.0),
        ("3 draft tokens", 1.0),
    ]
    assert {row["workload"] for row in found} == {"spec-bench-qa"}
    assert settings(found[3])["cfg.max_concurrency"] == 4
    assert [settings(row)["cfg.num_speculative_tokens"] for row in found] == [
        0,
        0,
        3,
        3,
    ]
    assert settings(found[0])["id.model"] == "tiny-1b"


@pytest.mark.parametrize("length", [None, "3", 2.5, 1e300])
def test_a_line_without_a_draft_length(
    length: object, artifacts: Path, codes: Codes
) -> None:
    good = entry(artifacts, "spec-bench-vllm/2024-12/table.jsonl")

    text = json.dumps({**good, "NUM_SPEC_TOKENS": length})

    assert codes(text) == [("SPS002", "case:1")]


def test_aggregated_results_are_in_seconds(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "inferencex/2026-05/agg.json").read_bytes()
    found = rows(content, "aggregates")
    values = printed(found)

    assert values["ttft", "mean"] == 0.3
    assert values["e2e", "p99"] == 24.0
    assert values["interactivity", "p99"] == 40.0
    assert values["output_throughput_per_gpu", "rate"] == 29.0
    # 0.056 / 0.02: tokens of a chunk, from times alone.
    assert values["tokens_per_chunk", "ratio"] == pytest.approx(2.8)
    deviations = {row["metric"]: row["sd"] for row in found if row["sd"] is not None}
    assert deviations == {"ttft": 0.07, "tpot": 0.0005, "itl": 0.02, "e2e": 1.3}
    told = settings(found[0])
    assert told["cfg.dp_attention"] is False
    assert told["cfg.spec_decoding"] == "mtp"
    assert told["id.build"] == "vllm-openai:v0.21.0"
    assert told["id.device"] == "tinygpu"


def test_chunks_without_drafting(artifacts: Path, rows: Rows) -> None:
    good = entry(artifacts, "inferencex/2026-05/agg.json")
    found = rows(json.dumps({**good, "spec_decoding": "none"}), "aggregates")

    assert ("tokens_per_chunk", "ratio") not in printed(found)


def test_slo_files_are_in_seconds_too(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "inferencex/2026-02/slo.json").read_bytes()
    values = printed(rows(content, "aggregates"))
    (row,) = rows(content, "counters")

    assert values["ttft", "median"] == 0.25
    assert values["tpot", "p99"] == 0.02
    assert values["input_throughput", "rate"] == 400.0
    assert (row["duration_s"], row["n_output"], row["n_failed"]) == (4.0, 800, 0)


def test_atom_files_are_in_milliseconds(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "inferencex/2026-05/atom.json").read_bytes()
    found = rows(content, "aggregates")
    values = printed(found)

    assert values["ttft", "mean"] == 0.25
    assert values["interactivity", "median"] == 200.0
    told = settings(found[0])
    assert told["id.model"] == "Tiny-1B-MTP"
    assert told["cfg.random_input_len"] == 400
    assert not any("url" in key for key in told)


@pytest.mark.parametrize(
    ("case", "changes", "code"),
    [
        ("2026-05/agg.json", {"mean_intvty": 60.0}, "SPS006"),
        ("2026-05/agg.json", {"tput_per_gpu": 70.0}, "SPS006"),
        ("2026-02/slo.json", {"input_throughput": 40.0}, "SPS006"),
        ("2026-02/slo.json", {"completed": 15, "request_throughput": 3.75}, "SPS007"),
        (
            "2026-05/atom.json",
            {"accuracy_validation": {"status": "FAILED"}},
            "SPS014",
        ),
    ],
)
def test_inferencex_findings(
    case: str, changes: Row, code: str, artifacts: Path, codes: Codes
) -> None:
    good = entry(artifacts, f"inferencex/{case}")

    assert codes(json.dumps(good)) == []
    assert codes(json.dumps({**good, **changes})) == [(code, "case:1")]


def test_synthetic_acceptance_in_the_arguments(artifacts: Path, codes: Codes) -> None:
    good = entry(artifacts, "inferencex/2026-05/agg.json")

    text = json.dumps({**good, "server_args": "rejection_sample_method=synthetic"})

    assert codes(text) == [("SPS309", "case:1")]


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize(
    "case",
    [
        "inferencex/2026-05/agg.json",
        "inferencex/2026-05/atom.json",
        "inferencex/2026-02/slo.json",
        "vllm-bench-latency/0.10/iterations.json",
        "vllm-bench-throughput/variant/lengths.json",
        f"{SWEEP}/run=0.json",
        "spec-bench-vllm/2024-12/table.jsonl",
    ],
)
def test_strange_values(
    case: str, strange: object, artifacts: Path, read_or_refuse: Callable[..., object]
) -> None:
    good = entry(artifacts, case)

    for key in good:
        read_or_refuse(json.dumps({**good, key: strange}).encode())
