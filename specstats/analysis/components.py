"""Splitting the spread of an arm into block, launch, prompt and request."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats.components import (
    Components,
    design_effect,
    icc_interval,
    mls_interval,
    one_way,
    total_interval,
    within_interval,
)
from specstats.stats.crossed import crossed_components
from specstats.stats.nested import nested_components
from specstats.stats.parts import MLS, Part, variance_limits
from specstats.stats.reml import one_way_fit
from specstats.stats.spread import zero_spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from specstats.design import View
    from specstats.stats.parts import Parts

__all__ = ["components"]

Record = dict[str, float | int | str | None]

_ENOUGH_RUNS = 3
LEVELS = ("block", "run", "prompt", "run_prompt", "request")
# What the simulations in tests/sims/test_components.py show.
LABEL = (
    "normal theory: where launches are skewed, limits of a variance cover less than "
    "stated, and more launches do not help"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Log values of one arm with the level each lies in."""

    values: NDArray[np.float64]
    run: NDArray[np.intp]
    prompt: NDArray[np.intp]
    block: list[str] | None

    @property
    def n_runs(self) -> int:
        return int(np.count_nonzero(np.bincount(self.run)))

    def cells(self) -> NDArray[np.intp]:
        """Count the values of each run (row) and prompt (column)."""
        runs, run = np.unique(self.run, return_inverse=True)
        prompts, prompt = np.unique(self.prompt, return_inverse=True)
        flat = np.bincount(
            run * prompts.size + prompt, minlength=runs.size * prompts.size
        )
        return flat.reshape(runs.size, prompts.size)

    def adjusted(self) -> NDArray[np.float64]:
        """Values with the mean of each prompt taken out."""
        codes = np.unique(self.prompt, return_inverse=True)[1]
        means = np.bincount(codes, self.values) / np.bincount(codes)
        return self.values - means[codes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    levels: Mapping[str, Part]
    method: str
    interval: str | None
    one_way: Components | None
    remark: str | None = None


def components(
    view: View, arm: str, metric: str, *, confidence_level: float
) -> Record | None:
    """Split the spread of an arm into block, launch, prompt and request.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    metric : str
        The metric.
    confidence_level : float
        Level of the limits.

    Returns
    -------
    dict or None
        SDs on the log scale with limits where some are known to hold, ICC, design
        effect and counts; None with fewer than three runs or without repeats inside
        a run.

    Notes
    -----
    Prompts that several launches share are crossed with launches, and launches with
    one prompt, or prompts of their own, hold their requests nested. Balanced:
    analysis of variance with modified large-sample limits. Else REML, named in
    ``method``. A component that comes out negative is 0, for launches with
    ``truncated`` 1. One launch a block cannot be told from its block: ``run`` then
    stands for both.
    """
    rows = _rows(view, arm, metric)
    if rows is None:
        return None
    split = _split(rows, confidence_level)
    if split is None:
        return None
    return _record(rows, split, confidence_level)


def _rows(view: View, arm: str, metric: str) -> _Rows | None:
    logs = np.log(view.values(metric))
    chosen = np.flatnonzero(view.rows_of(arm) & view.timed & np.isfinite(logs))
    if not chosen.size:
        return None
    run = view.run[chosen]
    used = np.flatnonzero(np.bincount(run))
    labels = {code: view.runs[code].block for code in used.tolist()}
    n_blocks = len(set(labels.values()))
    blocked = None not in labels.values() and 1 < n_blocks < used.size
    rows = _Rows(
        values=logs[chosen],
        run=run,
        prompt=view.prompt[chosen],
        block=[str(labels[code]) for code in run.tolist()] if blocked else None,
    )
    if rows.n_runs < _ENOUGH_RUNS or rows.values.size <= rows.n_runs:
        return None
    return None if zero_spread(rows.values, resolution_log=0.0) else rows


def _split(rows: _Rows, confidence_level: float) -> _Split | None:
    """Fit the model that the layout of runs and prompts calls for."""
    cells = rows.cells()
    try:
        if cells.shape[1] == 1:
            return _nested(rows, confidence_level, by_prompt=False)
        if ((cells > 0).sum(axis=0) <= 1).all():
            return _nested(rows, confidence_level, by_prompt=bool(cells.max() > 1))
        return _from_parts(
            crossed_components(
                rows.values,
                run=rows.run,
                prompt=rows.prompt,
                block=rows.block,
                confidence_level=confidence_level,
            )
        )
    except ValueError as reason:
        if zero_spread(rows.adjusted(), resolution_log=0.0):
            return None
        return _plain(rows.adjusted(), rows.run, confidence_level, remark=str(reason))


def _nested(rows: _Rows, confidence_level: float, *, by_prompt: bool) -> _Split:
    if rows.block is None and not by_prompt:
        own = rows.cells().shape[1] > 1
        remark = (
            "each launch has prompts of its own: request holds them" if own else None
        )
        return _plain(rows.values, rows.run, confidence_level, remark=remark)
    levels: dict[str, list[str]] = {}
    if rows.block is not None:
        levels["block"] = rows.block
    levels["run"] = [str(code) for code in rows.run]
    if by_prompt:
        levels["prompt"] = [str(code) for code in rows.prompt]
    return _from_parts(
        nested_components(rows.values, levels, confidence_level=confidence_level)
    )


def _from_parts(parts: Parts) -> _Split:
    levels = dict(parts.levels)
    levels["request"] = levels.pop("residual")
    return _Split(
        levels=levels,
        method=parts.method,
        interval=parts.interval,
        one_way=parts.one_way,
    )


def _plain(
    values: NDArray[np.float64],
    run: NDArray[np.intp],
    confidence_level: float,
    *,
    remark: str | None,
) -> _Split:
    """One-way layout of launches; limits by harmonic mean size when unequal."""
    groups = [values[run == code] for code in np.unique(run)]
    parts = one_way(groups)
    balanced = parts.n0 == groups[0].size == parts.size
    between, within = parts.between_var, parts.within_var
    truncated = parts.truncated
    if not balanced:
        fit = one_way_fit(groups)
        between, within, truncated = fit.between_var, fit.within_var, fit.boundary
    limits = mls_interval(parts, confidence_level=confidence_level)
    low, high = variance_limits(*limits)
    below, above = within_interval(parts, confidence_level=confidence_level)
    flat = parts.within_var == 0.0
    return _Split(
        levels={
            "run": Part(variance=between, truncated=truncated, low=low, high=high),
            "request": Part(
                variance=within,
                truncated=False,
                low=None if flat else below,
                high=None if flat else above,
            ),
        },
        method="ANOVA" if balanced else "REML",
        interval=MLS if balanced else f"{MLS}, harmonic mean size",
        one_way=None if flat else parts,
        remark=remark,
    )


def _record(rows: _Rows, split: _Split, confidence_level: float) -> Record:
    found: Record = {}
    variances = {name: part.variance for name, part in split.levels.items()}
    total = sum(value for name, value in variances.items() if name != "prompt")
    between = variances["run"] + variances.get("block", 0.0)
    icc = between / total if total > 0.0 else 0.0
    sizes = np.bincount(rows.run)
    size = float(1.0 / (1.0 / sizes[sizes > 0]).mean())
    effect = design_effect(icc, size)
    found |= {
        "run": math.sqrt(variances["run"]),
        "request": math.sqrt(variances["request"]),
        "icc": icc,
        "runs": rows.n_runs,
        "requests": int(rows.values.size),
        "truncated": int(split.levels["run"].truncated),
    }
    for name in LEVELS:
        part = split.levels.get(name)
        found[name] = None if part is None else part.sd
        found[f"{name}_low"] = _root(None if part is None else part.low)
        found[f"{name}_high"] = _root(None if part is None else part.high)
    simple = split.one_way
    low: float | None = None
    high: float | None = None
    below = above = None
    if simple is not None:
        low, high = variance_limits(
            *icc_interval(simple, confidence_level=confidence_level)
        )
        below, above = total_interval(simple, confidence_level=confidence_level)
    notes = (split.remark, None if split.interval is None else LABEL)
    return found | {
        "icc_low": low,
        "icc_high": high,
        "total": math.sqrt(total),
        "total_low": _root(below),
        "total_high": _root(above),
        "design_effect": effect,
        "effective_requests": rows.values.size / effect,
        "method": split.method,
        "interval_method": split.interval,
        "note": "; ".join(note for note in notes if note is not None) or None,
    }


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(max(0.0, variance))
