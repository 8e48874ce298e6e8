"""Restricted likelihood of cells with several random effects, crossed or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from specstats.stats._arrays import ZeroSpreadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class AtRatios(NamedTuple):
    """The likelihood at given ratios, fixed effects and residual profiled out."""

    criterion: float
    fixed: NDArray[np.float64]
    within: float
    covariance: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Cells of values with fixed effects and the groups that they lie in.

    Attributes
    ----------
    means, sizes : ndarray, shape (cells,)
        Mean and number of the values of each cell.
    within : float
        Squares of the values about their cell mean.
    fixed : ndarray, shape (cells, p)
        Columns of the fixed effects, the constant among them.
    codes : tuple of ndarray of int, shape (cells,)
        Group of each cell, one array a random effect.
    """

    means: NDArray[np.float64]
    sizes: NDArray[np.float64]
    within: float
    fixed: NDArray[np.float64]
    codes: tuple[NDArray[np.intp], ...]

    @property
    def n_groups(self) -> int:
        """Groups of all random effects together."""
        return sum(int(code.max()) + 1 for code in self.codes)

    def at(
        self, ratios: Sequence[float] | NDArray[np.float64], /, *, cell: float = 0.0
    ) -> AtRatios:
        """Return the likelihood at ratios of the variances to the residual.

        Parameters
        ----------
        ratios : sequence of float
            One a random effect.
        cell : float
            Ratio of a random effect of each cell.
        """
        weights = self.sizes / (1.0 + self.sizes * cell)
        zz, zb = self._products(weights)
        counts = [int(code.max()) + 1 for code in self.codes]
        roots = np.repeat(np.sqrt(np.asarray(ratios, dtype=np.float64)), counts)
        inner = zz * np.outer(roots, roots)
        inner[np.diag_indices_from(inner)] += 1.0
        factor = np.linalg.cholesky(inner)
        solved = np.linalg.solve(factor, zb * roots[:, None])
        both = np.column_stack([self.fixed, self.means])
        total = both.T @ (weights[:, None] * both) - solved.T @ solved
        xvx, xvy = total[:-1, :-1], total[:-1, -1]
        fixed = np.linalg.solve(xvx, xvy)
        square = self.within + max(0.0, float(total[-1, -1] - xvy @ fixed))
        df = int(self.sizes.sum()) - xvy.size
        within, inverse = square / df, np.linalg.inv(xvx)
        if square == 0.0:
            return AtRatios(-math.inf, fixed, 0.0, inverse * 0.0)
        growth = 2.0 * float(np.log(np.diag(factor)).sum())
        growth += float(np.linalg.slogdet(xvx)[1])
        growth += float(np.log1p(self.sizes * cell).sum())
        criterion = df * (math.log(2.0 * math.pi * within) + 1.0) + growth
        return AtRatios(criterion, fixed, within, inverse * within)

    def slopes(
        self, ratios: Sequence[float] | NDArray[np.float64], /, *, cell: float = 0.0
    ) -> NDArray[np.float64]:
        """Return the derivatives of the criterion by the ratios, `cell` last.

        Parameters
        ----------
        ratios : sequence of float
            One a random effect.
        cell : float
            Ratio of a random effect of each cell.

        Notes
        -----
        tr(Z' P Z) - df / square |Z' P y|^2 for each effect, Z = I for cells.
        """
        weights = self.sizes / (1.0 + self.sizes * cell)
        zz, zb = self._products(weights)
        counts = [int(code.max()) + 1 for code in self.codes]
        roots = np.repeat(np.sqrt(np.asarray(ratios, dtype=np.float64)), counts)
        inner = zz * np.outer(roots, roots)
        inner[np.diag_indices_from(inner)] += 1.0
        shrink = np.linalg.inv(inner) * np.outer(roots, roots)
        both = np.column_stack([self.fixed, self.means])
        starts = np.cumsum([0, *counts])
        columns = [c + s for c, s in zip(self.codes, starts, strict=False)]
        fitted = shrink @ zb
        inverted = weights[:, None] * (both - sum(fitted[c] for c in columns))
        xvx = self.fixed.T @ inverted[:, :-1]
        fixed = np.linalg.solve(xvx, self.fixed.T @ inverted[:, -1])
        residual = inverted[:, -1] - inverted[:, :-1] @ fixed
        square = self.within + max(0.0, float(residual @ self.means))
        if square == 0.0:
            msg = "the model fits without residual"
            raise ZeroSpreadError(msg)
        factor = (float(self.sizes.sum()) - fixed.size) / square
        left = np.linalg.solve(xvx, inverted[:, :-1].T).T
        lost = (inverted[:, :-1] * left).sum()
        weighted = self._products(weights**2)[0]
        spent = float((shrink * weighted).sum())
        by_cell = weights.sum() - spent - lost - factor * float(residual @ residual)
        diagonal = np.diag(zz) - ((zz @ shrink) * zz).sum(axis=1)
        found = []
        for code, start, count in zip(self.codes, starts, counts, strict=False):
            inside = np.stack(
                [np.bincount(code, v, count) for v in inverted[:, :-1].T], axis=1
            )
            taken = float((inside * np.linalg.solve(xvx, inside.T).T).sum())
            pull = np.bincount(code, residual, count)
            trace = float(diagonal[start : start + count].sum()) - taken
            found.append(trace - factor * float(pull @ pull))
        return np.array([*found, by_cell])

    def _products(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weighted cross-products of indicators with themselves, and with X and y."""
        starts = np.cumsum([0, *(int(code.max()) + 1 for code in self.codes)])
        q = int(starts[-1])
        columns = [c + s for c, s in zip(self.codes, starts, strict=False)]
        zz = np.zeros(q * q)
        for left in columns:
            for right in columns:
                zz += np.bincount(left * q + right, weights, q * q)
        both = np.column_stack([self.fixed, self.means]) * weights[:, None]
        zb = np.zeros((q, both.shape[1]))
        for column in columns:
            for j in range(both.shape[1]):
                zb[:, j] += np.bincount(column, both[:, j], q)
        return zz.reshape(q, q), zb
