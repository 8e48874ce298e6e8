"""Globs of ``--arm``."""

from pathlib import Path

import pytest

from specstats.layout.globs import matches_glob
from specstats.source import Source


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("a/b/1.json", True),
        ("./a/b/1.json", True),
        ("a//b/1.json", True),
        ("a/b/*.json", True),
        ("a/*/1.json", True),
        ("*/*/*", True),
        ("**", True),
        ("**/*", True),
        ("**/1.json", True),
        ("a/**/1.json", True),
        ("a/b/**/1.json", True),
        ("**/**/**/1.json", True),
        ("a/[b]/?.json", True),
        ("a/b/[!2].json", True),
        ("*", False),
        ("*.json", False),
        ("1.json", False),
        ("a/*", False),
        ("a/b", False),
        ("A/b/1.json", False),
        ("a/b/1.json/*", False),
        ("b/**", False),
    ],
)
def test_relative_globs(pattern: str, fits: bool) -> None:
    source = Source(name="shown/a/b/1.json", relative="a/b/1.json")

    assert matches_glob(source, pattern) is fits


def test_absolute_globs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.json").write_text("")
    monkeypatch.chdir(tmp_path / "a")
    here = Source(name="1.json", file=Path("1.json"))
    above = Source(name="1.json", file=Path("../a/1.json"))

    for source in (here, above):
        assert matches_glob(source, f"{tmp_path}/a/*.json")
        assert matches_glob(source, f"{tmp_path}/**")
        assert matches_glob(source, f"{tmp_path}/x/../a/1.json")
        assert not matches_glob(source, f"{tmp_path}/b/**")
    assert not matches_glob(Source(name="1.json"), "/1.json")


def test_the_path_as_written(tmp_path: Path) -> None:
    source = Source(name="1.json", file=Path("runs/base/1.json"))

    assert matches_glob(source, "runs/base/*.json")
    assert matches_glob(source, "1.json")
    assert not matches_glob(source, "base/*.json")
