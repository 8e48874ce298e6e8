"""`read`: inference, duplicates, unused files, and what is an error."""

import json
from pathlib import Path

import pytest

import specstats
from specstats.bench.progress import Progress
from specstats.errors import ArtifactError, DesignError, UnknownFormatError


def response(**values: object) -> str:
    timings = {"predicted_n": 10, "predicted_ms": 1000.0, "predicted_per_second": 10.0}
    return json.dumps({"timings": timings, **values})


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def where(bench: specstats.Bench, code: str) -> list[tuple[str, ...]]:
    return [item.where for item in bench.findings.of(code)]


def test_arms_from_folders(tmp_path: Path) -> None:
    for name in ("off/1.json", "off/2.json", "on/1.json", "on/2.json"):
        put(tmp_path, name, response(id=name))

    assert specstats.read(tmp_path).arms == ("off", "on")
    assert specstats.read([tmp_path / "off", tmp_path / "on"]).arms == ("off", "on")
    assert specstats.read(str(tmp_path / "*" / "*.json")).arms == ("off", "on")
    listed = sorted(tmp_path.glob("*/*.json"))
    assert specstats.read(listed).arms == ("off", "on")


def test_arms_from_file_names(tmp_path: Path) -> None:
    for name in ("A.1.json", "A.2.json", "B.1.json"):
        put(tmp_path, name, response(id=name))

    bench = specstats.read(tmp_path)

    assert bench.arms == ("A", "B")
    assert where(bench, "SPS012")[0] == ("arms",)
    assert specstats.read(sorted(tmp_path.iterdir())).arms == ("A", "B")


def test_folders_with_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    put(tmp_path, "off/run.json", response(id="1", created=5))
    put(tmp_path, "on/run.json", response(id="2", created=6))

    bench = specstats.read([tmp_path / "off", tmp_path / "on"], run_per_file=True)

    assert [(run.run_id, run.arm) for run in bench.runs] == [
        ("off/run.json", "off"),
        ("on/run.json", "on"),
    ]
    assert [item.path for item in bench.inputs] == ["off/run.json", "on/run.json"]


def test_layouts_are_relative_to_each_path(tmp_path: Path) -> None:
    put(tmp_path, "off/run-1.json", response(id="1"))
    put(tmp_path, "on/run-1.json", response(id="2"))

    bench = specstats.read(
        [tmp_path / "off", tmp_path / "on"],
        layout="run-{run}.json",
        arms={"off": f"{tmp_path}/off/**", "on": f"{tmp_path}/on/**"},
    )

    assert [(run.arm, run.boundary) for run in bench.runs] == [
        ("off", "declared"),
        ("on", "declared"),
    ]


def test_the_same_bytes_are_read_once(tmp_path: Path) -> None:
    put(tmp_path, "a/1.json", response())
    put(tmp_path, "b/1.json", response())

    bench = specstats.read(tmp_path)

    assert bench.requests.num_rows == 1
    assert where(bench, "SPS003") == [("b/1.json",)]
    assert bench.findings.errors.codes == ("SPS003",)


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = put(tmp_path, "a.json", response())

    bench = specstats.read([path, path])

    assert bench.requests.num_rows == 1
    assert where(bench, "SPS003") == [("a.json (2)",)]


def test_the_same_error_twice_is_no_copy(tmp_path: Path) -> None:
    body = '{"error": {"code": 500, "message": "gone"}}'
    put(tmp_path, "a.1.json", body)
    put(tmp_path, "a.2.json", body)

    bench = specstats.read(tmp_path)

    assert bench.requests.num_rows == 2
    assert not bench.findings.of("SPS003")


def test_the_same_requests_in_another_file(tmp_path: Path) -> None:
    spec = {"accepted": [1], "drafted": [2]}
    put(tmp_path, "a.json", response(id="x", spec=spec))
    put(
        tmp_path,
        "b.json",
        response(id="x", spec=spec) + "\n" + response(id="y", spec=spec),
    )

    bench = specstats.read(tmp_path)

    assert bench.column("requests", "request_id") == ["x", "y"]
    assert bench.column("requests", "source") == ["a.json", "b.json"]
    assert bench.column("steps", "source") == ["a.json", "b.json"]
    assert bench.column("steps", "entry") == [1, 2]
    assert where(bench, "SPS003") == [("a.json:1",)]


def test_the_same_id_with_other_times_is_another_request(tmp_path: Path) -> None:
    other = response(id="x").replace("1000.0", "1000.5")
    put(tmp_path, "a.json", response(id="x") + "\n" + other)

    bench = specstats.read(tmp_path)

    assert bench.requests.num_rows == 2
    assert not bench.findings.of("SPS003")


