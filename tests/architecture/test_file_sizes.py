"""Modules stay small enough to be read in one sitting."""

import statistics
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "specstats"
LONGEST = 500
MEDIAN = 150


def line_counts() -> dict[str, int]:
    return {
        path.relative_to(PACKAGE).as_posix(): len(
            path.read_text(encoding="utf-8").splitlines()
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_no_module_is_too_long() -> None:
    too_long = {name: n for name, n in line_counts().items() if n > LONGEST}

    assert too_long == {}


def test_the_median_module_is_short() -> None:
    assert statistics.median(line_counts().values()) < MEDIAN
