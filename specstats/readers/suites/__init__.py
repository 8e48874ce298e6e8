"""Benchmark suites and their reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.suites import mlperf, optimum, pytorch_hud

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    optimum.READER,
    mlperf.READER,
    pytorch_hud.READER,
)
