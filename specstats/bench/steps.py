"""Which run a speculative step belongs to: that of its request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.bench.ingest import Ingested

__all__ = ["assign_steps"]


def assign_steps(result: Ingested) -> None:
    """Fill the run of every step whose request is known.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place.
    """
    requests, steps = result.tables["requests"], result.tables["steps"]
    places = zip(requests["source"], requests["entry"], strict=True)
    runs = dict(zip(places, requests["run_id"], strict=True))
    rows = zip(steps["source"], steps["entry"], steps["run_id"], strict=True)
    steps["run_id"] = [runs.get((source, entry), run) for source, entry, run in rows]
