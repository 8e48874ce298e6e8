"""Numbers as people read them."""

import pytest

from specstats.report import numbers
from specstats.results import AaBand


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (0.0, "0"),
        (22.8432, "22.84"),
        (815.6, "815.6"),
        (1688.4, "1,688"),
        (17687.2, "17,687"),
        (0.0123456, "0.01235"),
        (-3.14159, "-3.142"),
        (1.5e7, "1.500e+07"),
        (2e-5, "2.000e-05"),
    ],
)
def test_number(value: float | None, expected: str) -> None:
    assert numbers.number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, ""), (2.2849, "2.285"), (1e-5, "1.000e-05"), (1e9, "1.000e+09")],
)
def test_ratio(value: float | None, expected: str) -> None:
    assert numbers.ratio(value) == expected


def test_intervals() -> None:
    assert numbers.interval(21.491, 24.279) == "[21.49, 24.28]"
    assert numbers.interval(1.9711, 2.6486, ratios=True) == "[1.971, 2.649]"
    assert numbers.interval(None, 1.0) == numbers.interval(1.0, None) == ""


def test_shares_and_bands() -> None:
    assert numbers.percent(0.0492) == "4.92 %"
    assert numbers.percent(None) == ""
    assert numbers.level(0.95) == "95 %"
    assert numbers.level(0.999) == "99.9 %"
    assert numbers.p_value(0.00237) == "0.0024"
    assert numbers.p_value(None) == ""
    assert numbers.fixed(7524.0, 0) == "7,524"
    assert numbers.fixed(None, 2) == ""
    assert (
        numbers.band(AaBand(ratio=1.2131, confidence_level=0.95, runs=5)) == "x/1.213"
    )
    assert numbers.band(None) == ""
