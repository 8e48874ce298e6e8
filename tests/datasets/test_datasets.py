"""The bundled data sets are found, by name, where the package has them."""

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from specstats import datasets
from specstats.errors import DesignError, SpecstatsError

ROOT = Path(__file__).resolve().parents[2]
NAMES = datasets.names()
# README.md and study.toml describe the data and may be reworded.
DESCRIPTIONS = {"README.md", "study.toml", "SHA256SUMS"}


def digests(folder: Path) -> dict[str, str]:
    sums = folder / "SHA256SUMS"
    if sums.exists():
        lines = sums.read_text("utf-8").splitlines()
        return {name: digest for digest, _, name in (x.partition("  ") for x in lines)}
    table = (folder / "README.md").read_text("utf-8")
    return dict(re.findall(r"\n\| `([^`]+)` \| \d+ \| `([0-9a-f]{64})` \|", table))


def test_the_names_are_sorted() -> None:
    assert NAMES == ("h200-tinyspec", "pascal-p5200")


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_has_artifacts_a_manifest_and_a_readme(name: str) -> None:
    folder = datasets.path(name)

    assert folder.name == name
    assert {"README.md", "study.toml"} <= {item.name for item in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pascal", "Hint: one of 'pascal-p5200'"),
        ("xyz", "Hint: one of 'h200-tinyspec', 'pascal-p5200'"),
        ("", "Hint: one of 'h200-tinyspec', 'pascal-p5200'"),
        ("../data/pascal-p5200", "'pascal-p5200'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(name: str, hint: str) -> None:
    with pytest.raises(DesignError, match=re.escape(f"data set {name!r}")) as caught:
        datasets.path(name)

    assert hint in str(caught.value)


def test_loading_an_unknown_name_is_refused_likewise() -> None:
    with pytest.raises(DesignError, match="no data set 'xyz'"):
        datasets.load("xyz")


def test_the_folder_inside_a_wheel_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, beside = tmp_path / "_data", tmp_path / "data"
    for folder in (inside, beside):
        (folder / "pascal-p5200").mkdir(parents=True)
        (folder / "pascal-p5200" / "study.toml").touch()
    (beside / "h200-tinyspec").mkdir()
    (beside / "h200-tinyspec" / "study.toml").touch()
    monkeypatch.setattr(datasets, "_FOLDERS", (inside, beside))

    assert datasets.path("pascal-p5200") == inside / "pascal-p5200"
    assert datasets.path("h200-tinyspec") == beside / "h200-tinyspec"


def test_missing_data_are_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pascal-p5200").mkdir()  # someone else's folder: no manifest in it
    monkeypatch.setattr(datasets, "_FOLDERS", (tmp_path, tmp_path / "other"))

    with pytest.raises(SpecstatsError, match="'pascal-p5200' are missing: looked in"):
        datasets.path("pascal-p5200")


def test_the_wheel_takes_every_data_set_to_where_it_is_looked_for() -> None:
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = content["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert {f"data/{name}" for name in NAMES} <= set(wheel["only-include"])
    assert wheel["sources"] == {"data": "specstats/_data"}


def test_importing_the_module_loads_no_heavy_library() -> None:
    heavy = ("pandas", "pyarrow", "scipy.stats", "statsmodels", "matplotlib")
    code = (
        "import sys, specstats.datasets\n"
        f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("name", NAMES)
def test_recorded_digests_are_those_of_the_files(name: str) -> None:
    folder = datasets.path(name)
    files = {
        item.relative_to(folder).as_posix(): item
        for item in folder.rglob("*")
        if item.is_file() and item.name not in DESCRIPTIONS
    }

    assert digests(folder) == {
        shown: hashlib.sha256(item.read_bytes()).hexdigest()
        for shown, item in files.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_data_set_is_listed(name: str) -> None:
    if not (ROOT / "data" / "README.md").exists():  # tests run against a wheel
        pytest.skip("no checkout")
    listed = (ROOT / "data" / "README.md").read_text("utf-8")

    assert f"| [{name}]({name}/README.md) |" in listed


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_is_small(name: str) -> None:
    files = [item for item in datasets.path(name).rglob("*") if item.is_file()]

    assert sum(item.stat().st_size for item in files) < 3_000_000
