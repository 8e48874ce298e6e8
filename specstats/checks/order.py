"""Rules about launch order and blocks: SPS104, SPS114."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.defaults import DEFAULTS
from specstats.design.blocks import day_of
from specstats.diagnostics import Level, finding
from specstats.stats.order import (
    drift_p,
    fixed_pair_order,
    fully_separated,
    order_adjusted,
    order_r_squared,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.bench import Run
    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding
    from specstats.stats.contrast import Contrast

__all__ = ["OrderEvidence", "blocks_confounded", "not_interleaved", "order_evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderEvidence:
    """What launch order says about a comparison.

    Attributes
    ----------
    known : bool
        Whether the order of all runs is known.
    checkable : bool
        Whether there are runs enough for order to mean anything.
    r_squared : float or None
        Share of the arm contrast that order explains.
    separated, fixed : bool
        One arm wholly before the other; the same sequence in every block.
    drift : float or None
        p of the drift test; None when it cannot be checked.
    adjusted : Contrast or None
        Effect with a linear drift taken out.
    """

    known: bool
    checkable: bool
    r_squared: float | None
    separated: bool
    fixed: bool
    drift: float | None
    adjusted: Contrast | None

    @property
    def suspect(self) -> bool:
        """Whether order separates the arms."""
        high = (self.r_squared or 0.0) >= DEFAULTS.order_r_squared
        return self.checkable and (high or self.fixed or self.separated)

    @property
    def caps(self) -> bool:
        """Whether no verdict beyond INCONCLUSIVE may be given."""
        return self.checkable and (self.fixed or self.separated)


def order_evidence(
    matrix: RunMatrix, baseline: str, candidate: str, *, randomised: bool
) -> OrderEvidence:
    """Measure what launch order says about a comparison.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms.
    baseline, candidate : str
        The arms.
    randomised : bool
        Whether the order came from a recorded randomisation.

    Returns
    -------
    OrderEvidence
        The evidence.
    """
    del baseline
    flags, values = matrix.of_arm(candidate), matrix.run_values()
    order = [run.order for run in matrix.runs]
    known = [place for place in order if place is not None]
    if len(known) < len(order) or not flags.any() or flags.all():
        return OrderEvidence(
            known=len(known) == len(order),
            checkable=False,
            r_squared=None,
            separated=False,
            fixed=False,
            drift=None,
            adjusted=None,
        )
    blocks = _blocks(matrix.runs)
    separated = blocks is None and fully_separated(flags, known)
    fixed = (
        blocks is not None and not randomised and fixed_pair_order(flags, known, blocks)
    )
    return OrderEvidence(
        known=True,
        checkable=len(known) > 2,  # noqa: PLR2004 - 1+1 is SPS101
        r_squared=order_r_squared(flags, known, blocks),
        separated=separated,
        fixed=fixed,
        drift=drift_p(values, flags, known, blocks),
        adjusted=order_adjusted(values, flags, known, blocks),
    )


def _blocks(runs: Sequence[Run]) -> list[str] | None:
    found = [run.block for run in runs if run.block is not None]
    return found if len(found) == len(runs) and found else None


def not_interleaved(
    evidence: OrderEvidence, baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS104: launch order separates the arms."""
    subject = (baseline, candidate)
    remedy = "interleave the arms: ABBA, or a random order inside each block"
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
        else "the arms follow each other in the same order in every block"
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
    declared = _blocks(matrix.runs) is not None
    places = {
        arm: {
            run.block if declared else day_of(run)
            for run in matrix.runs
            if run.arm == arm
        }
        for arm in (baseline, candidate)
    }
    first, second = places[baseline], places[candidate]
    if not first or not second or None in first | second or first & second:
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


def _shown(places: set[str | None]) -> str:
    names = sorted(str(place) for place in places)
    return ", ".join(names[:3]) + (", ..." if len(names) > len(names[:3]) else "")
