"""The complete part of a JSON document that is cut off."""

from __future__ import annotations

import json
import re

__all__ = ["beginning"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_MAX_DEPTH = 200


def beginning(content: str) -> object | None:
    """Return what is complete of a JSON value that ends too early.

    Parameters
    ----------
    content : str
        Text that begins with an object or an array.

    Returns
    -------
    object or None
        The value up to its last complete element; None if there is none or if the
        text is broken before its end.
    """
    cut, closers = _last_complete(content)
    if not cut:
        return None
    try:
        value: object = json.loads(content[:cut] + closers)
    except (ValueError, RecursionError):
        return None
    return value


def _last_complete(content: str) -> tuple[int, str]:
    """Return where the last complete element ends, and what closes the rest."""
    opened = ""  # what closes the open elements, the innermost first
    cut, closers = 0, ""
    for token in _TOKEN.finditer(content):
        mark = token.group()
        if mark == '"':  # a string that never ends
            break
        if mark in _CLOSING:
            opened = _CLOSING[mark] + opened
            if len(opened) > _MAX_DEPTH:
                break
            cut, closers = token.end(), opened
        elif mark in {"}", "]"}:
            if opened[:1] != mark:
                break
            opened = opened[1:]
            cut, closers = token.end(), opened
            if not opened:
                break
        elif mark == ",":
            cut, closers = token.start(), opened
    return cut, closers
