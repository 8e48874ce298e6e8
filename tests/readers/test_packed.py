"""Compressed files and archives are read as what they hold, within limits."""

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import specstats
from specstats.errors import (
    ArtifactError,
    LimitExceededError,
    MalformedArtifactError,
    UnknownFormatError,
)
from specstats.source import Source, expand

ENTRY = b'{"timings":{"predicted_n":3,"predicted_ms":30.0}}\n'
MIB = 1 << 20


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def tarred(mode: str = "w", **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            about = tarfile.TarInfo(name.replace("__", "/"))
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return buffer.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "two layers": lambda content: gzip.compress(bz2.compress(content)),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_a_compressed_file_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "responses"
    path.write_bytes(PACKERS[kind](ENTRY * 3))

    bench = specstats.read(path)

    assert bench.column("requests", "entry") == [1, 2, 3]
    assert bench.inputs[0].sha256 == Source(name="x", data=ENTRY * 3).sha256


def test_zstd(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl.zst"
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.CompressedOutputStream(file, "zstd") as stream,
    ):
        stream.write(ENTRY * 2)

    assert specstats.read(path).column("requests", "n_output") == [3, 3]


def test_a_compressed_file_and_its_content_are_twins(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(ENTRY)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(ENTRY))

    bench = specstats.read(tmp_path)

    assert [item.code for item in bench.findings if item.code == "SPS003"] == ["SPS003"]
    assert bench.requests.num_rows == 1


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_cut_off_data_are_a_typed_error(kind: str) -> None:
    packed = PACKERS[kind](ENTRY * 5_000)

    with pytest.raises(MalformedArtifactError, match="broken or cut off"):
        specstats.read(packed[: len(packed) // 2])


@pytest.mark.parametrize("kind", PACKERS)
def test_broken_data_are_a_typed_error(kind: str) -> None:
    packed = bytearray(PACKERS[kind](ENTRY * 50))
    for place in range(4, len(packed), 7):
        broken = packed.copy()
        broken[place] ^= 0xFF
        with contextlib.suppress(ArtifactError):
            specstats.read(bytes(broken))


def test_a_bomb_is_refused_and_the_limit_can_be_raised() -> None:
    bomb = gzip.compress(ENTRY + b" " * 40 * MIB)

    with pytest.raises(LimitExceededError, match=r"unpacks to more than \d+ bytes\. H"):
        specstats.read(bomb)
    bench = specstats.read(bomb, limits={"unpacked_ratio": 2000})
    assert bench.requests.num_rows == 1


@pytest.mark.parametrize(
    "archive",
    [
        zipped(spec__1=ENTRY, base__1=ENTRY * 2),
        tarred(spec__1=ENTRY, base__1=ENTRY * 2),
        tarred("w:gz", spec__1=ENTRY, base__1=ENTRY * 2),
        tarred("w:xz", spec__1=ENTRY, base__1=ENTRY * 2),
    ],
    ids=["zip", "tar", "tar.gz", "tar.xz"],
)
@pytest.mark.parametrize("as_bytes", [True, False])
def test_an_archive_is_a_folder(
    tmp_path: Path, archive: bytes, *, as_bytes: bool
) -> None:
    path = tmp_path / "study"
    path.write_bytes(archive)

    bench = specstats.read(archive if as_bytes else path, layout="{arm}/{run}")

    assert [item.path for item in bench.inputs] == ["base/1", "spec/1"]
    assert {run.arm: run.n_requests for run in bench.runs} == {"base": 2, "spec": 1}


def test_an_archive_in_a_folder_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "day1.zip").write_bytes(zipped(base__1=ENTRY))
    (tmp_path / "day2.json").write_bytes(zipped(base__1=ENTRY))

    found = expand(tmp_path)

    assert [item.name for item in found] == ["day1.zip/base/1", "day2.json"]
    with pytest.raises(UnknownFormatError, match="an archive inside a folder"):
        specstats.read(tmp_path, on_error="raise")


def test_two_archives_with_the_same_names(tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        (tmp_path / name).write_bytes(zipped(run=ENTRY))

    found = expand([tmp_path / "a.zip", tmp_path / "b.zip"])

    assert len({item.name for item in found}) == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/x", "etc/x"),
        ("/etc/x", "etc/x"),
        ("a/../b", "a/b"),
        ("..\\x", "x"),
        ("C:/x", "x"),
        (".git/x", None),
        ("a/.hidden", None),
    ],
)
def test_names_that_lead_out_stay_inside(name: str, shown: str | None) -> None:
    archive = zipped(**{"ok": ENTRY, name: ENTRY})

    found = [item.name for item in expand(archive)]

    assert found == sorted(["ok", *([shown] if shown else [])])
    assert not any(item.path for item in expand(archive))


def test_links_and_devices_are_left_out() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE):
            about = tarfile.TarInfo(f"odd{kind!r}")
            about.type, about.linkname = kind, "/etc/passwd"
            archive.addfile(about)
        about = tarfile.TarInfo("ok")
        about.size = len(ENTRY)
        archive.addfile(about, io.BytesIO(ENTRY))

    assert [item.name for item in expand(buffer.getvalue())] == ["ok"]


