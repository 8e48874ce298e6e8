"""Two arms that meet in blocks (sessions, days)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import (
    ROUNDING,
    ZeroSpreadError,
    as_flags,
    as_values,
    group_codes,
    mean_and_variance,
)
from specstats.stats._linear import indicators, least_squares
from specstats.stats._quantiles import f_upper_tail
from specstats.stats.contrast import Contrast
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TheseBlocks:
    """The effect in the blocks that were run, not in sessions to come.

    Attributes
    ----------
    contrast : Contrast
        Weighted mean of the within-block differences; Satterthwaite df.
    interaction_p : float or None
        F test that the effect is the same in every block; None with one block.
    additive : Contrast
        Arm effect of the least-squares fit arm + block, for a check of agreement.
    blocks_used : tuple of hashable
        Labels of the blocks with both arms, in order of first appearance.
    sd_candidate, sd_baseline : float
        SD of one run within a block, per arm.
    df_candidate, df_baseline : int
        Degrees of freedom of these.
    """

    contrast: Contrast
    interaction_p: float | None
    additive: Contrast
    blocks_used: tuple[Hashable, ...]
    sd_candidate: float
    sd_baseline: float
    df_candidate: int
    df_baseline: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """Runs, means and pooled within-block spread of one arm, per block."""

    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    squares: float
    df: int

    @property
    def variance(self) -> float:
        return self.squares / self.df


def paired_blocks(
    candidate_block_means: ArrayLike, baseline_block_means: ArrayLike, /
) -> Contrast:
    """Paired t on the block differences: the effect in future sessions.

    Parameters
    ----------
    candidate_block_means, baseline_block_means : array_like, shape (B,)
        Mean log run value of each arm in each block, in the same order of blocks;
        runs of an arm within a block are averaged first. B >= 2.

    Returns
    -------
    Contrast
        Mean difference with B - 1 degrees of freedom.

    Raises
    ------
    ZeroSpreadError
        Every block shows the same difference.

    Notes
    -----
    Estimand: the mean log ratio over sessions like these. Unit: the block; the error
    term is arm x block, so the interval stays valid where the gain differs from
    session to session. Assumes independent blocks and near-normal differences.
    """
    first = as_values(candidate_block_means, minimum=2)
    second = as_values(baseline_block_means, minimum=2)
    if first.shape != second.shape:
        msg = f"expected matching blocks, got {first.size} and {second.size}"
        raise ValueError(msg)
    scale = float(max(np.abs(first).max(), np.abs(second).max()))
    mean, variance = mean_and_variance(first - second, scale=scale)
    if variance == 0.0:
        msg = "every block shows the same difference"
        raise ZeroSpreadError(msg)
    return Contrast(
        estimate=float(mean),
        std_error=math.sqrt(float(variance) / first.size),
        df=float(first.size - 1),
        method="paired t on block differences",
    )


def these_blocks(
    values: ArrayLike, is_candidate: ArrayLike, block: Iterable[Hashable]
) -> TheseBlocks | None:
    """Effect in the sessions that were run, with several runs of an arm in a block.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    is_candidate : array_like of bool, shape (n,)
        Arm of each run.
    block : iterable of hashable, length n
        Block label of each run; blocks without both arms are not used.

    Returns
    -------
    TheseBlocks or None
        None when no block has both arms, or when an arm has no block with two runs
        or no spread: its within-block spread is then unknown.

    Notes
    -----
    Estimand: the mean log ratio in exactly these sessions. Unit: the run within its
    block. theta = sum w_b (m1b - m0b) with w_b proportional to n1b n0b / (n1b + n0b);
    V_a = sum w_b^2 s_a^2 / n_ab, s_a pooled within blocks; df after Satterthwaite.
    It says nothing about other sessions: where the interaction p is .25 or less,
    report :func:`paired_blocks` instead.
    """
    data = as_values(values)
    flags = as_flags(is_candidate, size=data.size)
    codes, names = group_codes(block, size=data.size)
    runs = np.stack([np.bincount(codes[flags == arm], minlength=len(names))
                     for arm in (False, True)])  # fmt: skip
    kept = np.flatnonzero((runs > 0).all(axis=0))
    rows = np.isin(codes, kept)
    if kept.size == 0:
        return None
    codes = np.searchsorted(kept, codes[rows])
    return _these_blocks(
        data[rows], flags[rows], codes, tuple(names[index] for index in kept)
    )


def _these_blocks(
    data: NDArray[np.float64],
    flags: NDArray[np.bool_],
    codes: NDArray[np.intp],
    names: tuple[Hashable, ...],
) -> TheseBlocks | None:
    first = _cells(data[flags], codes[flags], len(names))
    second = _cells(data[~flags], codes[~flags], len(names))
    if first is None or second is None or first.squares + second.squares == 0.0:
        return None
    design = np.column_stack([flags.astype(np.float64), indicators(codes, len(names))])
    fit = least_squares(design, data)
    additive = None if fit is None else fit.contrast(0, method="arm + block fit")
    if fit is None or additive is None:
        return None
    return TheseBlocks(
        contrast=_weighted_difference(first, second),
        interaction_p=_interaction_p(fit.residual_sum, first, second),
        additive=additive,
        blocks_used=names,
        sd_candidate=math.sqrt(first.variance),
        sd_baseline=math.sqrt(second.variance),
        df_candidate=first.df,
        df_baseline=second.df,
    )


def _cells(
    data: NDArray[np.float64], codes: NDArray[np.intp], count: int
) -> _Cells | None:
    """Summarise one arm; None when no block has two of its runs."""
    sizes = np.bincount(codes, minlength=count)
    df = int(sizes.sum()) - count
    if df < 1:
        return None
    means = np.bincount(codes, weights=data, minlength=count) / sizes
    residuals = data - means[codes]
    noise = ROUNDING * float(np.abs(data).max())
    squares = float(residuals @ residuals)
    return _Cells(
        counts=sizes.astype(np.float64),
        means=means,
        squares=squares if np.abs(residuals).max() > noise else 0.0,
        df=df,
    )


def _weighted_difference(first: _Cells, second: _Cells) -> Contrast:
    weights = first.counts * second.counts / (first.counts + second.counts)
    weights = weights / weights.sum()
    part_1 = first.variance * float((weights**2 / first.counts).sum())
    part_0 = second.variance * float((weights**2 / second.counts).sum())
    return Contrast(
        estimate=float(weights @ (first.means - second.means)),
        std_error=math.sqrt(part_1 + part_0),
        df=float(welch_df((part_1, first.df), (part_0, second.df))),
        method="weighted within-block differences",
    )


def _interaction_p(additive_sum: float, first: _Cells, second: _Cells) -> float | None:
    """F test of arm x block against the spread of runs within cells."""
    blocks = first.counts.size
    within = first.squares + second.squares
    df = first.df + second.df
    if blocks < 2:  # noqa: PLR2004 - an interaction needs two blocks
        return None
    interaction = max(0.0, additive_sum - within) / (blocks - 1)
    return f_upper_tail(interaction / (within / df), blocks - 1, df)
