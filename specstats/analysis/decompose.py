"""`decompose`: tokens per step and steps per second behind a speedup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis._decomposition import decomposition_of
from specstats.analysis.options import Options
from specstats.analysis.speedup import speedup
from specstats.defaults import DEFAULTS
from specstats.design import Design, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench
    from specstats.results import Decomposition

__all__ = ["decompose"]


def decompose(
    bench: Bench,
    design: Design,
    /,
    *,
    confidence_level: float = DEFAULTS.confidence_level,
    min_runs: int = DEFAULTS.min_runs,
    allow: Sequence[str] = (),
) -> Decomposition:
    """Split a speedup into tokens per step and steps per second.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design
        Names the baseline, and the candidate where there are several.
    confidence_level : float
        Level of the intervals.
    min_runs : int
        Launches (or blocks) below which no verdict is given.
    allow : sequence of str
        Rule codes whose errors the user allows.

    Returns
    -------
    Decomposition
        Both factors with their intervals; ``.require()`` raises when refused.

    Raises
    ------
    DesignError
        If the baseline is not known or several candidates are.

    Notes
    -----
    Estimand: ratios of geometric means over launches (or sessions to come, with
    blocks) of tokens per step and of steps per second. Unit of replication: the
    launch or the block. Model: as `speedup`, once for each factor; without sampling
    tokens per step are the same in every launch, and then known without error for
    these prompts. Refuses where the rate is refused, or steps cannot be counted
    (SPS301). Checked by its sum, which is the observed log ratio of the rate.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> design = specstats.Design(baseline="spec-g4", candidate="spec-noise")
    >>> found = specstats.decompose(bench, design)
    >>> [(part.metric, round(part.ratio, 3)) for part in found.parts]
    [('tokens_per_step', 0.54), ('step_rate', 1.015)]
    >>> found.driver
    'acceptance-driven'
    """
    rate = speedup(
        bench, design, confidence_level=confidence_level, min_runs=min_runs, allow=allow
    )
    options = Options(
        confidence_level=confidence_level, min_runs=min_runs, allow=tuple(allow)
    )
    return decomposition_of(view_of(bench, design), rate, options)
