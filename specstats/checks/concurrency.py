"""SPS113: how many requests run together is not what the comparison says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.diagnostics import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["coupled", "single_slot"]

# How many the server runs at a time, and how many the client sends at a time.
_WIDTH = (
    *("n_parallel", "parallel", "n_slots", "max_num_seqs", "max_batch_size"),
    *("max_running_requests", "total_slots"),
)
_GATE = ("max_concurrency", "concurrency", "num_concurrent", "n_clients")


def coupled(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS113: batch width and admission gate both differ between the arms."""
    arms = (baseline, candidate)
    widths = [_numbers(view, arm, _WIDTH) for arm in arms]
    gates = [_numbers(view, arm, _GATE) for arm in arms]
    if widths[0] == widths[1] or gates[0] == gates[1]:
        return
    if not all((*widths, *gates)):
        return
    yield finding(
        "SPS113",
        f"{candidate} and {baseline} differ in how many requests the server runs at a "
        "time and in how many the client sends: one effect cannot be told from the "
        "other",
        observed=f"width {_shown(widths[0])} and {_shown(widths[1])}, gate "
        f"{_shown(gates[0])} and {_shown(gates[1])}",
        required="the same width or the same gate in both arms",
        remedy="change one of them at a time",
        subject=arms,
    )


def single_slot(view: View) -> Iterator[Finding]:
    """SPS113: requests sent one at a time, to a server with several slots."""
    for arm in view.arms:
        widths = _numbers(view, arm, _WIDTH)
        gates = _numbers(view, arm, _GATE)
        if widths and gates == {1.0} and min(widths) > 1:
            yield finding(
                "SPS113",
                f"{arm}: requests came one at a time to a server with "
                f"{_shown(widths)} slots, so the result is that of one slot",
                observed=f"concurrency 1, {_shown(widths)} slots",
                required="as many requests at a time as the claim is about",
                remedy="send several requests at a time, or state the claim for one",
                subject=(arm,),
            )


def _numbers(view: View, arm: str, names: tuple[str, ...]) -> set[float]:
    """Return the values of the first of some settings that every launch records."""
    runs = view.runs_of(arm)
    for name in names:
        values = [run.settings.get(f"cfg.{name}") for run in runs]
        found = {
            float(value)
            for value in values
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        if runs and len(found) > 0 and None not in values:
            return found
    return set()


def _shown(values: set[float]) -> str:
    return " or ".join(f"{value:g}" for value in sorted(values))
