"""specstats' own Parquet: one canonical table a file, named in its metadata."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from specstats.errors import (
    ArtifactError,
    LimitExceededError,
    MalformedArtifactError,
)
from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers.own.jsonl import HEADER_KEY, typed
from specstats.readers.tables import parquet as plain_parquet
from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_MAGIC = b"PAR1"
_ROWS_A_BATCH = 20_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    if not head.startswith(_MAGIC):
        return Match(0, "no Parquet magic bytes")
    # A whole file that does not name a table; of a longer one the footer is not seen.
    plain = head.endswith(_MAGIC) and HEADER_KEY.encode() not in head
    return Match(0 if plain else 80, "a Parquet file that specstats did not write")


def _parse(source: Source) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with (
            _seekable(source) as stream,
            pq.ParquetFile(stream, page_checksum_verification=True) as file,
        ):
            table = _table(source, file.schema_arrow.metadata or {})
            if table is None:
                yield from plain_parquet.READER.parse(source)
                return
            if file.metadata.num_rows > source.limits.rows:
                raise LimitExceededError(
                    f"{file.metadata.num_rows} rows; the limit is "
                    f"{source.limits.rows}. Hint: raise it (limits=, or --limit "
                    "rows=N)",
                    source=source.name,
                )
            rows = (
                row
                for found in file.iter_batches(_ROWS_A_BATCH)
                for row in found.to_pylist()
            )
            yield from _batches(source, table, rows)
    except ArtifactError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        why = (str(error).splitlines() or ["no reason given"])[0][:200]
        raise MalformedArtifactError(
            f"not a readable Parquet file ({why})", source=source.name
        ) from error


def _seekable(source: Source) -> BinaryIO:
    stream = source.open()
    if not isinstance(getattr(stream, "raw", None), io.FileIO):
        stream.close()
        return io.BytesIO(source.binary())
    return stream


def _table(source: Source, metadata: dict[bytes, bytes]) -> str | None:
    """Return the table that a file says it holds; None for files of others."""
    name = metadata.get(HEADER_KEY.encode(), b"").decode("utf-8", "replace")
    if name and name not in TABLES:
        raise MalformedArtifactError(
            f"a table {name[:80]!r} that this version does not know. Expected one of "
            f"{', '.join(TABLES)}",
            source=source.name,
        )
    return name or None


def _batches(
    source: Source, table: str, rows: Iterator[dict[str, object]]
) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for entry, value in enumerate(rows, start=1):
        batch.entries += 1
        row, wrong = typed(table, value)
        if wrong:
            trouble.note(
                batch, "SPS002", entry, f"row skipped: wrong type in {', '.join(wrong)}"
            )
            continue
        row["source"], row["entry"] = source.name, entry
        batch.add(table, row)
        batch.parsed += 1
        if batch.count(table) >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


READER = Reader(
    name="specstats-parquet",
    label="specstats' own Parquet (specstats convert --to parquet)",
    producers=("specstats 0.1",),
    levels=("request", "step", "counter", "aggregate", "telemetry"),
    boundary="the run column",
    traps=(),
    fields=(
        ("columns of requests", "requests.*: as written"),
        ("columns of steps", "steps.*: as written"),
        ("columns of counters", "counters.*: as written"),
        ("columns of aggregates", "aggregates.*: as written"),
        ("columns of telemetry", "telemetry.*: as written"),
    ),
    sniff=_sniff,
    parse=_parse,
)
