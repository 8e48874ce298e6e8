"""SPS303: prompts of an arm accept differently, beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.checks.acceptance import is_configured
from specstats.defaults import DEFAULTS
from specstats.design.drafts import drafts_of
from specstats.diagnostics import finding
from specstats.stats.heterogeneity import heterogeneity_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.design import View
    from specstats.design.drafts import Drafts
    from specstats.diagnostics import Finding

__all__ = ["heterogeneous_acceptance"]

_ENOUGH = 2


def heterogeneous_acceptance(view: View) -> Iterator[Finding]:
    """SPS303 for every arm whose steps are listed, with two prompts or more."""
    for arm in view.arms:
        drafts = drafts_of(view, arm, needs_drafted=False)
        if drafts is None or is_configured(view.bench, arm):
            continue
        tables = _tables(view, drafts)
        if len(tables) < _ENOUGH:
            continue
        p_value = heterogeneity_p(
            np.stack(list(tables.values())), rng=np.random.default_rng(view.design.seed)
        )
        if p_value is not None and p_value < DEFAULTS.heterogeneity_p:
            yield _finding(view, arm, tables, p_value)


def _finding(
    view: View, arm: str, tables: dict[int, NDArray[np.int64]], p_value: float
) -> Finding:
    means = {
        code: float(table @ np.arange(table.size)) / float(table.sum())
        for code, table in tables.items()
    }
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return finding(
        "SPS303",
        f"{arm}: prompts accept from {means[low]:.2f} ({view.prompts[low]}) to "
        f"{means[high]:.2f} ({view.prompts[high]}) draft tokens a step, more than "
        f"steps differ by chance (permutation p {p_value:.2g})",
        observed=f"p {p_value:.2g} over {len(tables)} prompts",
        required=f"p {DEFAULTS.heterogeneity_p:g} or more",
        remedy="say which prompts a rate is for, and show it by prompt or workload; "
        "an interval needs prompts as clusters",
        subject=(arm,),
        metric="acceptance",
    )


def _tables(view: View, drafts: Drafts) -> dict[int, NDArray[np.int64]]:
    """Return how often steps of each prompt accepted 0, 1, 2, ... tokens."""
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    accepted = view.bench.column("steps", "n_accepted")
    found: dict[int, list[int]] = {}
    for item in drafts.distinct:
        steps = view.step_rows.get((sources[item.row], entries[item.row]), [])
        hits = [value for step in steps if isinstance(value := accepted[step], int)]
        if not hits or len(hits) < len(steps) or min(hits) < 0:
            return {}
        found.setdefault(item.prompt, []).extend(hits)
    most = max((max(hits) for hits in found.values()), default=0)
    return {
        code: np.bincount(hits, minlength=most + 1).astype(np.int64)
        for code, hits in found.items()
    }
