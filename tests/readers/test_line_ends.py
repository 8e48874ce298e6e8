"""Fixtures written on Windows: the same rows with other line ends and encodings."""

from pathlib import Path

import pytest

import specstats

ARTIFACTS = Path(__file__).parent / "artifacts"
TEXTS = sorted(
    path.relative_to(ARTIFACTS).as_posix()
    for path in ARTIFACTS.rglob("*")
    if path.is_file() and b"\0" not in path.read_bytes()
)


def told(content: bytes) -> tuple[object, ...]:
    bench = specstats.read(content)
    rows = {name: len(columns["source"]) for name, columns in bench.columns.items()}
    codes = sorted(item.code for item in bench.findings)
    return bench.inputs[0].format, rows, codes


@pytest.mark.parametrize("name", TEXTS)
def test_windows_writes_the_same(name: str) -> None:
    content = (ARTIFACTS / name).read_bytes().replace(b"\r\n", b"\n")
    expected = told(content)

    assert told(content.replace(b"\n", b"\r\n")) == expected
    assert told(b"\xef\xbb\xbf" + content) == expected
    assert told(content.decode().encode("utf-16")) == expected
