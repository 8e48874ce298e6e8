"""Compressed files and archives are named for what they are."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

import specstats
from specstats.errors import UnknownFormatError


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.json", content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("kind", "pack"),
    [
        ("gzip", gzip.compress),
        ("bzip2", bz2.compress),
        ("xz", lzma.compress),
        ("zip", zipped),
        ("zstd", lambda content: b"\x28\xb5\x2f\xfd" + content),
    ],
)
def test_a_packed_file_says_so(tmp_path: Path, kind: str, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / "responses.jsonl"
    path.write_bytes(pack(b'{"timings": {"predicted_n": 3}}'))
    with pytest.raises(UnknownFormatError, match=rf"packed \({kind}\).*unpack it"):
        specstats.read(path)


def test_an_ordinary_file_is_not_taken_for_packed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("PK of the day\n")
    with pytest.raises(UnknownFormatError, match="no reader knows"):
        specstats.read(path)
