"""Artifacts to files of canonical tables, a batch at a time."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from specstats.bench.infer import suggest_arm
from specstats.bench.ingest import FileCount, placed_batches
from specstats.errors import ArtifactError, DesignError, UnknownFormatError
from specstats.layout.study import MANIFEST_NAME
from specstats.readers._registry import choose
from specstats.readers.own_jsonl import HEADER_KEY
from specstats.schema import TABLES
from specstats.source import expand

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow.parquet as pq

    from specstats.layout import Layout, Place
    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["convert"]

Columns = dict[str, list[object]]


class _Writer(Protocol):
    def write(self, table: str, columns: Columns) -> None: ...

    def close(self) -> None: ...


def convert(
    source: str | Path | Sequence[str | Path],
    output: str | Path,
    /,
    *,
    form: str,
    layout: Layout,
    format_name: str | None = None,
) -> dict[str, int]:
    """Write the canonical tables of some artifacts; memory does not grow with them.

    Parameters
    ----------
    source : path, folder, glob, or list of paths
        What to read.
    output : path
        Folder for ``parquet`` and ``csv`` (one file a table), file for ``jsonl``.
        An existing file is replaced, a folder must be new or empty.
    form : {"parquet", "jsonl", "csv"}
        Form of the tables.
    layout : Layout
        Declarations.
    format_name : str, optional
        Format of all files, to overrule their content.

    Returns
    -------
    dict of str to int
        Rows written by table.

    Raises
    ------
    ArtifactError
        If a named file cannot be read, or nothing can.
    DesignError
        If the output is in use.
    """
    target = Path(output)
    _check_target(target, form)
    scratch = Path(tempfile.mkdtemp(dir=target.absolute().parent, prefix=".specstats-"))
    try:
        with closing(_WRITERS[form](scratch)) as writer:
            counts = _write_all(source, writer, layout, format_name)
        if form == "jsonl":
            (scratch / "tables.jsonl").replace(target)
        else:
            if target.exists():
                target.rmdir()
            scratch.chmod(0o755)
            scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return counts


def _check_target(target: Path, form: str) -> None:
    if form not in _WRITERS:
        raise DesignError.not_listed("form", form, tuple(_WRITERS))
    if not target.absolute().parent.is_dir():
        raise DesignError(f"output {target.name!r}: its folder does not exist")
    if form == "jsonl" and target.is_dir():
        raise DesignError(f"output {target.name!r} is a folder. Expected a file")
    taken = target.exists() and (not target.is_dir() or any(target.iterdir()))
    if form != "jsonl" and taken:
        raise DesignError(
            f"output {target.name!r} exists. Expected a new or empty folder"
        )


def _write_all(
    source: str | Path | Sequence[str | Path],
    writer: _Writer,
    layout: Layout,
    format_name: str | None,
) -> dict[str, int]:
    counts = dict.fromkeys(TABLES, 0)
    files = 0
    sources = expand(source)
    several = len({item.root for item in sources}) > 1
    for item in sources:
        place = layout.place(item)
        if place is None or item.name == MANIFEST_NAME:
            continue
        try:
            reader = choose(item, format_name=format_name)
        except UnknownFormatError:
            if item.named:
                raise
            continue
        files += 1
        tally = FileCount(source=item, reader=reader, place=place)
        for batch in placed_batches(item, reader, place, tally):
            _complete(batch, item, place, several=several)
            for table, columns in batch.tables.items():
                if columns["source"]:
                    writer.write(table, columns)
                    counts[table] += len(columns["source"])
    if not files:
        raise ArtifactError(
            "nothing readable: no reader knows any of the files [SPS001]",
            source=str(source)[:200],
        )
    return counts


def _complete(batch: Batch, source: Source, place: Place, *, several: bool) -> None:
    """Fill arm, run and boundary of rows as far as the file itself says."""
    for table in ("requests", "aggregates"):
        columns = batch.tables.get(table)
        if columns is None:
            continue
        suggested = suggest_arm(source, several=several)
        columns["arm"] = [suggested if arm is None else arm for arm in columns["arm"]]
    requests = batch.tables.get("requests")
    if requests is None:
        return
    for row, process in enumerate(requests["process"]):
        known = requests["run_boundary"][row]
        if place.declared is not None and place.run is not None:
            requests["run_id"][row], boundary = place.run, "declared"
        elif process is not None:
            boundary = "proved"
        else:
            boundary = "declared" if requests["run_id"][row] is not None else "unknown"
        requests["run_boundary"][row] = known or boundary


class _Parquet:
    """One Parquet file a table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, pq.ParquetWriter] = {}

    def write(self, table: str, columns: Columns) -> None:
        """Append rows as a row group."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = TABLES[table].arrow_schema()
        if table not in self._open:
            self._open[table] = pq.ParquetWriter(
                self._folder / f"{table}.parquet", schema, compression="zstd"
            )
        self._open[table].write_table(pa.table(columns, schema=schema))

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


_WRITERS: dict[str, type[_Parquet | _Jsonl | _Csv]] = {
    "parquet": _Parquet,
    "jsonl": _Jsonl,
    "csv": _Csv,
}
