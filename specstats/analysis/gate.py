"""Whether a comparison proves or rules out a loss beyond the margin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.results import Verdict

if TYPE_CHECKING:
    from specstats.results import Estimate, Gate

__all__ = ["gate_of", "gate_words"]


def gate_of(
    verdict: Verdict, estimate: Estimate | None, *, capped: bool, margin: float | None
) -> Gate | None:
    """Judge a comparison against the lower end of the margin, 1 / (1 + margin).

    Parameters
    ----------
    verdict : Verdict
        What may be said of the comparison.
    estimate : Estimate or None
        The ratio with its interval.
    capped : bool
        Whether launch order or a control forbids a claim.
    margin : float or None
        Relative difference that does not matter.

    Returns
    -------
    {"regression", "cleared", "open"} or None
        ``regression``: slower, and the upper limit lies below. ``cleared``: the lower
        limit lies above, or equivalent (its lower one-sided test says so at alpha).
        ``open``: neither is shown, or nothing may be claimed. None without a margin.

    Notes
    -----
    A test of non-inferiority at the level of the printed interval; each candidate
    for itself. A regression also needs its Holm verdict. Too few launches, a refusal
    or a cap leave the gate open, whatever the limits.
    """
    if margin is None:
        return None
    unclaimed = capped or verdict in {Verdict.REFUSED, Verdict.INSUFFICIENT}
    if unclaimed or estimate is None:
        return "open"
    bound = -math.log1p(margin)
    low, high = estimate.interval.low, estimate.interval.high
    if verdict is Verdict.SLOWER and math.log(high) < bound:
        return "regression"
    if verdict is Verdict.EQUIVALENT or math.log(low) > bound:
        return "cleared"
    return "open"


def gate_words(verdict: Verdict, gate: Gate | None) -> str:
    """Say what the gate adds to a verdict.

    Parameters
    ----------
    verdict : Verdict
        What may be said.
    gate : {"regression", "cleared", "open"} or None
        What the margin shows.

    Returns
    -------
    str
        To follow the verdict in the sentence; often empty.
    """
    if verdict is Verdict.SLOWER:
        return {
            "regression": " by more than the margin",
            "open": ", whether by more than the margin is open",
        }.get(gate or "", "")
    if verdict is Verdict.INCONCLUSIVE:
        return {
            "cleared": ", but not slower by more than the margin",
            "open": ", and a loss beyond the margin is not ruled out",
        }.get(gate or "", "")
    return ""
