"""Output of llama.cpp's tools as Windows redirects it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.readers._base import Batch

Parse = Callable[..., list[Batch]]
FORMATS = (
    *("llama-bench", "llama-bench-table", "llama-bench-sql", "llama-batched-bench"),
    *("ik-sweep-bench", "ik-spec-bench", "llama-speculative", "llama-perf"),
    *("localscore", "localscore-table"),
)
PLACES = {"source", "process"}


def told(batches: list[Batch]) -> list[object]:
    """Return all columns but those that name the bytes, and the codes."""
    columns = [
        (table, name, values)
        for batch in batches
        for table, found in batch.tables.items()
        for name, values in found.items()
        if name not in PLACES
    ]
    return [*columns, *(item.code for batch in batches for item in batch.findings)]


@pytest.mark.parametrize("form", FORMATS)
def test_windows_line_ends(form: str, artifacts: Path, parse: Parse) -> None:
    paths = [path for path in (artifacts / form).rglob("*") if path.is_file()]

    assert paths
    for path in paths:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        windows = content.replace(b"\n", b"\r\n")
        expected = told(parse(content))
        assert told(parse(windows)) == expected, path.name
        # Windows PowerShell writes UTF-16 with a byte-order mark.
        recoded = windows.decode().encode("utf-16")
        assert told(parse(recoded)) == expected, path.name
