"""Real files of SGLang, TensorRT-LLM, inference-perf and llmperf."""

import json
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.bench import Bench

SERVING = "sglang_bench_serving"
TRTLLM = "trtllm_bench/{}_qwen25_0p5b_official_cli__in16_out40_bs1.report.json"
Printed = dict[tuple[str, str], float]


def table(bench: Bench, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = getattr(bench, name).to_pylist()
    return found


def printed(bench: Bench) -> Printed:
    return {
        (row["metric"], row["statistic"]): row["value"]
        for row in table(bench, "aggregates")
    }


def settings(bench: Bench, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table(bench, name)[0]["settings"])
    return found


def test_bench_serving(corpus: Path) -> None:
    bench = specstats.read(corpus / SERVING / "agg_n100_in128_out128_c8.jsonl")
    found = printed(bench)
    (load,) = table(bench, "counters")

    assert (load["n_requests"], load["n_prompt"], load["n_output"]) == (100, 6145, 6180)
    assert load["duration_s"] == 4.364918283186853
    # 6180 / 4.364918283 = 1415.834 and 100 / 4.364918283 = 22.9099.
    assert found["output_throughput", "rate"] == pytest.approx(6180 / 4.364918283186853)
    assert found["request_throughput", "rate"] == pytest.approx(22.90993634)
    # 33.9224 s of latency in all over 4.3649 s.
    assert found["concurrency", "mean"] == pytest.approx(33.92240364943 / 4.36491828)
    assert found["ttft", "median"] == pytest.approx(0.0226287511177361)
    assert ("mean_accepted_length", "ratio") not in found


def test_two_loads_of_one_server(corpus: Path) -> None:
    files = [
        corpus / SERVING / f"agg_n{count}_in128_out128_c8.jsonl" for count in (50, 100)
    ]
    bench = specstats.read(files, arms={"agg": "*"})

    # server_info.random_seed is 4815996 in both.
    assert [(run.boundary, run.processes) for run in bench.runs] == [
        ("proved", ("sglang seed 4815996",))
    ]
    found = settings(bench, "counters")
    assert (found["id.build"], found["id.model"]) == (
        "0.5.5.post3",
        "Qwen2.5-3B-Instruct",
    )
    assert (found["cfg.request_rate"], found["cfg.max_concurrency"]) == ("inf", 8)


def test_prefill_and_decode_apart(corpus: Path) -> None:
    bench = specstats.read(corpus / SERVING / "pd_intra_n100_in128_out128_c8.jsonl")
    found = settings(bench, "counters")

    assert bench.column("counters", "process") == ["sglang seed 567088624+947197382"]
    assert found["cfg.disaggregation_mode"] == "decode"
    assert found["cfg.prefill_disaggregation_mode"] == "prefill"
    # 6180 / 3.954935667 = 1562.604.
    assert printed(bench)["output_throughput", "rate"] == pytest.approx(1562.6044, 1e-6)


def test_one_batch_offline(corpus: Path) -> None:
    path = "sglang_bench_one_batch/offline_torch_with_text_header.jsonl"
    bench = specstats.read(corpus / path)
    rows = table(bench, "requests")

    # 0.14148664 - 0.02279186 s over 31 steps is 3.829 ms; the median is 3.826 ms.
    assert rows[0]["decode_s"] == pytest.approx(0.11869478225708008)
    assert rows[0]["decode_s"] / 31 == pytest.approx(0.003829, abs=1e-6)
    assert (rows[0]["ttft_s"], rows[0]["n_output"]) == (0.02279186248779297, 32)
    assert [row["entry"] for row in rows] == [2, 3, 4, 5, 6, 7]
    assert rows[5]["n_output"] == 16 * 256
    assert settings(bench, "requests")["cfg.heading"] == "torch"


def test_one_batch_repeats(corpus: Path) -> None:
    path = "sglang_bench_one_batch/server_torch_tp4_two_runs_appended.jsonl"
    bench = specstats.read(corpus / path)
    sixteen = [
        row
        for row in table(bench, "requests")
        if row["prompt_id"] == "batch 16, 1024+8"
    ]

    assert [(row["repetition"], row["e2e_s"]) for row in sixteen] == [
        (0, 0.4632),
        (1, 0.2204),
    ]
    # 16 * 8 / 0.4632 = 276.3: the rate has the prefill in its time.
    rate = next(
        row
        for row in table(bench, "aggregates")
        if row["metric"] == "output_throughput" and row["entry"] == 2
    )
    assert rate["value"] == pytest.approx(16 * 8 / 0.4632, rel=2e-4)
    assert "prefill included" in rate["definition"]
    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_log_with_rates(corpus: Path) -> None:
    bench = specstats.read(corpus / "sglang_log/eagle3_with_accept_rate.log")
    rows = table(bench, "aggregates")

    def values(metric: str) -> list[float]:
        return [row["value"] for row in rows if row["metric"] == metric]

    # The fourth and fifth field of the five lines; the first line follows idling.
    assert values("mean_accepted_length") == [2.17, 1.95, 1.80, 2.05, 1.80]
    assert values("acceptance_rate") == [0.54, 0.49, 0.45, 0.51, 0.45]
    assert values("decode_rate") == [178.86, 165.41, 188.68, 165.59]
    assert values("decode_rate_after_idle") == [0.39]
    # Each rate times 4 is the length, to two digits.
    (found,) = bench.findings.of("SPS308")
    assert "over 4 in every line" in found.message


def test_log_without_rates(corpus: Path) -> None:
    bench = specstats.read(corpus / "sglang_log/eagle_no_accept_rate_2025-03.log")

    assert [
        (row["metric"], row["value"], row["entry"])
        for row in table(bench, "aggregates")
    ] == [
        ("decode_rate_after_idle", 39.33, 4),
        ("mean_accepted_length", 2.54, 4),
        ("running_requests", 32.0, 4),
    ]


def test_details_of_a_response(corpus: Path) -> None:
    bench = specstats.read(corpus / "sglang_log/sglext_spec_tokens_details.json")
    (row,) = table(bench, "requests")
    (counts,) = table(bench, "counters")

    assert (row["n_steps"], row["n_draft"], row["n_accepted"]) == (43, 215, 63)
    # Of [11, 14, 11, 4, 0, 3]: 14+11+4+0+3, 11+4+0+3, 4+0+3, 0+3, 3; their sum is 63.
    positions = json.loads(counts["accepted_by_position"])
    assert positions == [32, 18, 7, 3, 3]
    assert sum(positions) == 63
    # 63 / 215 is the rate in the file, 1 + 63 / 43 the length.
    assert counts["n_accepted"] / counts["n_draft"] == pytest.approx(0.2930232558)
    assert 1 + row["n_accepted"] / row["n_steps"] == pytest.approx(2.4651162791)


@pytest.mark.parametrize(
    ("case", "tokens", "seconds"),
    [
        ("case_001_baseline", 1546, 6.925921515910886),
        ("case_001_baseline_det", 13161, 107.24685759400018),
    ],
)
def test_responses(case: str, tokens: int, seconds: float, corpus: Path) -> None:
    folder = corpus / "sglang_server_info"
    saved = specstats.read(folder / f"{case}.run.json")
    answer = specstats.read(folder / f"{case}.response.json")

    for bench in (saved, answer):
        (row,) = table(bench, "requests")
        assert (row["n_output"], row["e2e_s"]) == (tokens, seconds)
        assert (row["n_prompt"], row["n_cached"]) == (9046, 0)
        # Received and finished lie as far apart as the latency.
        assert row["ended_s"] - row["started_s"] == pytest.approx(seconds, abs=1e-3)
        assert row["n_steps"] is None
        assert row["output_sha256"] is None
    # 40 output_ids were kept of each answer.
    assert answer.findings.of("SPS006")[0].observed == "40 output_ids"


def test_server_info(corpus: Path) -> None:
    path = "sglang_server_info/case_001_baseline.server_info.json"
    bench = specstats.read(corpus / path)

    assert {row["metric"]: row["value"] for row in table(bench, "aggregates")} == {
        "weight_memory": 14.67,
        "kv_cache_memory": 50.59,
        "graph_memory": 0.84,
        "kv_cache_capacity": 1227857,
    }
    assert bench.column("aggregates", "process")[0] == "sglang seed 833866639"
    found = settings(bench, "aggregates")
    assert (found["id.build"], found["id.model"]) == ("0.5.10.post1", "gpt-oss-20b")


def test_trtllm_reports(corpus: Path) -> None:
    bench = specstats.read(corpus / TRTLLM.format("rtx4070ti"))
    found = printed(bench)
    (load,) = table(bench, "counters")

    assert (load["n_requests"], load["n_prompt"], load["n_output"]) == (20, 320, 800)
    # 800 tokens over 3.088041949 s.
    assert found["output_throughput", "rate"] == pytest.approx(800 / 3.088041949)
    assert found["e2e", "median"] == pytest.approx(0.142286861)
    assert found["e2e", "p95"] == found["e2e", "p99"] == found["e2e", "max"]
    # Next to 1 / 2.8808832564 ms = 347.1: sorted[10] of 20 from the other end.
    assert found["decode_rate", "median"] == pytest.approx(349.4094720105722)
    assert ("decode_rate", "mean") not in found
    # issue_rate times 20 requests is 2.9458 s: 19 of 20 latencies of 0.15438 s.
    interval = found["issue_interval", "mean"]
    assert interval * 20 == pytest.approx(2.945755, abs=1e-6)
    assert interval * 20 == pytest.approx(19 * 0.15438254, rel=0.05)
    other = settings(specstats.read(corpus / TRTLLM.format("rtx6000")), "counters")
    assert other["id.device"] == "NVIDIA RTX PRO 6000 Blackwell Server Edition"
    assert other["cfg.dataset"] == "in16_out40.json"


@pytest.mark.parametrize(
    ("case", "counts"),
    [
        ("1024_128_7500", (7500, 7_680_000, 960_000)),
        ("128_128_30000", (30000, 3_840_000, 3_840_000)),
    ],
)
def test_trtllm_logs(case: str, counts: tuple[int, ...], corpus: Path) -> None:
    bench = specstats.read(corpus / f"trtllm_bench/v0.16_stdout_result_{case}.txt")
    (load,) = table(bench, "counters")

    assert (load["n_requests"], load["n_prompt"], load["n_output"]) == counts
    # Tokens over time is the printed throughput.
    rate = printed(bench)["output_throughput", "rate"]
    assert counts[2] / load["duration_s"] == pytest.approx(rate, rel=1e-6)
    assert settings(bench, "counters")["id.model"] == "Llama-3.1-70B-Instruct"


@pytest.mark.parametrize(
    ("arm", "tpot", "prompt", "output"),
    [
        ("vllm", 0.009292917598044454, 2_245_514, 686_417),
        ("vllm_eagle", 0.0159754735907797, 1_257_194, 392_092),
    ],
)
def test_inference_perf_stages(
    arm: str, tpot: float, prompt: int, output: int, corpus: Path
) -> None:
    folder = corpus / "inference_perf" / arm
    bench = specstats.read(folder / "stage_6_lifecycle_metrics.json")
    (load,) = table(bench, "counters")

    assert printed(bench)["tpot", "mean"] == tpot
    # Mean lengths times the count of successes.
    assert (load["n_prompt"], load["n_output"]) == (prompt, output)
    rate = {"vllm": "183.38", "vllm_eagle": "103.98"}[arm]
    assert load["workload"] == f"stage 6, {rate} req/s"
    # Median of the gaps between events: 40 microseconds in both arms.
    first = printed(specstats.read(folder / "stage_0_lifecycle_metrics.json"))
    assert first["itl", "median"] == pytest.approx(4e-5, abs=1e-5)


def test_inference_perf_windows(corpus: Path) -> None:
    folder = corpus / "inference_perf/vllm_eagle"
    window = table(
        specstats.read(folder / "summary_prometheus_metrics.json"), "aggregates"
    )
    (load,) = table(
        specstats.read(folder / "summary_lifecycle_metrics.json"), "counters"
    )

    # The window has 47,869 requests where the load had 22,042.
    assert {row["n"] for row in window if row["metric"] == "ttft"} == {47869}
    assert {row["scope"] for row in window} == {"window"}
    assert load["n_requests"] == 22042


def test_inference_perf_requests_and_their_stage(corpus: Path) -> None:
    folder = corpus / "inference_perf/v0_5_0-clean-two-stage-run"
    rows = table(
        specstats.read(folder / "per_request_lifecycle_metrics.json"), "requests"
    )
    stage = specstats.read(folder / "stage_0_lifecycle_metrics.json")
    good = [row for row in rows[:4] if row["ok"]]

    # The first four requests are those of stage 0; one of them failed.
    assert len(good) == 3
    mean = sum(row["ttft_s"] for row in good) / 3
    assert mean == pytest.approx(printed(stage)["ttft", "mean"])
    tpot = sum(row["decode_s"] / (row["n_output"] - 1) for row in good) / 3
    assert tpot == pytest.approx(printed(stage)["tpot", "mean"])
    assert sum(row["n_output"] for row in good) == 26
    assert table(stage, "counters")[0]["n_failed"] == 1


def test_llmperf_summaries(corpus: Path) -> None:
    bench = specstats.read(corpus / "llmperf/bedrock_70b_summary.json")
    (load,) = table(bench, "counters")
    found = printed(bench)

    # 101 of 150 completed, 25.188 a minute: 240.587 s; 149.7525 * 101 = 15125 tokens.
    assert (load["n_requests"], load["n_failed"], load["n_output"]) == (101, 49, 15125)
    assert load["duration_s"] == pytest.approx(240.5869, abs=1e-3)
    assert found["output_throughput", "rate"] == pytest.approx(15125 / 240.58690)
    assert found["input_tokens", "min"] == 550.0
    (failed,) = bench.findings.of("SPS007")
    assert failed.observed == "49 of 150, by code {-100.0: 49}"


def test_llmperf_responses(corpus: Path) -> None:
    name = "llmperf/{}_individual_responses.60.json"
    bedrock = specstats.read(corpus / name.format("bedrock_70b"))
    anyscale = specstats.read(corpus / name.format("anyscale_13b"))
    rows = table(bedrock, "requests")

    # 23 of the 60 rows have error_code -100; they keep a sum, and get no times.
    assert sum(row["ok"] is False for row in rows) == 23
    assert rows[0]["error"] == "-100: Output too few tokens 102"
    assert (rows[0]["e2e_s"], rows[0]["decode_s"]) == (None, None)
    # 0.0486969 * 128 - 0.6257479 s.
    assert rows[1]["decode_s"] == pytest.approx(5.6074572, abs=1e-6)
    assert not bedrock.findings.of("SPS006")
    # 34.028 chunks/s times 1.52815 s is 52 chunks of the 151 tokens.
    (chunks,) = anyscale.findings.of("SPS006")
    assert chunks.observed == "52 over the latency"
    assert chunks.required == "number_output_tokens 151"


def test_llmperf_by_concurrency(corpus: Path) -> None:
    bench = specstats.read(corpus / "llmperf/llama3-8b_tp1_by_concurrency.json")
    loads = table(bench, "counters")

    # results_number_output_tokens_mean times results_num_completed_requests.
    assert [load["n_output"] for load in loads] == [
        *(17459, 17409, 17498, 18252),
        *(19615, 22416, 22442, 22344),
    ]
    assert loads[0]["duration_s"] == pytest.approx(573.674210)
    firsts = [
        row["value"]
        for row in table(bench, "aggregates")
        if (row["metric"], row["statistic"]) == ("ttft", "mean")
    ]
    assert firsts[0] == 0.15813857590983388
    assert firsts[-1] == 17.327640365461036
