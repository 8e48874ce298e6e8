"""Counts in words, so that one is singular."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    Parameters
    ----------
    number : int
        How many.
    singular : str
        The noun for one.
    plural : str, optional
        The noun for others; an s is added by default.

    Returns
    -------
    str
        Such as ``1 file`` or ``3 files``.
    """
    noun = singular if number == 1 else (plural or f"{singular}s")
    return f"{number} {noun}"
