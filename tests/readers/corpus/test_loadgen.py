"""Real files of load generators: numbers found without the readers."""

from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.bench import Bench
from specstats.errors import UnknownFormatError

EARLY = "aiperf/early_run1/profile_export"
QWEN = "aiperf/qwen_concurrency1/profile_export"
AGENTIC = "aiperf/v0.8.0_agentic_conc1/profile_export"


def rows(bench: Bench, table: str = "requests") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = getattr(bench, table).to_pylist()
    return found


def printed(bench: Bench) -> dict[tuple[str, str], float]:
    return {
        (row["metric"], row["statistic"]): row["value"]
        for row in rows(bench, "aggregates")
    }


def total(found: list[dict[str, Any]], name: str) -> float:
    return sum(float(row[name]) for row in found if row[name] is not None)


def test_aiperf_records_of_qwen(corpus: Path) -> None:
    bench = specstats.read(corpus / f"{QWEN}.jsonl")
    found, steps = rows(bench), rows(bench, "steps")

    # First line: 31.742934 ms, 3644.260102 ms; 199 times inter_token_latency.
    assert found[0]["ttft_s"] == pytest.approx(0.031742934)
    assert found[0]["e2e_s"] == pytest.approx(3.644260102)
    assert found[0]["decode_s"] == pytest.approx(3.612517168)
    # Sum over the lists of inter_chunk_latency, and the tokens but one of each.
    assert total(steps, "step_s") == pytest.approx(35.9836763)
    assert total(found, "decode_s") == pytest.approx(35.9836763)
    assert (total(found, "n_output"), len(steps)) == (2000, 1990)
    assert {row["rate_convention"] for row in found} == {"n-1"}
    assert not bench.findings.errors
    assert {run.boundary for run in bench.runs} == {"unknown"}


def test_aiperf_summary_of_qwen(corpus: Path) -> None:
    bench = specstats.read(corpus / f"{QWEN}_aiperf.json")
    found = printed(bench)
    (counted,) = rows(bench, "counters")

    # As printed, ms to s.
    assert found["ttft", "mean"] == pytest.approx(0.030814987671875)
    assert found["tpot", "median"] == pytest.approx(0.018158001085427134)
    assert found["itl", "p99"] == pytest.approx(0.0208811646)
    # 64 requests and 12,799 tokens in 255.560172701 s.
    assert found["request_throughput", "rate"] == pytest.approx(64 / 255.560172701)
    assert found["output_throughput", "rate"] == pytest.approx(12799 / 255.560172701)
    assert (counted["n_requests"], counted["n_output"]) == (64, 12799)
    assert counted["ended_s"] - counted["started_s"] == pytest.approx(
        255.56017, abs=1e-4
    )


def test_aiperf_errors_and_their_summary(corpus: Path) -> None:
    lines = specstats.read(corpus / f"{EARLY}.20lines.jsonl")
    summary = specstats.read(corpus / f"{EARLY}_aiperf.json")
    table = specstats.read(corpus / f"{EARLY}_aiperf.csv")
    answered = [row for row in rows(lines) if row["ok"]]

    # 16 answers; sums of output_sequence_length - 1 and of the chunk lists.
    assert len(answered) == 16
    assert len(rows(lines, "steps")) == total(answered, "n_output") - 16 == 3756
    assert total(answered, "decode_s") == pytest.approx(121.458765878)
    assert {row["error"] for row in rows(lines) if not row["ok"]} == {
        "RequestCancellationError: Request was cancelled after 0.000 seconds"
    }
    for bench in (summary, table):
        (counted,) = rows(bench, "counters")
        assert (counted["n_requests"], counted["n_failed"]) == (89, 11)
        assert counted["n_output"] == 21624
        assert len(bench.findings.of("SPS007")) == 1
    # The table has the same numbers to 0.01 ms and 0.01 tokens.
    exact, rounded = printed(summary), printed(table)
    assert set(exact) == set(rounded)
    for key, value in exact.items():
        assert rounded[key] == pytest.approx(value, abs=0.00501)


def test_aiperf_warm_up_and_shortened_lists(corpus: Path) -> None:
    bench = specstats.read(corpus / f"{AGENTIC}.12lines.jsonl")
    found = rows(bench)

    assert [row["phase"] for row in found] == ["warmup"] + [None] * 11
    assert (found[0]["n_output"], found[0]["decode_s"]) == (1, None)
    # 2 tokens, one chunk of 22.041824 ms after the first.
    assert found[1]["decode_s"] == pytest.approx(0.022041824)
    # inter_token_latency times 2366
    assert (found[2]["n_output"], found[2]["decode_s"]) == (
        2367,
        pytest.approx(35.058059151),
    )
    # Ten lists were cut to 20 values when the file was saved.
    assert len(bench.findings.of("SPS006")) == 10
    assert len(rows(bench, "steps")) == 1


