"""Facts of the H200 study, and its numbers against the raw files they come from."""

import csv
import hashlib
import json
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from specstats import datasets
from specstats.bench import Bench

ARMS = ("baseline", "baseline2", "spec-g2", "spec-g4", "spec-g8", "spec-noise")
ACCEPTED = {
    "spec-g2": (10275, 13395),
    "spec-g4": (12255, 18990),
    "spec-g8": (13365, 28770),
    "spec-noise": (8145, 34920),
}
MEAN_RATES = {
    "baseline": 803.1,
    "baseline2": 826.9,
    "spec-g2": 1425.2,
    "spec-g4": 1684.1,
    "spec-g8": 1728.7,
    "spec-noise": 926.9,
}
RATIOS = {
    "baseline2": (1.0296, 1.0007, 1.0594),
    "spec-g2": (1.7727, 1.7064, 1.8415),
    "spec-g4": (2.0712, 2.0045, 2.1402),
    "spec-g8": (2.0703, 1.9602, 2.1867),
    "spec-noise": (1.1352, 1.0785, 1.1948),
}
UNREAD = "README.md, SHA256SUMS, env.json, prompts_meta.json, runs.csv, train.json"


@pytest.fixture(scope="module")
def bench() -> Bench:
    return datasets.load("h200-tinyspec")


@pytest.fixture(scope="module")
def frame(bench: Bench) -> pd.DataFrame:
    return bench.to_frame()


def runs_csv(folder: Path) -> list[dict[str, str]]:
    with (folder / "runs.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def responses(path: Path) -> Iterator[dict[str, object]]:
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line, parse_float=Decimal)


def message(response: dict[str, object]) -> dict[str, object]:
    choices = response["choices"]
    assert isinstance(choices, list)
    found = choices[0]["message"]
    assert isinstance(found, dict)
    return found


def keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        for item in inner:  # type: ignore[attr-defined]
            yield from keys(item)


def test_counts(bench: Bench) -> None:
    assert bench.requests.num_rows == 1080
    assert len(bench.runs) == 30
    assert sorted(bench.arms) == sorted(ARMS)
    assert {run.n_requests for run in bench.runs} == {36}
    assert {run.declared_by for run in bench.runs} == {"layout"}
    assert sorted((run.block or "", run.arm) for run in bench.runs) == [
        (f"{block:02}", arm) for block in range(5) for arm in ARMS
    ]


def test_the_manifest(bench: Bench) -> None:
    assert bench.study is not None
    assert bench.study.baseline == "baseline"
    assert bench.study.controls == (("baseline", "baseline2"),)
    assert bench.study.warmup == 1
    assert bench.study.order == "randomised"


def test_only_descriptions_are_left_unread(bench: Bench) -> None:
    assert [finding.code for finding in bench.findings] == ["SPS013"]
    (finding,) = bench.findings
    assert finding.message == f"6 files were not used: {UNREAD}"


def test_each_launch_serves_each_prompt_three_times(frame: pd.DataFrame) -> None:
    served = frame.groupby(["run_id", "prompt_id"])["repetition"].apply(sorted)

    assert len(served) == 30 * 12
    assert set(map(tuple, served)) == {(0, 1, 2)}


def test_prompts_come_in_the_same_order_for_all_arms_of_a_block(
    frame: pd.DataFrame,
) -> None:
    orders = frame.groupby(["block", "run_id"])["prompt_id"].apply(tuple)

    assert orders.groupby(level="block").nunique().tolist() == [1] * 5
    assert orders.nunique() == 5


def test_every_answer_has_96_tokens(frame: pd.DataFrame) -> None:
    assert set(frame["n_output"]) == {96}
    assert set(frame["n_cached"]) == {0}
    assert set(frame["rate_convention"]) == {"n"}


def test_mean_rates(frame: pd.DataFrame) -> None:
    means = frame.groupby("arm")["engine_rate_tps"].mean()

    assert {arm: round(rate, 1) for arm, rate in means.items()} == MEAN_RATES


@pytest.mark.parametrize("arm", ARMS)
def test_accepted_and_drafted_tokens(frame: pd.DataFrame, arm: str) -> None:
    rows = frame[frame["arm"] == arm]

    if arm in ACCEPTED:
        assert (rows["n_accepted"].sum(), rows["n_draft"].sum()) == ACCEPTED[arm]
    else:
        assert rows[["n_accepted", "n_draft"]].isna().all(axis=None)


