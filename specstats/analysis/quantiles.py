"""What stands against a quantile of the requests of a launch: SPS201."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.diagnostics import Level, counted, finding
from specstats.stats.tails import fewest_requests
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["too_few_requests"]


def too_few_requests(
    view: View, metric: str, arms: tuple[str, str]
) -> Iterator[Finding]:
    """Yield an error where a launch has too few requests for the quantile asked.

    Parameters
    ----------
    view : View
        The data.
    metric : str
        Name of a metric.
    arms : tuple of str
        Baseline and candidate.

    Yields
    ------
    Finding
        SPS201 at level error.
    """
    share = METRICS[metric].quantile
    if share is None:
        return
    needed = fewest_requests(share)
    used = view.timed & np.isfinite(view.values(metric))
    counts = np.bincount(view.run[used], minlength=len(view.runs))
    short = [
        (run.run_id, int(count))
        for run, count in zip(view.runs, counts, strict=True)
        if run.arm in arms and 0 < count < needed
    ]
    if not short:
        return
    name, fewest = min(short, key=lambda item: item[1])
    yield finding(
        "SPS201",
        f"{counted(len(short), 'launch has', 'launches have')} too few requests for a "
        f"{METRICS[metric].label}: {name} has {fewest}",
        level=Level.ERROR,
        observed=f"{fewest} requests",
        required=f"{needed} in each launch, so that one lies beyond the quantile",
        remedy="send more requests to each launch, or compare a lower quantile "
        f"(--metric {METRICS[metric].base}.p50)",
        subject=arms,
        metric=metric,
    )
