"""Coverage of intervals of a speedup: independent launches and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from docs._gen.intervals.launches import draw
from specstats.stats.blocks import paired_blocks, these_blocks
from specstats.stats.effects import unbounded
from specstats.stats.ranks import hodges_lehmann
from specstats.stats.ratios import delta_log_ratio_of_means, fieller
from specstats.stats.sequential import anytime_two_arms
from specstats.stats.twoway import prompts_blocked, prompts_unblocked
from specstats.stats.welch import pooled, welch, wider

if TYPE_CHECKING:
    from specstats.stats.contrast import Contrast

__all__ = [
    "by_anytime",
    "by_blocks",
    "by_delta",
    "by_fieller",
    "by_pooled",
    "by_prompts",
    "by_prompts_in_blocks",
    "by_ranks",
    "by_these_blocks",
    "by_welch",
    "more_in_one",
    "pooled_requests",
    "wide_in_one",
]

SD_BLOCK, SD_GAIN = 0.15, 0.04
REQUESTS, SD_REQUEST = 20, 0.05
PROMPTS, SD_PROMPT_GAIN, SD_CELL = 8, 0.05, 0.02


def _holds(contrast: Contrast) -> bool:
    low, high = contrast.interval(0.95)
    return low <= 0.0 <= high


def by_welch(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Welch, n launches an arm (the default)."""
    return _holds(welch(draw(rng, shape, (n,)), draw(rng, shape, (n,))))


def wide_in_one(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Welch, one arm with three times the spread."""
    return _holds(welch(3.0 * draw(rng, shape, (n,)), draw(rng, shape, (n,))))


def more_in_one(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Three times as many launches in one arm: the wider of Welch and pooled."""
    return _holds(wider(draw(rng, shape, (3 * n,)), draw(rng, shape, (n,))))


def by_pooled(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Pooled t (on demand)."""
    return _holds(pooled(draw(rng, shape, (n,)), draw(rng, shape, (n,))))


def by_fieller(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Fieller, ratio of arithmetic means (on demand)."""
    found = fieller(*np.exp(draw(rng, shape, (2, n))))
    if found.low is None or found.high is None:
        return None
    return found.low <= 1.0 <= found.high


def by_ranks(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Hodges-Lehmann, exact limits (on demand)."""
    found = hodges_lehmann(*draw(rng, shape, (2, n)))
    if found.low is None or found.high is None:
        return None
    return found.low <= 0.0 <= found.high


def by_blocks(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Future sessions: n blocks, one launch of each arm, gains differ by block."""
    sessions, gains = rng.normal(0.0, SD_BLOCK, n), rng.normal(0.0, SD_GAIN, n)
    base, other = draw(rng, shape, (2, n))
    return _holds(paired_blocks(sessions + gains + other, sessions + base))


def by_these_blocks(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """These sessions: n blocks, two launches of each arm, one gain in all."""
    sessions = np.repeat(rng.normal(0.0, SD_BLOCK, n), 4)
    flags = np.tile([True, False], 2 * n)
    values = sessions + draw(rng, shape, (4 * n,))
    names = [f"b{block}" for block in range(n) for _ in range(4)]
    found = these_blocks(values, flags, names)
    return None if found is None else _holds(found.contrast)


def by_prompts(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Prompts like these: n launches an arm, 8 prompts whose gains differ."""
    gains = rng.normal(0.0, SD_PROMPT_GAIN, (1, PROMPTS))
    noise = rng.normal(0.0, SD_CELL, (2, n, PROMPTS))
    effects = draw(rng, shape, (2, n, 1))
    return _holds(
        prompts_unblocked(effects[0] + gains + noise[0], effects[1] + noise[1])
    )


def by_prompts_in_blocks(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Prompts like these: n blocks, 8 prompts whose gains differ."""
    gains = rng.normal(0.0, SD_PROMPT_GAIN, (1, PROMPTS))
    effects = draw(rng, shape, (2, n, 1))
    cells = rng.normal(0.0, SD_CELL, (n, PROMPTS))
    ratios = effects[0] - effects[1] + gains + cells
    return _holds(prompts_blocked(ratios))


def by_delta(rng: np.random.Generator, shape: str, n: int) -> bool:
    """Delta method, ratio of arithmetic means (on demand)."""
    return _holds(delta_log_ratio_of_means(*np.exp(draw(rng, shape, (2, n)))))


def by_anytime(rng: np.random.Generator, shape: str, n: int) -> bool | None:
    """Sequential, looked at once (on demand)."""
    limits = anytime_two_arms(*draw(rng, shape, (2, n))).interval(0.95)
    return None if unbounded(limits) else limits[0] <= 0.0 <= limits[1]


def pooled_requests(rng: np.random.Generator, shape: str, n: int) -> bool:
    """WRONG on purpose: Welch over the requests of n launches."""
    noise = rng.normal(0.0, SD_REQUEST, (2, n, REQUESTS))
    arms = (draw(rng, shape, (2, n, 1)) + noise).reshape(2, -1)
    return _holds(welch(arms[0], arms[1]))
