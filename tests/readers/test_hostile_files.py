"""Files that cannot be read, or that are no artifacts, end in typed errors."""

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import specstats
from specstats.errors import ArtifactError, MalformedArtifactError, UnknownFormatError
from specstats.source import Source

ARTIFACTS = Path(__file__).parent / "artifacts"


def test_an_empty_file_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_bytes(b"")

    with pytest.raises(MalformedArtifactError, match=r"empty\.json: the file is empty"):
        specstats.read(tmp_path / "empty.json")


def test_a_broken_link_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "gone.json")

    with pytest.raises(ArtifactError, match=r"link\.json: no such file"):
        specstats.read(tmp_path / "link.json")


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    source = Source(name="folder", file=tmp_path)

    for use in (
        source.open,
        source.head,
        source.document,
        lambda: list(source.lines()),
    ):
        with pytest.raises(ArtifactError, match=r"folder: cannot be opened \(Is a dir"):
            use()


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    source = Source(name="gone", file=tmp_path / "gone")

    with pytest.raises(ArtifactError, match="gone: cannot be opened"):
        source.document()
    with pytest.raises(ArtifactError, match="gone: cannot be opened"):
        _ = source.sha256


def test_a_folder_that_cannot_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "closed").mkdir()
    (tmp_path / "open" / "a.json").write_text("{}")
    scanned = os.scandir

    def forbidden(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scanned(path)

    monkeypatch.setattr(os, "scandir", forbidden)

    with pytest.raises(ArtifactError, match=r"closed: cannot be opened \(Permission"):
        specstats.read(tmp_path)


def test_a_pipe_is_refused_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ArtifactError, match="pipe: not a regular file"):
        specstats.read(tmp_path / "pipe")


@pytest.mark.parametrize("on_error", ["collect", "raise"])
def test_an_unreadable_file(
    on_error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = (ARTIFACTS / "llama-server/timings/timings.json").read_bytes()
    (tmp_path / "a.json").write_bytes(good)
    (tmp_path / "b.json").write_bytes(good + b"\n")
    opened = os.open

    def forbidden(path: str | Path, *arguments: int) -> int:
        if Path(path).name == "b.json":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", forbidden)

    if on_error == "raise":
        with pytest.raises(ArtifactError, match=r"b\.json: cannot be opened \(Perm"):
            specstats.read(tmp_path, on_error="raise")
    else:
        bench = specstats.read(tmp_path)
        assert [item.path for item in bench.inputs] == ["a.json"]
        assert [item.where for item in bench.findings.of("SPS002")] == [("b.json",)]


def test_parquet_of_others_is_refused(to_parquet: Callable[[pa.Table], bytes]) -> None:
    data = to_parquet(pa.table({"a": [1, 2]}))

    with pytest.raises(MalformedArtifactError, match="no known measured column"):
        specstats.read(data)


def test_parquet_with_foreign_types(to_parquet: Callable[[pa.Table], bytes]) -> None:
    table = pa.table(
        {
            "arm": ["a", "b"],
            "n_output": pa.array([1.5, 2.0]),
            "cfg.when": pa.array([0, 1], pa.timestamp("s")),
            "cfg.raw": pa.array([b"x", b"y"]),
            "settings": ['{"cfg.depth": 1}', "{}"],
        }
    ).replace_schema_metadata({"specstats.table": "requests"})

    bench = specstats.read(to_parquet(table))

    assert bench.column("requests", "n_output") == [2]
    assert bench.runs[0].settings == {}
    assert [item.code for item in bench.findings] == ["SPS002"]


def test_unknown_formats_say_what_was_tried() -> None:
    with pytest.raises(UnknownFormatError, match=r"\(table-jsonl: no flat objects"):
        specstats.read(b'{"sampling_mode": 1}\n')
    with pytest.raises(UnknownFormatError, match=r"`specstats formats` lists\. Hint"):
        specstats.read(b"hello\n")


def test_json_that_ends_in_the_middle_says_so(tmp_path: Path) -> None:
    whole = (
        b'{"choices": [{"message": {"content": "text"}}], "timings": {"predicted_n": 3'
    )
    (tmp_path / "a.json").write_bytes(whole + b"}}\n")
    (tmp_path / "b.json").write_bytes(whole[:40])

    bench = specstats.read(tmp_path)

    assert [item.where for item in bench.findings.of("SPS002")] == [("b.json",)]
    with pytest.raises(MalformedArtifactError, match="JSON that ends in the middle"):
        specstats.read(tmp_path / "b.json")
    with pytest.raises(UnknownFormatError):
        specstats.read(b'{"a": ' + b"9" * 5000 + b"}")


def test_a_known_format_without_entries_says_so(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(
        "INFO [api] version  0.20.0\nInitializing a V1 LLM engine (v0.20)\n"
    )

    found = specstats.read(path).findings.of("SPS002")

    assert [item.message for item in found] == [
        "the file looks like vllm-log and holds no entry of it"
    ]


def test_a_page_of_metrics_that_ends_in_a_number(tmp_path: Path) -> None:
    page = 'vllm:generation_tokens_total{engine="0"} 900.0\nvllm:prompt_tokens_total 5'

    bench = specstats.read(page.encode())

    assert bench.column("counters", "n_output") == [900]
    assert bench.column("counters", "n_prompt") == [None]
    assert [item.where for item in bench.findings.of("SPS002")] == [("<bytes>:2",)]
