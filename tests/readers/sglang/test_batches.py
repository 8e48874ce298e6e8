"""Readers of these engines give the same rows in small batches."""

import importlib
from pathlib import Path

import pytest

from specstats.readers import sglang
from specstats.readers._base import Batch
from specstats.readers._registry import READERS
from specstats.source import Source

NAMES = (*(reader.name for reader in sglang.READERS), "inference-perf", "llmperf")


def merged(batches: list[Batch]) -> dict[tuple[str, str], list[object]]:
    found: dict[tuple[str, str], list[object]] = {}
    for batch in batches:
        for table, columns in batch.tables.items():
            for name, values in columns.items():
                found.setdefault((table, name), []).extend(values)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_small_batches(
    name: str, artifacts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = next(reader for reader in READERS if reader.name == name)
    module = importlib.import_module(reader.parse.__module__)
    files = [path for path in sorted((artifacts / name).rglob("*")) if path.is_file()]
    sources = [Source(name=path.name, file=path) for path in files]
    whole = [list(reader.parse(source)) for source in sources]

    monkeypatch.setattr(module, "_ROWS_A_BATCH", 1)
    parts = [list(reader.parse(source)) for source in sources]

    assert sum(map(len, parts)) > sum(map(len, whole))
    for small, large in zip(parts, whole, strict=True):
        assert merged(small) == merged(large)
        for counted in ("entries", "parsed"):
            assert sum(getattr(item, counted) for item in small) == sum(
                getattr(item, counted) for item in large
            )
        assert [found for item in small for found in item.findings] == [
            found for item in large for found in item.findings
        ]
