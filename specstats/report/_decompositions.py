"""Speedups in their two factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, filled_grid

if TYPE_CHECKING:
    from specstats.results import RatePart, StudySummary

__all__ = ["decomposition_section"]


def decomposition_section(study: StudySummary) -> Section | None:
    """Return tokens per step and steps per second of each headline.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None where no steps are known.
    """
    if not study.decompositions:
        return None
    rows = [
        (
            item.candidate,
            item.baseline,
            item.rate.workload or "",
            *(_cell(part) for part in item.parts),
            item.driver or "no verdict",
        )
        for item in study.decompositions
    ]
    titles = ("arm", "baseline", "workload", "tokens per step", "steps per second")
    return Section(
        title="Behind the decode rate: tokens per step times steps per second",
        grid=filled_grid((*titles, "driven by"), rows),
    )


def _cell(part: RatePart) -> str:
    shown = f"x{numbers.ratio(part.ratio)}"
    if part.interval is None:
        return shown + (" exact" if part.exact else "")
    limits = numbers.interval(part.interval.low, part.interval.high, ratios=True)
    return f"{shown} {limits}"
