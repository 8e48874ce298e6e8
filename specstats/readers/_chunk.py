"""A stretch of an artifact whose requests are Arrow columns already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from specstats.readers._base import Batch

__all__ = ["Chunk"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """What `parse` of a reader would hand over as a batch.

    Attributes
    ----------
    requests : pyarrow.Table
        Rows of the table of requests, with its schema.
    batch : Batch
        Rows of the other tables, counts and findings.
    """

    requests: pa.Table
    batch: Batch
