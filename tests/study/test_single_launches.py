"""One launch an arm with five requests each: A against B, C against D, and outputs."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

Cli = Callable[..., tuple[int, dict[str, Any]]]
DISTINCT = {"A": 2, "B": 2, "C": 2, "D": 2, "E": 1, "F": 1}
PAIRS = [("A", "B"), ("C", "D")]


@pytest.fixture
def repro(pascal: Path) -> Path:
    return pascal / "repro-2026-08-07"


def choose(*arms: str) -> list[str]:
    return [part for arm in arms for part in ("--arm", f"{arm}={arm}.*.json")]


@pytest.mark.parametrize("pair", PAIRS)
def test_two_launches_are_refused(cli: Cli, repro: Path, pair: tuple[str, str]) -> None:
    code, report = cli(
        repro, *choose(*pair), "--baseline", pair[0], "--fail-on", "refused"
    )
    assert code == 4
    (item,) = report["comparisons"]
    assert (item["verdict"], item["estimate"]) == ("refused", None)
    assert "SPS101" in item["findings"]
    assert item["n_runs"] == {"baseline": 1, "candidate": 1}
    assert {one["run_boundary"] for one in report["inputs"]} == {"unknown"}


def test_requests_as_units_would_have_called_it(repro: Path) -> None:
    logs = {}
    for arm in "AB":
        raw = [json.loads((repro / f"{arm}.{k}.json").read_text()) for k in range(2, 6)]
        rates = [one["timings"]["predicted_per_second"] for one in raw]
        logs[arm] = np.log(rates)
    naive = scipy.stats.ttest_ind(logs["A"], logs["B"], equal_var=False)
    interval = naive.confidence_interval(0.95)
    assert np.exp([interval.low, interval.high]) == pytest.approx(
        [1.021, 1.044], abs=5e-4
    )
    assert naive.pvalue < 0.001


@pytest.mark.parametrize("pair", PAIRS)
def test_files_of_one_server_are_not_launches(
    cli: Cli, repro: Path, pair: tuple[str, str]
) -> None:
    code, report = cli(
        repro,
        *choose(*pair),
        "--baseline",
        pair[0],
        "--run-per-file",
        "--fail-on=refused",
    )
    assert code == 4
    (item,) = report["comparisons"]
    assert item["verdict"] == "refused"
    assert "SPS103" in item["findings"]


@pytest.mark.parametrize("pair", PAIRS)
def test_nor_are_they_by_a_layout(cli: Cli, repro: Path, pair: tuple[str, str]) -> None:
    layout = ("--layout", "{arm}.{run}.json")
    _, report = cli(repro, *layout, *choose(*pair), "--baseline", pair[0])
    assert report["comparisons"][0]["verdict"] == "refused"
    assert "SPS103" in report["comparisons"][0]["findings"]


def test_repeats_of_a_layout_make_one_run(cli: Cli, repro: Path) -> None:
    _, report = cli(
        repro, "--layout", "{arm}.{repeat}.json", *choose("A", "B"), "--baseline", "A"
    )
    assert {arm["n_runs"] for arm in report["arms"]} == {1}
    assert report["comparisons"][0]["verdict"] == "refused"


def test_distinct_outputs(cli: Cli, repro: Path) -> None:
    _, report = cli(repro, *choose(*DISTINCT))
    rows = {row["arm"]: row for row in report["determinism"]}
    assert {arm: row["n_distinct_outputs"] for arm, row in rows.items()} == DISTINCT
    assert {row["n_requests"] for row in rows.values()} == {5}
    for arm, row in rows.items():
        varies = arm in "ABCD"
        assert row["first_differs"] is varies
        assert row["explained_by"] == ("cache_n" if varies else None)
    counts = {arm["arm"]: arm["n_distinct_outputs"] for arm in report["arms"]}
    assert counts == DISTINCT


def test_same_output_sets(cli: Cli, repro: Path) -> None:
    _, report = cli(repro, *choose(*DISTINCT))
    found = {row["arm"]: set(row["same_outputs_as"]) for row in report["determinism"]}
    texts: dict[str, frozenset[str]] = {}
    for arm in DISTINCT:
        made = set()
        for path in repro.glob(f"{arm}.*.json"):
            message = json.loads(path.read_text("utf-8"))["choices"][0]["message"]
            text = message.get("content", "") + message.get("reasoning_content", "")
            made.add(hashlib.sha256(text.encode()).hexdigest())
        texts[arm] = frozenset(made)
    for arm, own in texts.items():
        assert found[arm] == {
            other for other in texts if other != arm and texts[other] == own
        }
    assert "B" in found["A"]
    assert "D" in found["C"]


def test_a_failed_request_is_not_a_rate_of_zero(cli: Cli, repro: Path) -> None:
    code, report = cli(repro, "--arm", "G2=G2.*.json", "--arm", "A=A.*.json")
    assert code == 0
    arms = {arm["arm"]: arm for arm in report["arms"]}
    assert (arms["G2"]["n_requests"], arms["G2"]["n_failed"]) == (1, 1)
    assert arms["G2"]["metrics"] == {}
    assert arms["G2"]["n_distinct_outputs"] is None
    by_path = {Path(item["path"]).name: item for item in report["inputs"]}
    assert by_path["G2.1.json"]["failed_requests"] == 1
    levels = {(item["code"], item["level"]) for item in report["findings"]}
    assert ("SPS007", "error") in levels
    code, report = cli(
        *(repro, "--arm", "G2=G2.*.json", "--arm", "A=A.*.json", "--baseline", "A"),
        *("--fail-on", "refused"),
    )
    assert code == 4
    (item,) = report["comparisons"]
    assert (item["verdict"], item["observed_ratio"]) == ("refused", None)


@pytest.mark.parametrize("name", ["qwen-bench.jsonl", "gemma-bench.jsonl"])
def test_llama_bench_is_one_process_and_one_run(
    cli: Cli, pascal: Path, name: str
) -> None:
    _, report = cli(pascal / "pascal-p5200-2026-08-02" / name)
    (arm,) = report["arms"]
    assert arm["n_runs"] == 1
    assert {metric["spread"] for metric in arm["metrics"].values()} == {None}
    assert {metric["conf_low"] for metric in arm["metrics"].values()} == {None}
    assert {item["run_boundary"] for item in report["inputs"]} == {"proved"}


def test_the_first_sample_of_qwen(cli: Cli, pascal: Path) -> None:
    path = pascal / "pascal-p5200-2026-08-02" / "qwen-bench.jsonl"
    _, report = cli(path)
    test = next(
        row
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        if row["n_gen"] == 128
    )
    assert np.round(test["samples_ts"], 2).tolist() == [15.06, 33.12, 34.33]
    found = {item["code"]: item for item in report["findings"]}
    warned = [
        item
        for item in report["findings"]
        if item["code"] == "SPS107" and "decode_rate" in item["message"]
    ]
    assert len(warned) == 1
    assert "x0.45" in warned[0]["message"]
    recomputed = np.std(test["samples_ns"], ddof=1)
    assert test["stddev_ns"] / recomputed == pytest.approx(1.50, abs=5e-3)
    assert f"{recomputed:.0f}"[:4] in json.dumps(found["SPS009"]).replace(",", "")


def test_gemma_has_no_first_sample_far_out_in_decode(cli: Cli, pascal: Path) -> None:
    _, report = cli(pascal / "pascal-p5200-2026-08-02" / "gemma-bench.jsonl")
    assert "SPS009" not in {item["code"] for item in report["findings"]}
