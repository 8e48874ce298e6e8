"""The same comparison by other means over the requests of a launch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.options import DEFAULT_METHOD
from specstats.analysis.scopes import scopes
from specstats.diagnostics import Finding, finding
from specstats.units import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.analysis.options import Options
    from specstats.design import RunMatrix, View
    from specstats.results import EstimandName
    from specstats.stats.effects import Effect

__all__ = ["Estimands", "estimands_of"]

# What a launch's requests took, by metric: rate times this is a count of tokens.
_SECONDS = {"decode_rate": "decode_s", "prompt_rate": "prompt_s"}
_WORDS = {
    "geometric": "the geometric mean of rates",
    "arithmetic": "the arithmetic mean of rates",
    "totals": "tokens over time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimands:
    """Log ratios of one pair by estimand.

    Attributes
    ----------
    contrasts : tuple of (str, Effect)
        In the scope of the headline; the geometric mean first.
    findings : tuple of Finding
        SPS211 where they disagree on the winner.
    """

    contrasts: tuple[tuple[EstimandName, Effect], ...]
    findings: tuple[Finding, ...]


def estimands_of(
    view: View,
    matrix: RunMatrix,
    baseline: str,
    candidate: str,
    metric: str,
    *,
    options: Options,
    workload: str | None = None,
) -> Estimands:
    """Estimate a pair by the geometric and arithmetic mean and by totals.

    Parameters
    ----------
    view : View
        The data.
    matrix : RunMatrix
        Runs of both arms, signed so that more is better.
    baseline, candidate : str
        The arms.
    metric : str
        Name of the metric.
    options : Options
        What is asked.
    workload : str, optional
        Group of prompts.

    Returns
    -------
    Estimands
        Those that the artifacts allow: totals need times.

    Notes
    -----
    All three give each prompt x repeat cell of the plan the same weight, and differ in
    what is averaged: log rates, rates, or tokens and seconds. The unit of replication
    is the launch or block of the headline.
    """
    values = _values(view, matrix, baseline, candidate, metric, workload=workload)
    found: list[tuple[EstimandName, Effect]] = []
    for name, logs in values.items():
        contrast = _contrast(matrix, logs, candidate, options)
        if contrast is not None:
            found.append((name, contrast))
    disagreeing = [
        (first, second)
        for first, second in combinations(found, 2)
        if first[1].estimate * second[1].estimate < 0.0
        and _excludes_zero(
            _contrast(matrix, values[first[0]] - values[second[0]], candidate, options),
            options.confidence_level,
        )
    ]
    widest = sorted(
        disagreeing, key=lambda two: -abs(two[0][1].estimate - two[1][1].estimate)
    )
    return Estimands(
        contrasts=tuple(found),
        findings=tuple(
            _disagree(first, second, (baseline, candidate), metric)
            for first, second in widest[:1]
        ),
    )


def _contrast(
    matrix: RunMatrix, values: NDArray[np.float64], candidate: str, options: Options
) -> Effect | None:
    """Return the contrast of run values in the scope of the headline."""
    by_design = replace(options, method=DEFAULT_METHOD)
    headline = next(iter(scopes(matrix, values, candidate, by_design)))
    return None if headline.borrowed else headline.contrast


def _excludes_zero(contrast: Effect | None, level: float) -> bool:
    if contrast is None:
        return False
    low, high = contrast.interval(level)
    return low > 0.0 or high < 0.0


def _values(
    view: View,
    matrix: RunMatrix,
    baseline: str,
    candidate: str,
    metric: str,
    *,
    workload: str | None,
) -> dict[EstimandName, NDArray[np.float64]]:
    """Return log run values by estimand, signed so that more is better."""
    rates = view.values(metric)
    used, _ = view.used(metric, (baseline, candidate), workload=workload)
    sign = -1.0 if METRICS[metric].better == "lower" else 1.0
    found: dict[EstimandName, NDArray[np.float64]] = {"geometric": matrix.run_values()}
    means = _run_means(view, matrix, rates, used)
    found["arithmetic"] = sign * np.log(means)
    column = _SECONDS.get(metric)
    if column is not None:
        seconds = view.column(column)
        if np.isfinite(seconds[used]).all():
            tokens = _run_means(view, matrix, rates * seconds, used)
            found["totals"] = np.log(tokens / _run_means(view, matrix, seconds, used))
    return found


def _run_means(
    view: View,
    matrix: RunMatrix,
    values: NDArray[np.float64],
    used: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the mean of each run over its prompts of the means of their requests."""
    prompts = matrix.prompts if matrix.fresh_prompts else matrix.common_prompts
    columns = {name: code for code, name in enumerate(view.prompts)}
    kept = np.array([columns[name] for name in prompts], dtype=np.intp)
    shape = (len(view.runs), len(view.prompts))
    flat = view.run[used] * shape[1] + view.prompt[used]
    size = shape[0] * shape[1]
    counts = np.bincount(flat, minlength=size).reshape(shape)
    sums = np.bincount(flat, values[used], size).reshape(shape)
    places = {run.run_id: code for code, run in enumerate(view.runs)}
    rows = np.array([places[run.run_id] for run in matrix.runs], dtype=np.intp)
    cells = counts[np.ix_(rows, kept)]
    totals = sums[np.ix_(rows, kept)] / np.maximum(cells, 1)
    return np.asarray(totals.sum(axis=1) / (cells > 0).sum(axis=1))


def _disagree(
    first: tuple[EstimandName, Effect],
    second: tuple[EstimandName, Effect],
    pair: tuple[str, str],
    metric: str,
) -> Finding:
    ahead, behind = (first, second) if first[1].estimate > 0.0 else (second, first)
    return finding(
        "SPS211",
        f"{pair[1]} is ahead of {pair[0]} by {_WORDS[ahead[0]]} and behind by "
        f"{_WORDS[behind[0]]}: the estimand decides which arm wins",
        observed=f"x{np.exp(ahead[1].estimate):.4f} against "
        f"x{np.exp(behind[1].estimate):.4f}",
        required="one winner by every estimand",
        remedy="say which one matters for your use: tokens over time for a batch, "
        "the mean over requests for users who wait",
        subject=pair,
        metric=metric,
    )
