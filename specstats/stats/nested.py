"""Components of nested levels: block, run, prompt cell, request."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._search import best_ratios
from specstats.stats._tree import mean_squares, nested_criterion, tree_of
from specstats.stats.contrast import Contrast
from specstats.stats.parts import (
    MLS,
    Part,
    Parts,
    difference_part,
    mean_or_none,
    residual_part,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from specstats.stats._tree import Tree

__all__ = ["Part", "Parts", "nested_components"]

MAX_LEVELS = 3


def nested_components(
    values: ArrayLike,
    levels: Mapping[str, Iterable[Hashable]],
    /,
    *,
    method: Literal["auto", "ANOVA", "REML"] = "auto",
    confidence_level: float = 0.95,
) -> Parts:
    """Split the variance of values by nested levels.

    Parameters
    ----------
    values : array_like, shape (n,)
        All (log) values.
    levels : mapping of str to iterable of hashable
        Label of each value at one to three levels, outermost first; labels are taken
        inside those above, so runs may be numbered anew in each block.
    method : {"auto", "ANOVA", "REML"}
        ``auto`` is ANOVA for balanced data, REML otherwise.
    confidence_level : float
        Level of the limits.

    Returns
    -------
    Parts
        A part a level and the residual. Limits exist for balanced data only.

    Raises
    ------
    ValueError
        A level has no two nodes inside one of the level above: the two cannot be
        told apart; or more than three levels.
    ZeroSpreadError
        The values inside the innermost groups do not differ.

    Notes
    -----
    Estimand: the variance that each level adds to one value. Unit of the mean: the
    outermost level. Model: independent normal effects, each level inside the one
    above. ANOVA equates mean squares with their expectations (Henderson's first
    method when sizes differ) and equals the T_i^2 of Kalibera and Jones when
    balanced; REML searches the ratios to the residual. Limits: modified large sample
    on two neighbouring mean squares (Ting et al. 1990). Checked against lme4
    (Pastes) and libkalibera.

    Examples
    --------
    >>> from specstats.stats.nested import nested_components
    >>> found = nested_components(
    ...     [9, 5, 8, 3, 10, 6, 7, 11, 1, 12, 2, 4],
    ...     {"run": [1] * 4 + [2] * 4 + [3] * 4},
    ... )
    >>> round(found.levels["run"].variance, 4), found.method
    (0.3819, 'ANOVA')
    """
    if not 1 <= len(levels) <= MAX_LEVELS:
        msg = f"expected one to {MAX_LEVELS} levels, got {len(levels)}"
        raise ValueError(msg)
    tree = tree_of(values, levels)
    _refuse_confounded(tree)
    if tree.within <= 0.0:
        msg = f"the values inside a {tree.names[0]} show no spread"
        raise ZeroSpreadError(msg)
    balanced = _balanced(tree)
    if method == "REML" or (method == "auto" and not balanced):
        return _by_likelihood(tree, balanced=balanced)
    return _by_moments(tree, balanced=balanced, confidence_level=confidence_level)


def _refuse_confounded(tree: Tree) -> None:
    names = ("value", *tree.names)
    for inner, outer, df in zip(names, tree.names, tree.dfs, strict=False):
        if df == 0:
            msg = f"no {outer} holds two of {inner}: they cannot be told apart"
            raise ValueError(msg)
    if tree.dfs[-1] == 0:
        msg = f"expected two of {tree.names[-1]} or more"
        raise ValueError(msg)


def _balanced(tree: Tree) -> bool:
    return all(np.ptp(size) == 0.0 for size in tree.sizes)


def _by_moments(tree: Tree, *, balanced: bool, confidence_level: float) -> Parts:
    squares, weights = mean_squares(tree)
    levels: dict[str, Part] = {}
    if balanced:
        for i in range(len(tree.names), 0, -1):
            levels[tree.names[i - 1]] = difference_part(
                (float(squares[i]), tree.dfs[i]),
                (float(squares[i - 1]), tree.dfs[i - 1]),
                float(weights[i, i]),
                confidence_level=confidence_level,
            )
    else:
        raw = np.linalg.solve(weights, squares)
        for i in range(len(tree.names), 0, -1):
            levels[tree.names[i - 1]] = _bare(float(raw[i]))
    levels["residual"] = residual_part(
        float(squares[0]), tree.dfs[0], confidence_level=confidence_level
    )
    return Parts(
        levels=levels,
        mean=mean_or_none(tree.means[-1], tree.names[-1]),
        method="ANOVA",
        interval=MLS if balanced else None,
        criterion=None,
        balanced=balanced,
    )


def _bare(raw: float) -> Part:
    return Part(variance=max(0.0, raw), truncated=raw <= 0.0, low=None, high=None)


def _by_likelihood(tree: Tree, *, balanced: bool) -> Parts:
    squares, weights = mean_squares(tree)
    moments = np.linalg.solve(weights, squares) / squares[0]

    def criterion(ratios: NDArray[np.float64]) -> float:
        return nested_criterion(tree, ratios.tolist())[0]

    ratios = best_ratios(criterion, np.maximum(moments[1:], 0.05).tolist())
    at, mean, within, weight = nested_criterion(tree, ratios.tolist())
    levels = {
        tree.names[i]: _bare(float(ratios[i]) * within)
        for i in range(len(tree.names) - 1, -1, -1)
    }
    levels["residual"] = Part(variance=within, truncated=False, low=None, high=None)
    centre: Contrast | None = Contrast(
        estimate=mean,
        std_error=math.sqrt(within / weight),
        df=float(tree.dfs[-1]),
        method=f"REML, df of {tree.names[-1]}",
    )
    if levels[tree.names[-1]].truncated:
        # The model would take inner values for independent of the outermost level.
        centre = mean_or_none(tree.means[-1], tree.names[-1])
    return Parts(
        levels=levels,
        mean=centre,
        method="REML",
        interval=None,
        criterion=at,
        balanced=balanced,
    )
