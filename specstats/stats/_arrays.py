"""Checked arrays, moments and group labels shared by the numerical modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

# Differences below this multiple of the largest operand are rounding of the
# floating-point arithmetic, not spread of the measurements.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


class ZeroSpreadError(ValueError):
    """The values show no spread, so no interval can be computed from them.

    A width of zero would claim certainty that rounded or repeated values cannot
    give. Callers test :func:`specstats.stats.spread.zero_spread` first and refuse.
    """


def as_values(values: ArrayLike, /, *, minimum: int = 1) -> NDArray[np.float64]:
    """Return a finite one-dimensional float array with at least `minimum` entries.

    Parameters
    ----------
    values : array_like
        One number per replicate.
    minimum : int
        Smallest length that the caller can work with.

    Returns
    -------
    ndarray of float64, shape (n,)

    Raises
    ------
    ValueError
        The array has another shape, is too short or holds a non-finite number.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        msg = f"expected one dimension, got shape {array.shape}"
        raise ValueError(msg)
    if array.size < minimum:
        msg = f"expected at least {minimum} values, got {array.size}"
        raise ValueError(msg)
    if not np.isfinite(array).all():
        msg = "expected finite values only"
        raise ValueError(msg)
    return array


def as_table(values: ArrayLike, /, *, rows: int, columns: int) -> NDArray[np.float64]:
    """Return a finite two-dimensional float array of at least the given shape."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:  # noqa: PLR2004 - a table has two dimensions
        msg = f"expected two dimensions, got shape {array.shape}"
        raise ValueError(msg)
    if array.shape[0] < rows or array.shape[1] < columns:
        msg = f"expected at least {rows} x {columns} values, got {array.shape}"
        raise ValueError(msg)
    if not np.isfinite(array).all():
        msg = "expected finite values only"
        raise ValueError(msg)
    return array


def as_flags(is_candidate: ArrayLike, /, *, size: int) -> NDArray[np.bool_]:
    """Return arm membership as a boolean array of the given size."""
    flags = np.asarray(is_candidate)
    if flags.shape != (size,):
        msg = f"expected {size} arm flags, got shape {flags.shape}"
        raise ValueError(msg)
    return flags.astype(np.bool_)


def group_codes(
    labels: Iterable[Hashable], /, *, size: int
) -> tuple[NDArray[np.intp], tuple[Hashable, ...]]:
    """Give each distinct label a number, in order of first appearance.

    Parameters
    ----------
    labels : iterable of hashable
        One label per value.
    size : int
        Number of labels expected.

    Returns
    -------
    codes : ndarray of int, shape (size,)
    names : tuple
        The label that each code stands for.
    """
    if isinstance(labels, np.ndarray):
        return _array_codes(labels, size)
    seen: dict[Hashable, int] = {}
    codes = np.array([seen.setdefault(label, len(seen)) for label in labels], np.intp)
    if codes.shape != (size,):
        msg = f"expected {size} labels, got {codes.size}"
        raise ValueError(msg)
    return codes, tuple(seen)


def _array_codes(
    labels: NDArray[np.generic], size: int
) -> tuple[NDArray[np.intp], tuple[Hashable, ...]]:
    if labels.shape != (size,):
        msg = f"expected {size} labels, got {labels.size}"
        raise ValueError(msg)
    names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    return rank[codes], tuple(names[order].tolist())


def mean_and_variance(
    values: NDArray[np.float64], /, *, scale: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and sample variance over the last axis; rounding noise counts as zero.

    Parameters
    ----------
    values : ndarray, shape (..., n)
    scale : float, optional
        Largest magnitude that entered the values, when they are differences of
        larger numbers; by default the largest magnitude of the values.

    Returns
    -------
    mean, variance : ndarray, shape (...)
        Variance with divisor n - 1.
    """
    mean = values.mean(axis=-1)
    variance = values.var(axis=-1, ddof=1)
    size = np.abs(values).max(axis=-1) if scale is None else np.float64(scale)
    flat = np.ptp(values, axis=-1) <= ROUNDING * size
    return mean, np.where(flat, 0.0, variance)
