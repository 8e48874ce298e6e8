"""Speed of quantiles within runs: a million requests of a hundred runs."""

import time

import numpy as np
import pytest

from specstats.stats.tails import run_quantiles

pytestmark = pytest.mark.benchmark

REQUESTS, RUNS = 1_000_000, 100
MOST_SECONDS = 0.2


def test_three_quantiles_of_a_million_requests(rng: np.random.Generator) -> None:
    codes = rng.integers(0, RUNS, REQUESTS)
    values = rng.lognormal(size=REQUESTS)
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        found = run_quantiles(values, codes, RUNS, (0.5, 0.95, 0.99))
        seconds.append(time.perf_counter() - begin)
    print(f"p50, p95 and p99: {min(seconds):.3f} s")  # noqa: T201
    assert found.shape == (3, RUNS)
    assert not np.ma.getmaskarray(found).any()
    assert min(seconds) < MOST_SECONDS
