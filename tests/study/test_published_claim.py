"""The published 2.35x: three requests of one launch against three of another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

Cli = Callable[..., tuple[int, dict[str, Any]]]
Declare = Callable[..., Path]
BENCHES = ("mtp-bench", "baseline-bench")


@pytest.fixture
def telemetry(pascal: Path) -> str:
    folder = pascal / "pascal-p5200-2026-08-02"
    files = {"mtp": "gemma12-mtp-telemetry.csv", "target": "gemma12-baseline-tel*"}
    return "".join(
        f'[[telemetry]]\narm = "{arm}"\nfiles = [{json.dumps(str(folder / name))}]\n'
        for arm, name in files.items()
    )


@pytest.fixture
def published(cli: Cli, declare: Declare, telemetry: str) -> dict[str, Any]:
    code, report = cli(declare(BENCHES, tail=telemetry), "--fail-on", "refused")
    assert code == 4
    return report


def timings(path: Path) -> list[dict[str, float]]:
    return [
        json.loads(line)["timings"] for line in path.read_text("utf-8").splitlines()
    ]


def test_it_is_refused_with_the_observed_ratio(
    published: dict[str, Any], pascal: Path
) -> None:
    (item,) = published["comparisons"]
    assert item["verdict"] == "refused"
    assert "SPS101" in item["findings"]
    for key in ("estimate", "conf_low", "conf_high", "p_value", "simultaneous_low"):
        assert item[key] is None
    folder = pascal / "pascal-p5200-2026-08-02"
    means = {
        arm: np.mean([row["predicted_per_second"] for row in timings(folder / name)])
        for arm, name in (
            ("mtp", "gemma12-mtp-bench.jsonl"),
            ("target", "gemma12-baseline-bench.jsonl"),
        )
    }
    assert means["mtp"] / means["target"] == pytest.approx(2.3497, abs=5e-5)
    assert item["observed_ratio"] == pytest.approx(2.3497, abs=5e-5)
    rates = {arm["arm"]: arm["metrics"]["decode_rate"] for arm in published["arms"]}
    assert {arm: round(rate["mean"], 2) for arm, rate in rates.items()} == {
        "mtp": 56.44,
        "target": 24.02,
    }
    for arm, rate in rates.items():
        assert rate["mean"] == pytest.approx(means[arm], rel=1e-12)
        assert rate["conf_low"] is None
        assert rate["spread"] is None


def test_three_launches_are_asked_for(published: dict[str, Any]) -> None:
    (item,) = published["comparisons"]
    assert item["n_runs"] == {"baseline": 1, "candidate": 1}
    assert item["needs"]["runs_per_arm"] == 3
    assert "2.3" not in item["sentence"]


def test_arithmetic_mean_prompt_rates(published: dict[str, Any]) -> None:
    rates = {
        arm["arm"]: arm["metrics"]["prompt_rate"]["mean"] for arm in published["arms"]
    }
    assert rates["target"] == pytest.approx(159.77, abs=5e-3)
    assert rates["mtp"] == pytest.approx(156.16, abs=5e-3)


def check_peaks(report: dict[str, Any]) -> None:
    found = {arm["arm"]: arm["telemetry"] for arm in report["arms"]}
    keys = ("peak_memory_mib", "peak_power_w", "peak_utilisation_pct")
    assert [found["target"][key] for key in keys] == [7524, 149.10, 98]
    assert [found["mtp"][key] for key in keys] == [7824, 172.38, 94]


def test_telemetry_of_the_manifest(published: dict[str, Any]) -> None:
    check_peaks(published)
    difference = published["comparisons"][0]["difference"]
    assert difference["peak_memory_mib"] == 300
    assert difference["peak_power_w"] == pytest.approx(23.28)


def test_telemetry_by_globs_of_the_arms(cli: Cli, pascal: Path) -> None:
    code, report = cli(
        pascal / "pascal-p5200-2026-08-02",
        *("--arm", "target=gemma12-baseline-[bt]*"),
        *("--arm", "mtp=gemma12-mtp-[bt]*"),
        *("--baseline", "target", "--fail-on", "refused"),
    )
    assert code == 4
    check_peaks(report)
    (item,) = report["comparisons"]
    assert item["observed_ratio"] == pytest.approx(2.3497, abs=5e-5)
    assert {one["run_boundary"] for one in report["inputs"]} == {"unknown", None}


def test_run_per_file_does_not_make_replicates(cli: Cli, pascal: Path) -> None:
    code, report = cli(
        pascal / "pascal-p5200-2026-08-02",
        *("--arm", "target=gemma12-baseline-bench*", "--arm", "mtp=gemma12-mtp-bench*"),
        *("--baseline", "target", "--run-per-file", "--fail-on", "refused"),
    )
    assert code == 4
    assert report["comparisons"][0]["verdict"] == "refused"


def test_acceptance_is_one_generation(published: dict[str, Any]) -> None:
    found = {arm["arm"]: arm["acceptance"] for arm in published["arms"]}
    assert found["target"] is None
    mtp = found["mtp"]
    assert (mtp["accepted"], mtp["drafted"]) == (92, 111)
    assert round(mtp["rate"], 4) == 0.8288
    assert mtp["n_distinct_generations"] == 1
    assert mtp["n_requests"] == 3
    assert (mtp["conf_low"], mtp["conf_high"]) == (None, None)
    assert mtp["naive"] == {"accepted": 276, "drafted": 333, "rate": 276 / 333}
    assert "SPS305" in {item["code"] for item in published["findings"]}


def test_the_token_interval_is_labelled_and_counts_once(
    published: dict[str, Any],
) -> None:
    mtp = next(arm for arm in published["arms"] if arm["arm"] == "mtp")["acceptance"]
    inside = mtp["token_interval"]
    exact = scipy.stats.binomtest(92, 111).proportion_ci(method="exact")
    assert (inside["low"], inside["high"]) == pytest.approx((exact.low, exact.high))
    assert "one generation" in inside["label"]
    assert "as if independent" in inside["label"]


def test_steps_by_the_convention_of_llama_cpp(published: dict[str, Any]) -> None:
    mtp = next(arm for arm in published["arms"] if arm["arm"] == "mtp")["acceptance"]
    assert mtp["steps"] == 35 == 128 - 1 - 92
    assert mtp["tokens_per_step"] == pytest.approx(127 / 35)
    assert "llama.cpp" in mtp["step_convention"]