def test_files_that_no_reader_knows(tmp_path: Path) -> None:
    put(tmp_path, "a.json", response())
    put(tmp_path, "README.md", "# hello\n")

    bench = specstats.read(tmp_path)

    assert where(bench, "SPS013") == [("README.md",)]
    with pytest.raises(UnknownFormatError, match=r"README\.md: no reader knows"):
        specstats.read([tmp_path / "a.json", tmp_path / "README.md"])
    with pytest.raises(UnknownFormatError, match=r"README\.md: no reader knows"):
        specstats.read(tmp_path, on_error="raise")


def test_many_unused_files_are_one_note(tmp_path: Path) -> None:
    put(tmp_path, "a.json", response())
    for number in range(12):
        put(tmp_path, f"z{number:02}.txt", "x")

    (found,) = specstats.read(tmp_path).findings.of("SPS013")

    assert "12 files" in found.message
    assert found.message.endswith("z09.txt and 2 more")


def test_files_that_the_layout_does_not_fit(tmp_path: Path) -> None:
    put(tmp_path, "a-1.json", response(id="1"))
    put(tmp_path, "other.json", response(id="2"))

    bench = specstats.read(tmp_path, layout="{arm}-{run}.json")

    assert bench.requests.num_rows == 1
    assert where(bench, "SPS013") == [("other.json",)]


def test_nothing_readable(tmp_path: Path) -> None:
    put(tmp_path, "x.txt", "x")

    with pytest.raises(ArtifactError, match=r"nothing readable.*SPS001"):
        specstats.read(tmp_path)


@pytest.mark.parametrize(
    "options", [{"layout": "{arm}/{run}.json"}, {"arms": {"a": "gone/*"}}]
)
def test_declarations_that_fit_no_file(
    options: dict[str, object], tmp_path: Path
) -> None:
    put(tmp_path, "a.json", response())

    with pytest.raises(DesignError, match=r"'a\.json'"):
        specstats.read(tmp_path, **options)  # type: ignore[arg-type]


def test_an_empty_file_in_a_folder_is_located(tmp_path: Path) -> None:
    put(tmp_path, "a.json", response())
    put(tmp_path, "b.json", "")

    assert where(specstats.read(tmp_path), "SPS002") == [("b.json",)]


def test_a_format_overrules_the_content(tmp_path: Path) -> None:
    path = put(tmp_path, "x.json", '{"predicted_n": 5}\n' + response())

    bench = specstats.read(path, format="llama-server")

    assert bench.requests.num_rows == 1
    assert where(bench, "SPS002") == [("x.json:1",)]
    with pytest.raises(DesignError, match="'llama-server'"):
        specstats.read(path, format="lama-server")


def test_files_of_the_manifest_outside_the_folder(tmp_path: Path) -> None:
    put(tmp_path, "out/1.json", response(id="1"))
    put(tmp_path, "study/2.json", response(id="2"))
    put(
        tmp_path,
        "study/study.toml",
        '[[runs]]\nrun = "A"\narm = "a"\nfiles = ["../out/1.json"]\n'
        '[[runs]]\nrun = "B"\narm = "b"\nfiles = ["2.json"]\n',
    )

    bench = specstats.read(tmp_path / "study")

    assert [(run.run_id, run.sources) for run in bench.runs] == [
        ("B", ("2.json",)),
        ("A", ("../out/1.json",)),
    ]
    assert {run.declared_by for run in bench.runs} == {"manifest"}


def test_a_layout_given_comes_before_that_of_the_manifest(tmp_path: Path) -> None:
    put(tmp_path, "a-1.json", response())
    put(tmp_path, "study.toml", '[study]\nlayout = "{arm}-{run}.json"\n')

    assert specstats.read(tmp_path).arms == ("a",)
    assert specstats.read(tmp_path, layout="{run}-{arm}.json").arms == ("1",)
    assert specstats.read([tmp_path]).arms == ("a",)


def test_progress(tmp_path: Path) -> None:
    seen: list[object] = []
    sizes = [
        put(tmp_path, name, response(id=name)).stat().st_size
        for name in ("a.json", "b.json")
    ]

    specstats.read(tmp_path, progress=seen.append)

    whole = {"total_files": 2, "total_bytes": sum(sizes)}
    assert seen == [
        Progress(name=name, files=files, bytes=done, rows=rows, **whole)
        for name, files, done, rows in (
            ("a.json", 0, 0, 0),
            ("a.json", 0, 0, 1),
            ("b.json", 1, sizes[0], 1),
            ("b.json", 1, sizes[0], 2),
        )
    ]


def test_counts_of_a_file(tmp_path: Path) -> None:
    body = '{"error": {"code": 500, "message": "gone"}}'
    path = put(tmp_path, "a.json", f"{response()}\nbroken\n{body}\n")

    (item,) = specstats.read(path).inputs

    assert (item.path, item.format) == ("a.json", "llama-server")
    assert (item.entries, item.parsed, item.failed_requests) == (3, 2, 1)
    assert (item.run_boundary, item.producer) == ("unknown", None)
    assert len(item.sha256) == 64
