"""The tables of docs/validation/coverage.md, redrawn with other seeds.

Fewer studies, and compared within Monte Carlo error; the wrong methods are seen to
fail.
"""

import math

import pytest

from docs._gen.intervals import table
from docs._gen.intervals.figure import written
from docs._gen.intervals.table import TABLES, UNITS, Interval

pytestmark = pytest.mark.sim

STUDIES = 400
WRONG = "WRONG on purpose"
ROWS = [
    (interval, shape)
    for intervals in TABLES.values()
    for interval in intervals
    for shape in interval.shapes
]
IDS = [f"{interval.title[:40]}-{shape}" for interval, shape in ROWS]


@pytest.mark.parametrize(("interval", "shape"), ROWS, ids=IDS)
def test_the_page_says_what_a_simulation_gives(
    interval: Interval, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "SEED", 7)
    for n, share in zip(UNITS, written(interval.title, shape), strict=True):
        if n not in {3, 5, 10}:
            continue
        found = table.covered(interval, shape, n, STUDIES)
        if share is None or found.share is None:
            assert share == found.share
            continue
        error = math.sqrt(max(share * (1 - share), 0.005) / STUDIES)
        assert abs(found.share - share) < 4.5 * error, (n, found.share, share)


def test_wrong_methods_are_seen_to_fail() -> None:
    wrong = [row for row in ROWS if row[0].title.startswith(WRONG)]
    assert len(wrong) >= 2
    for interval, shape in wrong:
        shares = [
            share for share in written(interval.title, shape) if share is not None
        ]
        assert max(shares) < 0.75
