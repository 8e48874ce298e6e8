"""Files of canonical tables: Parquet, JSONL and CSV, appended to."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Protocol, TextIO

from specstats.readers.own.jsonl import HEADER_KEY
from specstats.schema import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["WRITERS", "Parquet", "Writer"]

Columns = dict[str, list[object]]
# Hardly a value of these comes twice, so looking for repeats is in vain.
_DISTINCT = frozenset({"entry", "request_id", "output_sha256"})


class Writer(Protocol):
    """What appends rows to files."""

    def write(self, table: str, columns: Columns) -> None:
        """Append rows."""

    def close(self) -> None:
        """Finish the files."""


class Parquet:
    """One Parquet file a table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, pq.ParquetWriter] = {}

    def write(self, table: str, columns: Columns) -> None:
        """Append rows as a row group."""
        import pyarrow as pa

        self.append(table, pa.table(columns, schema=TABLES[table].arrow_schema()))

    def append(self, table: str, rows: pa.Table) -> None:
        """Append rows that are Arrow columns as a row group."""
        import pyarrow.parquet as pq

        if table not in self._open:
            repeating = [
                column.name
                for column in TABLES[table].columns
                if column.kind in {"string", "int"} and column.name not in _DISTINCT
            ]
            self._open[table] = pq.ParquetWriter(
                self._folder / f"{table}.parquet",
                rows.schema,
                compression="zstd",
                use_dictionary=repeating,
            )
        self._open[table].write_table(rows)

    def close(self) -> None:
        """Finish the files."""
        for writer in self._open.values():
            writer.close()


class _Jsonl:
    """All tables in one file, each stretch under a header line."""

    def __init__(self, folder: Path) -> None:
        self._stream = (folder / "tables.jsonl").open("w", encoding="utf-8")
        self._table: str | None = None

    def write(self, table: str, columns: Columns) -> None:
        """Append rows, with a header when the table changes."""
        if table != self._table:
            self._line({HEADER_KEY: table, "version": 1})
            self._table = table
        names = list(columns)
        for row in zip(*columns.values(), strict=True):
            values = dict(zip(names, row, strict=True))
            self._line(
                {key: value for key, value in values.items() if value is not None}
            )

    def _line(self, values: dict[str, object]) -> None:
        self._stream.write(json.dumps(values, allow_nan=False) + "\n")

    def close(self) -> None:
        """Finish the file."""
        self._stream.close()


class _Csv:
    """One CSV file a table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, TextIO] = {}

    def write(self, table: str, columns: Columns) -> None:
        """Append rows; missing is empty."""
        if table not in self._open:
            path = self._folder / f"{table}.csv"
            self._open[table] = path.open("w", encoding="utf-8", newline="")
            csv.writer(self._open[table]).writerow(columns)
        csv.writer(self._open[table]).writerows(zip(*columns.values(), strict=True))

    def close(self) -> None:
        """Finish the files."""
        for stream in self._open.values():
            stream.close()


WRITERS: dict[str, type[Parquet | _Jsonl | _Csv]] = {
    "parquet": Parquet,
    "jsonl": _Jsonl,
    "csv": _Csv,
}
