"""How far a ratio hangs on any one run or block."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.scopes import block_means, common_blocks
from specstats.results import LeaveOneOut
from specstats.stats.robust import leave_one_out_range

if TYPE_CHECKING:
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.stats.effects import Effect

__all__ = ["sensitivity_of"]


def sensitivity_of(
    pair: Pair, scope: Scope | None, contrast: Effect | None
) -> LeaveOneOut | None:
    """Return the range of the ratio when any one unit is left out.

    Parameters
    ----------
    pair : Pair
        The evidence.
    scope : Scope or None
        What is estimated.
    contrast : Effect or None
        Its estimate; None when refused.

    Returns
    -------
    LeaveOneOut or None
        Of launches without blocks, of blocks for future sessions; None otherwise.
    """
    if scope is None or contrast is None:
        return None
    flags = pair.matrix.of_arm(pair.candidate)
    if scope.name == "runs":
        found = leave_one_out_range(pair.values[flags], pair.values[~flags])
    elif scope.name == "future sessions":
        blocks = common_blocks(pair.matrix, pair.candidate) or []
        values = block_means(pair.matrix, pair.values[:, np.newaxis], flags, blocks)
        found = leave_one_out_range(values[:, 0], [0.0])
    else:
        return None
    if found is None:
        return None
    low, high = (math.exp(min(max(value, -700.0), 700.0)) for value in found)
    return LeaveOneOut(low=low, high=high, unit=scope.replicate)
