"""Quantiles of requests: within one launch, and over launches.

Log latency = launch effect (SD .15) + request noise (SD .05): p99 of a launch is its
effect plus a constant, so that other launches move it by far more than its requests do.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats.intervals import mean_t
from specstats.stats.tails import QuantileInterval, quantile_interval, run_quantiles

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 2_000
BETWEEN, WITHIN = 0.15, 0.05


def draws(rng: np.random.Generator, kind: str, requests: int) -> Array:
    if kind == "exponential":
        return rng.standard_exponential((DATASETS, requests))
    scores = rng.standard_normal((DATASETS, requests))
    return scores if kind == "normal" else np.exp(scores)


@pytest.mark.parametrize(("probability", "requests"), [(0.5, 30), (0.95, 200)])
@pytest.mark.parametrize("kind", ["normal", "lognormal", "exponential"])
def test_within_one_launch(
    rng: np.random.Generator, kind: str, probability: float, requests: int
) -> None:
    score = float(special.ndtri(probability))
    truth = {
        "normal": score,
        "lognormal": float(np.exp(score)),
        "exponential": -float(np.log1p(-probability)),
    }[kind]
    held, promised = 0, 0.0
    for values in draws(rng, kind, requests):
        found = quantile_interval(values, probability=probability)
        assert isinstance(found, QuantileInterval)
        held += found.low <= truth <= found.high
        promised = found.coverage
    assert promised >= 0.95
    # The stated coverage is exact: four standard errors.
    assert held / DATASETS == pytest.approx(promised, abs=0.02)


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_over_launches(rng: np.random.Generator, runs: int) -> None:
    requests = 400
    codes = np.repeat(np.arange(runs), requests)
    truth = WITHIN * float(special.ndtri(0.99))
    over, within = 0, 0
    for _ in range(DATASETS):
        effects = rng.normal(0.0, BETWEEN, runs)
        values = effects[codes] + rng.normal(0.0, WITHIN, codes.size)
        quantiles = run_quantiles(values, codes, runs, 0.99)
        low, high = mean_t(quantiles.compressed()).interval()
        over += low <= truth <= high
        single = quantile_interval(values[:requests], probability=0.99)
        assert isinstance(single, QuantileInterval)
        within += single.low <= truth <= single.high
    assert over / DATASETS == pytest.approx(0.95, abs=0.02)
    # The negative control: an interval within one launch, taken for all launches.
    assert within / DATASETS < 0.35
