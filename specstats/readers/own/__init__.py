"""specstats' own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.own import jsonl, parquet

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    jsonl.READER,
    parquet.READER,
)
