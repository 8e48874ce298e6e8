"""The sections of a report, before any markup."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.render.grid import Column, Grid
from specstats.report import numbers
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.results import ArmSummary, Comparison, Estimate, StudySummary

__all__ = ["Section", "acceptance_section", "answer", "sections"]

_LISTED_FILES = 8
_RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with paragraphs and at most one table.

    Attributes
    ----------
    title : str
        Heading.
    grid : Grid or None
        Table.
    before, after : tuple of str
        Paragraphs before and after it.
    """

    title: str
    grid: Grid | None = None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def answer(study: StudySummary) -> tuple[str, ...]:
    """Return the sentences that a reader wants first.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of str
        Headline sentences, or what there is instead.
    """
    if study.headlines:
        return tuple(item.sentence for item in study.headlines)
    unknown = study.findings.of("SPS115")
    if unknown:
        return tuple(f"{item.message}. {item.remedy}." for item in unknown)
    return ("One arm: its spread is described, nothing is compared.",)


def sections(study: StudySummary) -> tuple[Section, ...]:
    """Return all sections that have something to say.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of Section
        In reading order.
    """
    found = (
        _inputs(study),
        *(_metric(study, name) for name in METRICS),
        _settings(study),
        _controls(study),
        *_comparisons(study),
        _refused(study),
        acceptance_section(study),
        _determinism(study),
        _telemetry(study),
    )
    return tuple(section for section in found if section is not None)


