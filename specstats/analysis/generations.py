"""SPS305: acceptance that rests on one prompt or one generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.diagnostics import Findings, finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.diagnostics import Finding
    from specstats.results import Acceptance

__all__ = ["acceptance_findings"]

_ENOUGH = 2


def acceptance_findings(found: Sequence[Acceptance]) -> Findings:
    """Return SPS305 for arms whose acceptance rests on one prompt or generation.

    Parameters
    ----------
    found : sequence of Acceptance
        Acceptance of the arms.

    Returns
    -------
    Findings
        One an arm at most.
    """
    return Findings(item for one in found for item in _one_generation(one))


def _one_generation(item: Acceptance) -> list[Finding]:
    if item.n_clusters >= _ENOUGH:
        return []
    made = item.n_distinct_generations
    if made is None:
        return [_one_launch(item)]
    what = "one distinct generation" if made == 1 else f"{made} generations of one"
    what = what if made == 1 else f"{what} {item.cluster}"
    return [
        finding(
            "SPS305",
            f"{item.arm}: acceptance {item.accepted}/{item.drafted} rests on {what} "
            f"({item.n_requests} requests)",
            observed=f"{item.n_clusters} {item.cluster}",
            required="several prompts, 5 or more to speak of a workload",
            remedy="measure more prompts, and name them (prompt column or {prompt})",
            subject=(item.arm,),
        )
    ]


def _one_launch(item: Acceptance) -> Finding:
    return finding(
        "SPS305",
        f"{item.arm}: acceptance {item.accepted}/{item.drafted} rests on the counters "
        "of one launch",
        observed=f"{item.n_clusters} {item.cluster}",
        required="several launches, or draft counts of single requests",
        remedy="launch the server anew and measure again, or record draft counts of "
        "each request",
        subject=(item.arm,),
    )
