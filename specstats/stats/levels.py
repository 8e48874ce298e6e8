"""Nested levels after Kalibera and Jones: variances and how often to repeat each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class KaliberaJones:
    """Mean and variances of a balanced nested experiment, innermost level first.

    Attributes
    ----------
    mean : float
        Grand mean.
    biased : tuple of float
        S_i^2, variance of the level-i cell means averaged over outer cells.
    unbiased : tuple of float
        T_i^2, variance that level i adds; may be negative.
    counts : tuple of int or None
        Repetitions of each level but the outermost that give the most precision
        for the cost; None where a level above adds no variance, so that repeating
        below it is not bounded. Empty when no costs were given.
    """

    mean: float
    biased: tuple[float, ...]
    unbiased: tuple[float, ...]
    counts: tuple[int | None, ...]


def kalibera_jones(
    values: ArrayLike, /, *, costs: Sequence[float] = ()
) -> KaliberaJones:
    """Variance of each nested level, and the counts worth running.

    Parameters
    ----------
    values : array_like, shape (r_N, ..., r_1)
        Outermost level (launches) first, innermost (requests) last; at least two
        of each.
    costs : sequence of float
        Cost of one more repetition of each level, in the order of the axes
        (outermost first).

    Returns
    -------
    KaliberaJones
        Variances of each level and, with costs, the counts.

    Notes
    -----
    T_1^2 = S_1^2 and T_i^2 = S_i^2 - S_(i-1)^2 / r_(i-1); the first printing of the
    2013 paper had T in place of S on the right. r_i = ceil(sqrt(c_(i+1) / c_i *
    T_i^2 / T_(i+1)^2)). Only the outermost level supplies degrees of freedom for the
    mean. Source: Kalibera and Jones (2012, 2013) and the libkalibera tests.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim < 1 or min(data.shape) < 2:  # noqa: PLR2004 - variance needs two
        msg = f"expected two repetitions or more at each level, got {data.shape}"
        raise ValueError(msg)
    if not np.isfinite(data).all():
        msg = "expected finite values only"
        raise ValueError(msg)
    biased: list[float] = []
    unbiased: list[float] = []
    cells = data
    inner_share = 0.0
    while cells.ndim:
        biased.append(float(cells.var(axis=-1, ddof=1).mean()))
        unbiased.append(biased[-1] - inner_share)
        inner_share = biased[-1] / cells.shape[-1]
        cells = cells.mean(axis=-1)
    return KaliberaJones(
        mean=float(cells),
        biased=tuple(biased),
        unbiased=tuple(unbiased),
        counts=_counts(unbiased, tuple(reversed(costs))),
    )


def _counts(
    unbiased: Sequence[float], costs: Sequence[float]
) -> tuple[int | None, ...]:
    """Optimal repetitions from variances and costs, both innermost first."""
    if not costs:
        return ()
    if len(costs) != len(unbiased) or min(costs) <= 0.0:
        msg = f"expected {len(unbiased)} costs above zero, got {tuple(costs)}"
        raise ValueError(msg)
    counts: list[int | None] = []
    for level in range(len(unbiased) - 1):
        inner, outer = unbiased[level], unbiased[level + 1]
        if outer <= 0.0:
            counts.append(None)
        else:
            ratio = costs[level + 1] / costs[level] * max(0.0, inner) / outer
            counts.append(max(1, math.ceil(math.sqrt(ratio))))
    return tuple(counts)
