"""Where a file belongs: flags before the manifest, and what declares a launch."""

from pathlib import Path

import pytest

from specstats.errors import DesignError
from specstats.layout import Layout, Place, Study
from specstats.layout.place import arms_from_flags
from specstats.layout.template import Template
from specstats.source import Source


def at(name: str) -> Source:
    return Source(name=f"shown/{name}", relative=name)


def test_nothing_declared() -> None:
    layout = Layout()

    assert layout.place(at("a.json")) == Place()
    assert not layout.decides_files


def test_a_layout_with_run_declares_launches() -> None:
    layout = Layout.from_template("{block}/{arm}-{run}.json")

    assert layout.decides_files
    assert layout.place(at("mon/base-07.json")) == Place(
        arm="base",
        run="mon/base/07",
        block="mon",
        declared="layout",
        blocks_closed=True,
        number=7.0,
    )
    assert layout.place(at("base.json")) is None


def test_a_layout_without_run_declares_none() -> None:
    layout = Layout.from_template("{arm}.{repeat}.json")

    assert layout.place(at("A.2.json")) == Place(arm="A", run="A", repetition="2")


def test_prompts_and_workloads() -> None:
    layout = Layout.from_template("{workload}/{arm}/{run}/{prompt}.json")

    place = layout.place(at("code/spec/r1/fib.json"))

    assert place is not None
    assert (place.workload, place.prompt, place.run) == ("code", "fib", "code/spec/r1")


@pytest.mark.parametrize("run", ["x", "1a", "\u0661", "9" * 40, "-1", "1.5"])
def test_runs_that_are_no_numbers(run: str) -> None:
    place = Layout.from_template("{run}.json").place(at(f"{run}.json"))

    assert place is not None
    assert place.number is None


def test_arms_by_glob() -> None:
    layout = Layout(arms=(("base", "base*.json"), ("spec", "s/*"), ("spec", "t/*")))

    assert layout.place(at("base1.json")) == Place(arm="base")
    assert layout.place(at("t/1.json")) == Place(arm="spec")
    assert layout.place(at("other.json")) is None


def test_absolute_and_relative_globs(tmp_path: Path) -> None:
    source = Source(name="1.json", file=tmp_path / "off" / "1.json")
    layout = Layout(arms=(("off", f"{tmp_path}/off/*"), ("on", f"{tmp_path}/on/**")))

    place = layout.place(source)

    assert place is not None
    assert place.arm == "off"


def test_globs_that_overlap() -> None:
    layout = Layout(arms=(("a", "*.json"), ("b", "x.*")))

    with pytest.raises(DesignError, match=r"x\.json: claimed by arms 'a' and 'b'"):
        layout.place(at("x.json"))
    assert layout.place(at("y.json")) == Place(arm="a")


def test_two_globs_of_one_arm_may_overlap() -> None:
    layout = Layout(arms=(("a", "*.json"), ("a", "x.*")))

    assert layout.place(at("x.json")) == Place(arm="a")


def test_a_file_a_run() -> None:
    layout = Layout(run_per_file=True)

    assert layout.place(at("a.json")) == Place(
        run="shown/a.json", declared="run-per-file"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a-1.json", "b-2.json", "c-3.json", "t.csv"):
        (tmp_path / name).write_text("x")
    (tmp_path / "study.toml").write_text(
        '[[runs]]\nrun = "first"\narm = "one"\nblock = "mon"\norder = 5\n'
        'files = ["a-1.json"]\nsettings = { depth = 1 }\n'
        '[[runs]]\nrun = "second"\narm = "two"\nfiles = ["b-2.json"]\n'
        '[[telemetry]]\nfiles = ["t.csv"]\ntimezone = "+02:00"\n'
    )
    return tmp_path


def in_folder(folder: Path, name: str) -> Source:
    return Source(name=name, file=folder / name)


def test_flags_come_before_the_manifest(folder: Path) -> None:
    study = Study.load(folder / "study.toml")
    layout = Layout(study=study, template=Template.parse("{arm}-{run}.json"))

    place = layout.place(in_folder(folder, "a-1.json"))

    assert place is not None
    assert (place.arm, place.run, place.declared) == ("a", "a/1", "layout")
    assert (place.block, place.order, place.settings) == ("mon", 5.0, {"cfg.depth": 1})
    third = layout.place(in_folder(folder, "c-3.json"))
    assert third is not None
    assert third.arm == "c"


def test_arm_flags_rename_and_leave_the_rest(folder: Path) -> None:
    study = Study.load(folder / "study.toml")
    layout = Layout(study=study, arms=(("new", "a-*.json"),))

    renamed = layout.place(in_folder(folder, "a-1.json"))
    kept = layout.place(in_folder(folder, "b-2.json"))

    assert renamed is not None
    assert kept is not None
    assert (renamed.arm, renamed.run, renamed.declared) == ("new", "first", "manifest")
    assert (kept.arm, kept.run) == ("two", "second")
    assert layout.place(in_folder(folder, "c-3.json")) is None


def test_telemetry_of_the_manifest_needs_no_arm_flag(folder: Path) -> None:
    study = Study.load(folder / "study.toml")
    layout = Layout(study=study, arms=(("new", "a-*.json"),))

    place = layout.place(in_folder(folder, "t.csv"))

    assert place == Place(timezone_s=7200.0, blocks_closed=True)


@pytest.mark.parametrize("flag", ["a", "=x", "a=", "="])
def test_arm_flags_need_both_sides(flag: str) -> None:
    with pytest.raises(DesignError, match=r"--arm .*: expected NAME=GLOB"):
        arms_from_flags([flag])


def test_arm_flags() -> None:
    assert arms_from_flags(["a=x=1/*", "b=y"]) == (("a", "x=1/*"), ("b", "y"))
