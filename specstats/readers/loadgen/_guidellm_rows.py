"""What the generations of GuideLLM reports share: a load level and its rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._json import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from specstats.readers._base import Batch, Row

__all__ = ["CUT_OFF", "Load", "digest"]

CUT_OFF = "incomplete: cut off at the end of the load"
_SHORT = 16
_ENDS = ("successful", "errored", "incomplete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """One entry of ``benchmarks``: a load level.

    Attributes
    ----------
    workload : str or None
        Strategy and rate.
    settings : str or None
        Settings and identities as JSON.
    answered, errored, incomplete : sequence
        Recorded requests by how they ended.
    add : callable
        Adds the rows of one request; says why it cannot, or an empty text.
    metrics, state : mapping
        Printed distributions, and what the scheduler counted and timed.
    """

    workload: str | None
    settings: str | None
    answered: Sequence[object]
    errored: Sequence[object]
    add: Callable[[Batch, Row, str, Mapping[str, object]], str]
    incomplete: Sequence[object] = ()
    metrics: Mapping[str, object] = field(default_factory=dict)
    state: Mapping[str, object] = field(default_factory=dict)

    def lists(self) -> tuple[Sequence[object], Sequence[object], Sequence[object]]:
        """Return the recorded requests, by how they ended."""
        return self.answered, self.errored, self.incomplete

    def recorded(self) -> Iterator[tuple[str, object]]:
        """Yield how each recorded request ended, and the request."""
        for status, listed in zip(_ENDS, self.lists(), strict=True):
            for record in listed:
                yield status, record


def digest(value: object, *, length: int | None = _SHORT) -> str | None:
    """Return the SHA-256 of a text, or its beginning as a name of the text."""
    if not isinstance(value, str):
        return None
    content = (text(value) or "").encode("utf-8")
    return hashlib.sha256(content).hexdigest()[:length]
