"""What is known of each arm: metrics, acceptance, determinism, telemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.report import numbers
from specstats.report._section import Section, counted, filled_grid, listed
from specstats.units import METRICS

if TYPE_CHECKING:
    from specstats.results import AaBand, Acceptance, ArmSummary, StudySummary
    from specstats.results import MetricSummary as Summary

__all__ = [
    "acceptance_section",
    "determinism_section",
    "metric_section",
    "telemetry_section",
]


def metric_section(study: StudySummary, name: str) -> Section | None:
    """Return one metric of all arms.

    Parameters
    ----------
    study : StudySummary
        The study.
    name : str
        Name of the metric.

    Returns
    -------
    Section or None
        None when no arm has it.
    """
    arms = [arm for arm in study.arms if name in arm.metrics]
    if not arms:
        return None
    metric, found = METRICS[name], [arm.metrics[name] for arm in arms]
    within, across = "A/A band", "A/A across blocks"
    if any(_between(item) is not None for item in found):
        within = "A/A in a block"
    titles = (
        *("arm", "runs", "requests", metric.unit, f"{_level(found)}interval"),
        *("run CV", within, across),
    )
    conventions = sorted(
        {item.rate_convention for item in found if item.rate_convention is not None}
    )
    counting = f", {listed(conventions)} tokens over decode time" if conventions else ""
    return Section(
        title=f"{metric.label.capitalize()} by arm ({metric.unit}{counting})",
        grid=filled_grid(titles, [_metric_row(arm, name) for arm in arms]),
        after=_next_launch(arms) if name == "decode_rate" else (),
    )


def _next_launch(arms: list[ArmSummary]) -> tuple[str, ...]:
    """Return where one more launch of each arm is to be expected."""
    told, level = [], ""
    for arm in arms:
        spread = arm.metrics["decode_rate"].spread
        if spread is not None:
            level = f"{100 * spread.confidence_level:.4g} %"
            limits = numbers.interval(spread.next_run_low, spread.next_run_high)
            told.append(f"{arm.arm} {limits}")
    if not told:
        return ()
    return (f"{level} prediction for one more launch: {', '.join(told)}.",)


def band_note(study: StudySummary) -> str | None:
    """Return what an A/A band is, where a section shows one."""
    bands = [
        band
        for arm in study.arms
        for item in arm.metrics.values()
        for band in (_within(item), _between(item))
        if band is not None
    ]
    if not bands:
        return None
    return (
        "A/A: the ratio of two single runs of one setting stays within this factor "
        f"in {numbers.level(bands[0].confidence_level)} of pairs."
    )


def _level(found: list[Summary]) -> str:
    levels = {
        item.interval.confidence_level for item in found if item.interval is not None
    }
    return f"{numbers.level(levels.pop())} " if len(levels) == 1 else ""


def _within(item: Summary) -> AaBand | None:
    return None if item.spread is None else item.spread.aa_band


def _between(item: Summary) -> AaBand | None:
    return None if item.spread is None else item.spread.aa_band_between_blocks


def _metric_row(arm: ArmSummary, name: str) -> tuple[str, ...]:
    item = arm.metrics[name]
    limits = item.interval
    return (
        arm.arm,
        str(item.n_runs),
        str(item.n_requests),
        numbers.number(item.estimate),
        "" if limits is None else numbers.interval(limits.low, limits.high),
        "" if item.spread is None else numbers.percent(item.spread.run_cv),
        numbers.band(_within(item)),
        numbers.band(_between(item)),
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
    titles = (
        *("arm", "accepted", "rate", "interval", "clusters", "texts"),
        "tokens per step",
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
        f"{item.arm} {item.naive.accepted}/{item.naive.drafted}"
        for item in found
        if item.n_distinct_generations is not None
    )
    if told:
        after.append(f"Naive totals, every repeat counted again: {told}.")
    return Section(
        title="Draft acceptance",
        grid=filled_grid(titles, [_acceptance_row(item) for item in found]),
        after=tuple(after),
    )


def _acceptance_row(item: Acceptance) -> tuple[str, ...]:
    limits, steps = item.interval, item.tokens_per_step
    return (
        item.arm,
        f"{item.accepted}/{item.drafted}",
        f"{item.rate:.4f}",
        "" if limits is None else f"[{limits.low:.4f}, {limits.high:.4f}]",
        _clusters(item),
        numbers.fixed(item.n_distinct_generations, 0),
        "" if steps is None else f"{steps:.3f}",
    )


def _clusters(item: Acceptance) -> str:
    """Return the clusters with their count: the smaller one of prompts and runs."""
    if " and " not in item.cluster:
        return counted(item.n_clusters, item.cluster)
    return f"{item.n_clusters} by {item.cluster}"


def determinism_section(study: StudySummary) -> Section | None:
    """Return how far the outputs of each arm vary, and which arms agree.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when no output is known.
    """
    if not study.determinism:
        return None
    rows, same = [], {}
    for arm in dict.fromkeys(item.arm for item in study.determinism):
        own = [item for item in study.determinism if item.arm == arm]
        several = [item for item in own if item.n_distinct_outputs > 1]
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
            )
        )
        everywhere = set.intersection(*(set(item.same_outputs_as) for item in own))
        names = tuple(item.arm for item in study.arms if item.arm in everywhere | {arm})
        same[names] = len(own)
    titles = (
        *("arm", "prompts", "requests", "most outputs", "varying"),
        "explained by",
    )
    return Section(
        title="Determinism (distinct outputs of a prompt)",
        grid=filled_grid(titles, rows, wraps=("explained by",)),
        after=tuple(
            f"Same outputs for {'the prompt' if prompts == 1 else 'every prompt'}: "
            f"{listed(names)}."
            for names, prompts in same.items()
            if len(names) > 1
        ),
    )


def telemetry_section(study: StudySummary) -> Section | None:
    """Return the telemetry of all arms that have samples.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        None when no arm has any.
    """
    rows = [
        (
            arm.arm,
            str(item.n_samples),
            numbers.fixed(item.peak_memory_mib, 0),
            numbers.fixed(item.peak_power_w, 2),
            numbers.fixed(item.mean_power_w, 2),
            numbers.fixed(item.peak_utilisation_pct, 0),
            numbers.fixed(item.peak_temperature_c, 0),
        )
        for arm in study.arms
        if (item := arm.telemetry) is not None
    ]
    if not rows:
        return None
    titles = ("arm", "samples", "peak MiB", "peak W", "mean W", "peak %", "peak C")
    return Section(title="Telemetry", grid=filled_grid(titles, rows))
