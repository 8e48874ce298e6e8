"""The place of each request in its run, and of each repeat of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.bench import Bench

__all__ = ["positions", "repetitions"]


def positions(bench: Bench, run: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each request in its run, by time, else as read.

    Parameters
    ----------
    bench : Bench
        The data.
    run : ndarray of int, shape (requests,)
        Codes of runs.

    Returns
    -------
    ndarray of int, shape (requests,)
        From 0 in each run; by time where every request of the run has one.
    """
    started, ended = bench.numbers("started_s"), bench.numbers("ended_s")
    moment = np.where(np.isfinite(started), started, ended)
    untimed = np.bincount(run[~np.isfinite(moment)], minlength=_size(run)) > 0
    if untimed[run].all():
        return _turns(run, np.argsort(run, kind="stable"))
    moment = np.where(untimed[run], 0.0, moment)
    return _turns(run, np.lexsort((moment, run)))


def repetitions(
    bench: Bench,
    run: NDArray[np.intp],
    prompt: NDArray[np.intp],
    position: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the declared repeat, else the number of the prompt's turn in the run.

    Parameters
    ----------
    bench : Bench
        The data.
    run, prompt, position : ndarray of int, shape (requests,)
        Codes of runs and prompts, and places in the run.

    Returns
    -------
    ndarray of int, shape (requests,)
        Numbers of repeats; turns from 0.
    """
    told = bench.levels("repetition")
    declared = [isinstance(value, int) for value in told.values]
    numbers = [value if isinstance(value, int) else 0 for value in told.values]
    stated = np.array(declared, dtype=bool)[told.codes]
    if stated.all():
        return np.array(numbers, dtype=np.intp)[told.codes]
    cell = run * _size(prompt) + prompt
    turn = _turns(cell, np.lexsort((position, cell)))
    return np.where(stated, np.array(numbers, dtype=np.intp)[told.codes], turn)


def _size(codes: NDArray[np.intp]) -> int:
    return int(codes.max()) + 1 if codes.size else 0


def _turns(group: NDArray[np.intp], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the turn of each row in its group; `order` has the groups together."""
    ordered = group[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])[: ordered.size]
    sizes = np.diff(np.r_[first, ordered.size])
    turns = np.empty(group.size, dtype=np.intp)
    turns[order] = np.arange(group.size) - np.repeat(first, sizes)
    return turns
