"""What readers of result files share: JSON containers, settings, printed numbers."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, number, scalar, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row
    from specstats.source import Source

__all__ = [
    "add_aggregate",
    "file_name",
    "items",
    "mapping",
    "positive",
    "process_of",
    "reason_of",
    "settings_text",
    "unix_time",
]

_LARGEST = 1e12


def mapping(value: object) -> dict[str, object]:
    """Return a JSON object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """Return a JSON array, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def positive(value: object, scale: float = 1.0) -> float | None:
    """Return a number above 0 times a scale; anything else is missing."""
    real = number(value)
    if real is None:
        return None
    scaled = real * scale
    return scaled if 0 < scaled <= _LARGEST else None


def process_of(source: Source, launch: int = 0) -> str:
    """Return the identity of the n-th process that an artifact proves."""
    return f"{source.sha256[:12]}#{launch}"


def reason_of(value: object, otherwise: str) -> str:
    """Return why an entry is no JSON, or what else is wrong with it."""
    return value.reason if isinstance(value, BadEntry) else otherwise


def settings_text(values: Mapping[str, object]) -> str | None:
    """Return settings as JSON text; what is missing or no scalar is left out."""
    kept = {key: scalar(value) for key, value in values.items()}
    told = {key: value for key, value in kept.items() if value not in (None, "")}
    return json.dumps(told, sort_keys=True) if told else None


def unix_time(value: object) -> float | None:
    """Return the Unix time of an ISO date that names its time zone."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return None if moment.tzinfo is None else moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def file_name(value: object) -> str | None:
    """Return the last part of a path, so that settings hold no folders."""
    named = text(value)
    if named is None:
        return None
    return named.replace("\\", "/").rstrip("/").rpartition("/")[2] or None


def add_aggregate(
    batch: Batch,
    place: Mapping[str, object],
    metric: str,
    unit: str,
    statistic: str,
    *,
    value: float | None,
    **more: object,
) -> bool:
    """Add one printed number.

    Parameters
    ----------
    batch : Batch
        Where it goes.
    place : mapping
        Columns that all numbers of the entry share: source, entry, settings.
    metric, unit, statistic : str
        What it is.
    value : float or None
        The number; nothing is added when it is missing or beyond floating point.
    **more : object
        Further columns, such as ``definition``.

    Returns
    -------
    bool
        Whether a row was added.
    """
    if value is None or not abs(value) < float("inf"):
        return False
    row: Row = {**place, "metric": metric, "unit": unit}
    row.update(statistic=statistic, value=value, **more)
    batch.add("aggregates", row)
    return True
