"""The stated design, completed from names and the manifest."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats import Design
from specstats.bench import Bench
from specstats.design import view_of
from specstats.errors import DesignError

BenchOf = Callable[..., Bench]


def arms(bench_of: BenchOf, *names: str) -> Bench:
    return bench_of(*({"arm": name, "run": name} for name in names))


@pytest.mark.parametrize(
    ("names", "baseline"),
    [
        (("baseline", "spec"), "baseline"),
        (("spec", "OFF"), "OFF"),
        (("none", "spec"), "none"),
        (("plain", "spec"), "plain"),
        (("base", "spec"), "base"),
        (("target-only", "spec"), "target-only"),
        (("baseline", "off"), None),
        (("baseline2", "spec"), None),
        (("a", "b"), None),
    ],
)
def test_baselines_by_name(
    names: tuple[str, ...], baseline: str | None, bench_of: BenchOf
) -> None:
    bench = arms(bench_of, *names)

    assert Design().resolved(bench).baseline == baseline
    assert Design().finds_baseline(bench) is (baseline is not None)


def test_a_stated_baseline_comes_first(bench_of: BenchOf) -> None:
    bench = arms(bench_of, "baseline", "spec")

    assert Design(baseline="spec").resolved(bench).baseline == "spec"


@pytest.mark.parametrize(
    "design",
    [
        Design(baseline="sped"),
        Design(candidate="sped"),
        Design(controls=(("base", "sped"),)),
    ],
)
def test_arms_that_are_not_there(design: Design, bench_of: BenchOf) -> None:
    with pytest.raises(DesignError, match=r"'sped'.*'spec'"):
        design.resolved(arms(bench_of, "base", "spec"))


@pytest.mark.parametrize(
    "design",
    [Design(baseline="a", candidate="a"), Design(controls=(("a", "a"),))],
)
def test_an_arm_against_itself(design: Design, bench_of: BenchOf) -> None:
    with pytest.raises(DesignError, match="arm 'a' is compared with itself"):
        design.resolved(arms(bench_of, "a", "b"))


def test_control_arms() -> None:
    design = Design(controls=(("base", "base2"), ("spec", "spec2"), ("base3", "base")))

    assert design.control_arms("base") == ("base2", "base3")
    assert design.control_arms("other") == ()


def test_ignored_settings_and_the_factor() -> None:
    design = Design(ignore=("cfg.seed", "host"), factor="depth")

    assert design.ignores("cfg.seed")
    assert design.ignores("id.host")
    assert not design.ignores("cfg.depth")
    assert design.is_factor("cfg.depth")
    assert Design(factor="cfg.depth").is_factor("cfg.depth")
    assert not design.is_factor("cfg.n_depth")
    assert not Design().is_factor("cfg.depth")


@pytest.fixture
def study(tmp_path: Path) -> Bench:
    row = {"n_output": 10, "decode_s": 1.0}
    rows = [{**row, "arm": arm, "run": arm} for arm in ("x", "y", "z")]
    lines = ['{"specstats.table": "requests"}', *map(json.dumps, rows)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    (tmp_path / "study.toml").write_text(
        '[study]\nbaseline = "x"\ncontrols = [["x", "y"]]\nwarmup = 2\n'
        'ignore = ["cfg.a"]\norder = "randomised"\nblock = "day"\n'
    )
    return specstats.read(tmp_path)


def test_the_manifest_completes_the_design(study: Bench) -> None:
    assert Design().resolved(study) == Design(
        baseline="x",
        controls=(("x", "y"),),
        warmup=2,
        ignore=("cfg.a",),
        block="day",
        randomised=True,
    )


def test_what_is_stated_comes_before_the_manifest(study: Bench) -> None:
    stated = Design(
        baseline="z", warmup=1, ignore=("cfg.b",), block="host", controls=(("x", "z"),)
    )

    found = stated.resolved(study)

    assert (found.baseline, found.warmup, found.block) == ("z", 1, "host")
    assert found.ignore == ("cfg.b", "cfg.a")
    assert found.controls == (("x", "z"), ("x", "y"))


def test_levels_of_a_factor_are_arms_when_arms_were_inferred(bench_of: BenchOf) -> None:
    bench = bench_of(
        {"arm": None, "run": "1", "cfg.depth": 0},
        {"arm": None, "run": "2", "cfg.depth": 4},
        {"arm": None, "run": "3", "cfg.depth": 4},
    )

    view = view_of(bench, Design(factor="depth"))

    assert view.arms == ("depth=0", "depth=4")
    assert len(view.runs_of("depth=4")) == 2


def test_declared_arms_stay(bench_of: BenchOf) -> None:
    bench = bench_of(
        {"arm": "a", "run": "1", "cfg.depth": 0},
        {"arm": "b", "run": "2", "cfg.depth": 4},
    )

    assert view_of(bench, Design(factor="depth")).arms == ("a", "b")


@pytest.mark.parametrize(
    ("rows", "factor", "message"),
    [
        ([{"cfg.depth": 0}, {"cfg.depth": 1}], "depht", "'depht'.*'cfg.depth'"),
        ([{"cfg.depth": 0}, {"cfg.x": 1}], "depth", "does not record factor"),
        (
            [{"cfg.depth": 0, "run": "1"}, {"cfg.depth": 1, "run": "1"}],
            "depth",
            "varies",
        ),
    ],
)
def test_factors_that_make_no_arms(
    rows: list[dict[str, object]], factor: str, message: str, bench_of: BenchOf
) -> None:
    numbered = [
        {"arm": None, "run": str(number), **row} for number, row in enumerate(rows)
    ]

    with pytest.raises(DesignError, match=message):
        view_of(bench_of(*numbered), Design(factor=factor))


def test_a_stated_warm_up_overrides_the_manifest_even_with_none_left_out() -> None:
    bench = specstats.datasets.load("h200-tinyspec")
    assert Design().resolved(bench).left_out == 1
    assert Design(warmup=0).resolved(bench).left_out == 0
    assert Design(warmup=2).resolved(bench).left_out == 2
