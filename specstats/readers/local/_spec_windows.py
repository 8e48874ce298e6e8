"""The draft windows that vLLM logs, where another tool quotes them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._text import real_in

if TYPE_CHECKING:
    from specstats.readers._base import Row
    from specstats.readers.local._sink import Sink

__all__ = ["add_window"]

_COUNTS = re.compile(
    r"Accepted: (\d{1,12}) tokens, Drafted: (\d{1,12}) tokens", re.ASCII
)
_LENGTH = re.compile(r"Mean acceptance length: (\d{1,6}(?:\.\d{1,6})?)", re.ASCII)
_SPEED = re.compile(r"Accepted throughput: (\d{1,9}(?:\.\d{1,6})?) tok", re.ASCII)
_POSITIONS = re.compile(
    r"Per-position acceptance rate: ((?:[01]\.\d{1,6}(?:, )?){1,200})", re.ASCII
)
_SHARE = re.compile(
    r"(?:Avg )?[Dd]raft acceptance rate: (\d{1,3}(?:\.\d{1,4})?)%", re.ASCII
)
_TENTH = 0.00051
_HALF_LENGTH = 0.0051
_THOUSANDTH = 0.00051


def add_window(sink: Sink, line: int, content: str) -> None:
    """Add the counts and the ratios of a logged window.

    Parameters
    ----------
    sink : Sink
        Where rows and findings go.
    line : int
        Line number.
    content : str
        The line, with ``SpecDecoding metrics:`` in it.
    """
    sink.batch.entries += 1
    counts = _COUNTS.search(content)
    if counts is None:
        sink.skip(line, "no accepted and drafted tokens")
        return
    accepted, drafted = int(counts[1]), int(counts[2])
    length, share = _found(_LENGTH, content), _found(_SHARE, content)
    if accepted > drafted:
        sink.skip(line, f"{accepted} tokens accepted of {drafted}")
        return
    row: Row = {
        "source": sink.source.name,
        "entry": line,
        "scope": "window",
        "n_draft": drafted,
        "n_accepted": accepted,
        "duration_s": _duration(accepted, _found(_SPEED, content)),
    }
    positions = _POSITIONS.search(content)
    if positions is not None:
        row.update(_steps((accepted, drafted), positions[1], length))
    sink.batch.add("counters", row)
    sink.batch.parsed += 1
    about: Row = {"scope": "window", "definition": "bonus token included"}
    key = ("mean_accepted_length", "tokens", "mean")
    sink.aggregate(line, about, key, length, n=row.get("n_verify"))
    if share is None:
        return
    about["definition"] = "accepted over drafted tokens of a window"
    sink.aggregate(line, about, ("acceptance_rate", "1", "ratio"), share / 100)
    if drafted:
        message = "the printed acceptance rate is not that of the counts"
        sink.compare(line, message, (share / 100, accepted / drafted), _TENTH)


def _found(pattern: re.Pattern[str], content: str) -> float | None:
    found = pattern.search(content)
    return None if found is None else real_in(found[1])


def _duration(accepted: int, speed: float | None) -> float | None:
    return accepted / speed if accepted and speed else None


def _steps(counts: tuple[int, int], printed: str, length: float | None) -> Row:
    """Return verified steps and their histogram, where all numbers fit together."""
    accepted, drafted = counts
    rates = [float(cell) for cell in printed.rstrip(", ").split(", ")]
    if length is None or drafted % len(rates) or not drafted:
        return {}
    steps = drafted // len(rates)
    if abs(1 + accepted / steps - length) > _HALF_LENGTH:
        return {}
    by_position = [round(rate * steps) for rate in rates]
    near = all(
        abs(count / steps - rate) <= _THOUSANDTH
        for count, rate in zip(by_position, rates, strict=True)
    )
    row: Row = {"n_verify": steps}
    if near and sum(by_position) == accepted:
        row["accepted_by_position"] = json.dumps(by_position)
    return row
