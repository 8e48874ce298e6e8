"""Estimates from run means alone: what is left when a model of requests fails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_values, group_codes
from specstats.stats._linear import indicators, least_squares
from specstats.stats.blocks import paired_blocks
from specstats.stats.intervals import mean_t
from specstats.stats.welch import welch

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from specstats.stats.contrast import Contrast


def from_run_means(
    values: ArrayLike,
    /,
    *,
    run: Iterable[Hashable],
    is_candidate: ArrayLike | None = None,
    block: Iterable[Hashable] | None = None,
    prompt: Iterable[Hashable] | None = None,
) -> Contrast:
    """Mean, or difference of two arms, with one number a run.

    Parameters
    ----------
    values : array_like, shape (n,)
        All (log) values.
    run : iterable of hashable
        Run of each value.
    is_candidate : array_like of bool, optional
        Arm of each value; without it, the mean of one arm.
    block, prompt : iterable of hashable, optional
        Block and prompt of each value.

    Returns
    -------
    Contrast
        `method` names what was done: Welch on run means, or a paired t on block
        means where both arms are in two blocks or more.

    Raises
    ------
    ValueError
        Too few runs, or an arm without runs.
    ZeroSpreadError
        The run means do not differ.

    Notes
    -----
    Estimand: the mean over launches, equal weights for runs. Unit: the run, or the
    block. With prompts, run means are the run effects of the least-squares fit
    value = run + prompt, so that a run that misses a prompt is not favoured.
    """
    data = as_values(values, minimum=2)
    codes, names = group_codes(run, size=data.size)
    means = _run_effects(data, codes, len(names), prompt)
    adjusted = "" if prompt is None else ", prompts adjusted"
    if is_candidate is None:
        owner = _of_runs(codes, block, len(names))
        if owner is not None and np.ptp(owner) > 0:
            blocks = np.bincount(owner, means) / np.bincount(owner)
            return replace(mean_t(blocks), method=f"t on block means{adjusted}")
        return replace(mean_t(means), method=f"t on run means{adjusted}")
    flags = np.zeros(len(names), dtype=np.bool_)
    flags[codes] = np.asarray(is_candidate, dtype=np.bool_)
    owner = _of_runs(codes, block, len(names))
    if owner is not None:
        both = np.intersect1d(owner[flags], owner[~flags])
        if both.size > 1:
            sides = [
                np.array([means[(owner == b) & side].mean() for b in both])
                for side in (flags, ~flags)
            ]
            found = paired_blocks(*sides)
            return replace(found, method=f"paired t on block means{adjusted}")
    found = welch(means[flags], means[~flags])
    return replace(found, method=f"Welch t on run means{adjusted}")


def _of_runs(
    codes: NDArray[np.intp], labels: Iterable[Hashable] | None, count: int
) -> NDArray[np.intp] | None:
    if labels is None:
        return None
    found = np.zeros(count, np.intp)
    found[codes] = group_codes(labels, size=codes.size)[0]
    return found


def _run_effects(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    count: int,
    prompt: Iterable[Hashable] | None,
) -> NDArray[np.float64]:
    if prompt is None:
        return np.bincount(codes, values) / np.bincount(codes)
    prompts, names = group_codes(prompt, size=values.size)
    if len(names) == 1:
        return np.bincount(codes, values) / np.bincount(codes)
    columns = indicators(prompts, len(names))
    # Prompts count as deviations from their average: effects keep the level.
    design = np.hstack([indicators(codes, count), columns[:, 1:] - columns[:, :1]])
    fit = least_squares(design, values)
    if fit is None:
        msg = "runs and prompts cannot be told apart"
        raise ValueError(msg)
    return fit.coefficients[:count]
