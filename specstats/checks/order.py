"""Rules about launch order and blocks: SPS012, SPS104, SPS114."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.checks.evidence import blocks_of
from specstats.defaults import DEFAULTS
from specstats.design.blocks import day_of
from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.checks.evidence import OrderEvidence
    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding

__all__ = ["blocks_confounded", "inferred_order", "not_interleaved"]


def inferred_order(view: View) -> Iterator[Finding]:
    """SPS012: launch order comes from the numbers in run names."""
    told = view.bench.order_from is not None
    if told or len(view.runs) < 2 or any(run.order is None for run in view.runs):  # noqa: PLR2004 - an order needs two
        return
    yield finding(
        "SPS012",
        "launch order was inferred from the numbers in run names",
        where=("launch order",),
        remedy="give order = N in study.toml, or artifacts with time stamps",
    )


def not_interleaved(
    evidence: OrderEvidence, baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS104: launch order separates the arms."""
    subject = (baseline, candidate)
    remedy = (
        "interleave the arms: ABBA, a random order inside each block, or the sequence "
        "reversed in every other block"
    )
    if not evidence.known:
        yield finding(
            "SPS104",
            "launch order is not known, so drift cannot be told from the setting",
            observed="no order",
            required="time stamps, order = N in study.toml, or numbered runs",
            remedy=remedy,
            subject=subject,
        )
        return
    if not evidence.suspect:
        return
    drifting = evidence.drift is not None and evidence.drift < DEFAULTS.drift_p
    refused = drifting and evidence.caps
    how = (
        "one arm was launched wholly before the other"
        if evidence.separated
        else "the same unbalanced sequence of arms comes in every block"
        if evidence.fixed
        else f"launch order explains {evidence.r_squared:.0%} of the arm contrast"
    )
    drift = (
        f", and the runs drift (p {evidence.drift:.2g})"
        if drifting
        else ", and drift is not checkable with so few runs"
        if evidence.drift is None
        else ""
    )
    yield finding(
        "SPS104",
        how + drift,
        level=Level.ERROR if refused else Level.WARNING,
        observed=f"R^2 {evidence.r_squared:.2f} of arm on launch order",
        required=f"R^2 below {DEFAULTS.order_r_squared}",
        remedy=remedy,
        subject=subject,
    )


def blocks_confounded(
    view: View, matrix: RunMatrix, baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS114: the arms meet in no block or day."""
    del view
    declared = blocks_of(matrix.runs) is not None
    places = {
        arm: {
            run.block if declared else day_of(run)
            for run in matrix.runs
            if run.arm == arm
        }
        for arm in (baseline, candidate)
    }
    first, second = places[baseline], places[candidate]
    if not first or not second or None in first | second:
        return
    if first & second:
        if declared:
            yield from _left_over(matrix, first ^ second, baseline, candidate)
        return
    what = "block" if declared else "day"
    yield finding(
        "SPS114",
        f"the arms meet in no {what}: {_shown(first)} for {baseline}, "
        f"{_shown(second)} for {candidate}",
        observed=f"0 common {what}s",
        required=f"both arms in at least two {what}s",
        remedy=f"run both arms in every {what}",
        subject=(baseline, candidate),
    )


def _left_over(
    matrix: RunMatrix, alone: set[str | None], baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS114 as a warning: blocks with one arm only are left out."""
    lost = sum(run.block in alone for run in matrix.runs)
    if lost:
        yield finding(
            "SPS114",
            f"{lost} runs lie in blocks with one arm only ({_shown(alone)}) and are "
            "not compared",
            level=Level.WARNING,
            observed=f"{len(alone)} incomplete blocks",
            required="both arms in every block",
            remedy="run both arms in every block",
            subject=(baseline, candidate),
        )


def _shown(places: set[str | None]) -> str:
    names = sorted(str(place) for place in places)
    return ", ".join(names[:3]) + (", ..." if len(names) > len(names[:3]) else "")