def test_limits_of_archives() -> None:
    archive = zipped(a=ENTRY, b=ENTRY, c=b"x" * 200)

    with pytest.raises(LimitExceededError, match="more than 2 members"):
        specstats.read(archive, limits={"members": 2})
    with pytest.raises(LimitExceededError, match="unpack to more than 100 bytes"):
        specstats.read(archive, limits={"document_bytes": 100})


def test_an_archive_inside_an_archive_is_refused() -> None:
    inner = zipped(a=ENTRY)

    bench = specstats.read(zipped(a=ENTRY, inner=inner))

    assert [item.code for item in bench.findings if "inner" in item.message] == [
        "SPS013"
    ]


def test_an_empty_archive() -> None:
    with pytest.raises(ArtifactError, match="the archive holds no file"):
        specstats.read(zipped())


def test_an_encrypted_member() -> None:
    archive = bytearray(zipped(a=ENTRY))
    archive[6] |= 1
    central = bytes(archive).index(b"PK\x01\x02")
    archive[central + 8] |= 1

    with pytest.raises(MalformedArtifactError, match="encrypted"):
        specstats.read(bytes(archive))


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_broken_archive_gives_members_or_a_typed_error(
    make: Callable[..., bytes],
) -> None:
    archive = make(a=ENTRY, b=ENTRY)
    for end in range(0, len(archive), 13):
        with contextlib.suppress(ArtifactError):
            specstats.read(archive[:end])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_encodings(encoding: str) -> None:
    bench = specstats.read((ENTRY * 2).decode().encode(encoding))

    assert bench.column("requests", "entry") == [1, 2]


def test_terminal_escapes_are_left_out_across_chunks() -> None:
    noise = b"\x1b[32mINFO\x1b[0m starting\n" + b"\x1b]0;title\x07"
    source = Source(name="x", data=noise + ENTRY)

    assert [line for _, line in source.lines()] == [b"INFO starting", ENTRY.strip()]
    assert source.document() == source.head() == b"INFO starting\n" + ENTRY


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


EVERY_PACKER: dict[str, Callable[[bytes], bytes]] = {
    **PACKERS,
    "zstd": zstd,
    "zstd in gzip": lambda x: gzip.compress(zstd(x)),
}


