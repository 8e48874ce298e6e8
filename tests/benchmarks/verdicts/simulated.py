"""How often tools err on studies of two arms that are one setting."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.verdicts.tools import TOOLS, Launches, Said

__all__ = ["Rates", "rates", "studies"]

SEED = 20261201
REQUESTS = 20
SD_RUN, SD_REQUEST = 0.05, 0.02


@dataclass(frozen=True)
class Rates:
    """What came out of a tool over many studies.

    ``silent`` is the share of studies without a statement; the other two are shares of
    those with one.
    """

    false: float | None
    covered: float | None
    silent: float


def studies(count: int, n_runs: int) -> Iterator[tuple[Launches, Launches]]:
    """Yield pairs of arms without any difference: launches vary, requests less."""
    rng = np.random.default_rng([SEED, n_runs])
    for _ in range(count):
        effects = rng.normal(0.0, SD_RUN, (2, n_runs, 1))
        logs = effects + rng.normal(0.0, SD_REQUEST, (2, n_runs, REQUESTS))
        base, other = (50.0 * np.exp(logs)).tolist()
        yield base, other


def rates(count: int, n_runs: int) -> dict[str, Rates]:
    """Return the rates of every tool over `count` studies."""
    drawn = list(studies(count, n_runs))
    return {
        name: _of([tool(base, other) for base, other in drawn])
        for name, tool in TOOLS.items()
    }


def _of(said: list[Said]) -> Rates:
    spoken = [item for item in said if item.differ is not None]
    held = [bool(item.covers(1.0)) for item in spoken if item.covers(1.0) is not None]
    wrong = [bool(item.differ) for item in spoken]
    return Rates(
        false=float(np.mean(wrong)) if wrong else None,
        covered=float(np.mean(held)) if held else None,
        silent=1.0 - len(spoken) / len(said),
    )
