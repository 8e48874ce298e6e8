"""Decode steps of generations, with the convention that gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.stats.speculation import decode_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.design import View

__all__ = ["Steps", "count_steps"]

COUNTED = "verify steps counted by the engine"
RECOVERED = "llama.cpp: output tokens - 1 - accepted (all decode steps)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A number of steps and where it comes from.

    Attributes
    ----------
    steps : int
        Steps over all generations.
    convention : str
        Counted by the engine, or recovered from token counts.
    each : tuple of int
        Steps of each generation.
    """

    steps: int
    convention: str
    each: tuple[int, ...]


def count_steps(view: View, rows: Sequence[int]) -> Steps | None:
    """Return the decode steps of some requests.

    Parameters
    ----------
    view : View
        The data.
    rows : sequence of int
        Requests.

    Returns
    -------
    Steps or None
        Counted steps where every request has them, else recovered ones from
        llama.cpp's token counts, else None.
    """
    bench = view.bench
    counted = [bench.column("requests", "n_steps")[row] for row in rows]
    known = [value for value in counted if isinstance(value, int)]
    if rows and len(known) == len(rows):
        return _steps(known, COUNTED)
    listed = _listed(view, rows)
    if listed is not None:
        return _steps(listed, COUNTED)
    output = bench.column("requests", "n_output")
    accepted = bench.column("requests", "n_accepted")
    recovered = []
    for row in rows:
        tokens, hits = output[row], accepted[row]
        if not (isinstance(tokens, int) and isinstance(hits, int)):
            return None
        steps = decode_steps(tokens, hits)
        if steps is None or steps < 1:
            return None
        recovered.append(steps)
    return _steps(recovered, RECOVERED) if rows else None


def _steps(each: Sequence[int], convention: str) -> Steps:
    return Steps(steps=sum(each), convention=convention, each=tuple(each))


def _listed(view: View, rows: Sequence[int]) -> list[int] | None:
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    counts = [len(view.step_rows.get((sources[row], entries[row]), ())) for row in rows]
    return counts if counts and all(counts) else None
