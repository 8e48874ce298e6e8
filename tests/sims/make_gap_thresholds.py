"""Print the thresholds of the gap statistic: its 99 % point for normal runs.

Usage: python tests/sims/make_gap_thresholds.py [DATASETS]. One seed a size, so that a
size can be checked alone. The output is the table in specstats/stats/states.py.
"""

import sys

import numpy as np
from numpy.typing import NDArray

SIZES = range(6, 31)
LEVEL = 0.99
CHUNK = 200_000
DATASETS = 2_000_000


def gap_ratios(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest interior gap over the SD within the two groups, for each row."""
    ordered = np.sort(values, axis=1)
    size = ordered.shape[1]
    gaps = np.diff(ordered, axis=1)[:, 1:-1]
    place = np.argmax(gaps, axis=1)
    left = np.arange(size)[None, :] < (place + 2)[:, None]
    squares = np.zeros(len(ordered))
    for group in (left, ~left):
        counts = group.sum(axis=1)
        means = np.where(group, ordered, 0.0).sum(axis=1) / counts
        parts = np.where(group, ordered - means[:, None], 0.0)
        squares += (parts**2).sum(axis=1)
    largest = gaps[np.arange(len(ordered)), place]
    return np.asarray(largest / np.sqrt(squares / (size - 2.0)))


def threshold(size: int, datasets: int) -> float:
    """Return the 99 % point of the statistic for normal values."""
    rng = np.random.default_rng([size, 20261201])
    parts = [
        gap_ratios(rng.standard_normal((min(CHUNK, datasets - start), size)))
        for start in range(0, datasets, CHUNK)
    ]
    return float(np.quantile(np.concatenate(parts), LEVEL))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DATASETS
    for runs in SIZES:
        sys.stdout.write(f"    {runs}: {threshold(runs, count):.2f},\n")
        sys.stdout.flush()
