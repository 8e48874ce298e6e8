"""Coverage for prompts like these: two-way variance against either way alone."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.stats._arrays import mean_and_variance
from specstats.stats.twoway import _blocked_arrays, _unblocked_arrays
from specstats.stats.welch import _welch_arrays

pytestmark = pytest.mark.sim

Array = NDArray[np.float64]
DATASETS = 20_000
CELL = 0.025


def covers(estimate: Array, variance: Array, df: Array | float) -> float:
    half_width = special.stdtrit(df, 0.975) * np.sqrt(variance)
    return float((np.abs(estimate) <= half_width).mean())


@pytest.mark.parametrize(
    ("sizes", "sds", "run_only", "prompt_only", "two_way"),
    [
        ((5, 10), (0.03, 0.10), 0.760, 0.916, 0.950),
        ((5, 10), (0.10, 0.03), 0.955, 0.292, 0.956),
        ((5, 10), (0.05, 0.05), 0.939, 0.691, 0.955),
        ((10, 5), (0.03, 0.10), 0.485, None, 0.945),
    ],
)
def test_independent_runs(  # noqa: PLR0917 - one column of the table each
    rng: np.random.Generator,
    sizes: tuple[int, int],
    sds: tuple[float, float],
    run_only: float,
    prompt_only: float | None,
    two_way: float,
) -> None:
    (runs, prompts), (sd_run, sd_prompt) = sizes, sds
    first, second = (
        rng.normal(0.0, sd_run, (DATASETS, runs, 1))
        + rng.normal(0.0, CELL, (DATASETS, runs, prompts))
        for _ in range(2)
    )
    first = first + rng.normal(0.0, sd_prompt, (DATASETS, 1, prompts))
    both = covers(*_unblocked_arrays(first, second))
    assert both == pytest.approx(two_way, abs=0.012)
    assert both > 0.935
    by_run = covers(*_welch_arrays(first.mean(axis=-1), second.mean(axis=-1)))
    assert by_run == pytest.approx(run_only, abs=0.025)
    mean, variance = mean_and_variance(first.mean(axis=-2) - second.mean(axis=-2))
    by_prompt = covers(mean, variance / prompts, prompts - 1.0)
    if prompt_only is not None:
        assert by_prompt == pytest.approx(prompt_only, abs=0.025)


@pytest.mark.parametrize(
    ("blocks", "prompts", "sd_block", "sd_prompt"),
    [(5, 10, 0.03, 0.10), (5, 10, 0.10, 0.03), (3, 8, 0.05, 0.05), (4, 5, 0.02, 0.0)],
)
def test_blocks(
    rng: np.random.Generator,
    blocks: int,
    prompts: int,
    sd_block: float,
    sd_prompt: float,
) -> None:
    table = (
        rng.normal(0.0, sd_block, (DATASETS, blocks, 1))
        + rng.normal(0.0, sd_prompt, (DATASETS, 1, prompts))
        + rng.normal(0.0, CELL, (DATASETS, blocks, prompts))
    )
    assert 0.94 < covers(*_blocked_arrays(table)) < 0.985


def test_cells_as_units_do_not_cover(rng: np.random.Generator) -> None:
    table = (
        rng.normal(0.0, 0.05, (DATASETS, 5, 1))
        + rng.normal(0.0, 0.05, (DATASETS, 1, 10))
        + rng.normal(0.0, CELL, (DATASETS, 5, 10))
    )
    mean, variance = mean_and_variance(table.reshape(DATASETS, -1))
    assert covers(mean, variance / 50, 49.0) < 0.7
