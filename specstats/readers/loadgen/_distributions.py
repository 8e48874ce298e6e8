"""Printed distributions of load generators, as rows of the aggregates table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._json import number, scalar, text, whole
from specstats.readers._results import add_aggregate, file_name, mapping

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from specstats.readers._base import Batch, Row

__all__ = [
    "TIME_UNITS",
    "add_distribution",
    "begins_like",
    "flat",
    "model_name",
    "not_negative",
    "quantile_of",
]

TIME_UNITS = {
    "s": 1.0,
    "sec": 1.0,
    "seconds": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
}
_LARGEST = 1e15
_QUANTILE = re.compile(r"p(\d{1,2})(?:p(\d{1,2}))?", re.ASCII)
_PLAIN = {
    "avg": "mean",
    "mean": "mean",
    "median": "median",
    "p50": "median",
    "min": "min",
    "max": "max",
}
_DEVIATIONS = ("std", "stddev", "std_dev", "stdev")
_MAX_DEPTH = 4
_MAX_ENTRIES = 200


def not_negative(value: object, scale: float = 1.0) -> float | None:
    """Return a number from 0 times a scale; anything else is missing."""
    real = number(value)
    if real is None:
        return None
    scaled = real * scale
    return scaled if 0 <= scaled <= _LARGEST else None


def quantile_of(key: str) -> str | None:
    """Return the statistic that a key such as ``p50`` or ``p99p9`` names."""
    plain = _PLAIN.get(key)
    found = None if plain else _QUANTILE.fullmatch(key)
    if found is None:
        return plain
    decimals = f".{found[2]}" if found[2] else ""
    return f"p{int(found[1])}{decimals}"


def add_distribution(
    batch: Batch,
    place: Mapping[str, object],
    metric: str,
    unit: str,
    values: Mapping[str, object],
    *,
    scale: float = 1.0,
    only: Collection[str] = (),
    **more: object,
) -> int:
    """Add the printed mean, extremes and quantiles of one metric.

    Parameters
    ----------
    batch : Batch
        Where they go.
    place : mapping
        Columns that all numbers of the entry share.
    metric, unit : str
        What it is.
    values : mapping
        Numbers by the producer's name of the statistic.
    scale : float
        Factor from the producer's unit to `unit`.
    only : collection of str
        Statistics to take; all when empty.
    **more : object
        Further columns, such as ``definition`` and ``n``.

    Returns
    -------
    int
        Rows added.
    """
    added, seen = 0, set[str]()
    for key, printed in values.items():
        statistic = quantile_of(key)
        value = not_negative(printed, scale)
        if statistic is None or statistic in seen or value is None:
            continue
        if only and statistic not in only:
            continue
        seen.add(statistic)
        row: Row = {**more}
        if statistic == "mean":
            row["sd"] = _deviation(values, scale)
        added += add_aggregate(
            batch, place, metric, unit, statistic, value=value, **row
        )
    return added


def _deviation(values: Mapping[str, object], scale: float) -> float | None:
    found = (not_negative(values.get(key), scale) for key in _DEVIATIONS)
    return next((value for value in found if value is not None), None)


def begins_like(head: bytes, *marks: bytes) -> bool:
    """Whether a document that is cut off within a text has all of some keys."""
    return head.lstrip().startswith(b"{") and all(mark in head for mark in marks)


def flat(
    prefix: str, values: object, *, without: Collection[str] = (), depth: int = 0
) -> Iterator[tuple[str, object]]:
    """Yield the scalars of nested settings, keys joined by dots."""
    if depth > _MAX_DEPTH:
        return
    for key, value in list(mapping(values).items())[:_MAX_ENTRIES]:
        named = text(key)
        if key in without or not named:
            continue
        if isinstance(value, dict):
            yield from flat(
                f"{prefix}{named}.", value, without=without, depth=depth + 1
            )
        elif scalar(value) not in (None, ""):
            yield f"{prefix}{named}", value


def model_name(value: object) -> str | None:
    """Return the name of a model, or of several, without its folders."""
    listed = value if isinstance(value, list) else [value]
    names = [file_name(item) for item in listed[:_MAX_ENTRIES] if whole(item) is None]
    return ", ".join(name for name in names if name) or None
