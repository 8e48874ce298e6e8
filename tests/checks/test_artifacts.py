"""SPS003, SPS004, SPS005, SPS007, SPS402 and what they forbid."""

import json
from pathlib import Path

import pytest

import specstats
from specstats import Design, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")


def write(folder: Path, name: str, rate: float, created: int) -> None:
    timings = {
        "prompt_n": 34,
        "prompt_ms": 200.0,
        "predicted_n": 128,
        "predicted_ms": 1000 * 128 / rate,
        "predicted_per_second": rate,
    }
    body = {"created": created, "timings": timings, "choices": []}
    (folder / name).write_text(json.dumps(body), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for turn in range(4):
        pair = [("base", BASE[turn]), ("new", NEW[turn])]
        for place, (arm, rate) in enumerate(pair if turn % 2 else pair[::-1]):
            write(
                tmp_path,
                f"{arm}-{turn}.json",
                rate,
                1_780_000_000 + 120 * turn + 60 * place,
            )
    return tmp_path


def compare(folder: Path, layout: str = "{arm}-{run}.json") -> specstats.Comparison:
    return specstats.speedup(specstats.read(folder, layout=layout), DESIGN)


def test_the_folder_as_it_is(folder: Path) -> None:
    assert compare(folder).verdict is Verdict.FASTER


@pytest.mark.parametrize("name", ["base-9.json", "new-9.json"])
def test_a_copy_under_another_name(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / "base-1.json").read_bytes())
    found = compare(folder)
    assert found.verdict is Verdict.REFUSED
    assert "SPS003" in found.findings.errors.codes
    assert found.n_runs_baseline + found.n_runs_candidate == 8


def test_a_control_that_is_a_copy_clears_nothing(folder: Path) -> None:
    for turn in range(4):
        copy = (folder / f"base-{turn}.json").read_bytes()
        (folder / f"twin-{turn}.json").write_bytes(copy)
    bench = specstats.read(folder, layout="{arm}-{run}.json")
    assert "SPS003" in bench.findings.codes
    with pytest.raises(specstats.errors.DesignError, match="twin"):
        specstats.summarize(
            bench, Design(baseline="base", controls=(("base", "twin"),))
        )
    assert specstats.speedup(bench, DESIGN).verdict is Verdict.REFUSED


def test_launches_that_nothing_tells_apart(folder: Path) -> None:
    found = compare(folder, "{arm}-{ignore}.json")
    assert found.verdict is Verdict.REFUSED
    assert {"SPS005", "SPS101"} <= set(found.findings.codes)
    assert (found.n_runs_baseline, found.n_runs_candidate) == (1, 1)


def test_repeats_do_not_declare_launches(folder: Path) -> None:
    found = compare(folder, "{arm}-{repeat}.json")
    assert (found.n_runs_baseline, found.n_runs_candidate) == (1, 1)
    assert found.verdict is Verdict.REFUSED


def test_failed_requests_are_counted_and_shown() -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, prompts=("a", "b"))
    for row in rows:
        if row["run"] in {"base-0", "new-0"} and row["prompt"] == "a":
            row |= {"ok": False, "error": "500 boom"}
            del row["decode_s"]
    found = specstats.check(read_rows(rows), DESIGN)
    messages = [item.message for item in found.of("SPS007")]
    assert messages == [
        "base: 1 of 8 requests failed (500 boom)",
        "new: 1 of 8 requests failed (500 boom)",
    ]
    assert not found.errors


def test_means_without_single_values() -> None:
    rows = [{"arm": "base", "metric": "decode_rate", "mean": 100.0, "sd": 1.0}]
    bench = read_rows(rows, table="aggregates")
    found = specstats.check(bench, DESIGN)
    assert [(item.code, item.is_error) for item in found] == [("SPS004", True)]


@pytest.mark.parametrize(("warmup", "count"), [(0, 0), (1, 8), (2, 16)])
def test_warm_up_is_logged(warmup: int, count: int) -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=4)
    found = specstats.check(read_rows(rows), Design(baseline="base", warmup=warmup))
    assert len(found.of("SPS402")) == bool(count)
    if count:
        assert f"{count} requests" in found.of("SPS402")[0].message


def test_failures_beside_an_arm_without_requests(tmp_path: Path) -> None:
    (tmp_path / "table.md").write_text(
        "| model | test | t/s |\n| --- | ---: | ---: |\n| m | tg128 | 31.70 ± 0.12 |\n"
    )
    header = '{"specstats.table":"requests","version":1}\n'
    row = '{"arm":"base","run":1,"prompt":"p","ok":false,"error":"no slot"}\n'
    (tmp_path / "rows.jsonl").write_text(header + row)
    bench = specstats.read(tmp_path)
    for baseline in bench.arms:
        study = specstats.summarize(bench, Design(baseline=baseline))
        assert {item.verdict for item in study.headlines} == {Verdict.REFUSED}
