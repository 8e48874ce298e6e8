"""Real artifacts: numbers that were computed independently of this package."""

import json
import math
from pathlib import Path

import pytest

import specstats
from specstats.bench import Bench

FIRST_DAY = "pascal-p5200/pascal-p5200-2026-08-02"
SECOND_DAY = "pascal-p5200/repro-2026-08-07"
# Mean tok/s and accepted/drafted over the five requests of each launch.
LAUNCHES = {
    "A": (49.5902, 444, 575, 2),
    "B": (48.1535, 444, 575, 2),
    "C": (21.9733, None, None, 2),
    "D": (22.1672, None, None, 2),
    "E": (21.9739, None, None, 1),
    "F": (51.6492, 460, 555, 1),
}
PEAKS = {
    "qwen-telemetry.csv": (238, 15036, 100, 161.82, 64),
    "gemma-telemetry.csv": (76, 14652, 100, 155.68, 66),
    "gemma12-mtp-telemetry.csv": (15, 7824, 94, 172.38, 57),
    "gemma12-baseline-telemetry.csv": (34, 7524, 98, 149.10, 64),
}
STEPS = {"spec-g2": 455, "spec-g4": 323, "spec-g8": 249, "spec-noise": 597}
ACCEPTANCE = {
    "spec-g2": (10275, 13395),
    "spec-g4": (12255, 18990),
    "spec-g8": (13365, 28770),
    "spec-noise": (8145, 34920),
}


def floats(bench: Bench, name: str) -> list[float]:
    return [
        float(value)
        for value in bench.column("requests", name)
        if isinstance(value, int | float)
    ]


def total(bench: Bench, name: str) -> int | None:
    values = floats(bench, name)
    return int(sum(values)) if values else None


@pytest.mark.parametrize("launch", LAUNCHES)
def test_launches_of_the_second_day(launch: str, corpus: Path) -> None:
    bench = specstats.read(str(corpus / SECOND_DAY / f"{launch}.*.json"))
    rate, accepted, drafted, texts = LAUNCHES[launch]

    assert bench.requests.num_rows == 5
    assert sum(floats(bench, "engine_rate_tps")) / 5 == pytest.approx(rate, abs=5e-5)
    assert total(bench, "n_accepted") == accepted
    assert total(bench, "n_draft") == drafted
    assert len(set(bench.column("requests", "output_sha256"))) == texts
    assert set(bench.column("requests", "rate_convention")) == {"n"}
    assert set(bench.column("requests", "n_output")) == {128}
    cached = bench.column("requests", "n_cached")
    assert cached == ([0] * 5 if launch in "EF" else [0, 7, 7, 7, 7])
    assert not bench.findings.errors


def test_all_responses(corpus: Path) -> None:
    bench = specstats.read(corpus / "pascal-p5200", layout="{ignore}/{arm}")
    timed = [
        source
        for source, tokens in zip(
            bench.column("requests", "source"),
            bench.column("requests", "rate_convention"),
            strict=True,
        )
        if tokens == "n" and "qwen-bench" not in str(source)
    ]

    assert len([name for name in timed if "gemma-bench" not in str(name)]) == 41
    digests = {str(x)[:12] for x in bench.column("requests", "output_sha256") if x}
    assert digests == {"b64401008a3b", "b66a83ea8f2e", "f4ca5c2a610e", "02b26bfce87f"}


def test_rates_of_single_responses(corpus: Path) -> None:
    bench = specstats.read(corpus / FIRST_DAY / "gemma12-mtp-bench.jsonl")

    assert floats(bench, "engine_rate_tps") == pytest.approx(
        [56.5126, 56.4760, 56.3401], abs=5e-5
    )
    assert floats(bench, "decode_s") == pytest.approx([2.26498, 2.266448, 2.271916])
    assert floats(bench, "prompt_s") == pytest.approx([0.230916, 0.211042, 0.21233])
    assert bench.column("requests", "entry") == [1, 2, 3]
    assert bench.inputs[0].producer == "b9862-798cf6cbe"


def test_a_failed_request(corpus: Path) -> None:
    bench = specstats.read(corpus / SECOND_DAY / "G2.1.json")

    assert bench.column("requests", "ok") == [False]
    assert str(bench.column("requests", "error")[0]).startswith("500 ")
    assert bench.column("requests", "n_output") == [None]
    assert (bench.inputs[0].parsed, bench.inputs[0].failed_requests) == (1, 1)


def test_a_wrapped_deviation(corpus: Path) -> None:
    bench = specstats.read(corpus / FIRST_DAY / "qwen-bench.jsonl")
    rates = [
        rate
        for name, rate in zip(
            bench.column("requests", "prompt_id"),
            bench.column("requests", "engine_rate_tps"),
            strict=True,
        )
        if name == "tg128"
    ]

    assert rates == pytest.approx([15.0623, 33.1202, 34.3311], abs=5e-5)
    (found,) = bench.findings.of("SPS009")
    assert found.observed == "4073818412 ns"
    assert found.required == "2715257708 ns"
    assert found.where == ("qwen-bench.jsonl:4",)
    assert [(run.boundary, run.n_requests) for run in bench.runs] == [("proved", 12)]


