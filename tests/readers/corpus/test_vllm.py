"""Real results of vLLM's benchmarks and of InferenceX: numbers found by hand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.bench import Bench

SERVE = "vllm_bench_serve"
SPARK = f"{SERVE}/spark_muse_{{}}.json"
SWEEP = "vllm_bench_sweep/SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8"
KIMI = "inferencex/agg_kimik2.5_{}_int4_vllm_tp8-ep1-dpafalse_disagg-false_spec-mtp_{}"


def table(bench: Bench, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = getattr(bench, name).to_pylist()
    return found


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def settings(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row["settings"])
    return found


def test_drafting_under_an_open_load(corpus: Path) -> None:
    bench = specstats.read(corpus / SPARK.format("bf16-spec_07-office-baseline"))
    values = printed(table(bench, "aggregates"))
    (row,) = table(bench, "counters")

    assert (row["n_verify"], row["n_draft"], row["n_accepted"]) == (
        *(75_006, 1_125_090, 21_970),
    )
    # 15 positions of 75,006 drafts; the first: 0.16258699 x 75,006 = 12,195.
    positions = json.loads(row["accepted_by_position"])
    assert (len(positions), positions[0], sum(positions)) == (15, 12_195, 21_970)
    # 1.9527 in the file is percent.
    assert values["acceptance_rate", "ratio"] == pytest.approx(21_970 / 1_125_090)
    assert values["mean_accepted_length", "ratio"] == pytest.approx(1.2929099)
    # 97,092 tokens and 200 answers in 2465.894 s; 1390.5 s a request are waiting.
    assert values["output_throughput", "rate"] == pytest.approx(97_092 / 2465.894034)
    assert values["e2e", "mean"] == pytest.approx(1390.5075)
    assert values["ttft", "p99"] == pytest.approx(316.2955)
    assert settings(row)["cfg.request_rate"] == 0.3
    assert not bench.findings.errors


def test_arrivals_bound_a_ratio_of_throughputs(corpus: Path) -> None:
    paths = [
        corpus / SPARK.format(f"{arm}_08-sharegpt") for arm in ("bf16-spec", "bf16")
    ]
    drafted, plain = (
        printed(table(specstats.read(path), "aggregates")) for path in paths
    )

    # 57.3 and 51.6 tok/s, but 77 and 252 ms a token.
    rates = [x["output_throughput", "rate"] for x in (drafted, plain)]
    times = [x["tpot", "mean"] for x in (drafted, plain)]
    assert rates == [pytest.approx(57.3, abs=0.05), pytest.approx(51.6, abs=0.05)]
    assert times == [pytest.approx(0.077, abs=5e-4), pytest.approx(0.252, abs=5e-4)]


def test_requests_of_a_detailed_file(corpus: Path) -> None:
    bench = specstats.read(corpus / SERVE / "detailed_h100_16qps.20of1000.json")
    found, steps = table(bench, "requests"), table(bench, "steps")
    (row,) = table(bench, "counters")

    # First entries of the lists; the first answer has 120 tokens, so 119 gaps.
    assert (found[0]["n_prompt"], found[0]["n_output"]) == (13, 120)
    assert found[0]["ttft_s"] == 0.1538572160006879
    assert found[0]["decode_s"] == pytest.approx(10.636800012)
    assert found[0]["e2e_s"] == pytest.approx(10.636800012 + 0.153857216)
    assert Counter(step["entry"] for step in steps)[1] == 119
    assert len(steps) == 649
    # 6 of the 20 have output_lens 0 and ttfts 0.0 with an empty error.
    empty = [item for item in found if item["n_output"] == 0]
    assert len(empty) == 6
    assert {(item["ok"], item["ttft_s"], item["e2e_s"]) for item in empty} == {
        (True, None, None)
    }
    # The lists were cut to 20 of 1000, so they are not held against the totals.
    assert (row["n_requests"], row["n_output"], row["n_failed"]) == (1000, 120_689, 0)
    assert {item.code for item in bench.findings} >= {"SPS007"}
    assert "SPS006" not in {item.code for item in bench.findings}


def test_failed_requests_of_an_old_version(corpus: Path) -> None:
    bench = specstats.read(corpus / SERVE / "detailed_mi300x_983failed.20of1000.json")
    found = table(bench, "requests")
    (row,) = table(bench, "counters")

    # 1000 asked for, 17 completed; of the 20 listed 10 have an error.
    assert (row["n_requests"], row["n_failed"]) == (17, 983)
    assert Counter(item["ok"] for item in found) == {False: 10, True: 10}
    assert "TransferEncodingError" in found[0]["error"]
    # ttfts holds 21.27 s for a failed request.
    assert all(item["ttft_s"] is None for item in found)
    assert table(bench, "aggregates") == []


def test_a_load_of_which_all_failed(corpus: Path) -> None:
    bench = specstats.read(corpus / SERVE / "v0.25.1_all_failed.json")
    (row,) = table(bench, "counters")

    assert (row["n_requests"], row["n_failed"], row["duration_s"]) == (0, 8, None)
    assert table(bench, "aggregates") == []


def test_a_rerun_of_one_configuration(corpus: Path) -> None:
    name = "rerun_kimik2.5_8k1k_fixed_ar_mtp_conc64{}.json"
    values = [
        printed(table(specstats.read(corpus / SERVE / name.format(run)), "aggregates"))
        for run in ("", "_rerun")
    ]

    rates = [value["output_throughput", "rate"] for value in values]
    assert rates == [pytest.approx(206.99, abs=0.005), pytest.approx(207.75, abs=0.005)]
    # 640 answers of 1024 tokens in 3154.576 s.
    assert rates[1] == pytest.approx(640 * 1024 / 3154.5762817)
    # 29.56355 s, printed as 29563.55 ms.
    assert values[1]["ttft", "p99"] == pytest.approx(29.56355459)
    assert values[1]["ttft", "p99.9"] == pytest.approx(32.324888)


def test_a_sweep_is_one_launch(corpus: Path) -> None:
    bench = specstats.read(corpus / "vllm_bench_sweep", arms={"sweep": "**"})
    counted = table(bench, "counters")

    assert [(run.boundary, len(run.processes)) for run in bench.runs] == [("proved", 1)]
    # 128 tokens in 1.36537 s, then in 0.64203 s: 93.7 and 199.4 tok/s.
    assert [row["n_output"] / row["duration_s"] for row in counted] == [
        pytest.approx(93.7477, abs=1e-4),
        pytest.approx(199.3691, abs=1e-4),
    ]
    summary = [
        row
        for row in table(bench, "aggregates")
        if row["source"].endswith("summary.json")
    ]
    assert len(summary) == 34
    assert all("the same numbers as run=" in row["definition"] for row in summary)


def test_iterations_of_a_batch(corpus: Path) -> None:
    folder = corpus / "vllm_bench_latency"
    bench = specstats.read(folder / "ascend_results_latency_llama8B_tp1.json")
    times = [row["e2e_s"] for row in table(bench, "requests")]

    assert len(times) == 15
    assert sum(times) / 15 == pytest.approx(7.419569773475329)
    assert printed(table(bench, "aggregates"))["e2e", "mean"] == 7.419569773475329
    assert [(run.boundary, run.n_requests) for run in bench.runs] == [("proved", 15)]


def test_files_saved_under_two_names_count_once(corpus: Path) -> None:
    bench = specstats.read(corpus / "vllm_bench_latency", arms={"all": "*"})

    # Three files of 15 iterations, of which two are the same bytes, and one of 2.
    assert len(table(bench, "requests")) == 15 + 15 + 2
    assert len(bench.runs) == 3
    assert [item.code for item in bench.findings].count("SPS003") == 1


def test_throughput_counts_prompt_tokens(corpus: Path) -> None:
    folder = corpus / "vllm_bench_throughput"
    bench = specstats.read(folder / "mi300x_custom_req128_in128.json")
    (row,) = table(bench, "counters")
    values = printed(table(bench, "aggregates"))

    # 128 requests of 128 + 2048 tokens are 278,528 tokens in 195.526 s.
    assert (row["n_prompt"], row["n_output"]) == (16_384, 262_144)
    assert values["total_throughput", "rate"] == pytest.approx(278_528 / 195.526415848)
    assert row["n_output"] / row["duration_s"] == pytest.approx(1340.709, abs=1e-3)


def test_a_table_of_several_models(corpus: Path) -> None:
    folder = corpus / "spec_bench_vllm"
    name = "{}_SpecBench_qa__Table_MaxConcurrency.jsonl"
    plain, medusa = (
        table(specstats.read(folder / name.format(arm)), "counters")
        for arm in ("vanilla", "medusa")
    )

    # 12,864 tokens in 146.176 s; 9,675 in 87.988 s: of different models.
    assert plain[0]["n_output"] / plain[0]["duration_s"] == pytest.approx(88.00338343)
    assert medusa[0]["n_output"] / medusa[0]["duration_s"] == pytest.approx(109.9579)
    assert settings(plain[0])["id.model"] == "Qwen2.5-7B-Instruct"
    assert settings(medusa[0])["id.model"] == "vicuna-7b-v1.3"
    assert Counter(row["arm"] for row in plain) == {"no drafting": 8}
    assert Counter(row["arm"] for row in medusa)["3 draft tokens"] == 8
    assert [settings(row)["cfg.max_concurrency"] for row in plain] == [
        *(1, 4, 8, 12, 16, 32, 64, 128),
    ]


def test_aggregated_results_of_inferencex(corpus: Path) -> None:
    bench = specstats.read(corpus / f"{KIMI.format('1k1k', 'conc4_HOST.json')}")
    found = table(bench, "aggregates")
    values = printed(found)

    assert values["ttft", "mean"] == 0.3170863160688896
    # 0.0486989 / 0.0172941: acceptance from times alone.
    assert values["tokens_per_chunk", "ratio"] == pytest.approx(2.816, abs=5e-4)
    assert values["interactivity", "median"] == pytest.approx(1 / 0.0173938982)
    assert not [row for row in found if row["value"] == pytest.approx(1414.636)]
    assert values["total_throughput_per_gpu", "rate"] == pytest.approx(
        values["output_throughput_per_gpu", "rate"]
        + values["input_throughput_per_gpu", "rate"]
    )
    told = settings(found[0])
    assert told["id.build"] == "vllm-openai-rocm:v0.21.0"
    assert (told["cfg.dp_attention"], told["cfg.spec_decoding"]) == (False, "mtp")


def test_slo_and_atom_files(corpus: Path) -> None:
    name = "slo_glm5_fp8_vllm_tp8_isl1024_osl128_conc16.json"
    slo = specstats.read(corpus / "inferencex" / name)
    atom = specstats.read(corpus / "inferencex/atom_peak_c4.json")
    (row,) = table(slo, "counters")

    # 160 answers of 128 tokens in 50.7457 s; medians are seconds as they stand.
    assert row["n_output"] / row["duration_s"] == pytest.approx(403.58093)
    assert printed(table(slo, "aggregates"))["ttft", "median"] == 0.29139942955225706
    values = printed(table(atom, "aggregates"))
    # 1000 / 6.076577704902922 ms.
    assert values["interactivity", "median"] == pytest.approx(164.56631488)
    assert values["tpot", "median"] == pytest.approx(6.076577704902922e-3)


def test_a_raw_file_of_inferencex(corpus: Path) -> None:
    name = "raw_multinode_concurrency_8_req_rate_inf_gpus_16_ctx_8_gen_8.json"
    bench = specstats.read(corpus / "inferencex" / name)
    (row,) = table(bench, "counters")

    # 80 answers of 1024 tokens in 88.18238 s; the model is a cached snapshot.
    assert row["n_output"] / row["duration_s"] == pytest.approx(928.98376)
    assert settings(row)["id.model"] == "gpt-oss-120b"
