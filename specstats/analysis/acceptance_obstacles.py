"""What stands in the way of a difference of acceptance, or qualifies it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis.drafted import Counted, counted_of
from specstats.analysis.generations import draft_lengths_differ
from specstats.checks.acceptance import is_configured
from specstats.diagnostics import Level, counted, finding

if TYPE_CHECKING:
    from specstats.design import View
    from specstats.diagnostics import Finding
    from specstats.results import AcceptanceMetric

__all__ = ["beside", "no_spread", "one_cluster", "too_wide", "without_counts"]

_ENOUGH = 2


def without_counts(
    view: View, arms: dict[str, Counted | None], metric: AcceptanceMetric
) -> list[Finding]:
    """SPS301 or SPS309: an arm without counts, or whose acceptance was configured.

    Parameters
    ----------
    view : View
        The data.
    arms : dict
        Counts of the arms, the baseline first.
    metric : {"rate", "length"}
        What is compared.
    """
    found = []
    lacking = "draft counts" if metric == "rate" else "steps and accepted tokens"
    for arm, known in arms.items():
        if known is not None:
            continue
        made = is_configured(view.bench, arm)
        found.append(
            finding(
                "SPS309" if made else "SPS301",
                f"{arm}: acceptance was configured, not measured"
                if made
                else f"{arm} has no {lacking}",
                level=Level.ERROR,
                observed="a configured rate" if made else f"no {lacking}",
                required="counts of both arms",
                remedy="measure with a drafter whose drafts the model verifies"
                if made
                else "compare arms that draft: Design(baseline=..., candidate=...)",
                subject=tuple(arms),
            )
        )
    return found


def one_cluster(arms: dict[str, Counted | None]) -> list[Finding]:
    """SPS305: an arm with a single prompt or launch.

    Parameters
    ----------
    arms : dict
        Counts of the arms.
    """
    return [
        finding(
            "SPS305",
            f"{arm}: {counted(known.n_clusters, known.cluster)}, so no spread between "
            "clusters",
            level=Level.ERROR,
            observed=counted(known.n_clusters, known.cluster),
            required="2 or more in each arm, 5 to speak of a workload",
            remedy="measure more prompts, and name them (prompt column or {prompt})",
            subject=tuple(arms),
        )
        for arm, known in arms.items()
        if known is not None and known.n_clusters < _ENOUGH
    ]


def beside(
    view: View, arms: dict[str, Counted | None], metric: AcceptanceMetric
) -> list[Finding]:
    """SPS304, SPS105 and SPS308: what qualifies a difference.

    Parameters
    ----------
    view : View
        The data.
    arms : dict
        Counts of the arms.
    metric : {"rate", "length"}
        What is compared.
    """
    known = [item for item in arms.values() if item is not None]
    if len(known) < len(arms):
        return []
    found = draft_lengths_differ(_lengths(view, arms)) if metric == "rate" else []
    by_prompt = "run" not in {item.cluster for item in known}
    if by_prompt and known[0].prompts != known[1].prompts:
        found.append(
            finding(
                "SPS105",
                "prompts differ between the arms, so acceptance is compared as if "
                "each arm had a sample of its own",
                level=Level.WARNING,
                observed=f"{len(known[0].prompts)} and {len(known[1].prompts)} prompts",
                required="the same prompts in both arms",
                remedy="send every arm the same prompts",
                subject=tuple(arms),
            )
        )
    conventions = {item.convention for item in known}
    if len(conventions) > 1:
        found.append(
            finding(
                "SPS308",
                "steps are counted in two ways: "
                + " and ".join(sorted(map(str, conventions))),
                observed="two conventions",
                required="one",
                remedy="record steps with the same tool in both arms",
                subject=tuple(arms),
            )
        )
    return found


def _lengths(view: View, arms: dict[str, Counted | None]) -> dict[str, float]:
    lengths = {}
    for arm, known in arms.items():
        steps = counted_of(view, arm, "length")
        if known is not None and steps is not None:
            lengths[arm] = float(known.whole.sum() / steps.whole.sum())
    return lengths


def no_spread(baseline: str, candidate: str) -> Finding:
    """SPS208: the clusters of neither arm vary.

    Parameters
    ----------
    baseline, candidate : str
        The arms.
    """
    return finding(
        "SPS208",
        "the clusters do not vary: no interval of width 0 is given",
        level=Level.ERROR,
        observed="no spread between clusters",
        required="clusters that differ",
        remedy="measure more prompts",
        subject=(baseline, candidate),
    )


def too_wide(baseline: str, candidate: str) -> Finding:
    """SPS305: limits that no number holds.

    Parameters
    ----------
    baseline, candidate : str
        The arms.
    """
    return finding(
        "SPS305",
        "the limits pass the range of numbers: too few clusters",
        level=Level.ERROR,
        observed="2 clusters that differ without measure",
        required="more clusters",
        remedy="measure more prompts",
        subject=(baseline, candidate),
    )