def _grid(titles: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Grid:
    columns = tuple(
        Column(title) if place < left else Column(title, _RIGHT)
        for place, title in enumerate(titles)
    )
    return Grid(columns, tuple(tuple(row) for row in rows))


def _inputs(study: StudySummary) -> Section:
    if len(study.inputs) > _LISTED_FILES:
        return Section(title="Inputs", before=_input_lines(study))
    rows = [
        (
            item.path,
            item.format,
            f"{item.parsed} of {item.entries}",
            str(item.failed_requests or ""),
            item.run_boundary or "",
        )
        for item in study.inputs
    ]
    grid = _grid(("file", "format", "entries", "failed", "launches"), rows, left=2)
    return Section(title="Inputs", grid=grid.without_empty_columns())


def _input_lines(study: StudySummary) -> tuple[str, ...]:
    lines = []
    for name, files in Counter(item.format for item in study.inputs).items():
        of_format = [item for item in study.inputs if item.format == name]
        parsed = sum(item.parsed for item in of_format)
        entries = sum(item.entries for item in of_format)
        failed = sum(item.failed_requests for item in of_format)
        bounds = Counter(
            item.run_boundary for item in of_format if item.run_boundary is not None
        )
        told = ", ".join(f"{count} {bound}" for bound, count in bounds.items())
        lines.append(
            f"{files} {name} files: parsed {parsed} of {entries} entries, "
            f"{failed} failed requests"
            + (f"; launches of files: {told}" if told else "")
        )
    return tuple(lines)


def _metric(study: StudySummary, name: str) -> Section | None:
    arms = [arm for arm in study.arms if name in arm.metrics]
    if not arms:
        return None
    metric = METRICS[name]
    rows = [_metric_row(arm, name) for arm in arms]
    levels = {
        item.interval.confidence_level
        for arm in arms
        if (item := arm.metrics[name]).interval is not None
    }
    level = f"{100 * levels.pop():.4g} % " if len(levels) == 1 else ""
    conventions = {arm.metrics[name].rate_convention for arm in arms} - {None}
    note = (
        f", {' and '.join(sorted(map(str, conventions)))} tokens over decode time"
        if conventions
        else ""
    )
    titles = (
        *("arm", "runs", "requests", metric.unit, f"{level}interval"),
        *("run CV", "A/A band"),
    )
    grid = _grid(titles, rows).without_empty_columns()
    starred = any("*" in row[-1] for row in rows)
    return Section(
        title=f"{metric.label.capitalize()} by arm ({metric.unit}{note})",
        grid=grid,
        after=("* between sessions; without a star, within one",) if starred else (),
    )


def _metric_row(arm: ArmSummary, name: str) -> tuple[str, ...]:
    item = arm.metrics[name]
    spread = item.spread
    band = "" if spread is None else _bands(spread.aa_band, spread.aa_band_between_blocks)
    return (
        arm.arm,
        str(item.n_runs),
        str(item.n_requests),
        numbers.number(item.estimate),
        ""
        if item.interval is None
        else numbers.interval(item.interval.low, item.interval.high),
        "" if spread is None else numbers.percent(spread.run_cv),
        band,
    )


def _bands(within: object, between: object) -> str:
    told = []
    for band, name in ((within, ""), (between, "*")):
        ratio = getattr(band, "ratio", None)
        if isinstance(ratio, float):
            told.append(f"x/{numbers.ratio(ratio)}{name}")
    return " ".join(told)


def _settings(study: StudySummary) -> Section | None:
    keys = dict.fromkeys(key for arm in study.arms for key in arm.settings)
    missing = object()
    differing = [
        key
        for key in keys
        if len({repr(arm.settings.get(key, missing)) for arm in study.arms}) > 1
    ]
    if not differing or len(study.arms) < 2:  # noqa: PLR2004 - nothing to tell apart
        return None
    rows = [
        (key, *(str(arm.settings.get(key, "")) for arm in study.arms))
        for key in differing
    ]
    grid = _grid(("setting", *(arm.arm for arm in study.arms)), rows)
    return Section(title="Settings that differ between arms", grid=grid)


def _controls(study: StudySummary) -> Section | None:
    shown = [item for item in study.controls if item.estimate is not None]
    if not shown:
        return None
    rows = [
        (
            item.candidate,
            item.baseline,
            numbers.ratio(None if item.estimate is None else item.estimate.value),
            _limits(item.estimate),
            item.scope,
            _runs(item),
        )
        for item in shown
    ]
    titles = ("arm", "identical to", "ratio", "interval", "scope", "runs")
    floor = study.noise_floor
    return Section(
        title="Controls (declared identical; never a speedup)",
        grid=_grid(titles, rows, left=2),
        after=()
        if floor is None
        else (
            f"Noise floor of the study: x/{numbers.ratio(floor.ratio)}. Where a control "
            "is told apart, nothing that reaches into it may be claimed.",
        ),
    )


def _comparisons(study: StudySummary) -> tuple[Section, ...]:
    shown = [item for item in study.comparisons if item.estimate is not None]
    kinds = dict.fromkeys((item.metric, item.scope, item.headline) for item in shown)
    return tuple(
        _scope(
            [item for item in shown if (item.metric, item.scope) == (metric, scope)],
            f"{METRICS[metric].label.capitalize()} ratio to {shown[0].baseline}: {scope}",
            headline=headline,
        )
        for metric, scope, headline in kinds
    )


def _scope(found: Sequence[Comparison], title: str, *, headline: bool) -> Section:
    rows = [
        (
            item.candidate,
            item.workload or "",
            item.verdict.value.upper(),
            numbers.ratio(None if item.estimate is None else item.estimate.value),
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
    titles = (
        *("candidate", "workload", "verdict", "ratio", "interval", "family limits"),
        *("p Holm", "runs"),
    )
    after = tuple(
        f"{item.candidate}: peak memory {item.peak_memory_difference_mib:+.0f} MiB"
        + (
            ""
            if item.peak_power_difference_w is None
            else f", peak power {item.peak_power_difference_w:+.1f} W"
        )
        + f" against {item.baseline}"
        for item in found
        if headline and item.peak_memory_difference_mib is not None
    )
    return Section(
        title=title,
        grid=_grid(titles, rows, left=3).without_empty_columns(),
        after=after,
    )


def _limits(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    limits = estimate.interval
    return numbers.interval(limits.low, limits.high, ratios=True)


def _runs(item: Comparison) -> str:
    return f"{item.n_runs_candidate}+{item.n_runs_baseline}"


def _refused(study: StudySummary) -> Section | None:
    shown = [item for item in study.comparisons if item.estimate is None]
    if not shown:
        return None
    rows = [
        (
            item.candidate,
            item.baseline,
            item.metric,
            numbers.ratio(item.observed_ratio),
            "" if item.aa_band is None else f"x/{numbers.ratio(item.aa_band.ratio)}",
            f"{item.n_runs_candidate}+{item.n_runs_baseline}",
            ", ".join(item.findings.errors.codes),
        )
        for item in shown
    ]
    titles = ("candidate", "baseline", "metric", "observed", "A/A band", "runs", "by")
    grid = _grid(titles, rows, left=3).without_empty_columns()
    return Section(
        title="Refused comparisons",
        grid=grid,
        after=(
            "The observed ratio is between these runs; it is not an estimate of the "
            "setting's effect.",
        ),
    )


def acceptance_section(study: StudySummary) -> Section | None:
    """Return the acceptance of all arms that drafted.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when no arm drafted.
    """
    found = [arm.acceptance for arm in study.arms if arm.acceptance is not None]
    if not found:
        return None
    rows = [
        (
            item.arm,
            f"{item.accepted}/{item.drafted}",
            f"{item.rate:.4f}",
            ""
            if item.interval is None
            else f"[{item.interval.low:.4f}, {item.interval.high:.4f}]",
            f"{item.n_clusters} {item.cluster}",
            str(item.n_distinct_generations),
            "" if item.tokens_per_step is None else f"{item.tokens_per_step:.3f}",
        )
        for item in found
    ]
    titles = (
        *("arm", "accepted", "rate", "interval", "clusters", "texts"),
        "tokens/step",
    )
    after = [
        f"{item.arm}: [{item.token_interval.low:.4f}, {item.token_interval.high:.4f}] "
        f"{item.token_interval.label}; not an interval for a workload."
        for item in found
        if item.token_interval is not None
    ]
    conventions = dict.fromkeys(
        item.step_convention for item in found if item.step_convention is not None
    )
    after += [f"Steps: {convention}." for convention in conventions]
    told = ", ".join(
        f"{item.arm} {item.naive.accepted}/{item.naive.drafted}" for item in found
    )
    after.append(f"Naive totals, every repeat counted again: {told}.")
    return Section(
        title="Draft acceptance",
        grid=_grid(titles, rows).without_empty_columns(),
        after=tuple(after),
    )


def _determinism(study: StudySummary) -> Section | None:
    if not study.determinism:
        return None
    rows = []
    for arm in dict.fromkeys(item.arm for item in study.determinism):
        own = [item for item in study.determinism if item.arm == arm]
        several = [item for item in own if item.n_distinct_outputs > 1]
        same = [set(item.same_outputs_as) for item in own]
        everywhere = [name.arm for name in study.arms if all(name.arm in s for s in same)]
        reasons = dict.fromkeys(
            item.explained_by for item in several if item.explained_by is not None
        )
        rows.append(
            (
                arm,
                str(len(own)),
                str(sum(item.n_requests for item in own)),
                str(max(item.n_distinct_outputs for item in own)),
                str(len(several)),
                ", ".join(map(str, reasons)),
                ", ".join(everywhere),
            )
        )
    titles = (
        *("arm", "prompts", "requests", "most outputs", "varying"),
        *("explained by", "same outputs as"),
    )
    return Section(
        title="Determinism (distinct outputs of a prompt)",
        grid=_grid(titles, rows).without_empty_columns(),
    )


def _telemetry(study: StudySummary) -> Section | None:
    found = [(arm.arm, arm.telemetry) for arm in study.arms if arm.telemetry is not None]
    if not found:
        return None
    rows = [
        (
            name,
            str(item.n_samples),
            _fixed(item.peak_memory_mib, 0),
            _fixed(item.peak_power_w, 2),
            _fixed(item.mean_power_w, 2),
            _fixed(item.peak_utilisation_pct, 0),
            _fixed(item.peak_temperature_c, 0),
        )
        for name, item in found
    ]
    titles = ("arm", "samples", "peak MiB", "peak W", "mean W", "peak %", "peak C")
    return Section(
        title="Telemetry", grid=_grid(titles, rows).without_empty_columns()
    )


def _fixed(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"
