"""Plain tables: CSV, TSV, JSONL and Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.tables import csv, jsonl, parquet
from specstats.readers.tables._declared import table_reader
from specstats.readers.tables._mapping import columns_from

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS", "columns_from", "table_reader"]

READERS: tuple[Reader, ...] = (csv.READER, jsonl.READER, parquet.READER)
