"""The study manifest: every key, every wrong type, and which files it names."""

from pathlib import Path

import pytest

from specstats.errors import DesignError, MalformedArtifactError
from specstats.layout import Layout, Study
from specstats.layout.place import Place
from specstats.source import Source

WHOLE = """
[study]
title = "A study"
baseline = "base"
controls = [["base", "base2"]]
block = "day"
warmup = 1
ignore = ["cfg.cache_prompt"]
layout = "{arm}-{run}.json"
order = "randomised"
seed = 7
[collect]
anything = 1
[[arms]]
name = "base"
[[runs]]
run = "A"
arm = "base"
block = 2026-08-07
workload = "code"
order = 6
files = ["A.*.json"]
settings = { cache_prompt = true, "id.build" = "b1", depth = 4, note = "x", r = 0.5 }
[[runs]]
run = 2
arm = "spec"
files = ["B.json", "sub/*.json"]
[[telemetry]]
files = ["t.csv"]
arm = "base"
run = "A"
timezone = "+02:00"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "study"
    for name in ("A.1.json", "A.2.json", "B.json", "sub/C.json", "t.csv"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    return place


def load(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return Study.load(folder / "study.toml")


def test_every_key(folder: Path) -> None:
    study = load(folder, WHOLE)

    assert (study.title, study.baseline, study.block) == ("A study", "base", "day")
    assert (study.layout, study.order) == ("{arm}-{run}.json", "randomised")
    assert study.controls == (("base", "base2"),)
    assert (study.warmup, study.ignore) == (1, ("cfg.cache_prompt",))
    first, second = study.runs
    assert (first.run, first.arm, first.block) == ("A", "base", "2026-08-07")
    assert (first.workload, first.order) == ("code", 6.0)
    assert first.settings == {
        "cfg.cache_prompt": True,
        "id.build": "b1",
        "cfg.depth": 4,
        "cfg.note": "x",
        "cfg.r": 0.5,
    }
    assert (second.run, second.block, second.order) == ("2", None, None)
    (telemetry,) = study.telemetry
    assert (telemetry.arm, telemetry.run, telemetry.timezone_s) == ("base", "A", 7200)


def test_an_empty_manifest(folder: Path) -> None:
    study = load(folder, "")

    assert (study.title, study.runs, study.controls) == (None, (), ())
    assert not Layout(study=study).decides_files


def test_files_are_found_and_placed(folder: Path) -> None:
    study = load(folder, WHOLE)
    layout = Layout(study=study)

    found = {item.name: layout.place(item) for item in study.sources()}

    assert list(found) == ["A.1.json", "A.2.json", "B.json", "sub/C.json", "t.csv"]
    assert found["A.2.json"] == Place(
        arm="base",
        run="A",
        block="2026-08-07",
        workload="code",
        declared="manifest",
        blocks_closed=True,
        order=6.0,
        settings=study.runs[0].settings,
    )
    assert found["sub/C.json"] == Place(
        arm="spec", run="2", declared="manifest", blocks_closed=True
    )
    assert found["t.csv"] == Place(
        arm="base", run="A", timezone_s=7200.0, blocks_closed=True
    )
    assert layout.place(Source(name="x", file=folder / "other.json")) is None
    assert layout.place(Source(name="A.1.json")) is None


def test_files_outside_the_folder(folder: Path) -> None:
    (folder.parent / "out").mkdir()
    (folder.parent / "out" / "1.json").write_text("x")
    absolute = folder.parent / "out" / "*.json"
    run = '[[runs]]\nrun = "A"\narm = "a"\nfiles = ["{}"]\n'

    for pattern in ("../out/*.json", str(absolute), "../study/../out/1.json"):
        (source,) = load(folder, run.format(pattern)).sources()
        assert source.name == "../out/1.json"
        assert source.document() == b"x"


def test_a_folder_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    place = tmp_path / "runs[1]"
    place.mkdir()
    (place / "1.json").write_text("x")

    study = load(place, '[[runs]]\nrun = "A"\narm = "a"\nfiles = ["*.json"]\n')

    assert [item.name for item in study.sources()] == ["1.json"]


def test_the_manifest_itself_is_no_artifact(folder: Path) -> None:
    study = load(folder, '[[runs]]\nrun = "A"\narm = "a"\nfiles = ["*"]\n')

    assert "study.toml" not in [item.name for item in study.sources()]
    assert "sub" not in [item.name for item in study.sources()]


@pytest.mark.parametrize(
    ("zone", "seconds"),
    [
        ("+02:00", 7200.0),
        ("-05:30", -19800.0),
        ("+00:00", 0.0),
        ("+14:00", 50400.0),
        ("UTC", 0.0),
        ("utc", 0.0),
        ("Z", 0.0),
    ],
)
def test_time_zones(zone: str, seconds: float, folder: Path) -> None:
    text = f'[[telemetry]]\nfiles = ["t.csv"]\ntimezone = "{zone}"\n'

    assert load(folder, text).telemetry[0].timezone_s == seconds


@pytest.mark.parametrize(
    "zone", ["2", "+2", "+0200", "02:00", "+24:00", "+02:60", "CET", "", "+02:00\\n"]
)
def test_time_zones_that_are_none(zone: str, folder: Path) -> None:
    text = f'[[telemetry]]\nfiles = ["t.csv"]\ntimezone = "{zone}"\n'

    with pytest.raises(DesignError, match=r"study\.toml \[\[telemetry\]\] 1: timezone"):
        load(folder, text)


@pytest.mark.parametrize("pattern", ["gone*.json", "", "sub", "../gone/*", "a\\u0000b"])
def test_globs_that_match_nothing(pattern: str, folder: Path) -> None:
    text = f'[[runs]]\nrun = "A"\narm = "a"\nfiles = ["{pattern}"]\n'

    with pytest.raises(DesignError, match=r"study\.toml: files .* match nothing"):
        load(folder, text)


def test_a_file_in_two_entries(folder: Path) -> None:
    run = '[[runs]]\nrun = "{}"\narm = "a"\nfiles = ["{}"]\n'
    text = run.format("A", "A.*.json") + run.format("B", "sub/../A.2.json")

    with pytest.raises(DesignError, match=r"'A\.2\.json' belongs to two entries"):
        load(folder, text)


def test_a_file_twice_in_one_entry(folder: Path) -> None:
    text = '[[runs]]\nrun = "A"\narm = "a"\nfiles = ["A.1.json", "A.*.json"]\n'

    assert len(list(load(folder, text).sources())) == 2


@pytest.mark.parametrize(
    "content",
    [b"[study", b"\xff\xfe", b"x = " + b"[" * 5000, b"x = " + b"9" * 5000, b"\0"],
)
def test_files_that_are_no_toml(content: bytes, folder: Path) -> None:
    (folder / "study.toml").write_bytes(content)

    with pytest.raises(MalformedArtifactError, match=r"^study\.toml: not a readable"):
        Layout.from_manifest(folder / "study.toml")


def test_a_manifest_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MalformedArtifactError, match=r"study\.toml: not a readable"):
        Layout.from_manifest(tmp_path / "study.toml")


def test_a_byte_order_mark(folder: Path) -> None:
    (folder / "study.toml").write_bytes(b"\xef\xbb\xbf[study]\ntitle = 'x'\n")

    assert Study.load(folder / "study.toml").title == "x"


def test_the_layout_of_a_manifest(folder: Path) -> None:
    load(folder, WHOLE)

    layout = Layout.from_manifest(folder / "study.toml")

    assert layout.template is not None
    assert layout.template.text == "{arm}-{run}.json"
    (folder / "study.toml").write_text('[study]\nlayout = "x.json"\n')
    with pytest.raises(DesignError, match=r"layout 'x\.json' has no field"):
        Layout.from_manifest(folder / "study.toml")
