"""Acceptance by position in the draft, from steps or from counters of positions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.clustered import shown_interval
from specstats.results import PositionRate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from specstats.analysis.clustered import Clusters
    from specstats.design import View

    Table = NDArray[np.float64]

__all__ = ["listed_positions", "position_rates", "positions_of_steps"]


def positions_of_steps(
    view: View, rows: Sequence[int], clusters: Clusters, *, confidence_level: float
) -> tuple[PositionRate, ...]:
    """Return acceptance by position of some generations.

    Parameters
    ----------
    view : View
        The data.
    rows : sequence of int
        Requests.
    clusters : Clusters
        Their clusters.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    tuple of PositionRate
        Empty when some generation lacks the accepted tokens of a step.
    """
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    accepted = view.bench.column("steps", "n_accepted")
    drafted = view.bench.column("steps", "n_draft")
    pairs = []
    for row in rows:
        steps = view.step_rows.get((sources[row], entries[row]), [])
        hits = [accepted[step] for step in steps]
        if not hits or not all(isinstance(value, int) for value in hits):
            return ()
        tries = [drafted[step] for step in steps]
        known = all(isinstance(value, int) for value in tries)
        pairs.append(
            (np.array(hits, dtype=int), np.array(tries, dtype=int) if known else None)
        )
    most = max(int(hits.max()) for hits, _ in pairs)
    lengths = [int(tries.max()) for _, tries in pairs if tries is not None]
    most = max([most, *lengths])
    made = np.array(
        [[(hits >= place).sum() for place in range(1, most + 1)] for hits, _ in pairs],
        dtype=np.float64,
    )
    reached = None
    if len(lengths) == len(pairs):
        reached = np.array([_reached(*pair, most) for pair in pairs], dtype=np.float64)
    steps_each = np.array([hits.size for hits, _ in pairs], dtype=np.float64)
    return position_rates(
        made, reached, steps_each, clusters, confidence_level=confidence_level
    )


def _reached(
    hits: NDArray[np.intp], tries: NDArray[np.intp] | None, most: int
) -> list[int]:
    drafted = hits if tries is None else tries
    return [
        int(((drafted >= place) & (hits >= place - 1)).sum())
        for place in range(1, most + 1)
    ]


def position_rates(
    accepted: Table,
    reached: Table | None,
    steps: Table,
    clusters: Clusters,
    *,
    confidence_level: float,
) -> tuple[PositionRate, ...]:
    """Return acceptance by position from counts.

    Parameters
    ----------
    accepted, reached : ndarray, shape (rows, positions)
        Steps that accepted at a position, and that tested it; None where the latter
        are not known.
    steps : ndarray, shape (rows,)
        All steps of each row.
    clusters : Clusters
        Clusters of the rows.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    tuple of PositionRate
        From position 1.
    """
    total = float(steps.sum())
    found = []
    for place in range(accepted.shape[1]):
        made = accepted[:, place]
        tested = None if reached is None else reached[:, place]
        held = clusters.rate(made, steps, confidence_level=confidence_level)
        beyond = (
            None
            if tested is None or not tested.any()
            else clusters.rate(made, tested, confidence_level=confidence_level)
        )
        n_tested = None if tested is None else int(tested.sum())
        found.append(
            PositionRate(
                position=place + 1,
                accepted=int(made.sum()),
                steps=int(total),
                rate=float(made.sum()) / total,
                interval=shown_interval(held, confidence_level),
                reached=n_tested,
                conditional=float(made.sum()) / n_tested if n_tested else None,
                conditional_interval=shown_interval(beyond, confidence_level),
            )
        )
    return tuple(found)


def listed_positions(text: object, verified: object) -> list[int] | None:
    """Return accepted steps by position from a column of counters.

    Parameters
    ----------
    text : object
        A JSON list, or anything else where there is none.
    verified : object
        Steps in which a draft was verified.

    Returns
    -------
    list of int or None
        None where the list cannot be: it rises, or passes the verified steps.
    """
    if not (isinstance(text, str) and isinstance(verified, int)):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, list) or not all(type(value) is int for value in found):
        return None
    falls = all(
        0 <= later <= earlier
        for earlier, later in zip([verified, *found], found, strict=False)
    )
    return found if found and falls else None
