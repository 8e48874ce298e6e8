"""The contrasts of a comparison: one for each scope that the design allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.analysis._mixed_effect import mixed_effect_of
from specstats.analysis.methods import Method, Units, effect_of, method_named
from specstats.defaults import DEFAULTS
from specstats.errors import DesignError
from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.blocks import paired_blocks, these_blocks
from specstats.stats.intervals import borrowed, welch, wider
from specstats.stats.twoway import prompts_blocked, prompts_unblocked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.analysis.options import Options
    from specstats.design import RunMatrix
    from specstats.stats.contrast import Contrast
    from specstats.stats.effects import Effect

__all__ = ["Scope", "ScopeName", "block_means", "common_blocks", "scopes"]

ScopeName = Literal["runs", "future sessions", "these sessions", "prompts like these"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One way to generalise a comparison.

    Attributes
    ----------
    name : str
        What the interval speaks of.
    contrast : Effect or None
        The log ratio; None when it cannot be estimated.
    replicate : {"run", "block"}
        Unit of replication.
    n_units : int
        Units of the smaller arm, or blocks.
    must_agree : Contrast or None
        Another fit that has to give the same verdict.
    no_spread : bool
        Whether the units do not vary at all.
    borrowed : bool
        Whether the spread comes from other launches.
    least : int
        Units below which the method gives no verdict.
    """

    name: ScopeName
    contrast: Effect | None
    replicate: Literal["run", "block"]
    n_units: int
    must_agree: Contrast | None = None
    no_spread: bool = False
    borrowed: bool = False
    least: int = 0


def common_blocks(matrix: RunMatrix, candidate: str) -> list[str] | None:
    """Return the blocks in which both arms ran; None when no blocks are declared.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms.
    candidate : str
        The candidate arm.
    """
    if any(run.block is None for run in matrix.runs):
        return None
    flags = matrix.of_arm(candidate)
    seen: list[list[str]] = [[], []]
    for run, flag in zip(matrix.runs, flags.tolist(), strict=True):
        seen[flag].append(str(run.block))
    return [block for block in dict.fromkeys(seen[0]) if block in set(seen[1])]


def scopes(
    matrix: RunMatrix,
    values: NDArray[np.float64],
    candidate: str,
    options: Options,
    *,
    seed: int = 0,
) -> Iterator[Scope]:
    """Yield the scopes of a comparison, the headline first.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms.
    values : ndarray, shape (runs,)
        Log run values, signed so that more is better.
    candidate : str
        The arm compared with the other.
    options : Options
        What is asked.
    seed : int
        For resamples that are drawn.

    Yields
    ------
    Scope
        ``future sessions`` and ``these sessions`` with blocks, ``runs`` without;
        ``prompts like these`` with enough prompts.
    """
    flags = matrix.of_arm(candidate)
    blocks = common_blocks(matrix, candidate)
    method = method_named(options.method)
    if method is not None:
        yield _by_method(matrix, values, flags, blocks, method=method, seed=seed)
        return
    if blocks is None:
        yield _runs(values, flags, options)
        found = _prompts_of_runs(matrix, flags)
    else:
        means = block_means(matrix, values[:, np.newaxis], flags, blocks)
        yield _future(means[:, 0], len(blocks))
        here = _here(matrix, values, flags, blocks)
        if here is not None:
            yield here
        found = _prompts_of_blocks(matrix, flags, blocks)
    if found is not None:
        yield found


def _by_method(
    matrix: RunMatrix,
    values: NDArray[np.float64],
    flags: NDArray[np.bool_],
    blocks: list[str] | None,
    *,
    method: Method,
    seed: int,
) -> Scope:
    """Return the headline by a method that was asked for."""
    if blocks is None:
        candidate, baseline = values[flags], values[~flags]
        n_units = min(candidate.size, baseline.size)
    else:
        differences = block_means(matrix, values[:, np.newaxis], flags, blocks)[:, 0]
        candidate, baseline, n_units = differences, None, len(blocks)
    units = Units(
        candidate=candidate,
        baseline=baseline,
        lower_is_better=matrix.is_negated,
        seed=seed,
        mixed=lambda: mixed_effect_of(matrix, flags, blocks),
    )
    contrast, no_spread = None, False
    if n_units >= method.computable:
        try:
            contrast = effect_of(method, units)
        except DesignError:
            raise
        except ValueError as error:
            no_spread = isinstance(error, ZeroSpreadError)
    return Scope(
        name="runs" if blocks is None else "future sessions",
        contrast=contrast,
        replicate="run" if blocks is None else "block",
        n_units=n_units,
        no_spread=no_spread,
        least=method.least_of(blocked=blocks is not None),
    )