def test_steps_add_up_to_the_answers(bench: Bench, frame: pd.DataFrame) -> None:
    assert bench.steps.num_rows == frame["n_steps"].sum()
    drafting = frame[frame["arm"].isin(ACCEPTED)]
    assert (drafting["n_accepted"] + drafting["n_steps"] + 1 == 96).all()
    assert set(frame.loc[~frame["arm"].isin(ACCEPTED), "n_steps"]) == {95}


def test_acceptance_is_the_same_in_every_repetition(frame: pd.DataFrame) -> None:
    drafting = frame[frame["arm"].isin(ACCEPTED)]

    counts = drafting.groupby(["arm", "prompt_id"])["n_accepted"]

    assert (counts.min() == counts.max()).all()


def test_two_answers_differ_from_the_baseline(frame: pd.DataFrame) -> None:
    digests = frame.groupby(["arm", "prompt_id"])["output_sha256"].agg(set)
    assert (digests.map(len) == 1).all()

    prompts = sorted(set(frame["prompt_id"]))
    assert {
        (arm, prompt)
        for arm in ARMS
        for prompt in prompts
        if digests[arm, prompt] != digests["baseline", prompt]
    } == {("spec-g8", "code-04"), ("spec-g8", "prose-05")}


@pytest.mark.parametrize(("arm", "interval"), RATIOS.items())
def test_the_ratios_of_the_readme(
    frame: pd.DataFrame, arm: str, interval: tuple[float, float, float]
) -> None:
    warm = frame[frame.groupby("run_id").cumcount() > 0]
    rates = warm.assign(log=np.log(warm["engine_rate_tps"]))
    prompts = rates.groupby(["block", "arm", "prompt_id"])["log"].mean()
    cells = prompts.groupby(level=["arm", "block"]).mean()
    pairs = cells[arm] - cells["baseline"]
    standard_error = pairs.std(ddof=1) / np.sqrt(5)
    limits = scipy.stats.t.interval(0.95, 4, pairs.mean(), standard_error)

    found = [math.exp(value) for value in (pairs.mean(), *limits)]
    assert found == pytest.approx(interval, abs=5e-5)
    low, high = f"{interval[1]:.4f}", f"{interval[2]:.4f}"
    text = (datasets.path("h200-tinyspec") / "README.md").read_text("utf-8")
    assert f"| `{arm}` | {interval[0]:.4f} | [{low}, {high}] |" in text


def test_the_manifest_of_runs_lists_the_artifacts() -> None:
    folder = datasets.path("h200-tinyspec")
    listed = [row["file"] for row in runs_csv(folder)]

    assert {row["set"] for row in runs_csv(folder)} == {"main"}
    assert listed == [f"main/{path.name}" for path in sorted(folder.glob("main/*"))]


def test_telemetry(bench: Bench) -> None:
    assert bench.telemetry.num_rows == 682
    assert set(bench.column("telemetry", "arm")) - {None} == set(ARMS)


def test_no_text_of_a_response_is_kept() -> None:
    forbidden = {"content", "reasoning_content", "text", "messages", "prompt"}
    for path in sorted(datasets.path("h200-tinyspec").rglob("*.json*")):
        text = path.read_text("utf-8")
        lines = text.splitlines() if path.suffix == ".jsonl" else [text]

        assert forbidden.isdisjoint(
            key for line in lines for key in keys(json.loads(line))
        )


def test_responses_equal_the_raw_ones_but_for_the_text(corpus: Path) -> None:
    raw = corpus / "h200-tinyspec"
    folder = datasets.path("h200-tinyspec")
    names = [path.name for path in sorted((folder / "main").iterdir())]
    assert names == [path.name for path in sorted((raw / "main").iterdir())]
    for name in names:
        expected = list(responses(raw / "main" / name))
        for response in expected:
            text = message(response).pop("content")
            digest = hashlib.sha256(str(text).encode()).hexdigest()
            message(response)["content_sha256"] = digest

        assert list(responses(folder / "main" / name)) == expected


@pytest.mark.parametrize(
    "name", ["nvidia-smi.csv", "prompts_meta.json", "train.json", "env.json"]
)
def test_a_file_is_kept_byte_for_byte(corpus: Path, name: str) -> None:
    copy = datasets.path("h200-tinyspec") / name

    assert copy.read_bytes() == (corpus / "h200-tinyspec" / name).read_bytes()


def test_the_manifest_of_runs_equals_the_raw_one(corpus: Path) -> None:
    raw = [row for row in runs_csv(corpus / "h200-tinyspec") if row["set"] == "main"]

    assert runs_csv(datasets.path("h200-tinyspec")) == raw
