"""Eleven declared launches on two days, re-derived from the raw responses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

Cli = Callable[..., tuple[int, dict[str, Any]]]
Declare = Callable[..., Path]

FLAGS = 'ignore = ["cfg.cache_prompt", "cfg.backend_sampling", "cfg.bs"]'
FOUR_PLACES = 5.1e-5
FIRST = "pascal-p5200-2026-08-02/gemma12-"
FILES = {
    ("mtp", 1): [
        [f"{FIRST}mtp-smoke.json", f"{FIRST}mtp-smoke-2.json"],
        [f"{FIRST}mtp-cpu-sampler-1.json", f"{FIRST}mtp-cpu-sampler-2.json"],
        [f"{FIRST}mtp-bench.jsonl"],
    ],
    ("target", 1): [[f"{FIRST}baseline-smoke.json"], [f"{FIRST}baseline-bench.jsonl"]],
    ("mtp", 2): [
        [f"repro-2026-08-07/{x}.{k}.json" for k in range(1, 6)] for x in "ABF"
    ],
    ("target", 2): [
        [f"repro-2026-08-07/{x}.{k}.json" for k in range(1, 6)] for x in "CDE"
    ],
}


def responses(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    lines = text.splitlines() if path.suffix == ".jsonl" else [text]
    return [json.loads(line) for line in lines if line.strip()]


@pytest.fixture
def logs(pascal: Path) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Mean log n / ms rate of each launch, straight from the files."""

    def launch(names: list[str]) -> float:
        timings = [row["timings"] for name in names for row in responses(pascal / name)]
        return float(
            np.mean([np.log(t["predicted_n"] / t["predicted_ms"]) for t in timings])
        )

    return {key: np.array([launch(one) for one in all_]) for key, all_ in FILES.items()}


def limits(item: dict[str, Any]) -> list[float]:
    return [item["estimate"], item["conf_low"], item["conf_high"]]


def test_days_not_declared(
    cli: Cli, declare: Declare, logs: dict[tuple[str, int], NDArray[np.float64]]
) -> None:
    code, report = cli(declare(head=FLAGS), "--fail-on", "refused,inconclusive,slower")
    assert code == 0
    (item,) = report["comparisons"]
    arms = [np.concatenate([logs[arm, 1], logs[arm, 2]]) for arm in ("mtp", "target")]
    own = scipy.stats.ttest_ind(*arms, equal_var=False)
    interval = own.confidence_interval(0.95)
    gap = arms[0].mean() - arms[1].mean()
    assert limits(item) == pytest.approx(np.exp([gap, interval.low, interval.high]))
    assert limits(item) == pytest.approx([2.3054, 2.1302, 2.4950], abs=FOUR_PLACES)
    assert item["df"] == pytest.approx(own.df)
    assert item["df"] == pytest.approx(8.92, abs=5e-3)
    assert item["p_value"] == pytest.approx(own.pvalue)
    assert item["verdict"] == "faster"
    assert item["scope"] == "runs"
    assert item["n_runs"] == {"baseline": 5, "candidate": 6}
    assert item["n_blocks"] is None


@pytest.mark.parametrize("declared", [True, False], ids=["block", "--block day"])
def test_days_as_blocks(
    cli: Cli,
    declare: Declare,
    logs: dict[tuple[str, int], NDArray[np.float64]],
    declared: bool,
) -> None:
    extra = () if declared else ("--block", "day")
    code, report = cli(
        declare(head=FLAGS, days=declared), *extra, "--fail-on", "inconclusive"
    )
    assert code == 3
    future, here = report["comparisons"]
    ratios = np.array(
        [logs["mtp", d].mean() - logs["target", d].mean() for d in (1, 2)]
    )
    assert np.exp(ratios) == pytest.approx([2.3116, 2.2585], abs=FOUR_PLACES)
    own = scipy.stats.ttest_1samp(ratios, 0.0).confidence_interval(0.95)
    assert limits(future) == pytest.approx(np.exp([ratios.mean(), own.low, own.high]))
    assert limits(future) == pytest.approx([2.2849, 1.9711, 2.6486], abs=FOUR_PLACES)
    assert (future["df"], future["n_blocks"]) == (1, 2)
    assert (future["scope"], future["verdict"]) == ("future sessions", "insufficient")
    assert future["headline"]
    assert not here["headline"]
    assert (here["scope"], here["verdict"]) == ("these sessions", "faster")
    assert limits(here) == pytest.approx([2.2819, 2.2134, 2.3525], abs=FOUR_PLACES)
    assert here["df"] == pytest.approx(4.32, abs=5e-3)
    assert limits(here) == pytest.approx(these_sessions(logs), rel=1e-9)


