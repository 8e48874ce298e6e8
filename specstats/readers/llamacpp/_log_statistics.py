"""The cumulative statistics lines of llama-server's speculative implementations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["Reading", "reading_of"]

_NAME = re.compile(rb"statistics +([\w-]{1,60}): #calls")
_CALLS = re.compile(
    rb"#calls(?:\(b,g,a\) = +\d{1,15} +\d{1,15} +(\d{1,15})| = +\d{1,15})"
)
_COUNTS = re.compile(rb"#(gen drafts|acc drafts|gen tokens|acc tokens) = +(\d{1,15})\b")
_POSITIONS = re.compile(rb"#acc rate/pos = \(([^)\n]{0,2000})\)")
_RATE = re.compile(rb"[01]\.\d{3}")
_MOST_CALLS = 900  # above this, three digits of a rate do not give the count
_NEEDED = (b"gen drafts", b"acc drafts", b"gen tokens", b"acc tokens")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one implementation had counted when the line was written.

    Attributes
    ----------
    name : str
        Name of the implementation.
    counts : tuple of int
        Drafts, drafts with an accepted token, draft tokens, accepted tokens, verify
        steps (-1: not printed), then verify steps that accepted more than i tokens.
    """

    name: str
    counts: tuple[int, ...]

    def went_back(self, before: tuple[int, ...]) -> bool:
        """Whether a counter is smaller than in an earlier reading."""
        return any(
            late < early for early, late in zip(before[:4], self.counts, strict=False)
        )

    def problem(self) -> str | None:
        """Return why the reading cannot be used, or None."""
        _, _, drafted, accepted, *_ = self.counts
        return "more draft tokens accepted than drafted" if accepted > drafted else None

    def since(self, before: tuple[int, ...] | None) -> dict[str, object]:
        """Return what was counted since an earlier reading, by column.

        Parameters
        ----------
        before : tuple of int or None
            Earlier counts; None: since the process began.

        Returns
        -------
        dict
            Draft and accepted tokens, verify steps and acceptance by position.
        """
        earlier = (0,) * len(self.counts) if before is None else before
        _, _, drafted, accepted, verified, *positions = self.counts
        known = verified >= 0 and earlier[4] >= 0
        were = earlier[5:] if before is not None else (0,) * len(positions)
        changes = [late - early for early, late in zip(were, positions, strict=False)]
        whole = bool(positions) and len(were) == len(positions) and min(changes) >= 0
        return {
            "n_draft": drafted - earlier[2],
            "n_accepted": accepted - earlier[3],
            "n_verify": max(verified - earlier[4], 0) if known else None,
            "accepted_by_position": json.dumps(changes) if whole else None,
        }


def reading_of(line: bytes) -> Reading | None:
    """Return what a statistics line says.

    Parameters
    ----------
    line : bytes
        A line of the log.

    Returns
    -------
    Reading or None
        None for a line that lacks a count.
    """
    name, calls = _NAME.search(line), _CALLS.search(line)
    found = {key: int(value) for key, value in _COUNTS.findall(line)}
    if name is None or calls is None or not all(key in found for key in _NEEDED):
        return None
    verified = -1 if calls[1] is None else int(calls[1])
    counts = tuple(found[key] for key in _NEEDED)
    positions = _by_position(line, verified, found[b"acc tokens"])
    return Reading(name[1].decode(), (*counts, verified, *positions))


def _by_position(line: bytes, verified: int, accepted: int) -> tuple[int, ...]:
    """Return the counts behind the printed rates, where they can only be these."""
    printed = _POSITIONS.search(line)
    if printed is None or not 0 < verified <= _MOST_CALLS:
        return ()
    rates = [rate.strip() for rate in printed[1].split(b",")]
    if not all(_RATE.fullmatch(rate) for rate in rates):
        return ()
    counts = tuple(round(float(rate) * verified) for rate in rates)
    return counts if sum(counts) == accepted else ()
