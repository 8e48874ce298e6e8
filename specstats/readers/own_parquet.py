"""specstats' own Parquet: one canonical table a file, named in its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.defaults import DEFAULTS
from specstats.errors import (
    ArtifactError,
    LimitExceededError,
    MalformedArtifactError,
)
from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers.own_jsonl import typed
from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_MAGIC = b"PAR1"
_ROWS_A_BATCH = 20_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    return Match(80 if head.startswith(_MAGIC) else 0, "no Parquet magic bytes")


def _parse(source: Source) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with (
            source.open() as stream,
            pq.ParquetFile(stream, page_checksum_verification=True) as file,
        ):
            table = _table(source, file.schema_arrow.metadata or {})
            if file.metadata.num_rows > DEFAULTS.max_rows:
                raise LimitExceededError(
                    f"{file.metadata.num_rows} rows; the limit is {DEFAULTS.max_rows}",
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


def _table(source: Source, metadata: dict[bytes, bytes]) -> str:
    name = metadata.get(b"specstats.table", b"").decode("utf-8", "replace")
    if name not in TABLES:
        raise MalformedArtifactError(
            "a Parquet file that specstats did not write. Expected "
            f"'specstats.table' in its metadata, one of {', '.join(TABLES)}",
            source=source.name,
        )
    return name


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
    levels=("request", "step", "aggregate", "telemetry"),
    boundary="the run column",
    traps=(),
    sniff=_sniff,
    parse=_parse,
)
