"""General benchmark harnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.harness import (
    asv,
    criterion,
    go_benchfmt,
    google_benchmark,
    hyperfine,
    pyperf,
    pytest_benchmark,
    rebench,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    hyperfine.READER,
    pyperf.READER,
    pytest_benchmark.READER,
    google_benchmark.READER,
    go_benchfmt.READER,
    criterion.READER,
    asv.READER,
    rebench.READER,
)
