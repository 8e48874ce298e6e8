"""Rows of published figures."""

from collections.abc import Mapping, Sequence

import specstats
from specstats import Comparison, Design, StudySummary
from specstats.testing import launch_rows, read_rows

Rows = list[dict[str, object]]


def compared(
    arms: Mapping[str, Sequence[float]], baseline: str, *, margin: float | None = None
) -> Comparison:
    """Compare launches of two arms with the published rates."""
    found = specstats.compare_all(
        read_rows(launch_rows(arms)), Design(baseline=baseline), margin=margin
    )
    (item,) = found
    return item


def study_of(rows: Rows, baseline: str, *metrics: str) -> StudySummary:
    design = Design(baseline=baseline)
    names = metrics or ("decode_rate",)
    return specstats.summarize(read_rows(rows), design, metrics=names)