@pytest.mark.parametrize("name", PEAKS)
def test_telemetry(name: str, corpus: Path) -> None:
    bench = specstats.read(corpus / FIRST_DAY / name)
    columns = ("memory_mib", "utilisation_pct", "power_w", "temperature_c")

    peaks = tuple(
        max(float(str(value)) for value in bench.column("telemetry", column))
        for column in columns
    )

    assert (bench.telemetry.num_rows, *peaks) == PEAKS[name]
    headerless = name == "gemma12-baseline-telemetry.csv"
    assert bool(bench.findings.of("SPS011")) is headerless


def test_other_llama_server_artifacts(corpus: Path) -> None:
    folder = corpus / "llama-server"

    draft = specstats.read(folder / "pr12603_timings_draft.json")
    cut = specstats.read(folder / "stream_ik_timings_per_token_truncated.sse")
    failed = specstats.read(folder / "errors.jsonl")

    assert floats(draft, "engine_rate_tps") == [18.0462970532382]
    assert floats(draft, "decode_s") == [11.082606]
    assert (total(draft, "n_draft"), total(draft, "n_accepted")) == (347, 65)
    assert cut.column("requests", "finish_reason") == [None]
    assert len(cut.findings.of("SPS002")) == 1
    assert failed.column("requests", "ok") == [False, False]


def test_other_llama_bench_artifacts(corpus: Path) -> None:
    folder = corpus / "llama-bench"

    noise = specstats.read(folder / "strixhalo_b6865_noise.jsonl")
    table = specstats.read(folder / "dgx_spark_gptoss20b.md")

    assert noise.requests.num_rows == 6
    assert noise.inputs[0].producer == "1c1409e1"
    assert (table.runs, table.aggregates.num_rows) == ((), 10)
    assert table.column("aggregates", "value")[:2] == [4505.82, 83.43]
    assert table.column("aggregates", "sd")[:2] == [12.9, 0.59]


@pytest.fixture(scope="module")
def h200(corpus: Path) -> Bench:
    return specstats.read(
        corpus / "h200-tinyspec", layout="main/r{run}-b{block}-{arm}.jsonl"
    )


def test_the_h200_study(h200: Bench) -> None:
    assert (len(h200.runs), h200.requests.num_rows) == (30, 1080)
    assert {run.boundary for run in h200.runs} == {"declared"}
    assert {run.block for run in h200.runs} == {"00", "01", "02", "03", "04"}
    assert {len(run.processes) for run in h200.runs} == {1}
    assert len({run.processes for run in h200.runs}) == 30
    assert h200.order_from == "time"


@pytest.mark.parametrize("arm", ACCEPTANCE)
def test_acceptance_of_the_h200_study(arm: str, h200: Bench) -> None:
    arms = h200.column("requests", "arm")
    rows = [row for row, name in enumerate(arms) if name == arm]

    def of_arm(name: str) -> int:
        values = h200.column("requests", name)
        return sum(int(str(values[row])) for row in rows)

    # Thinned to one pass over the prompts: 5 runs times 3 repetitions.
    assert of_arm("n_steps") == 15 * STEPS[arm]
    assert (of_arm("n_accepted"), of_arm("n_draft")) == ACCEPTANCE[arm]


def test_steps_add_up_to_requests(h200: Bench) -> None:
    arms = dict(
        zip(
            h200.column("requests", "run_id"),
            h200.column("requests", "arm"),
            strict=True,
        )
    )
    accepted = dict.fromkeys(ACCEPTANCE, 0)
    for run, count in zip(
        h200.column("steps", "run_id"), h200.column("steps", "n_accepted"), strict=True
    ):
        arm = str(arms[run])
        accepted[arm] = accepted.get(arm, 0) + int(str(count or 0))

    assert {arm: accepted[arm] for arm in ACCEPTANCE} == {
        arm: pair[0] for arm, pair in ACCEPTANCE.items()
    }


def test_outputs_of_the_h200_study(h200: Bench) -> None:
    texts: dict[str, set[object]] = {}
    for arm, prompt, digest in zip(
        h200.column("requests", "arm"),
        h200.column("requests", "prompt_id"),
        h200.column("requests", "output_sha256"),
        strict=True,
    ):
        texts.setdefault(str(arm), set()).add((prompt, digest))
    base = texts["baseline"]

    assert len(base) == 12
    assert {arm for arm, found in texts.items() if found != base} == {"spec-g8"}
    assert len(texts["spec-g8"] - base) == 2


def test_settings_of_the_h200_study(h200: Bench) -> None:
    depths = {run.arm: run.settings["cfg.depth"] for run in h200.runs}

    assert depths["spec-g8"] == 8
    assert all(math.isfinite(run.started_s or math.nan) for run in h200.runs)
    assert json.dumps([dict(run.settings) for run in h200.runs], allow_nan=False)
