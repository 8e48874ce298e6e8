"""Launch order from the numbers in run names, where nothing better tells it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Run

__all__ = ["with_order"]

_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


def with_order(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs in the order that their names count, if they count.

    Parameters
    ----------
    runs : sequence of Run
        Launches.

    Returns
    -------
    tuple of Run
        The same launches when some order is known already, when a launch is not
        declared by name, or when names do not hold one number each, all different
        (a count that starts anew in each arm says nothing about the arms).
    """
    if any(run.order is not None or run.boundary != "declared" for run in runs):
        return tuple(runs)
    numbers = [_number(run) for run in runs]
    told = {number for number in numbers if number is not None}
    if len(told) < len(runs):
        return tuple(runs)
    return tuple(
        replace(run, order=number) for run, number in zip(runs, numbers, strict=True)
    )


def _number(run: Run) -> float | None:
    bare = run.run_id.replace(run.arm, " ", 1)
    found: list[str] = _NUMBER.findall(bare)
    return float(found[0]) if len(found) == 1 else None
