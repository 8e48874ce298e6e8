"""Limits and notes that keep odd inputs from passing silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import specstats
from specstats.errors import LimitExceededError
from specstats.schema import REQUESTS

if TYPE_CHECKING:
    from pathlib import Path

ROW = '{"timings":{"predicted_n":9,"predicted_ms":90.0,"predicted_per_second":100.0}}\n'


def test_a_parquet_file_of_too_many_rows_is_refused(tmp_path: Path) -> None:
    columns = {name: [None] * 3 for name in REQUESTS.names} | {"arm": ["a"] * 3}
    path = tmp_path / "requests.parquet"
    pq.write_table(pa.table(columns, schema=REQUESTS.arrow_schema()), path)

    with pytest.raises(LimitExceededError, match=r"3 rows; the limit is 2.*rows=N"):
        specstats.read(path, limits={"rows": 2})
    assert specstats.read(path, limits={"rows": 3}).inputs[0].entries == 3


@pytest.mark.parametrize(("repeat", "noted"), [("x", True), ("7", False)])
def test_a_repeat_that_is_no_number_is_noted(
    tmp_path: Path, repeat: str, noted: bool
) -> None:
    (tmp_path / f"base.{repeat}.jsonl").write_text(ROW)
    bench = specstats.read(tmp_path, layout="{arm}.{repeat}.jsonl")
    said = [item for item in bench.findings.of("SPS012") if "repeats" in item.where]
    assert bool(said) is noted
    assert bench.column("requests", "repetition") == [None if noted else 7]
