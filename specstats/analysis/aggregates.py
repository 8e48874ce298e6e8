"""Means that artifacts give instead of single values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.results import Aggregate

if TYPE_CHECKING:
    from specstats.bench import Bench

__all__ = ["aggregates_of"]


def aggregates_of(bench: Bench, arm: str) -> tuple[Aggregate, ...]:
    """Return the aggregated rows of an arm, as printed.

    Parameters
    ----------
    bench : Bench
        The data.
    arm : str
        The arm.

    Returns
    -------
    tuple of Aggregate
        In the order of the files.
    """
    names = ("arm", "prompt_id", "metric", "unit", "mean", "sd", "source", "entry")
    columns = [bench.column("aggregates", name) for name in names]
    found = []
    for owner, prompt, metric, unit, mean, sd, source, entry in zip(
        *columns, strict=True
    ):
        if owner == arm and isinstance(mean, int | float):
            found.append(
                Aggregate(
                    prompt=str(prompt),
                    metric=str(metric),
                    unit=str(unit),
                    mean=float(mean),
                    sd=float(sd) if isinstance(sd, int | float) else None,
                    source=f"{source}:{entry}",
                )
            )
    return tuple(found)
