"""Blocks: declared ones, days, and the values of a setting."""

from collections.abc import Callable

import pytest

from specstats import Design
from specstats.bench import Bench
from specstats.design import view_of
from specstats.design.blocks import day_of, with_blocks
from specstats.errors import DesignError

BenchOf = Callable[..., Bench]
DAY = 86_400.0
NOON = 1_785_672_000.0  # 2026-08-02 12:00 UTC


def blocks(bench: Bench, block: str | None) -> list[str | None]:
    return [run.block for run in with_blocks(bench.runs, block)]


def test_no_blocks(bench_of: BenchOf) -> None:
    bench = bench_of({"run": "1", "started_s": NOON}, {"run": "2"})

    assert blocks(bench, None) == [None, None]


def test_days_are_those_of_utc(bench_of: BenchOf) -> None:
    bench = bench_of(
        {"run": "1", "started_s": NOON},
        {"run": "2", "started_s": NOON + DAY / 2 - 0.001},
        {"run": "3", "started_s": NOON + DAY / 2},
    )

    assert blocks(bench, "day") == ["2026-08-02", "2026-08-02", "2026-08-03"]


@pytest.mark.parametrize("moment", [1e18, -1e18, 1e308])
def test_days_of_odd_clocks(moment: float, bench_of: BenchOf) -> None:
    (run,) = bench_of({"run": "1", "started_s": moment}).runs

    assert day_of(run) is None


def test_a_setting(bench_of: BenchOf) -> None:
    bench = bench_of(
        {"run": "1", "cfg.host": "x", "id.gpu": 0},
        {"run": "2", "cfg.host": "y", "id.gpu": 1},
    )

    assert blocks(bench, "host") == ["x", "y"]
    assert blocks(bench, "cfg.host") == ["x", "y"]
    assert blocks(bench, "gpu") == ["0", "1"]


def test_declared_blocks_are_kept(bench_of: BenchOf) -> None:
    bench = bench_of(
        {"run": "1", "block": "m", "cfg.host": "x"},
        {"run": "2", "block": "n", "cfg.host": "x"},
    )

    assert blocks(bench, None) == ["m", "n"]
    assert blocks(bench, "host") == ["m", "n"]


def test_a_setting_fills_the_gaps(bench_of: BenchOf) -> None:
    bench = bench_of({"run": "1", "block": "m"}, {"run": "2", "cfg.host": "x"})

    assert blocks(bench, "host") == ["m", "x"]


@pytest.mark.parametrize("block", [None, "day", "host", "day2"])
def test_a_run_without_block(block: str | None, bench_of: BenchOf) -> None:
    bench = bench_of({"run": "1", "block": "m"}, {"run": "2"})

    with pytest.raises(DesignError, match=r"1 of 2 runs have no block \('2'\)"):
        view_of(bench, Design(block=block))
