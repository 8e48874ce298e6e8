"""Real files of research benches and suites: numbers found without the readers."""

import json
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.bench import Bench

TRIO = [f"medusa/medusa-vicuna-7b-v1.3-{run}__80q_hashed_text.jsonl" for run in "012"]
SPEC_BENCH = "spec_bench/test_bench__vicuna-7b-v1.3-{}.jsonl"
APPENDED = "spec_bench/appended_runs__llama2-7b-ssd_q12_hashed.jsonl"
STUDY = "core_factorial_llama-3-1-8b-instruct_fp16-fp16-{}_gsm8k_c1_{}.json"
AMD = "mlperf/v5.1_AMD_8xMI300X_llama2-70b-99.9_{}.txt"


def total(bench: Bench, name: str, *, run: str | None = None) -> float:
    runs = bench.column("requests", "run_id")
    return sum(
        float(str(value))
        for value, owner in zip(bench.column("requests", name), runs, strict=True)
        if value is not None and run in {None, owner}
    )


def rows(bench: Bench, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = getattr(bench, table).to_pylist()
    return found


def printed(bench: Bench) -> dict[tuple[str, str], float]:
    return {
        (row["metric"], row["statistic"]): row["value"]
        for row in rows(bench, "aggregates")
    }


@pytest.fixture(scope="module")
def trio(corpus: Path) -> Bench:
    paths = [corpus / name for name in TRIO]
    return specstats.read(paths, run_per_file=True, arms={"m": "*"})


def test_three_medusa_runs_give_the_same_texts_and_steps(trio: Bench) -> None:
    assert [(run.arm, run.boundary, run.n_requests) for run in trio.runs] == [
        ("m", "declared", 160)
    ] * 3
    for name in ("prompt_id", "output_sha256", "n_steps", "n_output"):
        values = trio.column("requests", name)
        assert values[:160] == values[160:320] == values[320:]
        assert None not in values


def test_three_medusa_runs_differ_in_time_only(trio: Bench) -> None:
    # Sums over the 160 turns of each file: tokens, idxs + 1 and wall_time.
    speed, length, step = [], [], []
    for run in trio.runs:
        tokens = total(trio, "n_output", run=run.run_id)
        seconds = total(trio, "e2e_s", run=run.run_id)
        steps = total(trio, "n_steps", run=run.run_id)
        speed.append(round(tokens / seconds, 2))
        length.append(round(tokens / steps, 3))
        step.append(round(1000 * seconds / steps, 2))

    assert speed == [101.30, 102.65, 94.66]
    assert length == [2.565] * 3
    assert step == [25.32, 24.99, 27.10]
    assert trio.order_from == "time"


def test_medusa_files_alone_name_no_launch(corpus: Path) -> None:
    bench = specstats.read([corpus / name for name in TRIO], arms={"m": "*"})

    assert [run.boundary for run in bench.runs] == ["unknown"]


def test_raw_medusa_answers(corpus: Path) -> None:
    bench = specstats.read(corpus / "medusa/medusa-vicuna-7b-v1.3__first8_raw.jsonl")
    hashed = specstats.read(corpus / TRIO[0])

    # The first 8 questions of run 0.
    for name in ("prompt_id", "n_output", "n_steps", "e2e_s"):
        assert bench.column("requests", name) == hashed.column("requests", name)[:16]
    raw = bench.column("requests", "output_sha256")[0]
    assert str(raw).startswith("f12dc64fea58499218a5")  # written in the hashed file


@pytest.mark.parametrize(
    ("method", "steps", "seconds", "counts"),
    [
        ("eagle-float16-temperature-0.0", 948, 31.658432, (2523, 948)),
        ("sps-68m-float16-temp-0.0", 1492, 44.509301, (1979, 1492)),
        ("vanilla-float16-temp-0.0", 3471, 80.042272, (0, 0)),
    ],
)
def test_spec_bench_methods(
    method: str, steps: int, seconds: float, counts: tuple[int, int], corpus: Path
) -> None:
    bench = specstats.read(corpus / SPEC_BENCH.format(method))
    accepted, listed = counts

    # Sums of decoding_steps and wall_time over 8 turns; 3471 new tokens in all.
    assert total(bench, "n_output") == 3471
    assert total(bench, "n_steps") == steps
    assert total(bench, "e2e_s") == pytest.approx(seconds, abs=1e-5)
    assert total(bench, "n_accepted") == accepted
    assert bench.steps.num_rows == listed
    assert sum(row["n_output"] for row in rows(bench, "steps")) == (listed and 3471)


def test_plain_decoding_has_no_draft_counts(corpus: Path) -> None:
    bench = specstats.read(corpus / SPEC_BENCH.format("vanilla-float16-temp-0.0"))

    assert set(bench.column("requests", "n_accepted")) == {None}
    assert set(bench.column("requests", "n_draft")) == {None}


def test_failed_spec_bench_answers(corpus: Path) -> None:
    path = corpus / SPEC_BENCH.format("eagle3-float16-temperature-0.0")
    bench = specstats.read(path)

    assert bench.column("requests", "ok") == [False] * 8
    assert set(bench.column("requests", "e2e_s")) == {None}
    assert bench.inputs[0].failed_requests == 8


def test_sessions_appended_to_one_file(corpus: Path) -> None:
    bench = specstats.read(corpus / APPENDED)

    # tokens, steps and tokens/s of lines 1-12, 13-24 and 25-36.
    assert [run.boundary for run in bench.runs] == ["proved"] * 3
    assert [
        (
            total(bench, "n_output", run=run.run_id),
            total(bench, "n_steps", run=run.run_id),
        )
        for run in bench.runs
    ] == [(7343, 3400), (6953, 3266), (7073, 3156)]
    entries = bench.column("requests", "entry")
    runs = bench.column("requests", "run_id")
    for number, run in enumerate(bench.runs):
        found = {
            entry
            for entry, owner in zip(entries, runs, strict=True)
            if owner == run.run_id
        }
        assert found == set(range(12 * number + 1, 12 * number + 13))


def test_sessions_with_other_drafter_settings(corpus: Path) -> None:
    bench = specstats.read(corpus / APPENDED)

    (found,) = bench.findings.of("SPS308")
    # 14 of 24 repeated answers have the texts of the first, none its lengths.
    assert found.observed is not None
    assert found.observed.startswith("14 of 14 ")


def test_rest_answers(corpus: Path) -> None:
    name = "rest/{}-vicuna-7b-v1.5-temperature-0.0-top_p-0__first{}.jsonl"
    rest = specstats.read(corpus / name.format("rest", 8))
    base = specstats.read(corpus / name.format("baseline", 6))

    # Sums over 16 turns; the written lengths add up to 5040, one less a turn.
    assert total(rest, "n_output") == 5056
    assert total(rest, "n_steps") == 2464
    assert total(rest, "decode_s") == pytest.approx(73.707993, abs=1e-5)
    assert sum(row["n_output"] for row in rows(rest, "steps")) == 5056
    assert total(rest, "n_accepted") == 5056 - 2464
    assert set(rest.column("requests", "e2e_s")) == {None}
    assert total(base, "n_output") == total(base, "n_steps") == 4464
    assert base.steps.num_rows == 0


def test_rest_summary(corpus: Path) -> None:
    bench = specstats.read(corpus / "rest/human_eval__rest_test.txt")

    assert printed(bench) == {
        ("mean_accepted_length", "mean"): 2.978881842847655,
        ("mean_accepted_length", "ratio"): 2.6481571486431754,
        ("time_per_token", "mean"): 0.011493277,
        ("time_per_token", "ratio"): 0.01133284168328882,
    }


def test_simulator_traces(corpus: Path) -> None:
    path = corpus / "specdecode_simulator/combined_gsm8k__first4.jsonl"
    found = {
        (row["prompt_id"], row["arm"], row["metric"]): row
        for row in rows(specstats.read(path), "aggregates")
    }

    # Walked by hand: 178 tokens in 69 steps, 178 in 158; 397 in 149 of a list of 396.
    walk = found["134", "eagle", "mean_accepted_length"]
    assert (walk["value"], walk["n"]) == (pytest.approx(178 / 69), 69)
    assert found["134", "ngram", "mean_accepted_length"]["n"] == 158
    assert found["86", "eagle", "mean_accepted_length"]["value"] == pytest.approx(
        397 / 149
    )
    plain = found["134", "eagle", "accepted_length_by_position"]
    assert plain["value"] == pytest.approx(553 / 178)


@pytest.mark.parametrize(
    ("run", "verify", "accepted", "rate"),
    [
        ("r0", 5766, 10687, 192.7629806035981),
        ("r1", 5755, 10691, 194.1566694603423),
        ("r2", 5690, 10757, 195.51002691114232),
    ],
)
def test_study_counts(
    run: str, verify: int, accepted: int, rate: float, corpus: Path
) -> None:
    bench = specstats.read(corpus / "specdecode_study" / STUDY.format("eagle3", run))
    (found,) = rows(bench, "counters")

    # (tau - 1) times the drafts; those over the rate are 5 times the drafts.
    assert (found["n_verify"], found["n_accepted"]) == (verify, accepted)
    assert found["n_draft"] == 5 * verify
    assert (found["n_output"], found["n_requests"]) == (16384, 64)
    assert printed(bench)["output_throughput", "rate"] == rate


def test_study_latencies(corpus: Path) -> None:
    found = printed(
        specstats.read(corpus / "specdecode_study" / STUDY.format("none", "r0"))
    )

    assert found["ttft", "mean"] == pytest.approx(0.05781138551563103)
    assert found["itl", "p99"] == pytest.approx(0.011196251079782087)
    assert found["e2e", "median"] == pytest.approx(2.82866506)
    assert ("acceptance_rate", "ratio") not in found


def test_study_loads_name_no_launch(corpus: Path) -> None:
    folder = corpus / "specdecode_study"
    name = STUDY.format("{arm}", "{run}")
    unknown = specstats.read(folder / STUDY.format("none", "r0"))
    declared = specstats.read(folder, layout=name)

    assert {run.boundary for run in unknown.runs} == {"unknown"}
    assert [(run.arm, run.boundary) for run in declared.runs] == [
        *[("eagle3", "declared")] * 3,
        *[("none", "declared")] * 3,
    ]
    assert declared.runs[0].settings["cfg.spec_decode"] == "eagle3"
    # 2026-07-08T23:01:42.925829+00:00
    found = rows(declared, "counters")[0]["ended_s"]
    assert found == pytest.approx(1783551702.925829, abs=1e-5)


def test_spec_bundle(corpus: Path) -> None:
    path = corpus / "specforge/spec_bundle__Llama-3.1-8B-Instruct.json"
    bench = specstats.read(path)
    found = rows(bench, "aggregates")
    base = [row for row in found if row["arm"] == "baseline"]

    # 7 benchmarks, 5 configurations, 2 drafters with 2 numbers; a baseline each.
    assert (len(found), len(base)) == (7 * 5 * 2 * 2 + 7, 7)
    assert [(row["workload"], row["value"]) for row in base[:2]] == [
        ("gsm8k", 181.81151788749455),
        ("math500", 191.04076784280642),
    ]
    (copied,) = bench.findings.of("SPS014")
    assert copied.observed == "28 copies"
    assert found[3]["value"] == 321.2528041157779
    assert found[4]["value"] == 2.5481878001819607


def test_specforge_bench(corpus: Path) -> None:
    bench = specstats.read(corpus / "specforge_bench/dev_result.jsonl")
    counts = rows(bench, "counters")

    assert [row["n_output"] for row in counts] == [
        *(54181, 54547, 54570, 54598, 54839, 54500)
    ]
    assert [row["duration_s"] for row in counts[:2]] == [40.99, 31.09]
    assert {run.boundary for run in bench.runs} == {"unknown"}
    # 4.14 4.60 4.51 and 2.46 2.61 2.60 tokens a step under equal settings.
    assert len(bench.findings.of("SPS308")) == 2


def test_optimum_report(corpus: Path) -> None:
    bench = specstats.read(corpus / "optimum_benchmark/benchmark_report.json")
    found = printed(bench)
    mean = next(
        row
        for row in rows(bench, "aggregates")
        if (row["prompt_id"], row["statistic"]) == ("forward", "mean")
    )

    # Mean of the ten values and their deviation over n, not n - 1 (0.1318).
    assert total(bench, "e2e_s") / 10 == pytest.approx(11.329571039485746)
    assert mean["sd"] == pytest.approx(0.12500955626540203)
    assert found["sample_throughput", "rate"] == pytest.approx(5.648934083819028)
    assert found["load", "mean"] == pytest.approx(15.59886232309509)
    assert [(run.boundary, run.n_requests) for run in bench.runs] == [("proved", 10)]


def test_optimum_table(corpus: Path) -> None:
    (path,) = (corpus / "optimum_benchmark").glob("*.csv")
    found = rows(specstats.read(path), "aggregates")

    assert [(x["prompt_id"], x["value"], x["unit"]) for x in found] == [
        ("forward", 0.0807, "s"),
        ("forward", 12.4, "samples/s"),
        ("generate", 41.2, "s"),
        ("generate", 24.3, "tok/s"),
    ]


def test_mlperf_summaries(corpus: Path) -> None:
    server = printed(specstats.read(corpus / AMD.format("Server.summary")))
    offline = printed(specstats.read(corpus / AMD.format("Offline.summary")))

    assert server["request_throughput", "rate"] == 81.68
    assert server["output_throughput", "rate"] == 24593.77
    assert server["e2e", "p99.9"] == pytest.approx(159.705402675)
    assert server["ttft", "median"] == pytest.approx(0.875073063)
    assert offline["request_throughput", "rate"] == 92.1544
    assert offline["output_throughput", "rate"] == 27803.9
    assert offline["e2e", "mean"] == pytest.approx(2653.990953659)


def test_mlperf_log_agrees_with_its_summary(corpus: Path) -> None:
    summary = printed(specstats.read(corpus / AMD.format("Interactive.summary")))
    log = printed(specstats.read(corpus / AMD.format("Interactive.detail.cut")))
    latencies = {key for key in summary if key[0] in {"e2e", "ttft", "tpot"}}

    assert len(latencies) == 27
    for key in latencies:
        assert log[key] == pytest.approx(summary[key])
    assert summary["tpot", "p99"] == pytest.approx(0.039507635)
    assert log["request_throughput", "rate"] == 29.4065
    assert summary["request_throughput", "rate"] == 29.41


@pytest.mark.parametrize(
    "name",
    [
        "v5.1_AMD_accuracy_mode.summary.txt",
        "v5.1_Krai_sglang_049_TEST06_INVALID.summary.txt",
    ],
)
def test_mlperf_results_that_do_not_count(name: str, corpus: Path) -> None:
    bench = specstats.read(corpus / "mlperf" / name)

    assert bench.aggregates.num_rows == 0
    assert len(bench.findings.of("SPS014")) == 1


def test_hud_records(corpus: Path) -> None:
    bench = specstats.read(corpus / "pytorch_hud/json-each-row.json")
    other = specstats.read(corpus / "pytorch_hud/do_not_overwrite_runners_info.json")

    assert [(x["entry"], x["value"]) for x in rows(bench, "aggregates")] == [
        (1, 3086359081.0),
        (2, 5712213247.0),
        (3, 40859830085.0),
    ]
    (found,) = rows(other, "aggregates")
    assert (found["metric"], found["unit"]) == ("peak_inference_mem_usage", "mb")
    assert found["value"] == 333.2014794921875
    assert json.loads(found["settings"])["id.device"] == "Apple iPhone 15"
