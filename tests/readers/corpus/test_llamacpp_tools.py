"""Values of real output of llama.cpp's command line tools."""

import json
import math
from pathlib import Path

import pytest

import specstats
from specstats.readers._registry import choose
from specstats.source import Source

Row = dict[str, object]


def table(path: Path, name: str = "requests") -> list[Row]:
    found: list[Row] = getattr(specstats.read(path), name).to_pylist()
    return sorted(found, key=lambda row: int(str(row["entry"])))


def column(rows: list[Row], name: str) -> list[object]:
    return [row[name] for row in rows]


def total(rows: list[Row], name: str) -> float:
    return math.fsum(float(str(x)) for x in column(rows, name) if x is not None)


def settings(row: Row) -> dict[str, object]:
    told: dict[str, object] = json.loads(str(row["settings"]))
    return told


def test_samples_of_an_epyc(corpus: Path) -> None:
    path = corpus / "llama-bench/epyc9274f_nps1_b4461.json"
    requests, means = table(path), table(path, "aggregates")

    # The ten times of tg128 add up to 33,545,077,380 ns; 128 over the first, 3.285 s,
    # is 38.961 tok/s.
    generated = requests[10:]
    assert total(generated, "decode_s") == pytest.approx(33.54507738)
    assert generated[0]["engine_rate_tps"] == 38.961
    assert column(requests[:3], "prompt_s") == pytest.approx(
        [7.318892925, 2.358907302, 3.179321831]
    )
    # The mean of 69.9559, 217.05, ... 216.495 is 190.572, not 512 / 3.028 s = 169.1.
    assert column(means, "value") == [190.571656, 38.210778]
    assert column(means, "sd") == [48.625709, 1.475639]
    assert column(means, "n") == [10, 10]


def test_samples_behind_noise(corpus: Path) -> None:
    requests = table(corpus / "llama-bench/strixhalo_b6865_noise.jsonl")

    assert column(requests, "entry") == [5, 6, 7, 8, 9, 10]
    assert column(requests[:2], "prompt_id") == ["pp512", "tg128"]
    # 512 / 0.102243694 s = 5007.64 tok/s.
    assert requests[0]["prompt_s"] == pytest.approx(0.102243694)
    assert requests[1]["decode_s"] == pytest.approx(0.664633263)


def test_samples_of_a_fork(corpus: Path) -> None:
    requests = table(corpus / "llama-bench/strixhalo_b368_load_mode.json")

    assert len(set(column(requests, "process"))) == 1
    assert [row["prompt_id"] for row in requests[::3]] == [
        f"{test}{depth}"
        for depth in ("", *(f" @ d{n}" for n in (4096, 16384, 32768, 65536)))
        for test in ("pp512", "tg32")
    ]
    assert settings(requests[0])["cfg.load_mode"] == "mmap"
    # All samples_ns together: 48,334,906,872 ns.
    seconds = total(requests, "prompt_s") + total(requests, "decode_s")
    assert seconds == pytest.approx(48.334906872)


@pytest.mark.parametrize(
    ("name", "means", "deviations"),
    [
        (
            "qwen3coder_b9010_r20_run1.csv",
            [1350.679089, 97.336351],
            [84.822213, 0.270165],
        ),
        (
            "qwen3coder_b9010_r20_run2.csv",
            [1341.869073, 97.146114],
            [86.733975, 0.646836],
        ),
        ("readme_sql_output.sql", [7324.546977, 120.346696], [54.032613, 0.504647]),
    ],
)
def test_means_without_samples(
    name: str, means: list[float], deviations: list[float], corpus: Path
) -> None:
    found = table(corpus / "llama-bench" / name, "aggregates")

    assert column(found, "value") == means
    assert column(found, "sd") == deviations
    assert column(found, "metric") == ["prompt_rate", "decode_rate"]


