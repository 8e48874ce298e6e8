"""Coverage in blocks: paired t, these sessions, order and drift."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats._arrays import mean_and_variance
from specstats.stats.blocks import TheseBlocks, these_blocks
from specstats.stats.intervals import aa_log_factor, sd_interval
from specstats.stats.order import order_adjusted
from specstats.stats.variance import between_block_sd
from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 20_000
FITS = 3_000


def paired(first: Array, second: Array) -> tuple[Array, Array]:
    """Estimate and half-width of the paired t over the last axis."""
    mean, variance = mean_and_variance(first - second)
    blocks = first.shape[-1]
    return mean, special.stdtrit(blocks - 1, 0.975) * np.sqrt(variance / blocks)


@pytest.mark.parametrize(
    ("blocks", "width", "welch_width"),
    [(3, 0.117, 0.308), (5, 0.065, 0.210), (10, 0.039, 0.141)],
)
def test_pairing_covers_and_narrows(
    rng: np.random.Generator, blocks: int, width: float, welch_width: float
) -> None:
    session = rng.normal(0.0, 0.15, (DATASETS, blocks))
    first, second = (
        session + rng.normal(0.0, 0.04, (DATASETS, blocks)) for _ in range(2)
    )
    estimate, half_width = paired(first, second)
    assert (np.abs(estimate) <= half_width).mean() == pytest.approx(0.95, abs=0.007)
    assert np.median(half_width) == pytest.approx(width, rel=0.03)
    _, variance, df = _welch_arrays(first, second)
    unpaired = special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert np.median(unpaired) == pytest.approx(welch_width, rel=0.15)


@pytest.mark.parametrize(("interaction", "additive"), [(0.04, 0.84), (0.08, 0.68)])
def test_gains_that_differ_by_session(
    rng: np.random.Generator, interaction: float, additive: float
) -> None:
    # Two sessions, three runs of an arm in each; run SD .04.
    gain = rng.normal(0.0, interaction, (DATASETS, 2, 1))
    first, second = (rng.normal(0.0, 0.04, (DATASETS, 2, 3)) for _ in range(2))
    first = first + gain
    estimate, half_width = paired(first.mean(axis=-1), second.mean(axis=-1))
    future = (np.abs(estimate) <= half_width).mean()
    assert future == pytest.approx(0.95, abs=0.007)
    # The additive fit pools runs and interaction: balanced, so in closed form.
    additive_square = _additive_square(first, second)
    half_width = special.stdtrit(12 - 3, 0.975) * np.sqrt(additive_square / 3)
    sold = (np.abs(estimate) <= half_width).mean()
    assert sold == pytest.approx(additive, abs=0.015)


def _additive_square(first: Array, second: Array) -> Array:
    """Residual mean square of arm + block over (blocks, runs)."""
    both = np.concatenate([first, second], axis=-1)
    arm = (first.mean(axis=(-2, -1)) - second.mean(axis=(-2, -1)))[..., None, None] / 2
    signs = np.r_[np.ones(first.shape[-1]), -np.ones(second.shape[-1])]
    residual = both - both.mean(axis=-1, keepdims=True) - arm * signs
    blocks, runs = both.shape[-2:]
    squares = (residual**2).sum(axis=(-2, -1))
    return np.asarray(squares / (blocks * runs - blocks - 1))


def test_these_sessions_covers_their_own_mean_effect(
    rng: np.random.Generator,
) -> None:
    block = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    flags = np.array([1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0], dtype=bool)
    weights = np.array([3 * 2 / 5, 3 * 3 / 6])
    hits = 0
    for _ in range(FITS):
        gain = rng.normal(0.5, 0.03, 2)
        values = rng.normal(0.0, 0.1, 2)[block] + gain[block] * flags
        values = values + rng.normal(0.0, np.where(flags, 0.027, 0.010))
        found = these_blocks(values, flags, block.tolist())
        assert isinstance(found, TheseBlocks)
        low, high = found.contrast.interval()
        hits += low <= float(weights @ gain) / float(weights.sum()) <= high
    assert hits / FITS == pytest.approx(0.95, abs=0.018)


@pytest.mark.parametrize(("runs", "least"), [(3, 0.35), (4, 0.65), (5, 0.80)])
def test_one_arm_after_the_other_under_drift(
    rng: np.random.Generator, runs: int, least: float
) -> None:
    # 10 % from the first launch to the last, run SD .02, no effect.
    drift = np.linspace(0.0, np.log(0.9), 2 * runs)
    values = drift + rng.normal(0.0, 0.02, (DATASETS, 2 * runs))
    estimate, variance, df = _welch_arrays(values[:, runs:], values[:, :runs])
    errs = np.abs(estimate) > special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert errs.mean() > least


@pytest.mark.parametrize(
    ("blocks", "fixed", "reversing"), [(5, 0.105, 0.041), (10, 0.084, 0.044)]
)
def test_reversed_pairs_cancel_drift(
    rng: np.random.Generator, blocks: int, fixed: float, reversing: float
) -> None:
    drift = np.linspace(0.0, np.log(0.9), 2 * blocks)
    values = drift + rng.normal(0.0, 0.02, (DATASETS, 2 * blocks))
    pairs = values.reshape(DATASETS, blocks, 2)
    estimate, half_width = paired(pairs[..., 0], pairs[..., 1])
    same_order = (np.abs(estimate) > half_width).mean()
    assert same_order == pytest.approx(fixed, abs=0.015)
    assert same_order > 0.07
    pairs[:, 1::2] = pairs[:, 1::2, ::-1]
    estimate, half_width = paired(pairs[..., 0], pairs[..., 1])
    reversed_order = (np.abs(estimate) > half_width).mean()
    assert reversed_order == pytest.approx(reversing, abs=0.01)
    assert reversed_order < 0.055


def test_order_adjustment_covers_under_drift(rng: np.random.Generator) -> None:
    drift = np.linspace(0.0, np.log(0.9), 12)
    hits = 0
    for _ in range(FITS):
        flags = rng.permutation(np.arange(12) < 6)
        values = drift + rng.normal(0.0, 0.02, 12) + 0.1 * flags
        found = order_adjusted(values, flags, np.arange(12))
        if found is not None:
            low, high = found.interval()
            hits += low <= 0.1 <= high
    assert hits / FITS == pytest.approx(0.95, abs=0.018)


@pytest.mark.parametrize(
    ("block", "least", "most"),
    [((0, 0, 1, 1, 1), 0.90, 0.87), ((0, 0, 1, 1, 2, 2), 0.92, 0.91)],
)
def test_band_between_sessions(
    rng: np.random.Generator, block: tuple[int, ...], least: float, most: float
) -> None:
    # Session SD .05, run SD .02: a band that ignores sessions covers too little.
    hits = plain = 0
    for _ in range(FITS):
        session = rng.normal(0.0, 0.05, max(block) + 1)[list(block)]
        values = session + rng.normal(0.0, 0.02, len(block))
        gap = abs(rng.normal(0.0, np.sqrt(2.0) * np.hypot(0.05, 0.02)))
        spread = between_block_sd(values, block)
        hits += gap <= aa_log_factor(spread.total_sd, spread.total_df)
        ignoring = sd_interval(values)
        plain += gap <= aa_log_factor(ignoring.sd, ignoring.df)
    assert hits / FITS > least
    assert plain / FITS < most
