"""Controls, comparisons in each scope, and refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, filled_grid
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.render.grid import Grid
    from specstats.results import Comparison, Estimate, StudySummary

__all__ = ["comparison_sections", "controls_section", "refused_section"]


def controls_section(study: StudySummary) -> Section | None:
    """Return the arms that were declared identical, and the noise floor.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when no control could be estimated.
    """
    shown = [item for item in study.controls if item.estimate is not None]
    if not shown:
        return None
    several = len({item.metric for item in shown}) > 1
    rows = [
        (
            item.candidate,
            item.baseline,
            item.metric if several else "",
            item.workload or "",
            item.scope,
            _ratio(item.estimate),
            _limits(item.estimate),
            _half_width(item.estimate),
            _runs(item),
        )
        for item in shown
    ]
    titles = (
        *("arm", "identical to", "metric", "workload", "scope"),
        *("ratio", "interval", "half-width", "runs"),
    )
    floor = study.noise_floor
    told = (
        ""
        if floor is None
        else f"Noise floor of the study: x/{numbers.ratio(floor.ratio)}. "
        + (
            "A control is told apart: nothing that reaches into it may be claimed."
            if study.findings.of("SPS210")
            else "No control is told apart, which clears nothing below the floor."
        )
    )
    return Section(
        title="Controls (declared identical; never a speedup)",
        grid=filled_grid(titles, rows, left=5),
        after=(told,) if told else (),
    )


def comparison_sections(study: StudySummary) -> tuple[Section, ...]:
    """Return the comparisons with an estimate, a section a metric, scope and workload.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of Section
        In order of first appearance.
    """
    groups: dict[tuple[str, str, str, str | None], list[Comparison]] = {}
    for item in study.comparisons:
        if item.estimate is not None:
            key = (item.metric, item.scope, item.baseline, item.workload)
            groups.setdefault(key, []).append(item)
    told: set[str] = set()
    found = []
    for (metric, scope, baseline, workload), items in groups.items():
        place = scope if workload is None else f"{scope}, {workload}"
        lines = [
            line
            for line in (*_sensitivities(items), *_differences(items))
            if line not in told
        ]
        told.update(lines)
        title = f"{METRICS[metric].label.capitalize()} ratio to {baseline}: {place}"
        grid = _scope(items)
        found.append(Section(title=title, grid=grid, after=tuple(lines)))
    return tuple(found)


def _scope(found: Sequence[Comparison]) -> Grid:
    rows = [
        (
            item.candidate,
            item.verdict.value.upper(),
            _ratio(item.estimate),
            _limits(item.estimate),
            ""
            if item.simultaneous is None or item.family_size < 2  # noqa: PLR2004
            else numbers.interval(
                item.simultaneous.low, item.simultaneous.high, ratios=True
            ),
            numbers.p_value(item.p_holm),
            _runs(item),
        )
        for item in found
    ]
    level = next(
        numbers.level(item.estimate.interval.confidence_level)
        for item in found
        if item.estimate is not None
    )
    titles = (
        *("candidate", "verdict", "ratio", f"{level} interval", "family limits"),
        *("p Holm", "runs"),
    )
    return filled_grid(titles, rows, left=2)


def _differences(found: Sequence[Comparison]) -> list[str]:
    lines = []
    for item in found:
        memory, power = (
            item.peak_memory_difference_mib,
            item.peak_power_difference_w,
        )
        parts = [] if memory is None else [f"peak memory {memory:+.0f} MiB"]
        parts += [] if power is None else [f"peak power {power:+.1f} W"]
        if parts:
            told = ", ".join(parts)
            lines.append(f"{item.candidate}: {told} against {item.baseline}")
    return lines


def _sensitivities(found: Sequence[Comparison]) -> list[str]:
    """Return how far a ratio hangs on one run, where one stands apart."""
    lines = []
    for item in found:
        span = item.leave_one_out
        if span is not None and item.findings.of("SPS206"):
            limits = numbers.interval(span.low, span.high, ratios=True)
            lines.append(
                f"{item.candidate}: leaving any one {span.unit} out, the ratio to "
                f"{item.baseline} lies in {limits}"
            )
    return lines


def refused_section(study: StudySummary) -> Section | None:
    """Return the comparisons without an estimate.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when nothing was refused.
    """
    shown = [item for item in study.comparisons if item.estimate is None]
    if not shown:
        return None
    rows = [
        (
            item.candidate,
            item.baseline,
            item.metric,
            item.workload or "",
            numbers.ratio(item.observed_ratio),
            numbers.band(item.aa_band),
            _runs(item),
            ", ".join(item.findings.errors.codes),
        )
        for item in shown
    ]
    titles = (
        *("candidate", "baseline", "metric", "workload"),
        *("observed", "A/A band", "runs", "refused by"),
    )
    note = (
        "The observed ratio is between these runs; it is not an estimate of the "
        "setting's effect."
    )
    observed = any(item.observed_ratio is not None for item in shown)
    return Section(
        title="Refused comparisons",
        grid=filled_grid(titles, rows, left=4, wraps=("refused by",)),
        after=(note,) if observed else (),
    )


def _ratio(estimate: Estimate | None) -> str:
    return numbers.ratio(None if estimate is None else estimate.value)


def _half_width(estimate: Estimate | None) -> str:
    """Return the factor from the estimate to its limits: what a control can see."""
    if estimate is None:
        return ""
    limits = estimate.interval
    return f"x/{numbers.ratio(math.sqrt(limits.high / limits.low))}"


def _limits(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    limits = estimate.interval
    return numbers.interval(limits.low, limits.high, ratios=True)


def _runs(item: Comparison) -> str:
    return f"{item.n_runs_candidate}+{item.n_runs_baseline}"
