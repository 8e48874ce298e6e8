"""Adjustment of p-values and levels for several comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.stats._quantiles import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float | None], /) -> list[float | None]:
    """Adjust p-values so that any false rejection in the family is controlled.

    Parameters
    ----------
    p_values : sequence of float or None
        One p-value per comparison; None for a comparison that was not made.

    Returns
    -------
    list of float or None
        Adjusted p-values in the same order; None stays None and is not counted.

    Notes
    -----
    Valid under any dependence, also when candidates share a baseline. Source: Holm
    (1979).
    """
    ordered = _ordered(p_values)
    adjusted = list(p_values)
    running = 0.0
    for step, (p_value, position) in enumerate(ordered):
        running = max(running, min(1.0, (len(ordered) - step) * p_value))
        adjusted[position] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None], /) -> list[float | None]:
    """Adjust p-values so that the expected share of false rejections is controlled.

    Parameters
    ----------
    p_values : sequence of float or None
        One p-value per comparison; None for a comparison that was not made.

    Returns
    -------
    list of float or None
        Adjusted p-values in the same order; None stays None and is not counted.

    Notes
    -----
    For screening many metrics, not for verdicts. Assumes independence or positive
    dependence. Source: Benjamini and Hochberg (1995).
    """
    ordered = _ordered(p_values)
    adjusted = list(p_values)
    running = 1.0
    for rank in range(len(ordered), 0, -1):
        p_value, position = ordered[rank - 1]
        running = min(running, len(ordered) * p_value / rank)
        adjusted[position] = running
    return adjusted


def bonferroni_level(confidence_level: float, family_size: int, /) -> float:
    """Level of each interval so that all of a family hold together.

    Parameters
    ----------
    confidence_level : float
        Level wanted for the whole family.
    family_size : int
        Number of intervals, at least one.

    Returns
    -------
    float
        1 - (1 - confidence_level) / family_size.
    """
    if family_size < 1:
        msg = f"expected a family of one or more, got {family_size}"
        raise ValueError(msg)
    return 1.0 - (1.0 - check_level(confidence_level)) / family_size


def _ordered(p_values: Sequence[float | None]) -> list[tuple[float, int]]:
    """List the p-values that exist with their positions, smallest first."""
    present = [(p, index) for index, p in enumerate(p_values) if p is not None]
    if not all(0.0 <= p <= 1.0 for p, _ in present):
        msg = "expected p-values between 0 and 1"
        raise ValueError(msg)
    return sorted(present)