def test_tables_with_a_footer(corpus: Path) -> None:
    first, second = (
        table(corpus / f"llama-bench/rx7900xtx_run{number}.txt", "aggregates")
        for number in (1, 2)
    )

    # 3.3 times apart, in the same columns and under the same footer: only the lines
    # of the harness around the tables differ.
    assert (first[0]["value"], first[0]["sd"]) == (758.22, 1.75)
    assert (second[0]["value"], second[0]["sd"]) == (2529.75, 34.13)
    assert first[0]["settings"] == second[0]["settings"]
    for rows in (first, second):
        assert {settings(row)["id.build_number"] for row in rows} == {"7356"}
        assert column(rows[::4], "workload") == ["GPU 0 ONLY", "GPU 1 ONLY", "DUAL GPU"]
        assert len(set(column(rows, "process"))) == 3
    pair = "AMD Radeon RX 7900 XTX (RADV NAVI31)"
    assert settings(first[0])["id.gpu_info"] == pair
    assert settings(first[8])["id.gpu_info"] == f"{pair}, {pair}"


def test_a_table_of_depths(corpus: Path) -> None:
    found = table(corpus / "llama-bench/dgx_spark_gptoss20b.md", "aggregates")

    assert column(found[-2:], "prompt_id") == ["pp2048 @ d32768", "tg32 @ d32768"]
    assert column(found[-2:], "value") == [2689.42, 61.65]
    assert column(found[-2:], "sd") == [18.89, 0.3]
    assert settings(found[0])["id.build_commit"] == "11fb327bf"


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("crash_header_only.log", 5, "HSA_STATUS_ERROR_EXCEPTION"),
        ("crash_no_rows.log", 4, "ggml_print_backtrace"),
    ],
)
def test_crashes_without_a_row(name: str, line: int, said: str, corpus: Path) -> None:
    path = corpus / "llama-bench" / name
    source = Source(name=name, file=path)
    (batch,) = choose(source).parse(source)
    (finding,) = batch.findings

    assert batch.tables == {}
    assert (finding.code, finding.where) == ("SPS014", (f"{name}:{line}",))
    assert said in str(finding.observed)


def test_batched_bench(corpus: Path) -> None:
    path = corpus / "llama-batched-bench/dgx_spark_gptoss20b.txt"
    requests, means = table(path), table(path, "aggregates")

    # Sums of the columns with awk: TG x B 6048 = 3 x 32 x 63, T_TG 19.728 s, PP x B
    # 806400 = 63 x (512 + 4096 + 8192), T_PP 180.101 s.
    assert total(requests, "n_output") == 6048
    assert total(requests, "decode_s") == pytest.approx(19.728)
    assert total(requests, "n_prompt") == 806400
    assert total(requests, "prompt_s") == pytest.approx(180.101)
    last = requests[-1]
    # 32 x 32 tokens in 2.619 s are 390.99 tok/s: all users; one has 12.2.
    assert (last["n_output"], last["decode_s"]) == (1024, 2.619)
    assert last["engine_rate_tps"] == 390.92
    assert last["workload"] == "x32"
    # The number that touches its bar: N_KV of 263168 is 32 x (8192 + 32).
    assert [row["value"] for row in means[-3:]] == [4430.42, 390.92, 4259.17]


def test_batched_bench_records(corpus: Path) -> None:
    requests = table(corpus / "llama-batched-bench/readme_jsonl.jsonl")

    # 256 / 11.106112 s = 23.05 tok/s; 128 / 3.503684 s = 36.53 tok/s.
    assert column(requests, "n_output") == [128, 256]
    assert column(requests, "decode_s") == [3.503684, 11.106112]
    assert column(requests, "engine_rate_tps") == [36.532974, 23.050371]
    assert len(set(column(requests, "process"))) == 1


def test_sweep_bench(corpus: Path) -> None:
    requests = table(corpus / "ik-sweep-bench/glm45air_b1024_ub512.txt")

    # 128 rows, 512 tokens apart; sums of the columns with awk.
    assert column(requests, "n_cached") == list(range(0, 65536, 512))
    assert total(requests, "n_output") == 16384
    assert total(requests, "n_prompt") == 65536
    assert total(requests, "prompt_s") == pytest.approx(114.593)
    assert total(requests, "decode_s") == pytest.approx(369.927)
    assert (requests[-1]["prompt_s"], requests[-1]["decode_s"]) == (1.258, 4.851)
    told = settings(requests[0])
    assert told["cfg.n_ubatch"] == 512
    assert str(told["id.model"]).startswith("GLM-4.5-Air-THIREUS")
    assert str(told["id.gpu_info"]).startswith("NVIDIA RTX PRO 6000 Blackwell")


