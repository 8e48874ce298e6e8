"""Methods that were asked for and cannot hold what they say."""

from tests.rules.builders import AGAINST_BASE, WARNING, pair, rows

METHODS = [
    (
        "SPS213",
        WARNING,
        rows(pair(), AGAINST_BASE, method="percentile"),
        rows(pair(), AGAINST_BASE, method="welch"),
    ),
]
