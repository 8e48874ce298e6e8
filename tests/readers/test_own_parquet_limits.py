"""Limits and notes that keep odd inputs from passing silently."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import specstats
from specstats.defaults import DEFAULTS
from specstats.errors import LimitExceededError
from specstats.readers import own_parquet
from specstats.schema import REQUESTS

if TYPE_CHECKING:
    from pathlib import Path

ROW = '{"timings":{"predicted_n":9,"predicted_ms":90.0,"predicted_per_second":100.0}}\n'


def test_a_parquet_file_of_too_many_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {name: [None] * 3 for name in REQUESTS.names}
    path = tmp_path / "requests.parquet"
    pq.write_table(pa.table(columns, schema=REQUESTS.arrow_schema()), path)
    monkeypatch.setattr(
        own_parquet, "DEFAULTS", dataclasses.replace(DEFAULTS, max_rows=2)
    )
    with pytest.raises(LimitExceededError, match="3 rows; the limit is 2"):
        specstats.read(path)


@pytest.mark.parametrize(("repeat", "noted"), [("x", True), ("7", False)])
def test_a_repeat_that_is_no_number_is_noted(
    tmp_path: Path, repeat: str, noted: bool
) -> None:
    (tmp_path / f"base.{repeat}.jsonl").write_text(ROW)
    bench = specstats.read(tmp_path, layout="{arm}.{repeat}.jsonl")
    said = [item for item in bench.findings.of("SPS012") if "repeats" in item.where]
    assert bool(said) is noted
    assert bench.column("requests", "repetition") == [None if noted else 7]
