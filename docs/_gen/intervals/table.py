"""Tables of coverage: a row for each interval and kind of data, a column for each n."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from docs._gen import _marked
from docs._gen.intervals import acceptance, arms, pairs
from docs._gen.intervals.launches import SHAPES
from specstats.stats._arrays import ZeroSpreadError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PAGE", "TABLES", "Covered", "Interval", "covered", "fresh"]

PAGE = Path(__file__).resolve().parents[2] / "validation" / "coverage.md"
SEED = 20261201
STUDIES = 4_000
UNITS = (2, 3, 4, 5, 8, 10, 20)
LOW, HIGH = 0.93, 0.985

Trial = "Callable[[np.random.Generator, str, int], bool | None]"


@dataclass(frozen=True)
class Interval:
    """An interval and the data on which it is tried."""

    trial: Trial
    shapes: Iterable[str] = tuple(SHAPES)
    least: int = 2

    @property
    def title(self) -> str:
        """What it is, from the docstring of the trial."""
        return (self.trial.__doc__ or "").strip().rstrip(".")


@dataclass(frozen=True)
class Covered:
    """Share of intervals that hold the truth, and of studies without an interval."""

    share: float | None
    silent: float


TABLES: dict[str, tuple[Interval, ...]] = {
    "speedups": (
        Interval(pairs.by_welch),
        Interval(pairs.wide_in_one),
        Interval(pairs.more_in_one),
        Interval(pairs.by_blocks),
        Interval(pairs.by_these_blocks),
        Interval(pairs.by_prompts),
        Interval(pairs.by_prompts_in_blocks),
        Interval(pairs.by_pooled),
        Interval(pairs.by_delta),
        Interval(pairs.by_fieller),
        Interval(pairs.by_ranks),
        Interval(pairs.by_anytime),
        Interval(pairs.pooled_requests),
    ),
    "arms": (
        Interval(arms.mean),
        Interval(arms.next_run),
        Interval(arms.two_runs),
        Interval(arms.run_sd),
        Interval(arms.components_of),
        Interval(arms.icc),
    ),
    "acceptance": (
        Interval(acceptance.rate, tuple(acceptance.RHO)),
        Interval(acceptance.difference, tuple(acceptance.RHO)),
        Interval(acceptance.length, tuple(acceptance.RHO)),
        Interval(acceptance.paired_length, tuple(acceptance.RHO)),
        Interval(acceptance.tokens, tuple(acceptance.RHO)),
    ),
}


def covered(interval: Interval, shape: str, n: int, studies: int = STUDIES) -> Covered:
    """Return how often an interval holds the truth, over studies of n units."""
    key = zlib.crc32(f"{interval.title} {shape}".encode())
    rng = np.random.default_rng([SEED, key, n])
    held: list[bool] = []
    for _ in range(studies):
        try:
            found = interval.trial(rng, shape, n)
        except ZeroSpreadError:
            found = None
        if found is not None:
            held.append(found)
    share = float(np.mean(held)) if held else None
    return Covered(share, 1.0 - len(held) / studies)


def _cell(found: Covered) -> str:
    if found.share is None:
        return "none"
    shown = f"{found.share:.3f}"
    if not LOW <= found.share <= HIGH:
        shown = f"**{shown}**"
    return shown if found.silent < 0.0005 else f"{shown} ({found.silent:.0%} none)"  # noqa: PLR2004


def _table(intervals: Iterable[Interval]) -> str:
    lines = [
        f"| interval | data | {' | '.join(f'n = {n}' for n in UNITS)} |",
        f"|---|---|{'---|' * len(UNITS)}",
    ]
    for interval in intervals:
        for shape in interval.shapes:
            cells = [_cell(covered(interval, shape, n)) for n in UNITS]
            lines.append(f"| {interval.title} | {shape} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fresh() -> dict[Path, str]:
    """Return the page as it should be."""
    page = PAGE.read_text(encoding="utf-8")
    for name, intervals in TABLES.items():
        page = _marked.replaced(page, name, _table(intervals))
    return {PAGE: page}
