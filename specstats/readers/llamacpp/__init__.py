"""llama.cpp and its forks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.llamacpp import (
    batched_bench,
    bench,
    bench_sql,
    bench_table,
    draftbench,
    harness_battery,
    harness_csv,
    harness_hogeheer,
    harness_inventive,
    harness_kyuz0,
    localscore,
    localscore_table,
    log,
    perf_block,
    server,
    spec_bench,
    speculative,
    speed_bench,
    sweep_bench,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    server.READER,
    bench.READER,
    bench_table.READER,
    bench_sql.READER,
    batched_bench.READER,
    sweep_bench.READER,
    spec_bench.READER,
    speculative.READER,
    perf_block.READER,
    localscore.READER,
    localscore_table.READER,
    log.READER,
    harness_csv.READER,
    harness_battery.READER,
    harness_kyuz0.READER,
    harness_inventive.READER,
    harness_hogeheer.READER,
    draftbench.READER,
    speed_bench.READER,
)
