"""Five randomised blocks on an H200, from the raw responses and from the copy."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import specstats

Cli = Callable[..., tuple[int, dict[str, Any]]]
FOUR_PLACES = 5.1e-5
RATIOS = {
    "spec-g2": (1.7727, 1.7064, 1.8415),
    "spec-g4": (2.0712, 2.0045, 2.1402),
    "spec-g8": (2.0703, 1.9602, 2.1867),
    "spec-noise": (1.1352, 1.0785, 1.1948),
}
AGAINST_CONTROL = {
    "spec-g2": 1.7217,
    "spec-g4": 2.0117,
    "spec-g8": 2.0108,
    "spec-noise": 1.1025,
}
CONTROL = (1.0296, 1.0007, 1.0594)
FLAGS = (
    *("--layout", "main/r{run}-b{block}-{arm}.jsonl", "--baseline", "baseline"),
    *("--warmup", "1", "--control", "baseline=baseline2"),
)


@pytest.fixture
def report(cli: Cli, corpus: Path) -> dict[str, Any]:
    code, found = cli(
        corpus / "h200-tinyspec", *FLAGS, "--fail-on", "refused,inconclusive,slower"
    )
    assert code == 0
    return found


def limits(item: dict[str, Any]) -> list[float]:
    return [item["estimate"], item["conf_low"], item["conf_high"]]


def by_hand(folder: Path, arm: str, baseline: str) -> list[float]:
    """Paired t on block differences; equal prompt weights, request 0 left out."""
    means: dict[tuple[str, str], float] = {}
    for path in folder.glob("main/*.jsonl"):
        _, block, name = path.stem.split("-", 2)
        logs = defaultdict(list)
        for line in path.read_text("utf-8").splitlines()[1:]:
            row = json.loads(line)
            rate = row["timings"]["predicted_per_second"]
            logs[row["spec"]["prompt_id"]].append(np.log(rate))
        means[name, block] = float(np.mean([np.mean(x) for x in logs.values()]))
    blocks = sorted({block for _, block in means})
    gaps = np.array([means[arm, b] - means[baseline, b] for b in blocks])
    own = scipy.stats.ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    return [float(np.exp(x)) for x in (gaps.mean(), own.low, own.high)]


def test_all_are_faster_on_five_blocks(report: dict[str, Any], corpus: Path) -> None:
    found = {
        item["candidate"]: item for item in report["comparisons"] if item["headline"]
    }
    assert set(found) == set(RATIOS)
    for arm, item in found.items():
        assert limits(item) == pytest.approx(RATIOS[arm], abs=FOUR_PLACES)
        expected = by_hand(corpus / "h200-tinyspec", arm, "baseline")
        assert limits(item) == pytest.approx(expected, rel=1e-6)
        assert (item["verdict"], item["scope"]) == ("faster", "future sessions")
        assert (item["n_blocks"], item["df"], item["unit"]) == (5, 4, "block")
        assert item["family_size"] == 4
        assert item["simultaneous_low"] < item["conf_low"]


def test_the_control_is_no_speedup(report: dict[str, Any], corpus: Path) -> None:
    (control,) = report["controls"]
    assert limits(control) == pytest.approx(CONTROL, abs=FOUR_PLACES)
    expected = by_hand(corpus / "h200-tinyspec", "baseline2", "baseline")
    assert limits(control) == pytest.approx(expected, rel=1e-6)
    assert control["verdict"] not in {"faster", "slower"}
    assert "baseline2" not in {item["candidate"] for item in report["comparisons"]}
    assert report["noise_floor"]["ratio"] == pytest.approx(CONTROL[2], abs=FOUR_PLACES)
    assert report["noise_floor"]["from"] == ["baseline2"]
    assert "SPS210" in {item["code"] for item in report["findings"]}


def test_against_the_control_as_baseline(cli: Cli, corpus: Path) -> None:
    flags = ["baseline2" if flag == "baseline" else flag for flag in FLAGS]
    _, report = cli(corpus / "h200-tinyspec", *flags)
    for item in report["comparisons"]:
        if item["headline"]:
            arm = item["candidate"]
            assert item["estimate"] == pytest.approx(
                AGAINST_CONTROL[arm], abs=FOUR_PLACES
            )
            assert item["verdict"] == "faster"


def test_holm_of_the_family(report: dict[str, Any]) -> None:
    items = [item for item in report["comparisons"] if item["headline"]]
    p = np.array([item["p_value"] for item in items])
    order = np.argsort(p)
    steps = p[order] * np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    assert [item["p_holm"] for item in items] == pytest.approx(adjusted.tolist())


def test_acceptance_over_prompts(report: dict[str, Any]) -> None:
    found = {arm["arm"]: arm["acceptance"] for arm in report["arms"]}
    g4 = found["spec-g4"]
    assert (g4["accepted"], g4["drafted"], g4["n_clusters"]) == (817, 1266, 12)
    assert g4["cluster"] == "prompt"
    assert [g4["rate"], g4["conf_low"], g4["conf_high"]] == pytest.approx(
        [0.6453, 0.5230, 0.7512], abs=FOUR_PLACES
    )
    assert (g4["naive"]["accepted"], g4["naive"]["drafted"]) == (12255, 18990)
    assert g4["steps"] == 323
    assert g4["tokens_per_step"] == pytest.approx(1 + 2.529, abs=5e-4)
    assert found["baseline"] is None


def test_acceptance_by_hand(report: dict[str, Any], corpus: Path) -> None:
    """Leave-one-prompt-out jackknife on the logit, t with 11 degrees of freedom."""
    path = next((corpus / "h200-tinyspec/main").glob("*b00-spec-g4.jsonl"))
    counts = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        timings = row["timings"]
        counts[row["spec"]["prompt_id"]] = (
            timings["draft_n_accepted"],
            timings["draft_n"],
        )
    table = np.array(list(counts.values()), dtype=float)
    whole = table.sum(axis=0)
    rest = whole - table
    centre = np.log(whole[0] / (whole[1] - whole[0]))
    out = np.log(rest[:, 0] / (rest[:, 1] - rest[:, 0]))
    error = np.sqrt(11 / 12 * ((out - out.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.975, 11) * error
    expected = [1 / (1 + np.exp(-x)) for x in (centre - half, centre + half)]
    g4 = next(arm for arm in report["arms"] if arm["arm"] == "spec-g4")["acceptance"]
    assert [g4["conf_low"], g4["conf_high"]] == pytest.approx(expected, rel=2e-3)


def test_outputs_of_five_arms_agree(report: dict[str, Any]) -> None:
    rows = report["determinism"]
    assert {row["n_distinct_outputs"] for row in rows} == {1}
    same = {arm["arm"]: 0 for arm in report["arms"]}
    for row in rows:
        same[row["arm"]] += "baseline" in row["same_outputs_as"]
    assert same == {
        **dict.fromkeys(("baseline2", "spec-g2", "spec-g4", "spec-noise"), 12),
        "spec-g8": 10,
        "baseline": 0,
    }


def test_prompts_like_these_are_wider(report: dict[str, Any]) -> None:
    scopes: dict[str, dict[str, Any]] = defaultdict(dict)
    for item in report["comparisons"]:
        scopes[item["candidate"]][item["scope"]] = item
    for found in scopes.values():
        wide, narrow = found["prompts like these"], found["future sessions"]
        assert wide["estimate"] == pytest.approx(narrow["estimate"])
        assert wide["conf_low"] < narrow["conf_low"]
        assert wide["conf_high"] > narrow["conf_high"]
        assert not wide["headline"]


def test_the_bundled_copy_says_the_same(report: dict[str, Any]) -> None:
    study = specstats.summarize(specstats.datasets.path("h200-tinyspec"))
    assert study.noise_floor is not None
    assert study.noise_floor.ratio == report["noise_floor"]["ratio"]
    for mine, theirs in zip(study.comparisons, report["comparisons"], strict=True):
        found = mine.to_dict()
        # Its manifest names the telemetry as well, and says that order was randomised.
        for key in ("difference", "findings"):
            found.pop(key)
            theirs.pop(key)
        assert json.loads(json.dumps(found)) == theirs


def test_without_dropping_the_first_request_it_is_flagged(
    cli: Cli, corpus: Path
) -> None:
    flags = [flag for flag in FLAGS if flag not in {"--warmup", "1"}]
    _, report = cli(corpus / "h200-tinyspec", *flags)
    warned = [item for item in report["findings"] if item["code"] == "SPS107"]
    assert any(item["message"].startswith("baseline:") for item in warned)
