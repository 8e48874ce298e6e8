"""Acceptance of a candidate against that of a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis.acceptance_pair import METRICS, acceptance_pair
from specstats.analysis.summarize import candidates_of
from specstats.defaults import DEFAULTS
from specstats.design import view_of
from specstats.diagnostics import rule
from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench
    from specstats.design import Design
    from specstats.results import AcceptanceDifference, AcceptanceMetric

__all__ = ["acceptance_difference"]


def acceptance_difference(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    metric: AcceptanceMetric = "rate",
    confidence_level: float = DEFAULTS.confidence_level,
    allow: Sequence[str] = (),
) -> AcceptanceDifference:
    """Compare the draft acceptance of a candidate with that of a baseline.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        Names the arms: both have to draft.
    metric : {"rate", "length"}
        Accepted over drafted tokens, or tokens per step.
    confidence_level : float
        Level of the interval.
    allow : sequence of str
        Rule codes whose errors about settings (SPS102, SPS112) the user allows.

    Returns
    -------
    AcceptanceDifference
        No verdict; ``.require()`` raises where there is no estimate.

    Raises
    ------
    DesignError
        If the metric or the baseline is not known, or several candidates are.

    Notes
    -----
    Estimand: for rates the odds ratio of accepted over drafted tokens where the arms
    sent the same named prompts, else the difference of the rates; for lengths the
    ratio of tokens per step. Unit of replication: the prompt where acceptance varies
    by prompt, the launch where it varies by launch; byte-identical generations count
    once. Paired by prompt: leave-prompt-out jackknife on the logit (or on the log),
    t(G - 1); where launches vary as well, prompts and launches are both clusters.
    Independent: linearised Welch (or jackknife Welch on the log). Paired rates next
    to 0 or 1 fall back to the difference of rates, and `scale` says so. Refuses, as
    data, without counts (SPS301), with acceptance that was configured (SPS309), with
    one cluster in an arm (SPS305), without spread (SPS208), and where launches of an
    arm or the arms differ in more than the setting (SPS102, SPS112). Blocks are not
    used. Rates of arms that draft different lengths are compared, with SPS304 beside
    them: compare lengths instead. Checked against the Weil (1970) litters in
    tests/reference and by simulation in tests/sims/test_length.py.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> design = specstats.Design(baseline="spec-g4", candidate="spec-noise")
    >>> found = specstats.acceptance_difference(bench, design, metric="length")
    >>> round(found.require().value, 3), found.method
    (0.541, 'paired by prompt, jackknife on the log')
    """
    if metric not in METRICS:
        raise DesignError.not_listed("acceptance metric", str(metric), METRICS)
    view = view_of(bench, design)
    baseline = view.design.baseline
    if baseline is None:
        raise DesignError(
            f"no baseline among {', '.join(map(repr, bench.arms))}. "
            "Expected Design(baseline=...)"
        )
    candidates = candidates_of(view)
    if len(candidates) != 1:
        names = ", ".join(map(repr, candidates))
        raise DesignError(
            f"{len(candidates)} candidates ({names}). Expected one: "
            "Design(candidate=...)"
        )
    return acceptance_pair(
        view,
        baseline,
        candidates[0],
        metric,
        confidence_level=confidence_level,
        allow=tuple(rule(code).code for code in allow),
    )
