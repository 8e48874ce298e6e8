"""Coverage of tokens per step and of paired differences, against tokens and steps.

Chains of 4 drafted tokens, about 100 steps a prompt (coefficient of variation .5). Each
prompt accepts a tested token with a chance of its own, normal on the logit about .75
with SD .6; the arms of a pair share it, and differ by a shift with an SD of its own.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats._clusters import (
    jackknife_log,
    jackknife_of_difference,
    log_without,
    logit_without,
)
from specstats.stats.paired_acceptance import (
    Crossed,
    crossed_difference,
    paired_length_difference,
)

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS, DRAFT = 10_000, 4
MEAN, BETWEEN, SHIFT, ARM = 1.1, 0.6, -0.3, 0.2
SIZES = [3, 5, 10, 20]
Z = 1.959964


def chains(rng: np.random.Generator, logits: Array) -> tuple[Array, Array, Array]:
    """Accepted tokens, steps, and the sum of squared accepted tokens of steps."""
    steps = np.maximum(2, rng.gamma(4.0, 25.0, logits.shape).round())
    chance = special.expit(logits)
    left = steps.astype(np.int64)
    accepted, squares = np.zeros(steps.shape), np.zeros(steps.shape)
    for place in range(1, DRAFT + 1):
        left = rng.binomial(left, chance)
        accepted += left
        squares += (2 * place - 1) * left
    return accepted, steps, squares


def truth(spread: float, shift: float) -> float:
    """Mean accepted tokens of a step over prompts."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    chance = special.expit(MEAN + shift + spread * nodes)
    hits = sum(chance**place for place in range(1, DRAFT + 1))
    return float((weights * hits).sum() / weights.sum())


def critical(size: int) -> float:
    return float(special.stdtrit(size - 1, 0.975))


@pytest.mark.parametrize("size", SIZES)
def test_length_covers_and_steps_do_not(rng: np.random.Generator, size: int) -> None:
    logits = MEAN + rng.normal(0.0, BETWEEN, (DATASETS, size))
    accepted, steps, squares = chains(rng, logits)
    target = np.log(1.0 + truth(BETWEEN, 0.0))
    centre, variance = jackknife_log(accepted + steps, steps)
    found = (np.abs(centre - target) <= critical(size) * np.sqrt(variance)).mean()
    assert 0.925 < found < 0.965
    total = steps.sum(axis=-1)
    mean = accepted.sum(axis=-1) / total
    spread = np.sqrt((squares.sum(axis=-1) / total - mean**2) / total) / (1.0 + mean)
    naive = (np.abs(centre - target) <= Z * spread).mean()
    assert naive == pytest.approx(0.36, abs=0.02)


@pytest.mark.parametrize("size", SIZES)
def test_paired_differences_cover_and_tokens_do_not(
    rng: np.random.Generator, size: int
) -> None:
    shared = MEAN + rng.normal(0.0, BETWEEN, (DATASETS, size))
    own = SHIFT + rng.normal(0.0, ARM, shared.shape)
    first, second = chains(rng, shared + own), chains(rng, shared)
    hits_1, hits_0 = truth(np.hypot(BETWEEN, ARM), SHIFT), truth(BETWEEN, 0.0)
    quantile = critical(size)

    lengths = [(arm[0] + arm[1], arm[1]) for arm in (first, second)]
    centre = jackknife_log(*lengths[0])[0] - jackknife_log(*lengths[1])[0]
    variance = jackknife_of_difference(*(log_without(*arm) for arm in lengths))
    target = np.log((1.0 + hits_1) / (1.0 + hits_0))
    found = (np.abs(centre - target) <= quantile * np.sqrt(variance)).mean()
    assert 0.925 < found < 0.965

    rates = [(arm[0], DRAFT * arm[1]) for arm in (first, second)]
    pooled = [hits.sum(axis=-1) / tries.sum(axis=-1) for hits, tries in rates]
    centre = special.logit(pooled[0]) - special.logit(pooled[1])
    variance = jackknife_of_difference(*(logit_without(*arm) for arm in rates))
    target = special.logit(hits_1 / DRAFT) - special.logit(hits_0 / DRAFT)
    found = (np.abs(centre - target) <= quantile * np.sqrt(variance)).mean()
    assert 0.925 < found < 0.965

    tokens = sum(
        1.0 / (tries.sum(axis=-1) * rate * (1.0 - rate))
        for (_, tries), rate in zip(rates, pooled, strict=True)
    )
    naive = (np.abs(centre - target) <= Z * np.sqrt(tokens)).mean()
    assert 0.39 < naive < 0.50


def test_pairing_narrows_what_prompts_share(rng: np.random.Generator) -> None:
    shared = MEAN + rng.normal(0.0, BETWEEN, (2_000, 10))
    arms = [
        (accepted + steps, steps)
        for accepted, steps, _ in (
            chains(rng, shared + shift + rng.normal(0.0, ARM, shared.shape))
            for shift in (SHIFT, 0.0)
        )
    ]
    paired = jackknife_of_difference(*(log_without(*arm) for arm in arms))
    independent = sum(jackknife_log(*arm)[1] for arm in arms)
    assert float(np.median(paired / independent)) < 0.6


def test_launches_and_prompts_that_both_vary(rng: np.random.Generator) -> None:
    # 5 launches an arm x 6 prompts, launch SD .25 on the logit; prompts alone fail.
    prompts, runs = np.tile(np.arange(6), 5).tolist(), np.repeat(np.arange(5), 6)
    own, launch = 0.35, 0.25
    target = np.log(
        (1.0 + truth(np.hypot(np.hypot(BETWEEN, own), launch), SHIFT))
        / (1.0 + truth(np.hypot(BETWEEN, launch), 0.0))
    )
    inside = by_prompt = 0
    for _ in range(1_500):
        shared = MEAN + rng.normal(0.0, BETWEEN, 6)
        arms, totals = [], []
        for logits in (shared + SHIFT + rng.normal(0.0, own, 6), shared):
            accepted, steps, _ = chains(
                rng, logits[prompts] + rng.normal(0.0, launch, 5)[runs]
            )
            tokens = accepted + steps
            arms.append(
                Crossed(part=tokens, whole=steps, run=runs.tolist(), prompt=prompts)
            )
            totals += [part.reshape(5, 6).sum(axis=0) for part in (tokens, steps)]
        both = crossed_difference(*arms, scale="log")
        alone = paired_length_difference(*totals)
        assert both is not None
        assert alone is not None
        low, high = both.interval()
        inside += low <= target <= high
        low, high = alone.interval()
        by_prompt += low <= target <= high
    assert 0.925 < inside / 1_500 < 0.99
    assert by_prompt / 1_500 < 0.91
