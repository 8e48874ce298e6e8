"""The first line of a comparison, with n at the right level."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.results import Verdict
from specstats.units import METRICS

if TYPE_CHECKING:
    from specstats.analysis.pair import Pair
    from specstats.diagnostics import Findings
    from specstats.results import Estimate, Interval, Needs

__all__ = ["sentence_of"]

_ENDINGS = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.EQUIVALENT: "equivalent within the margin",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.INSUFFICIENT: "insufficient for a verdict",
}


def sentence_of(
    pair: Pair,
    verdict: Verdict,
    estimate: Estimate | None,
    *,
    scope: str,
    n_blocks: int | None,
    needs: Needs | None,
    findings: Findings,
    control: bool = False,
    gate: str = "",
) -> str:
    """Say in one sentence what was found.

    Parameters
    ----------
    pair : Pair
        The evidence.
    verdict : Verdict
        What may be said.
    estimate : Estimate or None
        The estimate.
    scope : str
        What it speaks of.
    n_blocks : int or None
        Blocks with both arms.
    needs : Needs or None
        What would be enough.
    findings : Findings
        What stands in the way.
    control : bool
        Whether the arms are declared identical.
    gate : str
        What the margin adds to the verdict.

    Returns
    -------
    str
        The sentence.
    """
    label = METRICS[pair.metric].label
    head = f"{pair.candidate} vs {pair.baseline}: {label}"
    runs = f"{pair.runs_of(pair.candidate)}+{pair.runs_of(pair.baseline)} runs"
    if n_blocks is not None:
        runs += f" in {n_blocks} block{'' if n_blocks == 1 else 's'}"
    if estimate is None:
        return f"{head} refused - {_reasons(findings)}; {runs}{_needed(needs)}."
    interval = estimate.interval
    ratio = f"x{_number(estimate.value)} {_limits(interval)}"
    level = f"{100 * interval.confidence_level:.4g} %"
    ending = "declared identical" if control else _ENDINGS[verdict]
    if verdict is Verdict.EQUIVALENT and not interval.low <= 1.0 <= interval.high:
        ending += ", although a difference is detectable"
    if verdict is Verdict.INCONCLUSIVE and not control:
        ending += _although(pair, interval, findings)
    ending += gate
    return (
        f"{head} {ratio}, {level} {interval.method} ({scope}), {runs}: {ending}"
        f"{_needed(needs) if not control else ''}."
    )


def _limits(interval: Interval) -> str:
    if interval.low > 0.0 and math.isfinite(interval.high):
        return f"[{_number(interval.low)}, {_number(interval.high)}]"
    low = _number(interval.low) if interval.low > 0.0 else "no limit"
    high = _number(interval.high) if math.isfinite(interval.high) else "no limit"
    return "[unbounded]" if low == high else f"[{low}, {high}]"


def _although(pair: Pair, interval: Interval, findings: Findings) -> str:
    """Say what forbids a claim that the interval alone would allow."""
    if interval.low <= 1.0 <= interval.high:
        return ""
    codes: list[str] = []
    codes += [code for code in ("SPS205", "SPS210") if code in findings.codes]
    codes += ["SPS104"] if pair.order.suspect else []
    why = ", ".join(codes) or "another fit of the same runs disagrees"
    return f", although the interval leaves out 1 ({why})"


def _number(value: float) -> str:
    if not 1e-3 <= value < 1e5:  # noqa: PLR2004 - where fixed digits stop reading well
        return f"{value:.4g}"
    return f"{value:.{max(0, 3 - max(0, math.floor(math.log10(value))))}f}"


def _reasons(findings: Findings) -> str:
    errors = findings.errors
    if not errors:
        return "nothing could be estimated"
    first = f"{errors[0].code} {errors[0].message}"
    more = [code for code in errors.codes if code != errors[0].code]
    return first + (f" (also {', '.join(more)})" if more else "")


def _needed(needs: Needs | None) -> str:
    if needs is None:
        return ""
    return f"; {'next' if needs.runs_per_arm is None else 'needs'}: {needs.why}"
