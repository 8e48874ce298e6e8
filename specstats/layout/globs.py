"""Globs of ``--arm``: whether one fits an artifact."""

from __future__ import annotations

import fnmatch
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.source import Source

__all__ = ["matches_glob"]


def matches_glob(source: Source, pattern: str) -> bool:
    """Whether a glob, absolute or relative to what the user named, fits a source.

    Parameters
    ----------
    source : Source
        The artifact.
    pattern : str
        Glob; ``*`` does not cross a folder boundary unless written ``**``.

    Returns
    -------
    bool
        True when it fits the absolute path, the path relative to what the user
        named, or the path as the user wrote it.
    """
    parts = posixpath.normpath(pattern).split("/")
    path = source.path
    if Path(pattern).is_absolute():
        return path is not None and _fits(path.absolute().as_posix(), parts)
    return _fits(source.relative, parts) or (
        path is not None and _fits(path.as_posix(), parts)
    )


def _fits(name: str, pattern: list[str]) -> bool:
    """Match part by part; `reached` are the pattern parts that may come next."""
    names = posixpath.normpath(name).split("/")
    reached = _after_stars({0}, pattern)
    for part in names:
        following = set()
        for place in reached:
            if place == len(pattern):
                continue
            if pattern[place] == "**":
                following.add(place)
            elif fnmatch.fnmatchcase(part, pattern[place]):
                following.add(place + 1)
        reached = _after_stars(following, pattern)
    return len(pattern) in reached


def _after_stars(places: set[int], pattern: list[str]) -> set[int]:
    """Add the places behind ``**``, which may stand for no folder at all."""
    reached = set(places)
    for place in range(len(pattern)):
        if place in reached and pattern[place] == "**":
            reached.add(place + 1)
    return reached
