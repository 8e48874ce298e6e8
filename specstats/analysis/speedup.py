"""`speedup`, `compare_all` and `check`: the comparison verbs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.analysis.methods import method_named
from specstats.analysis.options import DEFAULT_METHOD, Options
from specstats.analysis.summarize import summarize_view
from specstats.defaults import DEFAULTS
from specstats.design import Design, view_of
from specstats.diagnostics import Findings, rule
from specstats.errors import DesignError
from specstats.units import metric_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.analysis.options import ReferenceSpread
    from specstats.bench import Bench
    from specstats.results import Comparison

__all__ = ["check", "compare_all", "speedup"]


def speedup(
    bench: Bench,
    design: Design,
    /,
    *,
    metric: str = "decode_rate",
    confidence_level: float = DEFAULTS.confidence_level,
    margin: float | None = None,
    min_runs: int = DEFAULTS.min_runs,
    reference_spread: ReferenceSpread | None = None,
    method: str = DEFAULT_METHOD,
    allow: Sequence[str] = (),
) -> Comparison:
    """Estimate the speedup of one candidate over the baseline, or refuse.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design
        Names the baseline, and the candidate where there are several.
    metric : str
        Name of a metric.
    confidence_level : float
        Level of the interval.
    margin : float, optional
        Relative difference that does not matter, for equivalence.
    min_runs : int
        Launches (or blocks) below which no verdict is given.
    reference_spread : ReferenceSpread, optional
        Spread borrowed from earlier launches.
    method : str
        A method by name, such as ``"bootstrap-t"``; the design chooses by default.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    Comparison
        The headline; ``.require()`` raises when it was refused.

    Raises
    ------
    DesignError
        If the baseline is not known or several candidates are.

    Notes
    -----
    Estimand: ratio of geometric means of run values over launches (or over sessions
    to come, with blocks). Unit of replication: the launch or the block. Model: log
    run values, independent launches, Welch's t; with blocks a t of block log ratios.
    Refuses when SPS101, SPS102, SPS103, SPS105, SPS112, SPS114, SPS208 or another
    error stands. Checked against R in tests/reference and by simulation.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> design = specstats.Design(candidate="spec-g4")
    >>> print(specstats.speedup(bench, design).estimate.value.__round__(4))
    2.0712
    """
    found = compare_all(
        bench,
        design,
        metric=metric,
        confidence_level=confidence_level,
        margin=margin,
        min_runs=min_runs,
        reference_spread=reference_spread,
        method=method,
        allow=allow,
    )
    if len(found) != 1:
        names = ", ".join(repr(item.candidate) for item in found)
        raise DesignError(
            f"{len(found)} candidates ({names}). Expected one: "
            "Design(candidate=...), or compare_all for all of them"
        )
    return found[0]


def compare_all(
    bench: Bench,
    design: Design | None = None,
    /,
    *,
    metric: str = "decode_rate",
    confidence_level: float = DEFAULTS.confidence_level,
    margin: float | None = None,
    min_runs: int = DEFAULTS.min_runs,
    reference_spread: ReferenceSpread | None = None,
    method: str = DEFAULT_METHOD,
    allow: Sequence[str] = (),
) -> tuple[Comparison, ...]:
    """Compare every candidate with the baseline, as one Holm family.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    metric : str
        Name of a metric.
    confidence_level : float
        Level of the intervals.
    margin : float, optional
        Relative difference that does not matter.
    min_runs : int
        Launches (or blocks) below which no verdict is given.
    reference_spread : ReferenceSpread, optional
        Spread borrowed from earlier launches.
    method : str
        A method by name, such as ``"bootstrap-t"``; the design chooses by default.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    tuple of Comparison
        Headlines, one a candidate.

    Raises
    ------
    DesignError
        If the baseline is not known.

    Notes
    -----
    As `speedup`; p-values are Holm-adjusted over the candidates, simultaneous limits
    are Bonferroni's. Control arms are compared first and cap what may be claimed.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> [item.verdict.value for item in specstats.compare_all(bench)]
    ['faster', 'faster', 'faster', 'faster']
    """
    metric_named(metric)
    method_named(method)
    view = view_of(bench, design)
    if view.design.baseline is None:
        raise DesignError(
            f"no baseline among {', '.join(map(repr, bench.arms))}. "
            "Expected Design(baseline=...)"
        )
    options = Options(
        confidence_level=confidence_level,
        margin=margin,
        min_runs=min_runs,
        reference_spread=reference_spread,
        method=method,
        allow=tuple(rule(code).code for code in allow),
    )
    return summarize_view(view, options, metrics=(metric,), only=True).headlines


def check(
    bench: Bench, design: Design | None = None, /, *, allow: Sequence[str] = ()
) -> Findings:
    """Run all rules and return their findings, without estimates.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    Findings
        Of the readers, the study and every comparison.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("pascal-p5200")
    >>> "SPS201" in specstats.check(bench).codes
    True
    """
    view = view_of(bench, replace(design) if design is not None else None)
    options = Options(allow=tuple(rule(code).code for code in allow))
    study = summarize_view(
        view,
        options,
        metrics=("decode_rate",),
        most_ranked=DEFAULTS.ranked_arms,
    )
    return study.findings
