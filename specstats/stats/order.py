"""Launch order: is the arm tied to it, and does the effect survive a drift term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._arrays import as_flags, as_values, group_codes
from specstats.stats._linear import indicators, least_squares
from specstats.stats.ranks import mid_ranks_doubled

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from specstats.stats._linear import Fit
    from specstats.stats.contrast import Contrast

# Fewer runs leave the slope test without power to see a drift that matters.
MINIMUM_RUNS_FOR_DRIFT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Schedule:
    """Arm, launch rank (within its block) and block of each run."""

    arm: NDArray[np.float64]
    rank: NDArray[np.float64]
    codes: NDArray[np.intp]
    blocks: int

    def centred(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        sizes = np.bincount(self.codes, minlength=self.blocks)
        means = np.bincount(self.codes, column, self.blocks) / sizes
        return column - means[self.codes]


def order_r_squared(
    is_candidate: ArrayLike, order: ArrayLike, block: Iterable[Hashable] | None = None
) -> float:
    """Squared correlation of the arm with the launch order.

    Parameters
    ----------
    is_candidate : array_like of bool, shape (n,)
        Arm of each run.
    order : array_like, shape (n,)
        Launch order or start time; only its ranks (within the block) are used.
    block : iterable of hashable, length n, optional
        Block of each run; arm and order are then centred within blocks.

    Returns
    -------
    float
        Between 0 (balanced) and 1 (tied); 0 when arm or order never varies in a block.

    Notes
    -----
    A drift that is linear in the launch order moves the estimate by its slope times
    the mean rank difference of the arms; at 1 the two cannot be told apart.
    """
    schedule = _schedule(is_candidate, order, block)
    arm, rank = schedule.centred(schedule.arm), schedule.centred(schedule.rank)
    size = float((arm @ arm) * (rank @ rank))
    return min(1.0, float(arm @ rank) ** 2 / size) if size > 0.0 else 0.0


def order_adjusted(
    values: ArrayLike,
    is_candidate: ArrayLike,
    order: ArrayLike,
    block: Iterable[Hashable] | None = None,
) -> Contrast | None:
    """Effect with a linear drift in launch order taken out.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    is_candidate : array_like of bool, shape (n,)
        Arm of each run.
    order : array_like, shape (n,)
        Launch order or start time; only its ranks (within the block) are used.
    block : iterable of hashable, length n, optional
        Block of each run.

    Returns
    -------
    Contrast or None
        Arm effect of the fit arm + order (+ block); None without a residual degree
        of freedom, without residual spread, or when arm and order are collinear.

    Notes
    -----
    Estimand: the log ratio at equal launch order. Unit: the run. Assumes a drift that
    is linear in the order, the same in every block, and equal variances.
    """
    data = as_values(values)
    fit = _fit(data, _schedule(is_candidate, order, block))
    return None if fit is None else fit.contrast(0, method="arm + launch order fit")


def drift_p(
    values: ArrayLike,
    is_candidate: ArrayLike,
    order: ArrayLike,
    block: Iterable[Hashable] | None = None,
) -> float | None:
    """Two-sided p of the slope over launch order, with the arms taken out.

    Parameters
    ----------
    values : array_like, shape (n,)
        One log value per run.
    is_candidate : array_like of bool, shape (n,)
        Arm of each run.
    order : array_like, shape (n,)
        Launch order or start time; only its ranks (within the block) are used.
    block : iterable of hashable, length n, optional
        Block of each run.

    Returns
    -------
    float or None
        None with fewer than 6 runs, or where the slope cannot be estimated.

    Notes
    -----
    t test of the order coefficient in arm + order (+ block). With fewer than 6 runs
    the drift is not checkable, which is not the same as absent.
    """
    data = as_values(values)
    if data.size < MINIMUM_RUNS_FOR_DRIFT:
        return None
    fit = _fit(data, _schedule(is_candidate, order, block))
    slope = None if fit is None else fit.contrast(1, method="launch order slope")
    return None if slope is None else slope.p_value()


def fully_separated(is_candidate: ArrayLike, order: ArrayLike) -> bool:
    """Tell whether one arm was launched entirely before the other.

    Parameters
    ----------
    is_candidate : array_like of bool, shape (n,)
        Arm of each run; both arms present.
    order : array_like, shape (n,)
        Launch order or start time.

    Returns
    -------
    bool
        True when no run of one arm started before the last run of the other.
    """
    times = as_values(order, minimum=2)
    flags = as_flags(is_candidate, size=times.size)
    if flags.all() or not flags.any():
        msg = "expected runs of both arms"
        raise ValueError(msg)
    first, second = times[flags], times[~flags]
    return bool(first.max() < second.min() or second.max() < first.min())


def fixed_pair_order(
    is_candidate: ArrayLike, order: ArrayLike, block: Iterable[Hashable]
) -> bool:
    """Tell whether the arms followed each other in the same way in every block.

    Parameters
    ----------
    is_candidate : array_like of bool, shape (n,)
        Arm of each run.
    order : array_like, shape (n,)
        Launch order or start time.
    block : iterable of hashable, length n
        Block of each run; blocks with one arm only say nothing and are skipped.

    Returns
    -------
    bool
        True when two blocks or more show one and the same sequence and that sequence
        favours a position: in ABBA both arms have the same mean launch rank, so a
        linear drift cancels and the order is not counted as fixed.
    """
    times = as_values(order, minimum=1)
    flags = as_flags(is_candidate, size=times.size)
    codes, names = group_codes(block, size=times.size)
    sequences: list[tuple[bool, ...]] = []
    for code in range(len(names)):
        rows = np.flatnonzero(codes == code)
        sequence = flags[rows[np.argsort(times[rows], kind="stable")]]
        if sequence.any() and not sequence.all():
            sequences.append(tuple(sequence.tolist()))
    if len(sequences) < 2 or len(set(sequences)) > 1:  # noqa: PLR2004 - a repetition
        return False
    places = np.arange(len(sequences[0]))
    arm = np.array(sequences[0])
    return bool(places[arm].mean() != places[~arm].mean())


def _schedule(
    is_candidate: ArrayLike, order: ArrayLike, block: Iterable[Hashable] | None
) -> _Schedule:
    times = as_values(order, minimum=1)
    flags = as_flags(is_candidate, size=times.size)
    labels = np.zeros(times.size).tolist() if block is None else block
    codes, names = group_codes(labels, size=times.size)
    rank = np.empty(times.size)
    for code in range(len(names)):
        rows = codes == code
        rank[rows] = mid_ranks_doubled(times[rows]) / 2.0
    return _Schedule(
        arm=flags.astype(np.float64), rank=rank, codes=codes, blocks=len(names)
    )


def _fit(data: NDArray[np.float64], schedule: _Schedule) -> Fit | None:
    if data.size != schedule.arm.size:
        msg = f"expected {data.size} arm flags, got {schedule.arm.size}"
        raise ValueError(msg)
    columns = [schedule.arm, schedule.rank]
    blocks = indicators(schedule.codes, schedule.blocks)
    return least_squares(np.column_stack([*columns, blocks]), data)
