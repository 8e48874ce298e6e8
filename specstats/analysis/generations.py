"""SPS304 and SPS305: what the acceptance of an arm or of several rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.defaults import DEFAULTS
from specstats.diagnostics import Findings, finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.diagnostics import Finding
    from specstats.results import Acceptance

__all__ = ["acceptance_findings", "draft_lengths_differ"]

_ENOUGH = 2


def acceptance_findings(found: Sequence[Acceptance]) -> Findings:
    """Return SPS305 for arms on one prompt or generation, and SPS304 for all arms.

    Parameters
    ----------
    found : sequence of Acceptance
        Acceptance of the arms.

    Returns
    -------
    Findings
        One an arm at most, and one that bears on several.
    """
    lengths = {item.arm: item.drafted / item.steps for item in found if item.steps}
    return Findings(
        [
            *(item for one in found for item in _one_generation(one)),
            *draft_lengths_differ(lengths),
        ]
    )


def draft_lengths_differ(lengths: Mapping[str, float]) -> list[Finding]:
    """SPS304: acceptance rates stand side by side and draft lengths differ.

    Parameters
    ----------
    lengths : mapping of str to float
        Drafted tokens per step of each arm.

    Returns
    -------
    list of Finding
        One, or none.
    """
    if len(lengths) < _ENOUGH or min(lengths.values()) <= 0.0:
        return []
    if max(lengths.values()) <= DEFAULTS.draft_length_ratio * min(lengths.values()):
        return []
    shown = ", ".join(f"{arm} {value:.2f}" for arm, value in lengths.items())
    return [
        finding(
            "SPS304",
            f"arms draft different lengths ({shown} tokens a step): their acceptance "
            "rates fall with the length by construction and rank no arm",
            observed=f"{min(lengths.values()):.2f} to {max(lengths.values()):.2f} "
            "drafted tokens a step",
            required=f"lengths within a factor {DEFAULTS.draft_length_ratio:g}",
            remedy="compare tokens per step, acceptance by position, and speed",
            subject=tuple(lengths),
            metric="acceptance",
        )
    ]


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
