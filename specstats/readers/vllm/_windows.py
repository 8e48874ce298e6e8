"""Lines of vLLM's log that count drafts, in all their wordings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

from specstats.readers._text import count_in, real_in

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Window", "by_position", "verified", "window_in"]

_ACCEPTED = re.compile(
    r"(?:\bAccepted|Number of accepted tokens): (\d{1,18})(?!\d)", re.ASCII
)
_DRAFTED = re.compile(
    r"(?:\bDrafted|Number of draft tokens(?: tokens)?): (\d{1,18})(?!\d)", re.ASCII
)
_EMITTED = re.compile(
    r"Number of emitted tokens(?: tokens)?: (\d{1,18})(?!\d)", re.ASCII
)
_RATE = re.compile(r"[Dd]raft acceptance rate: ([\d.]{1,12})(%?)", re.ASCII)
_LENGTH = re.compile(r"Mean acceptance length: ([\d.]{1,12})", re.ASCII)
_POSITIONS = re.compile(
    r"Per-position acceptance rate: ([\d.]{1,12}(?:, [\d.]{1,12}){0,200})", re.ASCII
)
_PER_STEP = re.compile(r"Number of speculative tokens: (\d{1,6})", re.ASCII)
_ONLY_V0 = "System efficiency"
_DEPTH = "Current speculative depth"
_LENGTH_ROUNDING = 0.00501
_RATE_ROUNDING = 0.000501
_MOST_CANDIDATES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What one line counts.

    Attributes
    ----------
    accepted, drafted : int
        Draft tokens, as printed.
    emitted : int or None
        Tokens emitted by verify steps, bonus included (V0).
    rate : float or None
        Printed acceptance rate, a fraction.
    length : float or None
        Printed mean accepted length.
    rates : tuple of float
        Printed acceptance by position.
    width : int or None
        Most draft tokens of a step.
    cumulative : bool
        Whether it counts since the server began (V0).
    fixed : bool
        Whether nothing tells that the steps draft different numbers of tokens.
    """

    accepted: int
    drafted: int
    emitted: int | None = None
    rate: float | None = None
    length: float | None = None
    rates: tuple[float, ...] = ()
    width: int | None = None
    cumulative: bool = False
    fixed: bool = True

    def went_back(self, before: Window) -> bool:
        """Whether a count is smaller than in an earlier cumulative line."""
        fewer = self.accepted < before.accepted or self.drafted < before.drafted
        return fewer or (self.emitted or 0) < (before.emitted or 0)

    def since(self, before: Window) -> Window:
        """Return what was counted between two cumulative lines."""
        known = self.emitted is not None and before.emitted is not None
        return Window(
            accepted=self.accepted - before.accepted,
            drafted=self.drafted - before.drafted,
            emitted=(self.emitted or 0) - (before.emitted or 0) if known else None,
            width=self.width if self.width == before.width else None,
            cumulative=True,
        )


def window_in(text: str) -> Window | None:
    """Return what a metrics line counts; None where it has no counts."""
    accepted, drafted = _ACCEPTED.search(text), _DRAFTED.search(text)
    if accepted is None or drafted is None:
        return None
    emitted, rate, length = (
        pattern.search(text) for pattern in (_EMITTED, _RATE, _LENGTH)
    )
    positions, per_step = _POSITIONS.search(text), _PER_STEP.search(text)
    printed = None if rate is None else real_in(rate[1])
    if printed is not None and rate is not None and rate[2]:
        printed /= 100
    cells = [] if positions is None else positions[1].split(", ")
    rates = tuple(value for cell in cells if (value := real_in(cell)) is not None)
    width = len(cells) or (None if per_step is None else count_in(per_step[1]))
    return Window(
        accepted=int(accepted[1]),
        drafted=int(drafted[1]),
        emitted=None if emitted is None else int(emitted[1]),
        rate=printed,
        length=None if length is None else real_in(length[1]),
        rates=rates if len(rates) == len(cells) else (),
        width=width or None,
        cumulative=_ONLY_V0 in text,
        fixed=_DEPTH not in text,
    )


def verified(window: Window) -> int | None:
    """Return the verify steps of a window, where the line leaves one number.

    Accepted over steps is the printed length less one (before May 2025 the length
    itself) and the sum of the rates by position. Where every step drafts as many
    tokens as there are positions, steps are drafted over positions.
    """
    width, drafted = window.width, window.drafted
    if not width or not drafted:
        return None
    exact = None if drafted % width else drafted // width
    if window.cumulative:
        return exact
    if not window.rates or window.length is None:
        return None
    low, high = _bounds(window, sum(window.rates))
    low, high = max(low, ceil(drafted / width)), min(high, drafted)
    if exact is not None and (window.fixed or width == 1):
        return exact if low <= exact <= high else None
    if not 0 <= high - low < _MOST_CANDIDATES:
        return None
    found = [steps for steps in range(low, high + 1) if _fits(window, steps)]
    return found[0] if len(found) == 1 else None


def _bounds(window: Window, per_step: float) -> tuple[int, int]:
    """Return the least and most steps that length and rates allow."""
    length, count = window.length or 0.0, window.accepted
    slack = _RATE_ROUNDING * len(window.rates)
    for bonus in (1.0, 0.0):
        low = max(length - bonus - _LENGTH_ROUNDING, per_step - slack)
        high = min(length - bonus + _LENGTH_ROUNDING, per_step + slack)
        if low <= high:
            break
    else:
        return 1, 0
    most = floor(count / low) if low > 0 else window.drafted
    return (ceil(count / high) if high > 0 else 1), most


def _fits(window: Window, steps: int) -> bool:
    return by_position(window.rates, _RATE_ROUNDING, steps, window.accepted) is not None


def by_position(
    rates: Sequence[float], rounding: float, steps: int, accepted: int
) -> list[int] | None:
    """Return accepted tokens by position, where rounded rates leave one number each.

    Parameters
    ----------
    rates : sequence of float
        Printed shares of the verify steps.
    rounding : float
        How far they may be off.
    steps, accepted : int
        Verify steps and accepted draft tokens.

    Returns
    -------
    list of int or None
        Counts that add up to the accepted tokens, or None.
    """
    counts = [accepted] if len(rates) == 1 else [round(rate * steps) for rate in rates]
    unique = len(rates) == 1 or 2 * rounding * steps < 1
    off = any(
        abs(count - rate * steps) > rounding * steps
        for count, rate in zip(counts, rates, strict=True)
    )
    falls = all(first >= second for first, second in pairwise(counts))
    right = unique and falls and not off and sum(counts) == accepted
    return counts if rates and right else None
