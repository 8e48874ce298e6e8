"""The verdict: one table, no numbers computed."""

from __future__ import annotations

from dataclasses import dataclass

from specstats.results import Verdict

__all__ = ["Evidence", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the verdict rests on.

    Attributes
    ----------
    refused : bool
        A finding at level error stands, or nothing could be estimated.
    thin : bool
        Too few runs or blocks stand behind the interval.
    capped : bool
        Order or a control forbids a claim.
    equivalent : bool
        A margin was given and the 1 - 2 alpha interval lies inside it.
    significant : bool
        The family-adjusted p-value is at most alpha.
    better : bool
        The estimate favours the candidate.
    """

    refused: bool
    thin: bool
    capped: bool
    equivalent: bool
    significant: bool
    better: bool


def decide(evidence: Evidence) -> Verdict:
    """Return the verdict, the first row of the table that applies.

    Parameters
    ----------
    evidence : Evidence
        What was found.

    Returns
    -------
    Verdict
        REFUSED, INSUFFICIENT, INCONCLUSIVE by a cap, EQUIVALENT, FASTER or SLOWER,
        else INCONCLUSIVE.
    """
    faster = Verdict.FASTER if evidence.better else Verdict.SLOWER
    table = (
        (evidence.refused, Verdict.REFUSED),
        (evidence.thin, Verdict.INSUFFICIENT),
        (evidence.capped, Verdict.INCONCLUSIVE),
        (evidence.equivalent, Verdict.EQUIVALENT),
        (evidence.significant, faster),
    )
    return next(
        (verdict for applies, verdict in table if applies), Verdict.INCONCLUSIVE
    )
