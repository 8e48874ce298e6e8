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
    names = (
        *("arm", "prompt_id", "metric", "unit", "statistic", "value", "sd", "n"),
        *("scope", "definition", "source", "entry"),
    )
    columns = [bench.column("aggregates", name) for name in names]
    found = []
    for row in zip(*columns, strict=True):
        item = dict(zip(names, row, strict=True))
        value, sd, n = item["value"], item["sd"], item["n"]
        if item["arm"] == arm and isinstance(value, int | float):
            found.append(
                Aggregate(
                    prompt=_text(item["prompt_id"]) or "",
                    metric=str(item["metric"]),
                    unit=_text(item["unit"]) or "",
                    statistic=_text(item["statistic"]) or "mean",
                    value=float(value),
                    sd=float(sd) if isinstance(sd, int | float) else None,
                    n=n if isinstance(n, int) else None,
                    scope=_text(item["scope"]),
                    definition=_text(item["definition"]),
                    source=f"{item['source']}:{item['entry']}",
                )
            )
    return tuple(found)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
