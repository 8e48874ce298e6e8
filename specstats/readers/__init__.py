"""Readers: from the bytes of an artifact to rows of the canonical tables.

What a reader of your own needs; the guide shows a package that brings one.
"""

from __future__ import annotations

from specstats.readers._base import Batch, Match, Reader, Trouble, located
from specstats.readers._json import (
    BadEntry,
    entries,
    first_entry,
    number,
    scalar,
    text,
    whole,
)
from specstats.readers._text import count_in, real_in, text_lines

__all__ = [
    "BadEntry",
    "Batch",
    "Match",
    "Reader",
    "Trouble",
    "count_in",
    "entries",
    "first_entry",
    "located",
    "number",
    "real_in",
    "scalar",
    "text",
    "text_lines",
    "whole",
]
