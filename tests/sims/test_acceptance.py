"""Coverage of acceptance intervals, against tokens as if independent.

Clusters draft about 300 tokens (coefficient of variation .5) and accept with a rate of
their own, beta with mean .7 and intraclass correlation rho.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats._clusters import jackknife_logit
from specstats.stats.acceptance import cluster_rate, two_way_rate
from specstats.stats.beta_binomial import beta_binomial

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 20_000
Z = 1.959964
WILSON = {
    0.01: {3: 0.67, 5: 0.65, 10: 0.64},
    0.05: {3: 0.36, 5: 0.35, 10: 0.34},
    0.2: {3: 0.18, 5: 0.18, 10: 0.17},
}


def clusters(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    *,
    rate: float,
    rho: float,
    drafted: float,
) -> tuple[Array, Array]:
    """Accepted and drafted tokens of clusters with rates of their own."""
    tries = np.maximum(1, rng.gamma(4.0, drafted / 4.0, shape).round())
    total = 1.0 / rho - 1.0
    own = rng.beta(rate * total, (1.0 - rate) * total, shape)
    hits = rng.binomial(tries.astype(np.int64), own)
    return hits.astype(np.float64), tries


def wilson_covers(hits: Array, tries: Array, rate: float) -> float:
    """Share of the pooled-token score intervals that hold the true rate."""
    total = tries.sum(axis=-1)
    gap = np.abs(hits.sum(axis=-1) / total - rate)
    return float((gap <= Z * np.sqrt(rate * (1.0 - rate) / total)).mean())


@pytest.mark.parametrize("rho", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("size", [3, 5, 10])
def test_jackknife_covers_and_tokens_do_not(
    rng: np.random.Generator, size: int, rho: float
) -> None:
    hits, tries = clusters(rng, (DATASETS, size), rate=0.7, rho=rho, drafted=300)
    with np.errstate(divide="ignore"):
        centre, variance = jackknife_logit(hits, tries)
    half_width = special.stdtrit(size - 1, 0.975) * np.sqrt(variance)
    found = float((np.abs(centre - special.logit(0.7)) <= half_width).mean())
    assert 0.925 < found < 0.965
    tokens = wilson_covers(hits, tries, 0.7)
    assert tokens == pytest.approx(WILSON[rho][size], abs=0.03)
    assert tokens < 0.72


def test_high_rates_with_few_tokens(rng: np.random.Generator) -> None:
    # Rate .95, about 60 tokens a cluster, 5 clusters: the fallback is used at times.
    hits, tries = clusters(rng, (4_000, 5), rate=0.95, rho=0.05, drafted=60)
    inside, fallbacks = 0, 0
    for accepted, drafted in zip(hits, tries, strict=True):
        found = cluster_rate(accepted, drafted)
        assert found is not None
        inside += found.low <= 0.95 <= found.high
        fallbacks += found.method.startswith("Korn-Graubard")
    assert inside / 4_000 == pytest.approx(0.95, abs=0.015)
    assert 0 < fallbacks < 400
    assert wilson_covers(hits, tries, 0.95) == pytest.approx(0.665, abs=0.03)


@pytest.mark.parametrize(("size", "expected"), [(3, 0.86), (20, 0.945)])
def test_profile_limits_cover_too_little_with_few_clusters(
    rng: np.random.Generator, size: int, expected: float
) -> None:
    hits, tries = clusters(rng, (400, size), rate=0.7, rho=0.05, drafted=300)
    inside = 0
    for accepted, drafted in zip(hits, tries, strict=True):
        found = beta_binomial(accepted, drafted)
        assert found is not None
        inside += found.low <= 0.7 <= found.high
    assert inside / 400 == pytest.approx(expected, abs=0.05)


def test_runs_and_prompts_both_vary(rng: np.random.Generator) -> None:
    # 6 runs x 6 prompts on the logit scale; one way alone covers too little.
    runs, prompts = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    nodes = rng.normal(0.0, np.hypot(0.25, 0.25), 400_000)
    truth = float(special.expit(0.8 + nodes).mean())
    inside = by_prompt = 0
    for _ in range(2_000):
        own = special.expit(
            0.8 + rng.normal(0.0, 0.25, 6)[runs] + rng.normal(0.0, 0.25, 6)[prompts]
        )
        accepted = rng.binomial(200, own)
        drafted = np.full(36, 200)
        found = two_way_rate(accepted, drafted, runs.tolist(), prompts.tolist())
        assert found is not None
        inside += found.low <= truth <= found.high
        table = accepted.reshape(6, 6).sum(axis=0)
        alone = cluster_rate(table, np.full(6, 1200))
        assert alone is not None
        by_prompt += alone.low <= truth <= alone.high
    assert 0.93 < inside / 2_000 < 0.99
    assert by_prompt / 2_000 < 0.90
