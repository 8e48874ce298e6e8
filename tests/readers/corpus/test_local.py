"""Values of real artifacts of local engines, each worked out from the raw file."""

import hashlib
import json
import math
from pathlib import Path

import pytest

import specstats

Row = dict[str, object]


def table(path: Path, name: str = "requests") -> list[Row]:
    found: list[Row] = getattr(specstats.read(path), name).to_pylist()
    return found


def column(rows: list[Row], name: str) -> list[object]:
    return [row[name] for row in rows]


def floats(rows: list[Row], name: str) -> list[float]:
    return [float(str(row[name])) for row in rows]


def metric(path: Path, name: str, statistic: str = "value") -> list[float]:
    rows = table(path, "aggregates")
    kept = [r for r in rows if (r["metric"], r["statistic"]) == (name, statistic)]
    return floats(kept, "value")


def test_ollama_responses(corpus: Path) -> None:
    folder = corpus / "ollama-api"
    (chat,) = table(folder / "chat_final.ndjson")
    (cloud,) = table(folder / "generate_cloud_missing_fields.json")
    (stream,) = table(folder / "generate_stream_concat.json")

    # 16592188334, 1099568333 and 17786754667 ns.
    assert (chat["n_output"], chat["decode_s"]) == (654, 16.592188334)
    assert (chat["prompt_s"], chat["e2e_s"]) == (1.099568333, 17.786754667)
    assert chat["output_sha256"] is None
    assert metric(folder / "chat_final.ndjson", "load") == [0.094432792]
    cloudy = metric(folder / "generate_cloud_missing_fields.json", "prompt_tokens")
    assert (cloud["n_prompt"], cloudy, cloud["n_output"]) == (None, [81], 104)
    assert (cloud["decode_s"], cloud["prompt_s"]) == (None, None)
    raw = json.loads((folder / "generate_cloud_missing_fields.json").read_bytes())
    text = raw["thinking"] + raw["response"]
    assert cloud["output_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    text = "Fluffy, hoppy, twitchy."
    assert stream["output_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert (stream["n_output"], stream["e2e_s"]) == (11, 0.737855362)


@pytest.mark.parametrize(
    ("version", "cold", "mean"),
    [
        # Mean of the column eval_tps below the cold row, by awk.
        ("0.21.2", (9.597740411758423, 6.891521399), 50.5082),
        ("0.23.1", (10.424033403396606, 7.680465722), 50.5063),
    ],
)
def test_ollama_csv(
    version: str, cold: tuple[float, float], mean: float, corpus: Path
) -> None:
    path = corpus / f"ollama-api/qwen36_{version}_r10.csv"
    rows = table(path)

    assert column(rows, "repetition") == list(range(11))
    assert set(column(rows, "n_output")) == {128}
    assert set(column(rows, "rate_convention")) == {"n"}
    assert rows[0]["e2e_s"] == cold[0]
    assert metric(path, "load")[0] == cold[1]
    assert max(metric(path, "load")[1:]) < 0.12
    warm = floats(rows, "engine_rate_tps")[1:]
    assert math.fsum(warm) / 10 == pytest.approx(mean, abs=1e-4)


def test_ollama_verbose(corpus: Path) -> None:
    plain = table(corpus / "ollama-verbose/plain_two_models.txt")
    terminal = table(corpus / "ollama-verbose/t2large_deepseek-r1_ansi.log")

    # 1m2.496227373s is 62.496227373 s; 599 / 9.768874 = 61.3172, 741 / 59.35 = 12.4852.
    assert floats(plain, "e2e_s") == pytest.approx([19.110849351, 62.496227373])
    assert column(plain, "engine_rate_tps") == [61.32, 12.49]
    assert column(plain, "rate_convention") == ["n", "n"]
    # 831 / 83.521778962 = 9.9495; the last block: 735 / 73.294492885 = 10.0280.
    assert column(terminal, "n_output") == [831, 226, 72, 735]
    assert floats(terminal, "decode_s") == pytest.approx(
        [83.521778962, 21.702780002, 6.827139115, 73.294492885]
    )
    assert floats(terminal, "e2e_s")[1:] == pytest.approx(
        [22.712816278, 7.333502136, 73.796803603]
    )
    assert {json.loads(str(row["settings"]))["id.model"] for row in terminal} == {
        "deepseek-r1:1.5b"
    }


def test_ollama_bench(corpus: Path) -> None:
    (text,) = table(corpus / "ollama-bench/readme_benchstat.txt")
    (cells,) = table(corpus / "ollama-bench/readme_csv.csv")

    for row in (text, cells):
        assert (row["ttft_s"], row["e2e_s"]) == (0.045123, 2.861047625)
        assert row["engine_rate_tps"] == 51200.0
    assert (text["n_output"], text["decode_s"]) == (None, None)
    # 512 x 19531.25 ns = 10 ms, and 128 x 78125 ns = 10 ms.
    assert (cells["n_output"], cells["decode_s"]) == (512, 0.01)
    assert (cells["n_prompt"], cells["prompt_s"]) == (128, 0.01)


def test_lmstudio(corpus: Path) -> None:
    folder = corpus / "lmstudio"
    (sdk,) = table(folder / "sdk_stats_draft_submission.txt")
    (granite,) = table(folder / "v0_chat_completion.json")
    (phi,) = table(folder / "v0_chat_phi4mini.json")
    (native,) = table(folder / "v1_chat_native.json")

    # 1718 accepted + 0 rejected + 652 ignored = 2370: 72.5 %, not 100 %.
    assert (sdk["n_accepted"], sdk["n_draft"]) == (1718, 2370)
    assert (sdk["n_output"], sdk["e2e_s"], sdk["ttft_s"]) == (2508, 39.819, 0.34)
    # 51.437 x 0.954 = 49.07, not the 53 completion tokens: no convention is told.
    assert (granite["n_output"], granite["decode_s"]) == (53, None)
    assert granite["engine_rate_tps"] == 51.43709529007664
    assert metric(folder / "v0_chat_completion.json", "generation_time") == [0.954]
    assert (phi["n_output"], phi["ttft_s"]) == (89, 0.073)
    assert (native["n_prompt"], native["n_output"]) == (646, 586)
    assert native["ttft_s"] == 1.088
    assert metric(folder / "v1_chat_native.json", "load") == [2.656]
    rows = (sdk, granite, phi, native)
    assert {row["rate_convention"] for row in rows} == {None}


@pytest.mark.parametrize(
    ("engine", "tokens", "decode", "first"),
    # Sums of the eight turns: output_tokens, gen_time and ttft, by awk.
    [("lmstudio", 1455, 26.411, 9.335), ("ollama", 1376, 41.182, 9.559)],
)
def test_famstack(
    engine: str, tokens: int, decode: float, first: float, corpus: Path
) -> None:
    name = f"lmstudio-harness/famstack_llama31_ops-agent_{engine}.json"
    rows = table(corpus / name)

    assert sum(int(str(row["n_output"])) for row in rows) == tokens
    assert math.fsum(floats(rows, "decode_s")) == pytest.approx(decode)
    assert math.fsum(floats(rows, "ttft_s")) == pytest.approx(first)
    # 190 / 3.309 = 57.42 and 193 / 5.134 = 37.59: all tokens are counted.
    assert "n-1" not in column(rows, "rate_convention")
    if engine == "ollama":
        # They grow by what the cache holds while prompt_s falls: not processed ones.
        assert set(column(rows, "n_prompt")) == {None}
        assert floats(rows, "prompt_s")[:2] == pytest.approx([2.0066, 1.1402])


def test_mlx_lm(corpus: Path) -> None:
    first = corpus / "mlx-lm/benchmark_m4pro_bonsai27b_ternary.txt"
    second = corpus / "mlx-lm/benchmark_m4pro_gemma4_llmfit.txt"
    (summary,) = table(corpus / "mlx-lm/generate_summary.txt")

    rows = table(first)
    assert floats(rows, "engine_rate_tps") == [25.547, 25.133, 24.695, 24.147, 24.59]
    assert floats(rows, "e2e_s") == [8.984, 9.254, 9.794, 10.022, 9.937]
    assert {(row["n_prompt"], row["n_output"]) for row in rows} == {(512, 128)}
    # 124.112 / 5 = 24.8224 and 598.910 / 5 = 119.782.
    assert metric(first, "decode_rate", "mean") == [24.822]
    assert metric(first, "prompt_rate", "mean") == [119.782]
    assert metric(second, "prompt_rate") == [
        786.761,
        779.919,
        779.763,
        780.749,
        787.512,
    ]
    assert floats(table(second), "e2e_s") == [4.663, 4.717, 4.707, 4.697, 4.729]
    assert (summary["n_prompt"], summary["n_output"]) == (29, 120)
    assert summary["engine_rate_tps"] == 24.488


@pytest.mark.parametrize(
    ("name", "counts", "rates"),
    [
        # 9.57009... x 107 = 1024; 0.8955078125 x 1024 = 917 = 1024 - 107.
        ("qwen35-9b_1024", (1024, 107, 917), (30.950106965436706, 135.33723966318766)),
        # 7.69924... x 1064 = 8192; 0.8701171875 x 8192 = 7128 = 8192 - 1064.
        (
            "qwen36-35b-a3b_8192",
            (8192, 1064, 7128),
            (133.2042537717644, 177.4484687515826),
        ),
    ],
)
def test_dflash(
    name: str, counts: tuple[int, int, int], rates: tuple[float, float], corpus: Path
) -> None:
    path = corpus / f"mlx-harness/dflash_{name}.json"
    rows = table(path)
    drafted = [row for row in rows if row["arm"] == "dflash"]

    assert column(rows, "arm") == ["baseline", "dflash"] * 3
    for row in drafted:
        assert (row["n_output"], row["n_steps"], row["n_accepted"]) == counts
    assert set(column(rows, "n_draft")) == {None}
    assert metric(path, "decode_rate", "median") == list(rates)
    bench = specstats.read(path)
    assert [(run.arm, run.boundary, run.n_requests) for run in bench.runs] == [
        *(("baseline", "proved", 3), ("dflash", "proved", 3))
    ]
    assert len({run.processes for run in bench.runs}) == 1


def test_mlx_contexts(corpus: Path) -> None:
    path = corpus / "mlx-harness/guruswami_llama8b.csv"
    rows = table(path)
    last = next(x for x in rows if (x["arm"], x["n_prompt"]) == ("Q8 SINGLE 1", 131072))

    assert len(set(column(rows, "arm"))) == 6
    assert len(set(column(rows, "prompt_id"))) == 7
    assert (last["engine_rate_tps"], last["ttft_s"]) == (25.06, 284.5)
    # ttft is the context over the prompt's rate: 131072 / 460.65 = 284.54.
    pairs = zip(rows, metric(path, "prompt_rate"), strict=True)
    for row, rate in pairs:
        quotient = float(str(row["n_prompt"])) / rate
        assert float(str(row["ttft_s"])) == pytest.approx(quotient, abs=0.06)


def test_the_hybrid_log(corpus: Path) -> None:
    path = corpus / "mlx-harness/hybrid_ane_m2ultra_run.log"
    bench = specstats.read(path)
    rows = table(path)

    assert [run.n_requests for run in bench.runs] == [12] * 4
    assert sum(row["phase"] == "warmup" for row in rows) == 12
    first = rows[:4]
    assert floats(first, "ttft_s") == [0.633, 0.057, 0.056, 0.056]
    assert floats(first, "engine_rate_tps") == [61.3, 71.5, 71.2, 71.6]
    # The median of 71.5, 71.2 and 71.6.
    assert metric(path, "decode_rate", "median")[:2] == [71.5, 70.2]
    assert len(metric(path, "ttft", "median")) == 12


def test_the_receipt(corpus: Path) -> None:
    path = corpus / "mlx_receipt/hy3_mtp_smoke.json"
    rows = table(path)

    assert column(rows, "arm") == ["mtp", "ar"]
    # 30/0.642 + 59/0.544 = 155.19; 30/0.889 + 59/7.402 = 41.72: the prompt is in it.
    assert floats(rows, "e2e_s") == [155.21, 41.73]
    assert column(rows, "decode_s") == [None, None]
    assert floats(rows, "engine_rate_tps") == [0.544, 7.402]
    assert len(set(column(rows, "output_sha256"))) == 1


def test_koboldcpp(corpus: Path) -> None:
    folder = corpus / "koboldcpp"
    (cells,) = table(folder / "bench_1.66.1_no_flags.csv")
    (block,) = table(folder / "bench_console.txt")
    (line,) = table(folder / "console_ctxlimit_1.65.log")

    # 81.77 + 14.44 = 96.21; 6.93 x 14.44 = 100.07 nominal tokens.
    assert (cells["prompt_s"], cells["decode_s"]) == (81.77, 14.44)
    assert (cells["e2e_s"], cells["engine_rate_tps"]) == (96.21, 6.93)
    # 2024-07-14 14:42:20.687625 UTC.
    assert cells["ended_s"] == pytest.approx(1720968140.687625)
    assert (block["prompt_s"], block["decode_s"]) == (9.822, 26.624)
    assert (block["e2e_s"], block["engine_rate_tps"]) == (36.446, 3.76)
    # 6.55 x 59.05 = 386.8 tokens asked for; 78 were generated.
    assert (line["n_prompt"], line["n_output"]) == (1676, 78)
    assert (line["decode_s"], line["engine_rate_tps"]) == (59.05, None)
    assert {row["n_output"] for row in (cells, block)} == {None}


def test_tabbyapi(corpus: Path) -> None:
    path = corpus / "tabbyapi/pr469_metrics.log"
    (row,) = table(path)

    # 3840 + 11926 = 15766, the context that is printed.
    assert (row["n_cached"], row["n_prompt"], row["n_output"]) == (3840, 11926, 1)
    assert (row["n_accepted"], row["n_draft"], row["e2e_s"]) == (0, 4, 16.44)
    assert (row["engine_rate_tps"], row["decode_s"]) == (None, None)
    assert metric(path, "prompt_rate") == [727.64]
    assert metric(path, "queue_time") == [0.02]


def test_club3090(corpus: Path) -> None:
    path = corpus / "club3090_text/default-48k-bench.txt"
    rows, windows = table(path), table(path, "counters")

    measured = [row for row in rows if row["phase"] is None]
    assert len(measured) == 6
    # 1000 / (20.60 - 0.159) = 48.92.
    assert floats(measured, "decode_s")[0] == pytest.approx(20.441)
    assert floats(measured, "engine_rate_tps")[0] == 48.93
    assert column(measured, "n_output") == [1000, 1000, 1000, 704, 771, 800]
    assert column(windows, "n_accepted") == [447, 467, 469]
    # 573 / 3 = 191 steps: 0.916, 0.764 and 0.660 of them are 175, 146, 126 = 447.
    assert column(windows, "n_verify") == [191, 191, 190]
    assert windows[0]["accepted_by_position"] == "[175, 146, 126]"
    assert metric(path, "mean_accepted_length", "mean") == [3.34, 3.45, 3.47]
    assert metric(path, "decode_rate", "mean") == [49.2, 66.89]

    deep = corpus / "club3090_text/dual-dflash-bench.txt"
    # 1460 / 5 = 292 steps; 1 + 958 / 292 = 4.281.
    assert column(table(deep, "counters"), "n_verify") == [292] * 3
    assert column(table(deep, "counters"), "n_accepted") == [958, 944, 971]
    tokens = [x["n_output"] for x in table(deep) if x["workload"] == "code"]
    assert tokens == [715, 800, 717, 800, 706, 433, 792, 800]
