"""Artifacts to files of canonical tables, a batch at a time."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from specstats.bench._writers import WRITERS, Parquet, Writer
from specstats.bench.infer import suggest_arm
from specstats.bench.ingest import FileCount, fill, placed_batches
from specstats.bench.placed import placed_requests
from specstats.bench.progress import Reading
from specstats.errors import ArtifactError, DesignError, UnknownFormatError
from specstats.layout.study import MANIFEST_NAME
from specstats.limits import LIMITS, Limits
from specstats.readers._registry import Choice
from specstats.schema import TABLES
from specstats.source import expand

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from specstats.bench.progress import ShowProgress
    from specstats.layout import Layout, Place
    from specstats.readers._base import Batch
    from specstats.readers._chunk import Chunk

__all__ = ["convert"]


def convert(
    source: str | Path | Sequence[str | Path],
    output: str | Path,
    /,
    *,
    form: str,
    layout: Layout,
    choice: Choice | None = None,
    limits: Limits = LIMITS,
    progress: ShowProgress | None = None,
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
    choice : Choice, optional
        Format of all files, or columns, to overrule their content.
    limits : Limits
        How large artifacts may be.
    progress : callable, optional
        Called at every file and every batch.

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
        with closing(WRITERS[form](scratch)) as writer:
            reading = Reading(expand(source, limits=limits), progress)
            counts = _write_all(reading, writer, layout, choice or Choice())
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
    if form not in WRITERS:
        raise DesignError.not_listed("form", form, tuple(WRITERS))
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
    reading: Reading, writer: Writer, layout: Layout, choice: Choice
) -> dict[str, int]:
    counts = dict.fromkeys(TABLES, 0)
    files = 0
    sources = reading.sources
    several = len({item.root for item in sources}) > 1
    for item in sources:
        place = layout.place(item)
        if place is None or item.name == MANIFEST_NAME:
            continue
        try:
            reader = choice.reader_of(item)
        except UnknownFormatError:
            if item.named:
                raise
            continue
        files += 1
        reading.tell(item)
        arm = suggest_arm(item, several=several)
        tally = FileCount(source=item, reader=reader, place=place)
        for table, rows in _written(tally, writer, reading, arm):
            counts[table] += rows
        reading.done(item)
    if not files:
        raise ArtifactError(
            "nothing readable: no reader knows any of the files [SPS001]",
            source=", ".join(dict.fromkeys(item.root for item in sources))[:200],
        )
    return counts


def _written(
    tally: FileCount, writer: Writer, reading: Reading, arm: str
) -> Iterator[tuple[str, int]]:
    """Write the rows of a file; yield the tables and how many rows each took."""
    columnar = tally.reader.columnar
    if isinstance(writer, Parquet) and columnar is not None:
        found = columnar(tally.source)
        if found is not None:
            yield from _written_columns(found, tally, writer, reading, arm)
            return
    for batch in placed_batches(tally.source, tally.reader, tally.place, tally):
        reading.tell(tally.source, batch.entries)
        yield from _write_batch(writer, batch, tally.place, arm)


def _written_columns(
    found: Generator[Chunk],
    tally: FileCount,
    writer: Parquet,
    reading: Reading,
    arm: str,
) -> Iterator[tuple[str, int]]:
    with closing(found):
        for chunk in found:
            reading.tell(tally.source, chunk.batch.entries)
            if chunk.requests.num_rows:
                table = placed_requests(chunk.requests, tally.place, arm)
                writer.append("requests", table)
                yield "requests", table.num_rows
            fill(chunk.batch, tally.place, tally)
            yield from _write_batch(writer, chunk.batch, tally.place, arm)


def _write_batch(
    writer: Writer, batch: Batch, place: Place, arm: str
) -> Iterator[tuple[str, int]]:
    _complete(batch, place, arm)
    for table, columns in batch.tables.items():
        rows = len(columns["source"])
        if rows:
            writer.write(table, columns)
            yield table, rows


def _complete(batch: Batch, place: Place, suggested: str) -> None:
    """Fill arm, run and boundary of rows as far as the file itself says."""
    for table in ("requests", "aggregates", "counters"):
        columns = batch.tables.get(table)
        if columns is None:
            continue
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
