"""SPS111: an arm that is to draft does not, or the plain one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.defaults import DEFAULTS
from specstats.design import is_plain_name
from specstats.diagnostics import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.bench import Run
    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["inactive", "plain_that_drafts"]

# Settings that turn speculation on, wherever a reader puts them.
_SWITCHES = frozenset(
    {
        *("speculative", "speculative_config", "spec_type", "spec_flags", "spec_mode"),
        *("num_speculative_tokens", "n_draft_max", "draft_model", "drafter", "depth"),
    }
)
_OFF = frozenset({"", "none", "off", "false", "0", "null"})


def inactive(view: View) -> Iterator[Finding]:
    """SPS111: launches that are to draft draft nothing, or almost nothing."""
    drafted, output = _totals(view, "n_draft"), _totals(view, "n_output")
    for arm in view.arms:
        codes = [code for code, run in enumerate(view.runs) if run.arm == arm]
        counts = [drafted[code] for code in codes]
        active = any(count is not None and count > 0 for count in counts)
        idle = [
            view.runs[code].run_id
            for code, count in zip(codes, counts, strict=True)
            if count is not None
            and (active or _is_on(view.runs[code]))
            and count < DEFAULTS.least_drafted * max(output[code] or 0.0, 1.0)
        ]
        if not idle:
            continue
        switch = next((_is_on(view.runs[code]) for code in codes), "")
        yield finding(
            "SPS111",
            f"{arm}: {len(idle)} of {len(codes)} launches drafted nothing or almost "
            "nothing" + (f" although {switch} is set" if switch else ""),
            where=idle[:5],
            observed=f"under {DEFAULTS.least_drafted:g} draft tokens per output token",
            required="drafts in every launch of an arm that speculates",
            remedy="look into the engine's log for why speculation is off (a draft "
            "model that does not fit, a sampler that it does not know)",
            subject=(arm,),
        )


def plain_that_drafts(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS111: the arm that is to be plain drafted, unless its settings say so."""
    runs = view.runs_of(baseline)
    if not is_plain_name(baseline) or any(_is_on(run) for run in runs):
        return
    drafted = _totals(view, "n_draft")
    counts = {
        arm: sum(
            drafted[code] or 0.0 for code, run in enumerate(view.runs) if run.arm == arm
        )
        for arm in (baseline, candidate)
    }
    if counts[baseline] > 0:
        yield finding(
            "SPS111",
            f"{baseline} is named as the plain arm and drafted "
            f"{counts[baseline]:.0f} tokens",
            observed=f"{counts[baseline]:.0f} draft tokens",
            required="none in the baseline",
            remedy="start it without speculation, or name it for what it is",
            subject=(baseline, candidate),
        )


def _totals(view: View, name: str) -> list[float | None]:
    """Return the sum of a column in each launch; None where no request has it."""
    values = view.column(name)
    known = view.measured & np.isfinite(values)
    size = len(view.runs)
    counts = np.bincount(view.run[known], minlength=size)
    sums = np.bincount(view.run[known], values[known], size)
    return [
        float(total) if count else None
        for total, count in zip(sums, counts, strict=True)
    ]


def _is_on(run: Run) -> str:
    """Return the setting that turns speculation on, empty where none does."""
    for key, value in run.settings.items():
        bare = key.partition(".")[2]
        if bare in _SWITCHES and str(value).strip().lower() not in _OFF:
            return key
    return ""
