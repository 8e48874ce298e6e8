"""Components of runs crossed with prompts, runs in blocks where there are any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats._additive import additive_one_way
from specstats.stats._arrays import ROUNDING, ZeroSpreadError, as_values, group_codes
from specstats.stats._effects import AtRatios, Effects
from specstats.stats._search import best_ratios
from specstats.stats.components import mls_interval, within_interval
from specstats.stats.parts import (
    MLS,
    Part,
    Parts,
    difference_part,
    mean_or_none,
    residual_part,
    variance_limits,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from specstats.stats.components import Components

# A dense factor of this many groups takes milliseconds a step of the search.
MAX_EFFECTS = 300
_FLAT = "values show no spread beside run and prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    values: NDArray[np.float64]
    run: NDArray[np.intp]
    prompt: NDArray[np.intp]
    block: NDArray[np.intp] | None
    counts: NDArray[np.float64]

    @property
    def balanced(self) -> bool:
        """Every run has every prompt equally often, every block as many runs."""
        equal = bool((self.counts == self.counts[0, 0]).all())
        return equal and (
            self.block is None or bool(np.ptp(np.bincount(self.block_of_run)) == 0)
        )

    @property
    def block_of_run(self) -> NDArray[np.intp]:
        """Block of each run."""
        found = np.zeros(self.counts.shape[0], np.intp)
        if self.block is not None:
            found[self.run] = self.block
        return found


def crossed_components(
    values: ArrayLike,
    /,
    *,
    run: Iterable[Hashable],
    prompt: Iterable[Hashable],
    block: Iterable[Hashable] | None = None,
    confidence_level: float = 0.95,
) -> Parts:
    """Split the variance of values by run, prompt and, with repeats, their cell.

    Parameters
    ----------
    values : array_like, shape (n,)
        All (log) values.
    run, prompt : iterable of hashable
        Run and prompt of each value; a run's label is unique over blocks.
    block : iterable of hashable, optional
        Block of each value.
    confidence_level : float
        Level of the limits.

    Returns
    -------
    Parts
        ``block`` (if given), ``run``, ``prompt``, ``run_prompt`` (if a cell has
        repeats) and ``residual``. Without balance, limits exist for ``run`` and
        ``residual``, where neither blocks nor a run x prompt variance stand between.

    Raises
    ------
    ValueError
        Fewer than two runs or prompts; every prompt in one run only (nested, not
        crossed); a block that never holds two runs; too many effects.
    ZeroSpreadError
        The residuals do not differ.

    Notes
    -----
    Estimand: variance that launches, prompts and their combinations add to one
    value. Units: runs and prompts, crossed. Model: independent normal effects.
    Balanced: two-way analysis of variance, limits by the modified large-sample
    method. Otherwise REML by search over the ratios to the residual, and limits from
    the additive fit run + prompt with a harmonic mean size. Without repeats
    ``residual`` holds the run x prompt effect as well. Checked against lme4
    (Penicillin) and statsmodels.

    Examples
    --------
    >>> from specstats.stats.crossed import crossed_components
    >>> found = crossed_components(
    ...     [1.0, 2.0, 4.0, 3.0, 4.5, 5.5, 2.0, 3.5, 4.5],
    ...     run=[1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     prompt=["a", "b", "c"] * 3,
    ... )
    >>> {name: round(part.variance, 3) for name, part in found.levels.items()}
    {'run': 0.972, 'prompt': 1.75, 'residual': 0.083}
    """
    data = _checked(values, run, prompt, block)
    scale = float(np.abs(data.values).max())
    if data.balanced:
        found = _by_moments(data, confidence_level)
    else:
        found = _by_likelihood(data, confidence_level)
    if found.levels["residual"].sd <= ROUNDING * scale:
        raise ZeroSpreadError(_FLAT)
    return found


def _checked(
    values: ArrayLike,
    run: Iterable[Hashable],
    prompt: Iterable[Hashable],
    block: Iterable[Hashable] | None,
) -> _Data:
    data = as_values(values, minimum=4)
    runs, run_names = group_codes(run, size=data.size)
    prompts, prompt_names = group_codes(prompt, size=data.size)
    shape = len(run_names), len(prompt_names)
    if min(shape) < 2:  # noqa: PLR2004 - crossing needs two of each
        msg = f"expected two runs and two prompts or more, got {shape}"
        raise ValueError(msg)
    flat = np.bincount(runs * shape[1] + prompts, minlength=shape[0] * shape[1])
    counts = flat.reshape(shape).astype(np.float64)
    if ((counts > 0).sum(axis=0) <= 1).all():
        msg = "every prompt is in one run only: prompts are nested in runs"
        raise ValueError(msg)
    if (counts > 0).sum() <= sum(shape) - 1:
        msg = "too few cells of run and prompt to tell the two apart"
        raise ValueError(msg)
    blocks = None if block is None else group_codes(block, size=data.size)[0]
    found = _Data(values=data, run=runs, prompt=prompts, block=blocks, counts=counts)
    if blocks is not None:
        sizes = np.bincount(found.block_of_run)
        if sizes.size < 2 or sizes.max() < 2:  # noqa: PLR2004 - two of each
            msg = "expected two blocks or more, one of them with two runs"
            raise ValueError(msg)
    return found


def _by_moments(data: _Data, confidence_level: float) -> Parts:
    n_runs, n_prompts = data.counts.shape
    repeats = int(data.counts[0, 0])
    flat = data.run * n_prompts + data.prompt
    cells = np.bincount(flat, data.values) / repeats
    table = cells.reshape(n_runs, n_prompts)
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), table.mean()
    residual = table - rows[:, None] - columns + grand
    df_cells = (n_runs - 1) * (n_prompts - 1)
    crossed = repeats * float((residual**2).sum()) / df_cells, df_cells
    by_prompt = repeats * n_runs * float(columns.var(ddof=1)), n_prompts - 1
    levels: dict[str, Part] = {}
    size = float(n_prompts * repeats)
    by_run = size * float(rows.var(ddof=1)), n_runs - 1
    centre = rows
    if data.block is not None:
        owner = data.block_of_run
        each = np.bincount(owner)
        centre = np.bincount(owner, rows) / each
        inside = float(((rows - centre[owner]) ** 2).sum())
        by_run = size * inside / (n_runs - each.size), n_runs - each.size
        upper = size * float(each[0] * centre.var(ddof=1)), each.size - 1
        levels["block"] = difference_part(
            upper, by_run, size * float(each[0]), confidence_level=confidence_level
        )
    levels["run"] = difference_part(
        by_run, crossed, size, confidence_level=confidence_level
    )
    levels["prompt"] = difference_part(
        by_prompt, crossed, float(n_runs * repeats), confidence_level=confidence_level
    )
    inner = crossed
    if repeats > 1:
        deviations = data.values - cells[flat]
        df = data.values.size - cells.size
        inner = float(deviations @ deviations) / df, df
        levels["run_prompt"] = difference_part(
            crossed, inner, float(repeats), confidence_level=confidence_level
        )
    levels["residual"] = residual_part(*inner, confidence_level=confidence_level)
    simple = data.block is None and repeats == 1
    return Parts(
        levels=levels,
        one_way=_one_way(data) if simple else None,
        mean=mean_or_none(centre, "run" if data.block is None else "block"),
        method="ANOVA",
        interval=MLS,
        criterion=None,
        balanced=True,
    )


def _by_likelihood(data: _Data, confidence_level: float = 0.95) -> Parts:
    n_prompts = data.counts.shape[1]
    flat, cell = np.unique(data.run * n_prompts + data.prompt, return_inverse=True)
    sizes = np.bincount(cell).astype(np.float64)
    shift = float(data.values.mean())
    means = np.bincount(cell, data.values - shift) / sizes
    deviations = data.values - shift - means[cell]
    names, codes = ["run", "prompt"], [flat // n_prompts, flat % n_prompts]
    if data.block is not None:
        names.insert(0, "block")
        codes.insert(0, data.block_of_run[flat // n_prompts])
    model = Effects(
        means=means,
        sizes=sizes,
        within=float(deviations @ deviations),
        fixed=np.ones((flat.size, 1)),
        codes=tuple(codes),
    )
    if model.n_groups > MAX_EFFECTS:
        msg = (
            f"unbalanced data with {model.n_groups} blocks, runs and prompts: more "
            f"than {MAX_EFFECTS} are not fitted"
        )
        raise ValueError(msg)
    repeated = bool(sizes.max() > 1)
    additive = _one_way(data)
    noise = ROUNDING * float(np.abs(data.values).max())
    if (additive is not None and additive.ms_within <= noise**2) or (
        repeated and model.within <= data.values.size * noise**2
    ):
        raise ZeroSpreadError(_FLAT)
    if repeated:
        names.append("run_prompt")
    split = len(codes)

    def at(ratios: NDArray[np.float64]) -> AtRatios:
        cell_ratio = float(ratios[split]) if repeated else 0.0
        return model.at(ratios[:split], cell=cell_ratio)

    def slopes(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
        cell_ratio = float(ratios[split]) if repeated else 0.0
        return model.slopes(ratios[:split], cell=cell_ratio)[: len(names)]

    ratios = best_ratios(
        lambda tried: at(tried).criterion, [0.5] * len(names), slopes=slopes
    )
    best = at(ratios)
    levels = {
        name: Part(
            variance=float(ratio) * best.within,
            truncated=bool(ratio == 0.0),
            low=None,
            high=None,
        )
        for name, ratio in zip(names, ratios, strict=True)
    }
    alone = data.block is None and (not repeated or levels["run_prompt"].truncated)
    simple = additive if alone else None
    below = above = None
    if simple is not None and simple.ms_within > 0.0:
        limits = mls_interval(simple, confidence_level=confidence_level)
        low, high = variance_limits(*limits)
        below, above = within_interval(simple, confidence_level=confidence_level)
        levels["run"] = replace(levels["run"], low=low, high=high)
    levels["residual"] = Part(
        variance=best.within, truncated=False, low=below, high=above
    )
    return Parts(
        levels=levels,
        mean=None,
        method="REML",
        interval=None if simple is None else f"{MLS}, harmonic mean size",
        one_way=simple,
        criterion=best.criterion,
        balanced=False,
    )


def _one_way(data: _Data) -> Components | None:
    return additive_one_way(data.values, data.run, data.prompt, data.counts)
