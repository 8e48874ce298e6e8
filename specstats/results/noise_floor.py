"""What the control arms of a study cannot be told apart from."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NoiseFloor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """What a study cannot tell from no difference.

    Attributes
    ----------
    ratio : float
        Largest limit, in either direction, over the intervals of the controls.
    controls : tuple of str
        Control arms that it comes from.
    """

    ratio: float
    controls: tuple[str, ...]
