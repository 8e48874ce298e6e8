"""The coverage table of docs/validation/index.md, by simulation with a fixed seed.

``python -m docs._gen.coverage --check`` exits 1 with a diff when the page is old;
``--write`` brings it up to date. The tests in tests/sims check more, against published
figures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import special

from docs._gen import _marked
from specstats.stats.welch import _welch_arrays

__all__ = ["fresh", "table"]

PAGE = Path(__file__).resolve().parents[1] / "validation" / "index.md"
SEED = 20261130
DATASETS = 20_000
REQUESTS = 20
SLOW = 0.3
RUNS = (2, 3, 4, 5, 6, 8, 10)
SHAPES = {
    "normal, SD 0.15": lambda rng, shape: rng.normal(0.0, 0.15, shape),
    "bimodal (30 % slow)": lambda rng, shape: (
        np.where(rng.random(shape) < SLOW, -0.35, 0.0) + rng.normal(0.0, 0.03, shape)
    ),
    "skewed": lambda rng, shape: -rng.exponential(0.15, shape),
    "heavy tails (t, 3 df)": lambda rng, shape: 0.10 * rng.standard_t(3, shape),
}


def _covered(first: np.ndarray, second: np.ndarray) -> float:
    estimate, variance, df = _welch_arrays(first, second)
    half_width = special.stdtrit(df, 0.975) * np.sqrt(variance)
    return float((np.abs(estimate) <= half_width).mean())


def _study(rng: np.random.Generator, shape: str, runs: int) -> np.ndarray:
    effects = SHAPES[shape](rng, (DATASETS, runs))[..., None]
    return effects + rng.normal(0.0, 0.05, (DATASETS, runs, REQUESTS))


def table() -> str:
    """Return the table: coverage by distribution of launches and number of runs."""
    lines = [
        f"| unit | launches | {' | '.join(f'n = {runs}' for runs in RUNS)} |",
        f"|---|---|{'---|' * len(RUNS)}",
    ]
    for shape in SHAPES:
        rng = np.random.default_rng(SEED)
        found = []
        for runs in RUNS:
            arms = [_study(rng, shape, runs).mean(axis=-1) for _ in range(2)]
            found.append(f"{_covered(*arms):.3f}")
        lines.append(f"| run | {shape} | {' | '.join(found)} |")
    rng = np.random.default_rng(SEED)
    found = []
    for runs in RUNS:
        arms = [
            _study(rng, "normal, SD 0.15", runs).reshape(DATASETS, -1) for _ in range(2)
        ]
        found.append(f"{_covered(*arms):.3f}")
    lines.append(f"| **request (wrong)** | normal, SD 0.15 | {' | '.join(found)} |")
    return "\n".join(lines)


def fresh() -> dict[Path, str]:
    """Return the page as it should be."""
    page = PAGE.read_text(encoding="utf-8")
    return {PAGE: _marked.replaced(page, "coverage", table())}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