def test_aiperf_summary_of_the_agentic_load(corpus: Path) -> None:
    bench = specstats.read(corpus / f"{AGENTIC}_aiperf.json")
    found = printed(bench)

    # sum / count of request_latency; tokens over start_time to end_time.
    assert found["e2e", "mean"] == pytest.approx(4965362.4846129995 / 195 / 1000)
    assert found["output_throughput", "rate"] == pytest.approx(
        213017 / 3630.002753, rel=1e-4
    )
    assert not bench.findings.of("SPS006")
    # warmup_metrics has 39641.87 ms and stays out.
    assert found["ttft", "max"] == pytest.approx(169.38464886)


def test_aiperf_tables_with_empty_cells(corpus: Path) -> None:
    bench = specstats.read(corpus / "aiperf/agentic_c16none.profile_export_aiperf.csv")
    found = printed(bench)
    (counted,) = rows(bench, "counters")

    assert found["e2e", "mean"] == pytest.approx(40.84643)
    assert found["concurrency", "mean"] == 19.47
    assert ("concurrency", "p1") not in found
    assert (counted["n_requests"], counted["n_output"]) == (1735, 1540827)
    # 1735 / 3629.96 is printed as 0.48
    assert found["request_throughput", "rate"] == 0.48
    assert not bench.findings.of("SPS006")


def test_genai_perf_console_table(corpus: Path) -> None:
    bench = specstats.read(corpus / "genai_perf/console_table_process_export_files.txt")
    found = printed(bench)

    assert found["ttft", "mean"] == pytest.approx(0.01159)
    assert found["tpot", "p75"] == pytest.approx(0.00402)
    assert found["decode_rate", "mean"] == 248.14
    assert found["output_throughput", "rate"] == 443.39
    assert rows(bench, "counters")[0]["n_requests"] == 20


def test_guidellm_01(corpus: Path) -> None:
    bench = specstats.read(corpus / "guidellm/v0.1_sweep.cut.json")
    found, steps = rows(bench), rows(bench, "steps")

    # Sums of decode_times.data; tokens but one are their number.
    assert [row["decode_s"] for row in found] == pytest.approx(
        [
            *(10.040954113006592, 12.09182596206665, 4.497162103652954),
            *(3.661106586456299, 10.317767858505249, 7.609967470169067),
        ]
    )
    assert [row["n_output"] for row in found] == [213, 255, 97, 19, 74, 81]
    assert len(steps) == sum(row["n_output"] - 1 for row in found) == 733
    # end_time - start_time
    assert found[0]["e2e_s"] == pytest.approx(10.436467409133911)
    assert [row["workload"] for row in found] == ["synchronous"] * 3 + [
        "throughput"
    ] * 3


def test_guidellm_02(corpus: Path) -> None:
    bench = specstats.read(corpus / "guidellm/v0.2_constant10.cut.json")
    found, values = rows(bench), printed(bench)
    (counted,) = rows(bench, "counters")

    # last_token_time - first_token_time; 127 times inter_token_latency_ms
    assert found[0]["decode_s"] == pytest.approx(127 * 10.369747642457016e-3)
    assert found[0]["ttft_s"] == pytest.approx(1.014298677444458)
    assert [row["ok"] for row in found] == [True] * 3 + [False] * 3
    assert all(row["error"].startswith("incomplete") for row in found[3:])
    # 586 answers and 23 cut off; 586 x 128 tokens; no maximum of a rate.
    assert (counted["n_requests"], counted["n_failed"]) == (586, 23)
    assert (counted["n_prompt"], counted["n_output"]) == (70444, 75008)
    assert values["request_throughput", "rate"] == 9.777764697593275
    assert values["output_throughput", "rate"] == 1251.5371956866534
    assert ("output_throughput", "max") not in values
    assert not bench.findings.of("SPS006")


def test_guidellm_05_window_that_ends_too_late(corpus: Path) -> None:
    bench = specstats.read(corpus / "guidellm/v0.5_qwen3-4b_tp4.cut.json")
    found = rows(bench)
    (late,) = bench.findings.of("SPS006")

    # 26 / 720 = 0.0361 printed; 30 requests in 628.358 s are 0.0477
    assert late.observed == "0.0361 requests/s"
    assert late.required == "0.0477 requests/s"
    assert printed(bench)["request_throughput", "rate"] == pytest.approx(
        30 / 628.3578288555145
    )
    # 1024 tokens in 1024 and 1007 chunks: 1023 / 1006 = 1.0168986 as printed
    assert [row["n_steps"] for row in found] == [None, None]
    assert pytest.approx(1.0168986083499005) == 1023 / 1006
    assert [row["phase"] for row in found] == ["warmup", "warmup"]
    # 1023 times inter_token_latency_ms
    assert found[0]["decode_s"] == pytest.approx(1023 * 20.551315384060292e-3)


