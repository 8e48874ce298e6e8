"""Runs and prompts with missing cells, reduced to two mean squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.stats.components import Components

if TYPE_CHECKING:
    from numpy.typing import NDArray


def additive_one_way(
    values: NDArray[np.float64],
    run: NDArray[np.intp],
    prompt: NDArray[np.intp],
    counts: NDArray[np.float64],
    /,
) -> Components | None:
    """Mean squares of runs and residuals of the fit value = run + prompt.

    Parameters
    ----------
    values : ndarray, shape (n,)
        The values.
    run, prompt : ndarray of int, shape (n,)
        Codes of each value.
    counts : ndarray, shape (runs, prompts)
        Values of each cell.

    Returns
    -------
    Components or None
        As of a one-way layout whose group size is the one that gives the run effects
        their average precision, so that its mean square is unbiased; None where
        runs and prompts are not connected, or nothing is left for the residual.

    Notes
    -----
    The analogue of Thomas and Hultquist (1978) with prompts adjusted for; exact when
    balanced.
    """
    n_runs, n_prompts = counts.shape
    within_df = values.size - n_runs - n_prompts + 1
    by_prompt = np.bincount(prompt, values) / counts.sum(axis=0)
    left = values - by_prompt[prompt]
    totals = np.bincount(run, left)
    precision = np.diag(counts.sum(axis=1))
    precision -= (counts / counts.sum(axis=0)) @ counts.T
    if within_df < 1 or np.linalg.matrix_rank(precision, hermitian=True) < n_runs - 1:
        return None
    inverse = np.linalg.pinv(precision, hermitian=True)
    effects = inverse @ totals
    size = (n_runs - 1) / float(np.trace(inverse))
    square = float(left @ left - totals @ effects) / within_df
    spread = size * float(effects.var(ddof=1))
    raw = (spread - square) / size
    between = max(0.0, raw)
    both = between + square
    return Components(
        between_var=between,
        within_var=square,
        between_df=n_runs - 1,
        within_df=within_df,
        icc=between / both if both > 0.0 else 0.0,
        n0=size,
        ms_between=spread,
        ms_within=square,
        truncated=raw < 0.0,
        size=size,
        ms_means=spread,
    )