def _runs(
    values: NDArray[np.float64], flags: NDArray[np.bool_], options: Options
) -> Scope:
    first, second = values[flags], values[~flags]
    sizes = sorted((first.size, second.size))
    reference = options.reference_spread
    if reference is not None and sizes[0] >= 1:
        contrast = borrowed(
            float(first.mean()),
            float(second.mean()),
            sd=reference.sd,
            df=reference.df,
            n_candidate=first.size,
            n_baseline=second.size,
        )
        return Scope(
            name="runs",
            contrast=contrast,
            replicate="run",
            n_units=sizes[0],
            borrowed=True,
        )
    if sizes[0] < 2:  # noqa: PLR2004 - a spread needs two runs
        return Scope(name="runs", contrast=None, replicate="run", n_units=sizes[0])
    unequal = sizes[1] > DEFAULTS.unequal_replication * sizes[0]
    try:
        contrast = (
            wider(first, second, confidence_level=options.confidence_level)
            if unequal
            else welch(first, second)
        )
    except ZeroSpreadError:
        return Scope(
            name="runs",
            contrast=None,
            replicate="run",
            n_units=sizes[0],
            no_spread=True,
        )
    return Scope(name="runs", contrast=contrast, replicate="run", n_units=sizes[0])


def block_means(
    matrix: RunMatrix,
    table: NDArray[np.float64],
    flags: NDArray[np.bool_],
    blocks: list[str],
) -> NDArray[np.float64]:
    """Return candidate minus baseline block means, one row a block.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms.
    table : ndarray, shape (runs, columns)
        Values of the runs.
    flags : ndarray of bool
        Runs of the candidate.
    blocks : list of str
        Blocks in which both arms ran.

    Returns
    -------
    ndarray, shape (blocks, columns)
        Differences of the means of the runs of an arm inside a block.
    """
    names = np.array([str(run.block) for run in matrix.runs], dtype=object)
    rows = [
        table[flags & (names == block)].mean(axis=0)
        - table[~flags & (names == block)].mean(axis=0)
        for block in blocks
    ]
    return np.array(rows).reshape(len(blocks), table.shape[1])


def _future(differences: NDArray[np.float64], blocks: int) -> Scope:
    contrast, no_spread = None, False
    if blocks > 1:
        try:
            contrast = paired_blocks(differences, np.zeros_like(differences))
        except ZeroSpreadError:
            no_spread = True
    return Scope(
        name="future sessions",
        contrast=contrast,
        replicate="block",
        n_units=blocks,
        no_spread=no_spread,
    )


def _here(
    matrix: RunMatrix,
    values: NDArray[np.float64],
    flags: NDArray[np.bool_],
    blocks: list[str],
) -> Scope | None:
    names = [str(run.block) for run in matrix.runs]
    used = np.array([name in blocks for name in names], dtype=bool)
    if not blocks:
        return None
    kept = [name for name in names if name in blocks]
    try:
        found = these_blocks(values[used], flags[used], kept)
    except ZeroSpreadError:
        return None
    if found is None:
        return None
    tested = found.interaction_p
    if tested is not None and tested <= DEFAULTS.interaction_p:
        return None
    sizes = (int(flags[used].sum()), int((~flags[used]).sum()))
    return Scope(
        name="these sessions",
        contrast=found.contrast,
        replicate="run",
        n_units=min(sizes),
        must_agree=found.additive,
    )


def _prompts_of_runs(matrix: RunMatrix, flags: NDArray[np.bool_]) -> Scope | None:
    table = matrix.crossed()
    sizes = (int(flags.sum()), int((~flags).sum()))
    if table.shape[1] < DEFAULTS.min_prompts or min(sizes) < 2:  # noqa: PLR2004
        return None
    try:
        contrast = prompts_unblocked(table[flags], table[~flags])
    except ZeroSpreadError:
        return None
    return Scope(
        name="prompts like these",
        contrast=contrast,
        replicate="run",
        n_units=min(sizes),
    )


def _prompts_of_blocks(
    matrix: RunMatrix, flags: NDArray[np.bool_], blocks: list[str]
) -> Scope | None:
    table = matrix.crossed()
    if table.shape[1] < DEFAULTS.min_prompts or len(blocks) < 2:  # noqa: PLR2004
        return None
    try:
        contrast = prompts_blocked(block_means(matrix, table, flags, blocks))
    except ZeroSpreadError:
        return None
    return Scope(
        name="prompts like these",
        contrast=contrast,
        replicate="block",
        n_units=len(blocks),
    )
