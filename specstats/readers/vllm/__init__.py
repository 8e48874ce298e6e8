"""vLLM: benchmarks, logs and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.vllm import (
    bench_log,
    inferencex,
    latency,
    log,
    metrics,
    offline,
    serve,
    sweep,
    table,
    throughput,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    serve.READER,
    sweep.READER,
    latency.READER,
    throughput.READER,
    metrics.READER,
    log.READER,
    bench_log.READER,
    offline.READER,
    table.READER,
    inferencex.READER,
)
