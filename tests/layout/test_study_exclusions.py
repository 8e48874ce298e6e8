"""The study manifest: launches left out, and the number planned."""

from pathlib import Path

import pytest

from specstats.errors import DesignError
from specstats.layout import Study

RUNS = """
[[runs]]
run = "A"
arm = "base"
files = ["A.json"]
[[runs]]
run = "B"
arm = "base"
files = ["B.json"]
"""


def load(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return Study.load(folder / "study.toml")


def test_every_key(tmp_path: Path) -> None:
    study = load(
        tmp_path,
        '[study]\nplanned_runs = 5\n[[excluded]]\nrun = 3\narm = "base"\n'
        'block = "mon"\nreason = " power cut "\n[[excluded]]\nrun = "B"\n',
    )

    assert study.planned_runs == 5
    first, second = study.excluded
    assert (first.run, first.arm, first.block) == ("3", "base", "mon")
    assert first.reason == "power cut"
    assert (second.run, second.arm, second.block, second.reason) == ("B",) + 3 * (None,)


def test_a_blank_reason_is_none(tmp_path: Path) -> None:
    (entry,) = load(tmp_path, '[[excluded]]\nrun = "B"\nreason = " "\n').excluded
    assert entry.reason is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[excluded]]\n", "run is missing"),
        ("[[excluded]]\nrun = true\n", "run = True"),
        ("[[excluded]]\nrun = 'A'\nreason = ['x']\n", "reason = "),
        ("[[excluded]]\nrun = 'A'\nwhy = 'x'\n", "'why'"),
        ("excluded = 1\n", "excluded = 1"),
        ("[study]\nplanned_runs = -1\n", "planned_runs = -1"),
        ("[study]\nplanned_runs = '5'\n", "planned_runs = '5'"),
    ],
)
def test_slips_are_errors(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DesignError, match=told):
        load(tmp_path, text)


def test_files_of_a_launch_left_out_may_be_gone(tmp_path: Path) -> None:
    (tmp_path / "A.json").write_text("{}")
    with pytest.raises(DesignError, match="match nothing"):
        load(tmp_path, RUNS)
    study = load(tmp_path, RUNS + '[[excluded]]\nrun = "B"\nreason = "lost"\n')
    assert [source.name for source in study.sources()] == ["A.json"]