def these_sessions(logs: dict[tuple[str, int], NDArray[np.float64]]) -> list[float]:
    """Weighted within-day differences by the formulas of the specification."""
    days = (1, 2)
    sizes = {
        arm: np.array([logs[arm, d].size for d in days]) for arm in ("mtp", "target")
    }
    weights = sizes["mtp"] * sizes["target"] / (sizes["mtp"] + sizes["target"])
    weights = weights / weights.sum()
    gaps = np.array([logs["mtp", d].mean() - logs["target", d].mean() for d in days])
    variance, parts = 0.0, 0.0
    for arm, n in sizes.items():
        squares = sum(((logs[arm, d] - logs[arm, d].mean()) ** 2).sum() for d in days)
        df = n.sum() - len(days)
        expected = {"mtp": 0.0270, "target": 0.0050}[arm]
        assert np.sqrt(squares / df) == pytest.approx(expected, abs=FOUR_PLACES)
        part = squares / df * (weights**2 / n).sum()
        variance, parts = variance + part, parts + part**2 / df
    half = scipy.stats.t.ppf(0.975, variance**2 / parts) * np.sqrt(variance)
    theta = float(weights @ gaps)
    return [float(np.exp(x)) for x in (theta, theta - half, theta + half)]


@pytest.mark.parametrize("days", [True, False])
def test_aa_bands(cli: Cli, declare: Declare, days: bool) -> None:
    _, report = cli(declare(head=FLAGS, days=days))
    spreads = {
        arm["arm"]: arm["metrics"]["decode_rate"]["spread"] for arm in report["arms"]
    }
    assert (spreads["target"]["n_runs"], spreads["mtp"]["n_runs"]) == (5, 6)
    if days:
        assert all(spread["aa_band_between_blocks"] for spread in spreads.values())
        return
    assert spreads["target"]["run_sd_log"] == pytest.approx(0.0492, abs=FOUR_PLACES)
    assert spreads["mtp"]["run_sd_log"] == pytest.approx(0.0663, abs=FOUR_PLACES)
    assert spreads["target"]["aa_band"]["ratio"] == pytest.approx(1.213, abs=5e-4)
    assert spreads["mtp"]["aa_band"]["ratio"] == pytest.approx(1.273, abs=5e-4)


def test_two_pairs_as_two_blocks(cli: Cli, declare: Declare) -> None:
    runs = ("mtp-bench", "baseline-bench", "E", "F")
    code, report = cli(declare(runs, days=True, head=FLAGS), "--fail-on", "not-faster")
    assert code == 3
    (item,) = report["comparisons"]
    assert limits(item) == pytest.approx([2.3500, 2.3463, 2.3538], abs=FOUR_PLACES)
    assert (item["df"], item["n_blocks"], item["verdict"]) == (1, 2, "insufficient")


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    "runs",
    [
        ("mtp-smoke", "mtp-cpu-sampler", "mtp-bench", "C", "D", "E"),
        ("baseline-smoke", "baseline-bench", "A", "B", "F"),
    ],
)
def test_arms_from_different_days(
    cli: Cli, declare: Declare, runs: tuple[str, ...], declared: bool
) -> None:
    folder = declare(runs, days=declared, head=FLAGS)
    code, report = cli(folder, "--fail-on", "refused")
    assert code == 4
    for item in report["comparisons"]:
        assert item["verdict"] == "refused"
        assert item["estimate"] is None
        assert "SPS114" in item["findings"]


def test_flags_that_are_recorded_and_not_ignored(cli: Cli, declare: Declare) -> None:
    folder = declare()
    text = (folder / "study.toml").read_text("utf-8")
    for name, value in (("A", "true"), ("F", "false")):
        head = f'run = "{name}"\narm = "mtp"\n'
        assert head in text
        text = text.replace(head, f"{head}settings = {{ cache_prompt = {value} }}\n")
    (folder / "study.toml").write_text(text, "utf-8")
    _, report = cli(folder)
    assert report["comparisons"][0]["verdict"] == "refused"
    assert "SPS102" in report["comparisons"][0]["findings"]
    _, report = cli(folder, "--ignore", "cfg.cache_prompt")
    assert report["comparisons"][0]["verdict"] == "faster"
