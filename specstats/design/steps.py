"""Decode steps of each request: counted, recovered, or one a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.bench import Bench

__all__ = ["decode_steps", "drafting_runs"]


def drafting_runs(bench: Bench, run: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which runs drafted, or counted verify steps.

    Parameters
    ----------
    bench : Bench
        The data.
    run : ndarray of int, shape (requests,)
        Codes of runs.

    Returns
    -------
    ndarray of bool, shape (runs,)
        True where some request of the run did.
    """
    size = int(run.max()) + 1 if run.size else 0
    drafts = np.nan_to_num(bench.numbers("n_draft")) > 0
    steps = np.isfinite(bench.numbers("n_steps"))
    return np.bincount(run[drafts | steps], minlength=size) > 0


def decode_steps(bench: Bench, run: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the decode steps of each request after its first token.

    Parameters
    ----------
    bench : Bench
        The data.
    run : ndarray of int, shape (requests,)
        Codes of runs.

    Returns
    -------
    ndarray of float, shape (requests,)
        As counted by the engine; else output tokens - 1 - accepted where tokens were
        drafted; else, where some other run of the bench drafts and this one does
        not, output tokens - 1. NaN where none of these is known.
    """
    tokens = bench.numbers("n_output") - 1.0
    accepted, drafted = bench.numbers("n_accepted"), bench.numbers("n_draft")
    counted = bench.numbers("n_steps")
    drafting = drafting_runs(bench, run)
    with np.errstate(invalid="ignore"):
        recovered = np.where(drafted >= 0, tokens - accepted, np.nan)
    plain = np.where(drafting.any() & ~drafting[run], tokens, np.nan)
    found = np.where(np.isfinite(counted), counted, recovered)
    found = np.where(np.isfinite(found), found, plain)
    with np.errstate(invalid="ignore"):
        return np.where((found > 0) & (tokens >= found), found, np.nan)
