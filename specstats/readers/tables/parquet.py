"""Plain tables in Parquet or Arrow (Feather) files, with known column names."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from specstats.errors import (
    ArtifactError,
    DesignError,
    LimitExceededError,
    MalformedArtifactError,
)
from specstats.readers._base import Batch, Match, Reader
from specstats.readers.tables._aliases import plan_of
from specstats.readers.tables._fields import BOUNDARY, FIELDS, TRAPS
from specstats.readers.tables._rows import ROWS_A_BATCH, TableRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from specstats.readers.tables._aliases import Plan
    from specstats.source import Source

__all__ = ["MAGICS", "READER", "parse_with"]

MAGICS = (b"PAR1", b"ARROW1")
_OWN = b"specstats.table"
_SCORE = 5
_MOST_COLUMNS = 500
_LONGEST_NAME = 80


def _sniff(head: bytes, name: str) -> Match:
    del name
    why = "no Arrow or Parquet file of a plain table"
    if head.startswith(b"ARROW1"):
        return Match(_SCORE, why)
    # The footer of a longer file is out of sight; specstats' own reader has those.
    whole = head.startswith(b"PAR1") and head.endswith(b"PAR1")
    return Match(_SCORE if whole and _OWN not in head else 0, why)


def _parse(source: Source) -> Iterator[Batch]:
    yield from parse_with(source, plan_of)


def parse_with(
    source: Source, plan_for: Callable[[Sequence[str]], Plan | None]
) -> Iterator[Batch]:
    """Read a columnar file.

    Parameters
    ----------
    source : Source
        The artifact.
    plan_for : callable
        Gives the plan for the names of the columns.

    Yields
    ------
    Batch
        Rows and findings.

    Raises
    ------
    MalformedArtifactError
        If the file cannot be read, or nothing among its columns is known.
    """
    import pyarrow as pa

    try:
        yield from _batches(source, plan_for)
    except (ArtifactError, DesignError):
        raise
    except (
        *(pa.ArrowException, OSError, ValueError, TypeError),
        *(OverflowError, MemoryError, KeyError, NotImplementedError),
    ) as error:
        why = (str(error).splitlines() or ["no reason given"])[0][:200]
        raise MalformedArtifactError(
            f"not a readable columnar file ({why})", source=source.name
        ) from error


def _batches(
    source: Source, plan_for: Callable[[Sequence[str]], Plan | None]
) -> Iterator[Batch]:
    names, parts = _opened(source)
    plan = plan_for(names[:_MOST_COLUMNS])
    if plan is None:
        raise MalformedArtifactError(
            f"no known measured column among {_shown(names)}. Hint: "
            "say what the columns are (columns=, or --columns NAME=COLUMN)",
            source=source.name,
        )
    used = {field.column for field in plan.fields.values()}
    used |= {column for column, _ in plan.settings}
    rows, entry = TableRows(source, plan), 0
    for part in parts:
        batch = Batch()
        kept = [name for name in dict.fromkeys(part.schema.names) if name in used]
        places = [part.schema.names.index(name) for name in kept]
        columns = [part.column(place).to_pylist() for place in places]
        for cells in zip(*columns, strict=True):
            entry += 1
            if entry > source.limits.rows:
                raise LimitExceededError(
                    f"more than {source.limits.rows} rows. Hint: raise the limit "
                    "(limits=, or --limit rows=N)",
                    source=source.name,
                )
            rows.add(batch, entry, dict(zip(kept, cells, strict=True)))
        yield batch
    batch = Batch()
    rows.say_notes(batch)
    rows.trouble.close(batch)
    yield batch


def _shown(names: Sequence[str]) -> str:
    return ", ".join(repr(name[:_LONGEST_NAME]) for name in names[:20])


def _opened(source: Source) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Return the names of the columns, and the rows in parts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = io.BytesIO(source.binary())
    if content.getvalue().startswith(b"PAR1"):
        file = pq.ParquetFile(content, page_checksum_verification=True)
        return list(file.schema_arrow.names), file.iter_batches(ROWS_A_BATCH)
    reader = pa.ipc.open_file(content)
    return list(reader.schema.names), _parts(reader)


def _parts(reader: pa.RecordBatchFileReader) -> Iterator[pa.RecordBatch]:
    for index in range(reader.num_record_batches):
        part = reader.get_batch(index)
        part.validate(full=True)
        for start in range(0, part.num_rows, ROWS_A_BATCH):
            yield part.slice(start, ROWS_A_BATCH)


READER = Reader(
    name="table-parquet",
    label="plain table in a Parquet or Arrow file with known column names",
    producers=("any tool with such columns",),
    levels=("request", "counter", "aggregate"),
    boundary=BOUNDARY,
    traps=TRAPS,
    fields=FIELDS,
    marks=MAGICS,
    sniff=_sniff,
    parse=_parse,
)
