"""Published claims that rest on a definition, on single runs or on the best of many."""

from pathlib import Path

import pytest

import specstats
from specstats import Design, Verdict
from specstats.testing import launch_rows, read_rows
from tests.cases.builders import Rows, compared, study_of

RECEIPT: Rows = [
    {
        "arm": arm,
        "run": arm,
        "prompt": "p",
        "n_output": 59,
        "decode_s": 59 / decode,
        "rate_convention": "n",
        "e2e_s": wall,
        "n_prompt": 30,
        "prompt_s": 30 / prompt,
    }
    for arm, decode, wall, prompt in (
        ("ar", 7.402, 41.73, 0.889),
        ("mtp", 0.544, 155.21, 0.642),
    )
]


def test_case_9_three_ratios_of_one_receipt() -> None:
    """ml-explore/mlx-lm PR 1211: 13.6x, 3.72x, and prefill that differs by 38 %."""
    study = study_of(RECEIPT, "ar", "decode_rate", "e2e", "prompt_rate")
    found = {item.metric: item for item in study.headlines}
    slower = {
        name: 1 / item.observed_ratio
        for name, item in found.items()
        if item.observed_ratio is not None
    }
    assert slower["decode_rate"] == pytest.approx(13.6, abs=0.05)
    assert slower["e2e"] == pytest.approx(3.72, abs=5e-3)
    assert slower["prompt_rate"] == pytest.approx(1.38, abs=5e-3)
    assert {item.verdict for item in study.headlines} == {Verdict.REFUSED}
    assert all(item.estimate is None for item in study.headlines)


SINGLE = {"none": 26.7, "n3": 23.5, "n2": 29.6, "n2-p.6": 30.5, "n2-p.85": 29.5}


def test_case_10_single_runs_rank_nothing() -> None:
    """ggml-org/llama.cpp PR 24508: p_min .6 "turned a loss into a speedup"."""
    bench = read_rows(launch_rows({arm: [rate] for arm, rate in SINGLE.items()}))
    found = specstats.compare_pairs(bench, Design(baseline="none"))
    assert {item.verdict for item in found.pairs} == {Verdict.REFUSED}
    assert found.winner is None
    ratios = {
        (item.baseline, item.candidate): item.observed_ratio for item in found.pairs
    }
    assert ratios["n2", "n2-p.6"] == pytest.approx(1.03, abs=5e-3)
    assert ratios["n3", "n2"] == pytest.approx(1.26, abs=5e-3)


def test_case_10_the_step_is_inside_the_spread_of_the_platform() -> None:
    reference = specstats.ReferenceSpread(sd=0.08 / 1.96 / 2**0.5, df=5)
    arms = {"n2": [29.6], "n2-p.6": [30.5]}
    item = specstats.speedup(
        read_rows(launch_rows(arms)), Design(baseline="n2"), reference_spread=reference
    )
    assert item.verdict is Verdict.INSUFFICIENT
    assert item.estimate is not None
    assert item.estimate.interval.low < 1.0 < item.estimate.interval.high


def test_case_11_a_gain_beyond_its_bound_is_not_attributed() -> None:
    """TheTom/llama-cpp-turboquant issue 249: 2.71x where 1 + k r is 2.60."""
    assert pytest.approx(2.60, abs=5e-3) == 1 + 2 * 0.798
    item = compared({"k0": [14.2], "k2": [38.3]}, "k0")
    assert item.verdict is Verdict.REFUSED
    assert item.observed_ratio == pytest.approx(2.70, abs=5e-3)


def test_case_12_a_published_speedup_of_single_runs() -> None:
    """SafeAILab/EAGLE issue 65: 102.61 over 39.46 tok/s, 3.03x in the paper."""
    item = compared({"ar": [39.46], "eagle": [102.61]}, "ar")
    assert item.verdict is Verdict.REFUSED
    assert item.observed_ratio == pytest.approx(2.600, abs=5e-4)


def test_case_13_one_run_an_arm_whatever_the_acceptance() -> None:
    """vllm PR 48892: k=1 1646.15 and k=8 2148.42 tok/s at 64 requests at a time."""
    item = compared({"k1": [1646.15], "k8": [2148.42]}, "k1")
    assert item.verdict is Verdict.REFUSED
    assert item.observed_ratio == pytest.approx(1.305, abs=5e-4)


def test_case_17_total_tokens_are_not_output_tokens(corpus: Path) -> None:
    """spitzblattr/spec-bench-vllm: 1.297 by total tokens, 1.249 by output tokens."""
    bench = specstats.read(corpus / "spec_bench_vllm")
    design = Design(baseline="no drafting", candidate="3 draft tokens")
    study = specstats.summarize(bench, design)
    first = {
        arm.arm: {item.metric: item.value for item in reversed(arm.aggregates)}
        for arm in study.arms
    }
    spec, plain = first["3 draft tokens"], first["no drafting"]
    ratios = {
        name: spec[name] / plain[name]
        for name in ("total_throughput", "output_throughput")
    }
    assert ratios["total_throughput"] == pytest.approx(1.297, abs=5e-4)
    assert ratios["output_throughput"] == pytest.approx(1.249, abs=5e-4)
    (item,) = study.headlines
    assert item.verdict is Verdict.REFUSED
    assert "SPS004" in item.findings.errors.codes


def test_case_17_the_models_differ(corpus: Path) -> None:
    """The plain table is of another model than the drafted one."""
    bench = specstats.read(corpus / "spec_bench_vllm")
    models = {run.arm: run.settings["id.model"] for run in bench.runs}
    assert models["3 draft tokens"] != models["no drafting"]


def test_case_17_and_19_the_best_of_many_is_held_to_all() -> None:
    """A maximum over settings that do nothing, picked and named alone."""
    arms = {
        "none": [100.0, 98.6, 101.2],
        "k2": [103.2, 102.4, 103.9],
        "k3": [99.1, 101.4, 100.2],
        "k4": [101.0, 99.4, 100.6],
    }
    bench = read_rows(launch_rows(arms))
    alone = specstats.speedup(
        read_rows(launch_rows({arm: arms[arm] for arm in ("none", "k2")})),
        Design(baseline="none"),
    )
    assert alone.verdict is Verdict.FASTER
    picked = specstats.speedup(bench, Design(baseline="none", candidate="k2"))
    assert picked.verdict is Verdict.INCONCLUSIVE
    assert "is the best of 3 arms" in picked.findings.of("SPS205")[0].message


def test_case_19_a_ranking_of_single_sessions_is_refused(corpus: Path) -> None:
    """alexziskind1/draftbench: nine drafters within 6 %, one run each."""
    bench = specstats.read(corpus / "draftbench")
    study = specstats.summarize(bench, Design(baseline="14B FP16"), all_pairs=True)
    assert study.headlines
    assert {item.verdict for item in study.headlines} == {Verdict.REFUSED}
    assert "SPS004" in study.findings.errors.codes
    assert all(item.winner is None for item in study.rankings)
