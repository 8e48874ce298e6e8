"""Durations as Go writes them."""

from __future__ import annotations

import re

__all__ = ["go_duration"]

_SCALE = {
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ns": 1e-9,
}
_PART = re.compile(
    r"(\d{1,12}(?:\.\d{1,12})?)(ms|us|\u00b5s|\u03bcs|ns|h|m|s)", re.ASCII
)
_LONGEST = 60  # characters


def go_duration(content: str) -> float | None:
    """Return the seconds of a Go duration such as ``1m2.5s`` or ``355.5ms``.

    Parameters
    ----------
    content : str
        Text, blanks around it allowed; ``0s`` and bare ``0`` are nought.

    Returns
    -------
    float or None
        Seconds; None for anything else, negative durations included.
    """
    stripped = content.strip()
    if stripped == "0":
        return 0.0
    if not stripped or len(stripped) > _LONGEST:
        return None
    seconds, position = 0.0, 0
    while position < len(stripped):
        part = _PART.match(stripped, position)
        if part is None:
            return None
        seconds += float(part[1]) * _SCALE[part[2]]
        position = part.end()
    return seconds