def test_sweep_bench_that_crashed(corpus: Path) -> None:
    (row,) = table(corpus / "ik-sweep-bench/glm45air_b16384_ub16384.txt")

    # 16384 / 7.163 s = 2287.3 and 4096 / 45.986 s = 89.07 tok/s.
    assert (row["n_prompt"], row["prompt_s"]) == (16384, 7.163)
    assert (row["n_output"], row["decode_s"]) == (4096, 45.986)
    assert row["engine_rate_tps"] == 89.07


@pytest.mark.parametrize("name", ["pr2156_table.md", "pr2156_table_truncated.md"])
def test_spec_bench(name: str, corpus: Path) -> None:
    path = corpus / "ik-spec-bench" / name
    requests, counters = table(path), table(path, "counters")

    assert column(requests, "n_output") == [759, 1024]
    assert column(requests, "decode_s") == [11.068, 15.219]
    # 759 = 1 + 538 + 220 and 1024 = 1 + 722 + 300, and one undrafted at the end.
    assert column(requests, "n_accepted") == [538, 722]
    assert column(requests, "n_steps") == [220, 300]
    assert column(requests, "finish_reason") == ["stop", "length"]
    # 90.5, 80.5 and 73.6 % of 220 are 199.1, 177.1 and 161.9; of 300, 300 and 299
    # (899 drafted) 91.3, 80.0 and 69.6 % are 273.9, 240 and 208.1.
    assert column(counters, "accepted_by_position") == [
        "[199, 177, 162]",
        "[274, 240, 208]",
    ]
    assert [199 + 177 + 162, 274 + 240 + 208] == [538, 722]


def test_speculative(corpus: Path) -> None:
    (row,) = table(corpus / "llama-speculative/issue3649_v100.log")
    two = table(corpus / "llama-speculative/pr3006_two_runs.log")

    # 261 - 208 = 53 passes: 52 full drafts of 5 and the last one.
    assert (row["n_draft"], row["n_accepted"], row["n_steps"]) == (260, 208, 53)
    assert (row["n_prompt"], row["prompt_s"], row["decode_s"]) == (58, 0.111, 2.967)
    assert column(two, "n_steps") == [266 - 231, 266 - 223]
    # 266 / 11.99 s = 22.185 and 266 / 13.234 s = 20.100 tok/s.
    assert column(two, "decode_s") == [11.99, 13.234]
    assert column(two, "arm") == ["With heuristic", "Without heuristic"]
    assert len(set(column(two, "process"))) == 2


def test_performance_lines(corpus: Path) -> None:
    (row,) = table(corpus / "llama-cli-perf/perf_context_print.log")

    # The sampler counts 913 = 14 + 899 tokens; 898 runs / 27.63604 s = 32.49 tok/s.
    assert (row["n_prompt"], row["n_output"], row["n_steps"]) == (14, 899, 898)
    assert (row["prompt_s"], row["decode_s"]) == pytest.approx((0.0568, 27.63604))
    assert (row["engine_rate_tps"], row["rate_convention"]) == (32.49, "n-1")


def test_localscore(corpus: Path) -> None:
    found = table(corpus / "localscore/scraped_results_head.tsv", "aggregates")

    assert [(row["metric"], row["value"]) for row in found[:4]] == [
        ("prompt_rate", 3552.0),
        ("decode_rate", 103.0),
        ("ttft", pytest.approx(0.358)),
        # 10 x cube root of 3552 x 103 / 0.358 is 1007.3, from rounded numbers.
        ("performance_score", 1008.0),
    ]
    # Sums of the columns with awk; all times are in ms here.
    sums = {
        metric: total([row for row in found if row["metric"] == metric], "value")
        for metric in ("decode_rate", "ttft", "prompt_rate", "performance_score")
    }
    assert list(sums.values()) == pytest.approx([6733.8, 71.044, 260516, 67575])
    assert settings(found[0])["id.device"] == "NVIDIA GeForce RTX 3090"
    assert len(set(column(found, "process"))) == 59