@pytest.mark.parametrize("kind", EVERY_PACKER)
def test_every_cut_is_malformed(kind: str) -> None:
    packed = EVERY_PACKER[kind](b"".join(ENTRY + b"%d\n" % turn for turn in range(999)))

    for end in range(8, len(packed), max(1, len(packed) // 60)):
        with pytest.raises(MalformedArtifactError, match=r"<bytes>: .*cut off"):
            Source(name="<bytes>", data=packed[:end]).document()


@pytest.mark.parametrize("kind", ["bzip2", "zstd"])
def test_broken_data_without_an_error_number_are_malformed(kind: str) -> None:
    lines = b"".join(ENTRY + b"%d\n" % turn for turn in range(99))
    packed = bytearray(EVERY_PACKER[kind](lines))
    packed[12:18] = b"\xff" * 6

    with pytest.raises(MalformedArtifactError, match="broken or cut off"):
        specstats.read(bytes(packed))


@pytest.mark.parametrize("kind", EVERY_PACKER)
def test_the_ratio_limit_counts_above_32_mib_alone(kind: str) -> None:
    packed = EVERY_PACKER[kind](b" " * 33 * MIB)
    source = Source(name="x", data=packed)

    with pytest.raises(LimitExceededError, match=r"33554432 bytes.*--limit unpacked_r"):
        source.document()
    assert Source(name="x", data=EVERY_PACKER[kind](b" " * 31 * MIB)).document()


def test_the_size_limit_holds_whatever_the_ratio() -> None:
    packed = gzip.compress(ENTRY * 40)

    with pytest.raises(
        LimitExceededError, match=r"more than 1000 bytes\..*unpacked_by"
    ):
        specstats.read(packed, limits={"unpacked_bytes": 1000})
    assert specstats.read(packed, limits={"unpacked_bytes": "2K"}).requests.num_rows


def test_more_layers_than_are_unpacked() -> None:
    packed = ENTRY
    for _ in range(3):
        packed = gzip.compress(packed)

    assert specstats.read(packed).requests.num_rows == 1
    with pytest.raises(UnknownFormatError):
        specstats.read(gzip.compress(packed))


@pytest.mark.parametrize("pack", [gzip.compress, zstd, lzma.compress, bz2.compress])
def test_a_packed_tar_is_a_folder(pack: Callable[[bytes], bytes]) -> None:
    archive = pack(tarred(base__1=ENTRY, spec__1=ENTRY * 2))

    bench = specstats.read(archive, layout="{arm}/{run}")

    assert bench.arms == ("base", "spec")


def test_packed_members_are_unpacked() -> None:
    archive = zipped(**{"a.json.gz": gzip.compress(ENTRY), "b.json": ENTRY * 2})

    bench = specstats.read(archive)

    assert bench.requests.num_rows == 3


def test_members_that_are_the_same_are_read_once() -> None:
    bench = specstats.read(zipped(**{"a.json.gz": gzip.compress(ENTRY), "b": ENTRY}))

    assert bench.requests.num_rows == 1
    assert len(bench.findings.of("SPS003")) == 1


def test_a_tar_that_is_cut_off_loses_no_member_silently() -> None:
    archive = tarred(a=ENTRY, b=ENTRY, c=ENTRY)
    whole = len(expand(archive))

    for end in range(512, 7 * 512, 100):
        try:
            found = expand(archive[:end])
        except MalformedArtifactError as error:
            assert "the archive is broken" in str(error)  # noqa: PT017 - or it is whole
        else:
            assert len(found) == whole


def test_a_tar_with_a_broken_header_loses_no_member_silently() -> None:
    archive = bytearray(tarred(a=ENTRY, b=ENTRY, c=ENTRY))
    archive[2 * 512 + 150] ^= 0xFF  # the check sum of the second

    with pytest.raises(MalformedArtifactError, match="the archive is broken"):
        specstats.read(bytes(archive))


def test_members_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "twice.tar"
    with tarfile.open(path, "w") as archive:
        for content in (ENTRY, ENTRY * 2, ENTRY * 3):
            about = tarfile.TarInfo("x.jsonl")
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))

    bench = specstats.read(path)

    assert sorted(item.path for item in bench.inputs) == [
        *("x.jsonl", "x.jsonl (2)", "x.jsonl (3)"),
    ]
    assert bench.requests.num_rows == 6


@pytest.mark.parametrize("packed", [gzip.compress(ENTRY), zipped(a=ENTRY), ENTRY])
def test_standard_input(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))

    bench = specstats.read("-")

    assert bench.requests.num_rows == 1
    assert [item.path for item in bench.inputs] in (["<stdin>"], ["a"])


def test_a_file_named_dash_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_bytes(ENTRY * 2)

    assert specstats.read("-").requests.num_rows == 2


def test_standard_input_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ENTRY * 9)))

    with pytest.raises(LimitExceededError, match=r"<stdin>: more than 100 bytes.*Hint"):
        specstats.read("-", limits={"document_bytes": 100})


def test_an_ordinary_file_is_not_taken_for_packed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("PK of the day\n")
    with pytest.raises(UnknownFormatError, match="no reader knows"):
        specstats.read(path)
