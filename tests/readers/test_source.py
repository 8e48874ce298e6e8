"""Opening: folders, globs, links, limits, and names that users can tell apart."""

from dataclasses import replace
from pathlib import Path

import pytest

import specstats
from specstats.defaults import DEFAULTS
from specstats.errors import ArtifactError, LimitExceededError
from specstats.limits import Limits
from specstats.source import Source, _source, expand


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b/2.json", "b/1.json", "a/1.json", "top.json", ".git/x", "b/.hid"):
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "study"


def names(found: list[Source]) -> list[str]:
    return [item.name for item in found]


def test_a_folder_is_searched_in_a_stable_order(folder: Path) -> None:
    found = expand(folder)

    assert names(found) == ["a/1.json", "b/1.json", "b/2.json", "top.json"]
    assert not any(item.named for item in found)
    assert {item.root for item in found} == {str(folder)}


def test_a_file_is_named_by_its_name(folder: Path) -> None:
    (found,) = expand(folder / "a" / "1.json")

    assert (found.name, found.relative, found.named) == ("1.json", "1.json", True)


def test_bytes() -> None:
    (found,) = expand(b"abc")

    assert (found.name, found.document(), found.size) == ("<bytes>", b"abc", 3)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.json", ["top.json"]),
        ("b/*", ["1.json", "2.json"]),
        ("*/1.json", ["a/1.json", "b/1.json"]),
        ("**/*.json", ["a/1.json", "b/1.json", "b/2.json", "top.json"]),
        ("b/[1].json", ["1.json"]),
        ("?/2.json", ["b/2.json"]),
        ("b/.h*", [".hid"]),
    ],
)
def test_globs(pattern: str, expected: list[str], folder: Path) -> None:
    found = expand(str(folder / pattern))

    assert names(found) == expected
    assert all(item.named for item in found)


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    (tmp_path / "run[1].json").write_text("x")

    assert names(expand(tmp_path / "run[1].json")) == ["run[1].json"]


def test_relative_globs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)

    assert names(expand("*/1.json")) == ["a/1.json", "b/1.json"]
    assert names(expand("b/1.json")) == ["1.json"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.json", "no such file or folder"),
        ("*.gone", "no such file or folder"),
        ("a\0b", "no such file or folder|cannot be opened"),
        ("x" * 5000, "cannot be opened"),
        ("**x", "cannot be opened|no such file or folder"),
        ("", "an empty path"),
    ],
)
def test_what_is_not_there(
    path: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    with pytest.raises(ArtifactError, match=message):
        expand(path)


def test_an_empty_folder_or_list(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="the folder holds no file"):
        expand(tmp_path)
    with pytest.raises(ArtifactError, match="nothing to read"):
        expand([])


def test_links_in_a_folder_are_left_out(folder: Path) -> None:
    (folder / "link.json").symlink_to(folder / "top.json")
    (folder / "loop").symlink_to(folder)
    (folder / "broken").symlink_to(folder / "gone")

    assert "link.json" not in names(expand(folder))
    assert len(expand(folder)) == 4


def test_a_named_link_is_followed(folder: Path) -> None:
    (folder / "link.json").symlink_to(folder / "top.json")

    (found,) = expand(folder / "link.json")

    assert found.document() == b"top.json"


def test_files_of_one_name_are_told_apart_by_folder(folder: Path) -> None:
    listed = expand([folder / "a", folder / "b"])
    named = expand([folder / "a" / "1.json", folder / "b" / "1.json"])

    assert names(listed) == ["a/1.json", "b/1.json", "b/2.json"]
    assert [item.relative for item in listed] == ["1.json", "1.json", "2.json"]
    assert names(named) == ["a/1.json", "b/1.json"]


def test_folders_of_one_name_are_told_apart_by_the_folder_above(tmp_path: Path) -> None:
    for place in ("base/run", "spec/run"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "1.json").write_text(place)

    found = expand([tmp_path / "base/run", tmp_path / "spec/run"])

    assert names(found) == ["base/run/1.json", "spec/run/1.json"]


def test_a_file_named_twice_is_numbered(folder: Path) -> None:
    found = expand([folder / "top.json", folder / "top.json"])

    assert names(found) == ["top.json", "top.json (2)"]


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    bad = tmp_path / "r\udcff.json"
    try:
        bad.write_text('{"timings":{"predicted_n":3}}')
    except OSError:
        pytest.skip("the file system takes no such names")

    bench = specstats.read(tmp_path, layout="{arm}.json", run_per_file=True)

    assert bench.requests.column("source").to_pylist() == ["r?.json"]
    assert bench.arms == ("r?",)


def test_limits(folder: Path) -> None:
    small = Limits(files=3, document_bytes=4, line_bytes=3)

    with pytest.raises(LimitExceededError, match=r"more than 3 files.*files=N"):
        expand(folder, limits=small)
    with pytest.raises(LimitExceededError, match="more than 3 files"):
        expand(str(folder / "**" / "*.json"), limits=small)
    with pytest.raises(LimitExceededError, match="x: more than 4 bytes as one doc"):
        Source(name="x", data=b"abcde", limits=small).document()
    with pytest.raises(LimitExceededError, match="x:2: a line of more than 3 bytes"):
        list(Source(name="x", data=b"abc\nabcd\n", limits=small).lines())
    assert Source(name="x", data=b"abcd", limits=small).document() == b"abcd"


def test_limits_are_handed_to_every_file(folder: Path) -> None:
    small = Limits(files=9)

    found = [*expand(folder, limits=small), *expand(b"x", limits=small)]
    found += expand([folder / "top.json", str(folder / "b" / "*")], limits=small)

    assert len(found) == 8
    assert all(item.limits is small for item in found)


def test_a_file_over_a_limit_is_a_finding_in_a_folder(tmp_path: Path) -> None:
    line = '{"timings":{"predicted_n":3}}\n'
    (tmp_path / "a.jsonl").write_text(line)
    (tmp_path / "b.jsonl").write_text(line * 3 + " " * 200 + "\n")
    limits = {"line_bytes": 100}

    bench = specstats.read(tmp_path, limits=limits)

    assert [item.path for item in bench.inputs] == ["a.jsonl"]
    assert bench.findings.of("SPS002")[0].where == ("b.jsonl",)
    with pytest.raises(LimitExceededError, match=r"b\.jsonl:4: a line of more than"):
        specstats.read(tmp_path / "b.jsonl", limits=limits)
    assert specstats.read(tmp_path / "b.jsonl").requests.num_rows == 3


@pytest.mark.parametrize("size", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize("data", [b"", b"\n", b"a", b"a\nb", b"a\r\nb\r\n", b"\n\na"])
def test_lines(data: bytes, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "_CHUNK", size)

    found = list(Source(name="x", data=data).lines())

    expected = [line.rstrip(b"\r") for line in data.split(b"\n")]
    if not expected[-1]:
        expected.pop()
    assert found == list(enumerate(expected, start=1))


def test_digest_and_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "DEFAULTS", replace(DEFAULTS, sniff_bytes=2))
    monkeypatch.setattr(_source, "_CHUNK", 1)
    source = Source(name="x", data=b"abc")

    assert source.head() == b"ab"
    assert source.sha256.startswith("ba7816bf8f01cfea414140de5dae2223")


def test_read_errors_after_opening(folder: Path) -> None:
    source = Source(name="x", file=Path("/proc/self/mem"))
    if not Path("/proc/self/mem").exists():
        pytest.skip("no such file here")

    with pytest.raises(ArtifactError, match="x: cannot be opened"):
        source.head()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1 << 20])
