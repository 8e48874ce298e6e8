"""SPS302: a few generations that ran to the token cap make the rate."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from specstats.checks.acceptance import is_configured
from specstats.defaults import DEFAULTS
from specstats.design.drafts import drafts_of
from specstats.diagnostics import counted, finding
from specstats.stats._clusters import jackknife_logit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.design import View
    from specstats.design.drafts import Drafts, Generation
    from specstats.diagnostics import Finding

__all__ = ["capped_requests"]

_ENOUGH = 2


def capped_requests(view: View) -> Iterator[Finding]:
    """SPS302 for every arm with draft counts and a few capped generations."""
    for arm in view.arms:
        drafts = drafts_of(view, arm)
        if drafts is None or is_configured(view.bench, arm):
            continue
        capped = _capped(view, drafts)
        kept = [item for item in drafts.distinct if item.row not in capped]
        share = 1.0 - len(kept) / len(drafts.distinct)
        if not capped or share > DEFAULTS.capped_share:
            continue
        error = _error(drafts)
        if error is None:
            continue
        whole, rest = _rate(drafts.distinct), _rate(kept)
        moved = abs(_logit(rest) - _logit(whole))
        if moved > error:
            yield _finding(view, arm, capped, (whole, rest), moved / error)


def _finding(
    view: View, arm: str, capped: set[int], rates: tuple[float, float], errors: float
) -> Finding:
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    return finding(
        "SPS302",
        f"{arm}: {counted(len(capped), 'generation')} at the token cap "
        f"{'moves' if len(capped) == 1 else 'move'} acceptance from {rates[1]:.4f} to "
        f"{rates[0]:.4f}",
        where=[f"{sources[row]}:{entries[row]}" for row in sorted(capped)[:5]],
        observed=f"{errors:.2g} standard errors of the rate",
        required="1 or less",
        remedy="look whether they loop; report acceptance with and without them",
        subject=(arm,),
        metric="acceptance",
    )


def _capped(view: View, drafts: Drafts) -> set[int]:
    """Return rows that stopped at the cap: as told, else as their lengths show.

    Without reasons, the cap is the largest length if several generations share it.
    """
    reasons = view.bench.column("requests", "finish_reason")
    rows = drafts.rows
    if any(reasons[row] is not None for row in rows):
        return {row for row in rows if reasons[row] == "length"}
    tokens = view.bench.column("requests", "n_output")
    lengths = Counter(value for row in rows if isinstance(value := tokens[row], int))
    if len(lengths) < _ENOUGH or lengths[max(lengths)] < _ENOUGH:
        return set()
    return {row for row in rows if tokens[row] == max(lengths)}


def _error(drafts: Drafts) -> float | None:
    """Return the jackknife standard error over clusters, on the logit."""
    _, codes = np.unique(np.array(drafts.labels), return_inverse=True)
    counts = [(item.accepted, item.drafted or 0) for item in drafts.distinct]
    hits, tries = (
        np.bincount(codes, weights=column).astype(np.float64)
        for column in np.array(counts, dtype=np.float64).T
    )
    if hits.size < _ENOUGH:
        return None
    with np.errstate(divide="ignore"):
        variance = float(jackknife_logit(hits, tries)[1])
    return float(np.sqrt(variance)) if 0.0 < variance < np.inf else None


def _rate(generations: Sequence[Generation]) -> float:
    drafted = sum(item.drafted or 0 for item in generations)
    return sum(item.accepted for item in generations) / drafted


def _logit(rate: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(rate) - np.log1p(-rate))
