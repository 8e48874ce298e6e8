"""Ordinary least squares for small designs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import ROUNDING
from specstats.stats.contrast import Contrast

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A least-squares fit of full rank.

    Attributes
    ----------
    coefficients : ndarray, shape (p,)
    unscaled : ndarray, shape (p,)
        Diagonal of (X'X)^-1.
    residual_sum : float
        Residual sum of squares; exactly zero when only rounding is left.
    df : int
        n - p.
    """

    coefficients: NDArray[np.float64]
    unscaled: NDArray[np.float64]
    residual_sum: float
    df: int

    def contrast(self, index: int, *, method: str) -> Contrast | None:
        """Return one coefficient as a contrast; None without residual spread."""
        if self.df < 1 or self.residual_sum == 0.0:
            return None
        variance = self.residual_sum / self.df * float(self.unscaled[index])
        return Contrast(
            estimate=float(self.coefficients[index]),
            std_error=math.sqrt(variance),
            df=float(self.df),
            method=method,
        )


def least_squares(
    design: NDArray[np.float64], response: NDArray[np.float64], /
) -> Fit | None:
    """Fit by singular values; None when the columns are collinear.

    Parameters
    ----------
    design : ndarray, shape (n, p)
    response : ndarray, shape (n,)

    Returns
    -------
    Fit or None
    """
    size, width = design.shape
    if size < width:
        return None
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    if singular[-1] <= singular[0] * size * ROUNDING:
        return None
    scaled = right.T / singular
    coefficients = scaled @ (left.T @ response)
    residual = response - design @ coefficients
    noise = ROUNDING * float(np.abs(response).max(initial=0.0))
    residual_sum = float(residual @ residual)
    return Fit(
        coefficients=coefficients,
        unscaled=(scaled**2).sum(axis=1),
        residual_sum=residual_sum if np.abs(residual).max() > noise else 0.0,
        df=size - width,
    )


def indicators(codes: NDArray[np.intp], count: int, /) -> NDArray[np.float64]:
    """One column per group, 1 where the row belongs to it."""
    return np.asarray(codes[:, None] == np.arange(count), dtype=np.float64)
