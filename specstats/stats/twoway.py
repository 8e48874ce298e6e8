"""Effects for prompts like these: runs (or blocks) crossed with prompts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_table
from specstats.stats.contrast import Contrast
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def prompts_unblocked(candidate: ArrayLike, baseline: ArrayLike, /) -> Contrast:
    """Effect for prompts like these, independent runs of two arms.

    Parameters
    ----------
    candidate, baseline : array_like, shape (n1, P), (n0, P)
        Log value of each run (row) on each prompt (column), the same prompts in
        both arms and no empty cell; two runs per arm and two prompts or more.

    Returns
    -------
    Contrast
        Mean log ratio with its two-way standard error.

    Raises
    ------
    ZeroSpreadError
        Neither runs nor prompts show any spread of the effect.

    Notes
    -----
    Estimand: the mean log ratio over launches and over prompts like these. Units:
    runs and prompts, crossed. V = V_run + V_prompt - V_rp, not below the larger of
    the first two; V_run as Welch on run means, V_prompt from the prompt log ratios,
    V_rp from the run x prompt residuals, which both contain. Satterthwaite df,
    capped at n1 + n0 + P - 3. Source: two-way clustering, Cameron, Gelbach and
    Miller (2011). Prompts must stand for the workload; ask for five or more.
    """
    first = as_table(candidate, rows=2, columns=2)
    second = as_table(baseline, rows=2, columns=2)
    if first.shape[1] != second.shape[1]:
        msg = f"expected the same prompts, got {first.shape} and {second.shape}"
        raise ValueError(msg)
    _refuse_flat(first, second)
    estimate, variance, df = _unblocked_arrays(first, second)
    return Contrast(
        estimate=float(estimate),
        std_error=math.sqrt(float(variance)),
        df=float(df),
        method="two-way, runs and prompts",
    )


def prompts_blocked(log_ratios: ArrayLike, /) -> Contrast:
    """Effect for prompts like these in future sessions, arms paired in blocks.

    Parameters
    ----------
    log_ratios : array_like, shape (B, P)
        Log ratio candidate over baseline of each block (row) on each prompt
        (column), no empty cell; two blocks and two prompts or more.

    Returns
    -------
    Contrast
        Mean log ratio with its two-way standard error.

    Raises
    ------
    ZeroSpreadError
        All log ratios are equal.

    Notes
    -----
    Estimand: the mean log ratio over sessions and over prompts like these. Units:
    blocks and prompts, crossed. V = S_b^2 / B + S_p^2 / P - MS_res / (B P), not below
    the larger of the first two, where S_b and S_p are the SDs of the block and prompt
    means; df = V^2 / [(S_b^2 / B)^2 / (B - 1) + (S_p^2 / P)^2 / (P - 1)].
    """
    table = as_table(log_ratios, rows=2, columns=2)
    _refuse_flat(table)
    estimate, variance, df = _blocked_arrays(table)
    return Contrast(
        estimate=float(estimate),
        std_error=math.sqrt(float(variance)),
        df=float(df),
        method="two-way, blocks and prompts",
    )


def _refuse_flat(*tables: NDArray[np.float64]) -> None:
    """Refuse tables without spread of run means and of prompt ratios."""
    scale = ROUNDING * max(float(np.abs(table).max()) for table in tables)
    by_run = [np.ptp(table.mean(axis=1)) for table in tables]
    by_prompt = tables[0].mean(axis=0)
    if len(tables) > 1:
        by_prompt = by_prompt - tables[1].mean(axis=0)
    if max(*by_run, np.ptp(by_prompt)) <= scale:
        msg = "neither runs nor prompts show any spread"
        raise ZeroSpreadError(msg)


def _unblocked_arrays(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate, variance and df over the last two axes (runs, prompts)."""
    n_1, prompts = first.shape[-2:]
    n_0 = second.shape[-2]
    ratios = first.mean(axis=-2) - second.mean(axis=-2)
    part_1 = first.mean(axis=-1).var(axis=-1, ddof=1) / n_1
    part_0 = second.mean(axis=-1).var(axis=-1, ddof=1) / n_0
    part_p = ratios.var(axis=-1, ddof=1) / prompts
    shared = _residual_square(first) / n_1 + _residual_square(second) / n_0
    variance = _floored(part_1 + part_0, part_p, shared / prompts)
    df = _crossed_df(
        variance, (part_1, n_1 - 1), (part_0, n_0 - 1), (part_p, prompts - 1)
    )
    return ratios.mean(axis=-1), variance, np.minimum(df, n_1 + n_0 + prompts - 3.0)


def _blocked_arrays(
    table: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate, variance and df over the last two axes (blocks, prompts)."""
    blocks, prompts = table.shape[-2:]
    part_b = table.mean(axis=-1).var(axis=-1, ddof=1) / blocks
    part_p = table.mean(axis=-2).var(axis=-1, ddof=1) / prompts
    shared = _residual_square(table) / (blocks * prompts)
    variance = _floored(part_b, part_p, shared)
    df = _crossed_df(variance, (part_b, blocks - 1), (part_p, prompts - 1))
    return table.mean(axis=(-2, -1)), variance, df


def _floored(
    rows: NDArray[np.float64], columns: NDArray[np.float64], shared: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.maximum(rows + columns - shared, np.maximum(rows, columns))


def _crossed_df(
    variance: NDArray[np.float64], *parts: tuple[NDArray[np.float64], int]
) -> NDArray[np.float64]:
    """Satterthwaite df of a variance that is less than the sum of its parts."""
    total = np.asarray(sum(part for part, _ in parts), dtype=np.float64)
    safe = np.where(total > 0.0, total, 1.0)
    return np.asarray(welch_df(*parts) * (variance / safe) ** 2)


def _residual_square(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean square of the row x column residuals over the last two axes."""
    rows, columns = table.shape[-2:]
    residual = (
        table
        - table.mean(axis=-1, keepdims=True)
        - table.mean(axis=-2, keepdims=True)
        + table.mean(axis=(-2, -1), keepdims=True)
    )
    squares = (residual**2).sum(axis=(-2, -1))
    return np.asarray(squares / ((rows - 1) * (columns - 1)))
