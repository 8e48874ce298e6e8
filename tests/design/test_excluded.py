"""Launches that the manifest leaves out of everything."""

import json
from pathlib import Path

import pytest

import specstats
from specstats import Design
from specstats.design import view_of
from specstats.design.excluded import label_of
from specstats.errors import DesignError

SECONDS = {1: 4.0, 2: 4.1, 3: 9.0, 4: 4.05}


def study(folder: Path, excluded: str, block: str = "") -> specstats.Bench:
    for arm, factor in (("base", 1.0), ("spec", 0.75)):
        for run, own in SECONDS.items():
            seconds = own * factor
            timings = {
                "prompt_n": 34,
                "prompt_ms": 81.0,
                "predicted_n": 128,
                "predicted_ms": seconds * 1e3,
                "predicted_per_second": 128 / seconds,
                "draft_n": 100 + run,
                "draft_n_accepted": 60,
            }
            text = json.dumps({"timings": timings})
            (folder / f"{block}{arm}-{run}.json").write_text(text)
    layout = "{block}-{arm}-{run}.json" if block else "{arm}-{run}.json"
    (folder / "study.toml").write_text(f'[study]\nlayout = "{layout}"\n{excluded}')
    return specstats.read(folder)


ENTRY = '[[excluded]]\nrun = "3"\narm = "base"\nreason = "swapping"\n'


def test_nothing_knows_the_launch_any_more(tmp_path: Path) -> None:
    bench = study(tmp_path, ENTRY)
    found = {arm.arm: arm for arm in specstats.describe(bench)}

    assert [found[arm].n_runs for arm in ("base", "spec")] == [3, 4]
    assert found["base"].metrics["decode_rate"].minimum == pytest.approx(128 / 4.1)
    acceptance = found["base"].acceptance
    assert acceptance is not None
    assert acceptance.naive.drafted == 101 + 102 + 104
    # What was read stays as it is.
    assert len(bench.runs) == 8


def test_both_arms_without_naming_one(tmp_path: Path) -> None:
    bench = study(tmp_path, '[[excluded]]\nrun = "3"\nreason = "swapping"\n')
    view = view_of(bench)

    assert sorted(run.run_id for run in view.excluded) == ["base/3", "spec/3"]
    (found,) = specstats.check(bench).of("SPS402")
    assert "left out with 2 requests" in found.message
    assert "swapping" in found.message


def test_a_block_is_told_apart(tmp_path: Path) -> None:
    bench = study(tmp_path, ENTRY + 'block = "mon"\n', block="mon-")
    assert [run.run_id for run in view_of(bench).excluded] == ["mon/base/3"]
    assert label_of(view_of(bench).excluded[0]) == "3"
    other = study(tmp_path, ENTRY + 'block = "tue"\n', block="mon-")
    assert view_of(other).excluded == ()


def test_an_entry_without_a_reason_refuses_its_arm(tmp_path: Path) -> None:
    bench = study(tmp_path, '[[excluded]]\nrun = "base/3"\n')
    design = Design(baseline="base")
    (refused,) = specstats.compare_all(bench, design)
    assert refused.estimate is None
    assert "SPS401" in refused.findings.errors.codes
    (made,) = specstats.compare_all(bench, design, allow=["SPS401", "SPS111"])
    assert made.estimate is not None


def test_a_launch_that_was_never_there_is_said(tmp_path: Path) -> None:
    bench = study(tmp_path, '[[excluded]]\nrun = "9"\nreason = "crashed"\n')
    (found,) = specstats.check(bench).of("SPS402")
    assert "not in the data" in found.message


def test_an_arm_left_out_whole_is_unknown(tmp_path: Path) -> None:
    entries = "".join(
        f'[[excluded]]\nrun = "{run}"\narm = "spec"\nreason = "x"\n' for run in SECONDS
    )
    bench = study(tmp_path, entries)
    with pytest.raises(DesignError, match="'spec'"):
        specstats.compare_all(bench, Design(baseline="base", candidate="spec"))


def test_nothing_planned_is_an_error(tmp_path: Path) -> None:
    bench = study(tmp_path, "")
    with pytest.raises(DesignError, match="planned runs 0"):
        view_of(bench, Design(planned_runs=0))
