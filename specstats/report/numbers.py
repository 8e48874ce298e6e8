"""Numbers as people read them; full precision stays in JSON and CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.results import AaBand

__all__ = [
    "band",
    "fixed",
    "interval",
    "level",
    "number",
    "p_value",
    "percent",
    "ratio",
]

_PLAIN_LOW, _PLAIN_HIGH = 1e-3, 1e6


def number(value: float | None, *, digits: int = 4) -> str:
    """Return a number with a fixed count of significant digits.

    Parameters
    ----------
    value : float or None
        The number; None gives an empty cell.
    digits : int
        Significant digits.

    Returns
    -------
    str
        Text.
    """
    if value is None:
        return ""
    if value == 0.0:
        return "0"
    size = abs(value)
    if not _PLAIN_LOW <= size < _PLAIN_HIGH:
        return f"{value:.{digits - 1}e}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return f"{value:,.{decimals}f}"


def ratio(value: float | None) -> str:
    """Return a ratio with three decimals.

    Parameters
    ----------
    value : float or None
        The ratio.

    Returns
    -------
    str
        Text; empty for None.
    """
    if value is None:
        return ""
    return f"{value:.3f}" if _PLAIN_LOW <= value < _PLAIN_HIGH else f"{value:.3e}"


def interval(low: float | None, high: float | None, *, ratios: bool = False) -> str:
    """Return limits in brackets.

    Parameters
    ----------
    low, high : float or None
        Limits.
    ratios : bool
        Whether they are ratios.

    Returns
    -------
    str
        Text; empty for None.
    """
    if low is None or high is None:
        return ""
    shown = ratio if ratios else number
    below, above = low > 0.0 or not ratios, math.isfinite(high)
    if not (below or above):
        return "[unbounded]"
    texts = (shown(low) if below else "no limit", shown(high) if above else "no limit")
    return f"[{texts[0]}, {texts[1]}]"


def percent(share: float | None) -> str:
    """Return a share in percent.

    Parameters
    ----------
    share : float or None
        Share of 1.

    Returns
    -------
    str
        Text; empty for None.
    """
    return "" if share is None else f"{100.0 * share:.2f} %"


def p_value(value: float | None) -> str:
    """Return a p-value.

    Parameters
    ----------
    value : float or None
        The p-value.

    Returns
    -------
    str
        Text; empty for None.
    """
    return "" if value is None else f"{value:.2g}"


def level(share: float) -> str:
    """Return a confidence level in percent.

    Parameters
    ----------
    share : float
        Level as a share of 1.

    Returns
    -------
    str
        Text.
    """
    return f"{100.0 * share:.4g} %"


def band(found: AaBand | None) -> str:
    """Return an A/A band as the factor in both directions.

    Parameters
    ----------
    found : AaBand or None
        The band.

    Returns
    -------
    str
        Text; empty for None.
    """
    return "" if found is None else f"x/{ratio(found.ratio)}"


def fixed(value: float | None, decimals: int) -> str:
    """Return a number with a fixed count of decimals.

    Parameters
    ----------
    value : float or None
        The number.
    decimals : int
        Decimals.

    Returns
    -------
    str
        Text; empty for None.
    """
    return "" if value is None else f"{value:,.{decimals}f}"
