"""Published claims inside the spread between launches.

The numbers are as published in the threads named; each test says what may be claimed.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import specstats
from specstats import Design, Layout, Verdict
from specstats.testing import launch_rows, read_rows
from tests.cases.builders import compared


def medusa_files(corpus: Path) -> list[Path]:
    return [
        corpus / "medusa" / f"medusa-vicuna-7b-v1.3-{run}__80q_hashed_text.jsonl"
        for run in range(3)
    ]


def medusa_rates(path: Path) -> list[float]:
    """Tokens over time of each of 80 prompts."""
    rates = []
    for line in path.read_text("utf-8").splitlines():
        (choice,) = json.loads(line)["choices"]
        rates.append(sum(choice["new_tokens"]) / sum(choice["wall_time"]))
    return rates


def test_case_1_medusa_three_launches_of_one_setting(corpus: Path) -> None:
    """FasterDecoding/Medusa: 101.30, 102.65 and 94.66 tok/s; nothing differs."""
    runs = [np.log(medusa_rates(path)) for path in medusa_files(corpus)]
    gaps = runs[2] - runs[0]
    paired = gaps.mean() / (gaps.std(ddof=1) / np.sqrt(gaps.size))
    assert paired < -10  # what a paired test over prompts would call certain
    for rates in ({"a": [101.30], "b": [102.65]}, {"a": [102.65], "b": [94.66]}):
        item = compared(rates, "a")
        assert item.verdict is Verdict.REFUSED
        assert "SPS101" in item.findings.errors.codes
    band = specstats.aa_band([101.30, 102.65, 94.66]).band
    assert band is not None
    assert band.ratio == pytest.approx(1.30, abs=5e-3)


def test_case_1_medusa_from_the_files(corpus: Path) -> None:
    layout = Layout(arms=(("medusa", "*80q*"),), run_per_file=True)
    bench = specstats.read(list(map(str, medusa_files(corpus))), layout=layout)
    design = Design(ignore=("model",))
    found = specstats.spread(bench, design, metric="e2e")["medusa"]
    assert found.n_runs == 3
    assert found.run_cv is not None
    assert 0.03 < found.run_cv < 0.05
    prompts = Design(ignore=("model",), unit="prompt")
    assert "SPS103" in specstats.check(bench, prompts).errors.codes


K2 = [35.3, 35.7, 34.7, 35.2, 36.1, 37.1]


def test_case_3_the_next_run_lies_in_a_wide_interval() -> None:
    """0xBakeer/qwen38-flash-next-spark issue 6: six runs of k=2, single ones before."""
    found = specstats.spread(read_rows(launch_rows({"k2": K2})))["k2"]
    assert found.next_run_low == pytest.approx(33.43, abs=5e-3)
    assert found.next_run_high == pytest.approx(38.07, abs=5e-3)


def test_case_3_one_run_of_k3_decides_nothing() -> None:
    item = compared({"k2": K2, "k3": [36.8]}, "k2")
    assert item.verdict is Verdict.REFUSED
    assert {"SPS101", "SPS202"} <= set(item.findings.codes)


ON, OFF = [328.0, 348.0, 364.0], [281.6, 282.4, 283.1]


def test_case_4_direction_without_size() -> None:
    """kekzl/imp PR 1011: restarts with speculation on spread ten times as far."""
    item = compared({"off": OFF, "on": ON}, "off")
    assert item.verdict is Verdict.FASTER
    assert item.estimate is not None
    limits = item.estimate.interval
    found = [item.estimate.value, limits.low, limits.high]
    assert found == pytest.approx([1.23, 1.08, 1.40], abs=5e-3)
    assert item.estimate.df is not None
    assert item.estimate.df < 2.1  # not the 4 of a pooled variance


def test_case_4_a_gate_of_3_per_cent_cannot_work_on_it() -> None:
    """The same three values twice: no regression, and none is excluded."""
    item = compared(
        {"off": ON, "on": [rate * 1.001 for rate in ON]}, "off", margin=0.03
    )
    assert item.verdict is Verdict.INCONCLUSIVE


def test_case_14_a_boot_lottery_is_a_factor_and_no_sd() -> None:
    """hasso5703/dgx-spark-qwen38: 92-111 tok/s over boots, launches not counted."""
    band = specstats.aa_band(low=92.0, high=111.0)
    assert band.observed_factor == pytest.approx(111 / 92)
    assert band.band is None
    assert "Two runs of this setting have differed by a factor 1.207" in str(band)
    item = compared({"before": [92.0], "after": [111.0]}, "before")
    assert item.verdict is Verdict.REFUSED


NEIGHBOURS = [80.2, 80.5, 80.7]


def test_case_15_a_single_low_build_is_no_regression() -> None:
    """ROCm/vllm PR 1201: 78.4 tok/s, 80.5 on the rerun."""
    assert (
        compared({"old": NEIGHBOURS, "new": [78.4]}, "old").verdict is Verdict.REFUSED
    )
    item = compared({"old": NEIGHBOURS, "new": [78.4, 80.5]}, "old")
    assert item.verdict is Verdict.INSUFFICIENT
    item = compared({"old": NEIGHBOURS, "new": [78.4, 80.5, 80.5]}, "old")
    assert item.verdict is Verdict.INCONCLUSIVE


def test_case_15_the_one_that_replicates_is_real() -> None:
    item = compared({"old": NEIGHBOURS, "new": [61.8, 61.6]}, "old")
    assert item.verdict is Verdict.INSUFFICIENT
    assert item.estimate is not None
    assert item.estimate.interval.high < 0.8


SPEC_ON = [417.0, 468.0, 429.0]


def test_case_16_no_statement_from_one_baseline_run() -> None:
    """kekzl/imp issue 667: 417, 468, 429 against 425."""
    item = compared({"off": [425.0], "on": SPEC_ON}, "off")
    assert item.verdict is Verdict.REFUSED
    assert {"SPS101", "SPS202"} <= set(item.findings.codes)
    bench = read_rows(launch_rows({"on": SPEC_ON}))
    limits = specstats.describe(bench)[0].metrics["decode_rate"].interval
    assert limits is not None
    assert [limits.low, limits.high] == pytest.approx([377, 508], abs=0.5)


def test_case_16_no_regression_needs_a_margin() -> None:
    """Even a steady baseline leaves +3 % undecided, with a margin of 5 % or none."""
    for margin in (None, 0.05):
        arms = {"off": [425.0, 424.0, 426.0], "on": SPEC_ON}
        item = compared(arms, "off", margin=margin)
        assert item.verdict is Verdict.INCONCLUSIVE
    steady = {"off": [425.0, 424.0, 426.0], "on": [426.0, 424.5, 425.5]}
    assert compared(steady, "off").verdict is Verdict.INCONCLUSIVE
    assert compared(steady, "off", margin=0.05).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    ("workload", "figures", "verdict"),
    [
        ("gsm8k", (0.966, 0.949, 0.984), Verdict.SLOWER),
        ("humaneval", (1.358, 1.343, 1.374), Verdict.FASTER),
    ],
)
def test_three_launches_call_3_per_cent_on_an_a100(
    corpus: Path, workload: str, figures: tuple[float, ...], verdict: Verdict
) -> None:
    """EAGLE-3 with k=5 at 64 requests at a time: a loss on one workload."""
    path = corpus / "plain_csv" / f"factorial_{workload}_96runs.csv"
    arms: dict[str, list[float]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["weight_quant"], row["kv_quant"], row["concurrency"]) == (
                *("fp16", "fp16"),
                "64",
            ):
                arms.setdefault(row["spec_decode"], []).append(float(row["tok_s"]))
    item = compared(arms, "none")
    assert item.verdict is verdict
    assert item.estimate is not None
    limits = item.estimate.interval
    found = [item.estimate.value, limits.low, limits.high]
    assert found == pytest.approx(figures, abs=6e-4)
