"""What launch order says about a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.defaults import DEFAULTS
from specstats.stats.order import (
    drift_p,
    fixed_pair_order,
    fully_separated,
    order_adjusted,
    order_r_squared,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from specstats.bench import Run
    from specstats.design import RunMatrix
    from specstats.stats.contrast import Contrast

__all__ = ["OrderEvidence", "blocks_of", "order_evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderEvidence:
    """What launch order says about a comparison.

    Attributes
    ----------
    known : bool
        Whether the order of all runs is known.
    checkable : bool
        Whether there are runs enough for order to mean anything.
    r_squared : float or None
        Share of the arm contrast that order explains.
    separated, fixed : bool
        One arm wholly before the other; the same sequence in every block.
    drift : float or None
        p of the drift test; None when it cannot be checked.
    adjusted : Contrast or None
        Effect with a linear drift taken out.
    """

    known: bool
    checkable: bool
    r_squared: float | None
    separated: bool
    fixed: bool
    drift: float | None
    adjusted: Contrast | None

    @property
    def suspect(self) -> bool:
        """Whether order separates the arms."""
        high = (self.r_squared or 0.0) >= DEFAULTS.order_r_squared
        return self.checkable and (high or self.fixed or self.separated)

    @property
    def caps(self) -> bool:
        """Whether no verdict beyond INCONCLUSIVE may be given."""
        return self.checkable and (self.fixed or self.separated)


def order_evidence(
    matrix: RunMatrix,
    values: NDArray[np.float64],
    baseline: str,
    candidate: str,
    *,
    randomised: bool,
) -> OrderEvidence:
    """Measure what launch order says about a comparison.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms.
    values : ndarray, shape (runs,)
        Log run values, signed so that more is better.
    baseline, candidate : str
        The arms.
    randomised : bool
        Whether the order came from a recorded randomisation.

    Returns
    -------
    OrderEvidence
        The evidence.
    """
    del baseline
    flags = matrix.of_arm(candidate)
    one_arm = not flags.any() or bool(flags.all())
    found = [
        _evidence(values, flags, order, blocks_of(matrix.runs), randomised=randomised)
        for order in ([] if one_arm else _orders(matrix.runs, flags))
    ]
    if found:
        # A declared order that the clock contradicts does not speak for the study.
        return max(found, key=lambda item: (item.caps, item.suspect))
    return OrderEvidence(
        known=one_arm,
        checkable=False,
        r_squared=None,
        separated=False,
        fixed=False,
        drift=None,
        adjusted=None,
    )


def _orders(runs: Sequence[Run], flags: NDArray[np.bool_]) -> Iterator[list[float]]:
    """Yield the declared order and that of the clock, as far as they are orders.

    Where launches of different arms share a place in a block, such as a count of
    repeats that starts anew in each arm, nothing is known of what came first.
    """
    blocks = blocks_of(runs) or [""] * len(runs)
    for places in ([run.order for run in runs], [run.started_s for run in runs]):
        known = [place for place in places if place is not None]
        if len(known) < len(runs):
            continue
        taken = list(zip(blocks, known, strict=True))
        arms: list[set[tuple[str, float]]] = [set(), set()]
        for flag, place in zip(flags.tolist(), taken, strict=True):
            arms[flag].add(place)
        if not arms[0] & arms[1]:
            yield known


def _evidence(
    values: NDArray[np.float64],
    flags: NDArray[np.bool_],
    known: list[float],
    blocks: list[str] | None,
    *,
    randomised: bool,
) -> OrderEvidence:
    separated = blocks is None and fully_separated(flags, known)
    fixed = (
        blocks is not None
        and not randomised
        and (
            fixed_pair_order(flags, known, blocks)
            or _one_way_round(flags, known, blocks)
        )
    )
    return OrderEvidence(
        known=True,
        checkable=len(known) > 2,  # noqa: PLR2004 - 1+1 is SPS101
        r_squared=order_r_squared(flags, known, blocks),
        separated=separated,
        fixed=fixed,
        drift=drift_p(values, flags, known, blocks),
        adjusted=order_adjusted(values, flags, known, blocks),
    )


def _one_way_round(
    flags: NDArray[np.bool_], order: Sequence[float], blocks: Sequence[str]
) -> bool:
    """Whether one arm precedes the other in every block, whatever their counts."""
    ways: list[bool] = []
    for block in dict.fromkeys(blocks):
        rows = [row for row, name in enumerate(blocks) if name == block]
        inside, times = flags[rows], [order[row] for row in rows]
        if inside.all() or not inside.any():
            continue
        if not fully_separated(inside, times):
            return False
        ways.append(bool(inside[times.index(min(times))]))
    return len(ways) > 1 and len(set(ways)) == 1


def blocks_of(runs: Sequence[Run]) -> list[str] | None:
    """Return the block of each run, or None when not all have one.

    Parameters
    ----------
    runs : sequence of Run
        Launches.

    Returns
    -------
    list of str or None
        Names in the order of the runs.
    """
    found = [run.block for run in runs if run.block is not None]
    return found if len(found) == len(runs) and found else None
