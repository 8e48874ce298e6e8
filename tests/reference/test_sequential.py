"""Critical values of the anytime-valid t, from the reference note (section 7)."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from specstats.stats.sequential import anytime_critical

Load = Callable[[str], dict[str, Any]]


def rows(reference: Load, design: str) -> list[tuple[int, float, float, float]]:
    return [
        (row["n"], row["g"], math.inf if row["t"] is None else row["t"], row["unit"])
        for row in reference("sequential")[design]
    ]


def test_blocks(reference: Load) -> None:
    for n, g, expected, unit in rows(reference, "blocks"):
        found = anytime_critical(n, n - 1, g=g)
        assert found == pytest.approx(expected, abs=unit / 2 + 1e-9), (n, g)


def test_two_arms(reference: Load) -> None:
    for n, g, expected, unit in rows(reference, "two_arms"):
        found = anytime_critical(n / 2, 2 * n - 2, g=g)
        assert found == pytest.approx(expected, abs=unit / 2 + 1e-9), (n, g)
