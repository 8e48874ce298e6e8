"""What would be enough: how many launches resolve what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.scopes import block_means, common_blocks
from specstats.defaults import DEFAULTS
from specstats.results import Needs, Verdict
from specstats.stats.power import runs_needed

if TYPE_CHECKING:
    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.diagnostics import Finding

__all__ = ["needs_of"]

_CLEAR = 0.01
_MENDED_BY_RUNS = frozenset({"SPS101", "SPS201", "SPS114", "SPS103"})


def needs_of(pair: Pair, verdict: Verdict, options: Options) -> Needs | None:
    """Say what would be enough for a verdict.

    Parameters
    ----------
    pair : Pair
        The evidence.
    verdict : Verdict
        What may be said now.
    options : Options
        What is asked.

    Returns
    -------
    Needs or None
        None when there is a verdict already.
    """
    if verdict in {Verdict.FASTER, Verdict.SLOWER, Verdict.EQUIVALENT}:
        return None
    mend = _to_mend(pair, verdict)
    if mend is not None:
        return Needs(runs_per_arm=None, why=f"{mend.remedy} ({mend.code})")
    blocked = common_blocks(pair.matrix, pair.candidate) is not None
    unit = "blocks with both arms" if blocked else "launches of each arm"
    least = max(options.min_runs, pair.scopes[0].least if pair.scopes else 0)
    sd = _spread(pair, options, blocked=blocked)
    if sd is None:
        return Needs(
            runs_per_arm=least,
            why=f"{least} {unit} for a verdict (their spread will tell how "
            "many resolve which difference)",
        )
    effect, told = _effect(pair)
    wanted = runs_needed(
        effect,
        sd,
        power=DEFAULTS.power,
        alpha=options.alpha,
        blocked=blocked,
        welch=True,
    )
    if wanted is None:
        return Needs(
            runs_per_arm=None,
            why=f"more than 1000 {unit} would be needed to resolve {told} at this "
            f"spread (SD {sd:.3f} on the log scale)",
        )
    runs = max(wanted, least)
    return Needs(
        runs_per_arm=runs,
        why=f"{runs} {unit}, which resolve {told} with power "
        f"{100 * DEFAULTS.power:.0f} % at this spread (SD {sd:.3f} on the log scale, "
        "itself uncertain)",
    )


def _to_mend(pair: Pair, verdict: Verdict) -> Finding | None:
    """Return what no number of launches mends."""
    errors = pair.findings.errors
    mends = [item for item in errors if item.code not in _MENDED_BY_RUNS]
    if mends:
        return mends[0]
    if not pair.scopes and errors:
        return errors[0]
    order = pair.findings.of("SPS104")
    capped = verdict is Verdict.INCONCLUSIVE and pair.order.suspect
    return order[0] if capped and order else None


def _effect(pair: Pair) -> tuple[float, str]:
    observed = pair.observed_log
    if observed is not None and abs(observed) >= _CLEAR:
        return observed, f"a true ratio as observed (x{math.exp(observed):.3f})"
    wanted = DEFAULTS.wanted_effect
    return math.log(wanted), f"a true difference of {100 * (wanted - 1.0):.0f} %"


def _spread(pair: Pair, options: Options, *, blocked: bool) -> float | None:
    flags = pair.matrix.of_arm(pair.candidate)
    if options.reference_spread is not None:
        return options.reference_spread.sd
    if blocked:
        blocks = common_blocks(pair.matrix, pair.candidate) or []
        if len(blocks) < 2:  # noqa: PLR2004 - a spread needs two
            return None
        found = block_means(pair.matrix, pair.values[:, np.newaxis], flags, blocks)
        sd = float(found[:, 0].std(ddof=1)) / math.sqrt(2.0)
        return sd if sd > 0.0 else None
    arms = [pair.values[flags], pair.values[~flags]]
    squares = sum(float(((arm - arm.mean()) ** 2).sum()) for arm in arms if arm.size)
    df = sum(arm.size - 1 for arm in arms if arm.size)
    return math.sqrt(squares / df) if df > 0 and squares > 0.0 else None
