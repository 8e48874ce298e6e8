"""Research benches of speculative decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.research import (
    medusa,
    rest,
    simulator,
    spec_bench,
    specdec_bench,
    specforge,
    specforge_bench,
    study,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    spec_bench.READER,
    medusa.READER,
    rest.READER,
    simulator.READER,
    specdec_bench.READER,
    specforge.READER,
    specforge_bench.READER,
    study.READER,
)
