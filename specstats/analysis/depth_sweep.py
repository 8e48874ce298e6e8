"""`depth_sweep`: which draft depth is best, as far as the data tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.analysis.acceptance import acceptance_of
from specstats.analysis.decompose import decompose
from specstats.analysis.pairs import compare_pairs
from specstats.defaults import DEFAULTS
from specstats.design import Design, view_of
from specstats.errors import DesignError
from specstats.results import Depth, DepthSweep
from specstats.stats.speculation import acceptance_from_rate, expected_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.bench import Bench
    from specstats.design import View

__all__ = ["depth_sweep"]

_KEYS = ("depth", "n_draft_max", "num_speculative_tokens", "spec_n_max", "draft_max")


def depth_sweep(
    bench: Bench,
    design: Design,
    /,
    *,
    depths: Mapping[str, int] | None = None,
    confidence_level: float = DEFAULTS.confidence_level,
) -> DepthSweep:
    """Compare draft depths: tokens per step, the cost of a step, the speedup.

    Parameters
    ----------
    bench : Bench
        The data: a plain arm, and one arm a depth.
    design : Design
        Names the plain arm as its baseline.
    depths : mapping of str to int, optional
        Depth of each arm; read from settings such as ``depth`` or
        ``num_speculative_tokens`` by default. Arms without one take no part.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    DepthSweep
        Depths in order, and those that are not separable from the best.

    Raises
    ------
    DesignError
        If the baseline is not known, or fewer than two arms have a depth.

    Notes
    -----
    Estimand and unit: as `decompose`, once a depth. The best depth is that of the
    largest speedup, with all that are not told apart from it when every pair of arms
    is compared (Holm): a maximum over depths is not evidence by itself. Checked
    against the facts of ``h200-tinyspec``, where depths 4 and 8 are alike.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> design = specstats.Design(baseline="baseline")
    >>> depths = {"spec-g2": 2, "spec-g4": 4, "spec-g8": 8}
    >>> print(specstats.depth_sweep(bench, design, depths=depths))
    depths 4 and 8 are not separable: x2.071 and x2.070 of baseline
    """
    view = view_of(bench, design)
    baseline = view.design.baseline
    if baseline is None:
        raise DesignError("no baseline. Expected Design(baseline=...)")
    known = _depths(view) if depths is None else dict(depths)
    known.pop(baseline, None)
    for arm in known:
        if arm not in view.arms:
            raise DesignError.unknown("depth", arm, view.arms)
    if len(known) < 2:  # noqa: PLR2004 - a sweep needs two
        raise DesignError(
            f"{len(known)} arms with a draft depth. Expected two or more: "
            "depths={'spec-2': 2, 'spec-4': 4}, or settings such as cfg.depth"
        )
    found = tuple(
        _depth(
            bench,
            view,
            replace(design, candidate=arm),
            depth=known[arm],
            level=confidence_level,
        )
        for arm in sorted(known, key=known.__getitem__)
    )
    best = _best(bench, design, found, confidence_level)
    return DepthSweep(
        baseline=baseline, depths=found, best=best, sentence=_sentence(best, baseline)
    )


def _depths(view: View) -> dict[str, int]:
    found: dict[str, int] = {}
    for arm in view.arms:
        for key in _KEYS:
            values = {run.settings.get(f"cfg.{key}") for run in view.runs_of(arm)}
            value = next(iter(values)) if len(values) == 1 else None
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                found[arm] = value
                break
    return found


def _depth(
    bench: Bench, view: View, pair: Design, *, depth: int, level: float
) -> Depth:
    arm = str(pair.candidate)
    split = decompose(bench, pair, confidence_level=level)
    accepted = acceptance_of(view, arm, confidence_level=level)
    expected = None
    if accepted is not None and 0.0 < accepted.rate < 1.0:
        expected = expected_tokens(acceptance_from_rate(accepted.rate, depth), depth)
    tokens, steps = split.parts if split.ok else (None, None)
    return Depth(
        arm=arm,
        depth=depth,
        decomposition=split,
        tokens_per_step=None if tokens is None else tokens.ratio,
        step_cost=None if steps is None else 1.0 / steps.ratio,
        expected_tokens=expected,
    )


def _best(
    bench: Bench, design: Design, found: tuple[Depth, ...], level: float
) -> tuple[Depth, ...]:
    ranking = compare_pairs(
        bench, replace(design, candidate=None), confidence_level=level
    )
    arms = {item.arm: item for item in found}
    first = next((item for item in ranking.arms if item.arm in arms), None)
    if first is None:
        return ()
    alike = {first.arm, *first.not_told_apart_from}
    return tuple(item for item in found if item.arm in alike)


def _sentence(best: tuple[Depth, ...], baseline: str) -> str:
    if not best:
        return "no depth was estimated"
    depths = " and ".join(str(item.depth) for item in best)
    ratios = " and ".join(
        "?"
        if item.decomposition.rate.estimate is None
        else f"x{item.decomposition.rate.estimate.value:.3f}"
        for item in best
    )
    if len(best) == 1:
        return f"depth {depths} is the fastest: {ratios} of {baseline}"
    return f"depths {depths} are not separable: {ratios} of {baseline}"