def test_escapes_that_lie_across_chunks(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_source, "_CHUNK", size)
    data = b"\x1b[2K\x1b[1Ga \x1b[38;5;10mb\x1b[0m\r\n\x1b]0;title\x07c\x1b[?25h\n"

    source = Source(name="x", data=data)

    assert list(source.lines()) == [(1, b"a b"), (2, b"c")]
    assert source.document() == source.head() == b"a b\r\nc\n"
    assert source.binary() == data


def test_escapes_in_what_is_no_text_stay() -> None:
    data = b"PAR1\0\0\x1b[0m\0PAR1"

    assert Source(name="x", data=data).document() == data


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_encodings(encoding: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "_CHUNK", max(size, 8))
    text = '{"name": "π 𝄞"}\r\n\r\nend'

    source = Source(name="x", data=text.encode(encoding))

    assert source.document().decode() == text
    assert [line.decode() for _, line in source.lines()] == text.split("\r\n")


def test_big_endian_with_a_mark() -> None:
    source = Source(name="x", data="\ufeff{}\n".encode("utf-16-be"))

    assert list(source.lines()) == [(1, b"{}")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"a": 1}'.encode("utf-16") + b"\0", '{"a": 1}\ufffd'),
        ("{}".encode("utf-16") + b"\x00\xd8", "{}\ufffd"),
    ],
)
def test_utf16_that_is_cut_off(data: bytes, expected: str) -> None:
    assert Source(name="x", data=data).document().decode() == expected


@pytest.mark.parametrize("data", [b"\0" * 64, b"\0\0{}\n", b"a\0b", b"{\0}\0", b"\0a"])
def test_zeros_alone_are_no_utf16(data: bytes) -> None:
    assert Source(name="x", data=data).document() == data


def test_the_digest_is_of_the_bytes_as_they_are() -> None:
    plain, marked = b"{}\n", b"\xef\xbb\xbf{}\n"

    assert Source(name="x", data=plain).sha256 != Source(name="x", data=marked).sha256