def test_guidellm_08(corpus: Path) -> None:
    bench = specstats.read(corpus / "guidellm/v0.8_two_rates.cut.json")
    found = printed(bench)
    (counted,) = rows(bench, "counters")

    # 2 requests in 5.01964807510376 s
    assert found["request_throughput", "rate"] == pytest.approx(2 / 5.01964807510376)
    assert found["ttft", "mean"] == pytest.approx(0.011481165885925293)
    assert found["tpot", "mean"] == pytest.approx(0.0011508464813232422)
    assert found["e2e_per_token", "mean"] == pytest.approx(0.0024421364068984985)
    assert counted["workload"] == "constant 2.0"
    assert (counted["n_prompt"], counted["n_output"]) == (143, 16)


@pytest.mark.parametrize(
    ("name", "mean", "decode"),
    [("main", 1.0572324874, 8.007324291), ("no_flag", 1.6234513459, 13.0249724151)],
)
def test_genai_bench(name: str, mean: float, decode: float, corpus: Path) -> None:
    bench = specstats.read(corpus / f"genai_bench/D100_100_conc1_{name}.json")
    found = rows(bench)

    # Mean of e2e_latency and sum of output_latency over the ten requests.
    assert total(found, "e2e_s") / 10 == pytest.approx(mean)
    assert printed(bench)["e2e", "mean"] == pytest.approx(mean)
    assert total(found, "decode_s") == pytest.approx(decode)
    # 99 tokens after the first
    for row in found:
        assert row["engine_rate_tps"] * row["decode_s"] == pytest.approx(99)
    assert not bench.findings.of("SPS006")


def test_settings_without_measurements_are_refused(corpus: Path) -> None:
    with pytest.raises(UnknownFormatError):
        specstats.read(corpus / "genai_bench/experiment_metadata.json")


def test_evalscope_summary_contradicts_itself(corpus: Path) -> None:
    bench = specstats.read(
        corpus / "evalscope_perf/v1.8.1_parallel_1.benchmark_summary.json"
    )
    found = printed(bench)

    assert found["ttft", "mean"] == pytest.approx(0.0642)
    assert found["tpot", "mean"] == pytest.approx(0.01027)
    # ttft + 511 x tpot is the latency
    assert found["ttft", "mean"] + 511 * found["tpot", "mean"] == pytest.approx(
        found["e2e", "mean"], rel=1e-3
    )
    # 20 requests in 5.312 s are 3.765 a second, not 0.1882; 96.38 + 3.77 = 100.15
    assert [item.required for item in bench.findings.of("SPS006")] == [
        "3.76506 a second",
        "100.15 tok/s",
    ]


def test_evalscope_percentiles(corpus: Path) -> None:
    bench = specstats.read(corpus / "evalscope_perf/perf-single-run.json")
    found = printed(bench)

    assert len(found) == 36
    assert (found["ttft", "p99"], found["e2e", "median"]) == (0.402, 1.842)
    assert rows(bench, "counters")[0]["n_requests"] == 100


def test_llmd_reports(corpus: Path) -> None:
    folder = corpus / "llmd_benchmark_report"
    first = specstats.read(folder / "br_v0_1_example.yaml")
    second = specstats.read(folder / "br_v0_2_example.yaml")

    # 3.313 ms and 0.0837 ms as the report says
    assert printed(first)["e2e", "mean"] == pytest.approx(0.00331325431142327)
    assert printed(first)["tpot", "p90"] == pytest.approx(0.000152292036800645)
    assert printed(first)["output_throughput", "rate"] == 32.544923821416
    # stop - start = 1749570580.103 - 1749570583.571
    (found,) = first.findings.of("SPS006")
    assert found.observed == "end - start = -3.468 s"
    assert printed(second)["ttft", "p99.9"] == 0.057014757215045425
    assert printed(second)["output_throughput", "rate"] == 2262.448
    (counted,) = rows(second, "counters")
    # 18:00:42 to 18:17:03 are 981 s
    assert counted["ended_s"] - counted["started_s"] == 981
    assert counted["duration_s"] == 49.97206788184121
    assert len(second.findings.of("SPS014")) == 1
