"""Load generators that measure any server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.loadgen import (
    aiperf,
    evalscope,
    genai_bench,
    genai_perf,
    guidellm,
    inference_perf,
    llmd,
    llmperf,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    aiperf.READER,
    genai_perf.READER,
    guidellm.READER,
    genai_bench.READER,
    evalscope.READER,
    llmd.READER,
    inference_perf.READER,
    llmperf.READER,
)
