"""Sample sizes and limits of SDs against published tables."""

import math

import pytest

from specstats.stats.planning import requests_per_launch, sd_upper_limit
from specstats.stats.power import runs_needed


@pytest.mark.parametrize(
    ("effect", "power", "expected"),
    # Cohen (1988), table 2.4.1: two-sided 5 %, effect over SD.
    [(0.2, 0.80, 393), (0.5, 0.80, 64), (0.8, 0.80, 26), (1.0, 0.80, 17),
     (0.5, 0.90, 85), (0.8, 0.90, 34)],
)  # fmt: skip
def test_two_arms(effect: float, power: float, expected: int) -> None:
    # Cohen rounds to the nearest number, so his power may lie just below.
    found = runs_needed(effect, 1.0, power=power)
    assert found is not None
    assert abs(found - expected) <= 1
    with_welch = runs_needed(effect, 1.0, power=power, welch=True)
    assert with_welch is not None
    assert found <= with_welch <= found + 1


@pytest.mark.parametrize(
    ("effect", "expected"),
    # G*Power 3.1, paired t, two-sided 5 %, power 80 %, effect over SD of differences.
    [(0.5, 34), (0.8, 15), (1.0, 10)],
)
def test_blocks(effect: float, expected: int) -> None:
    sd_within = 1.0 / math.sqrt(2.0)
    assert runs_needed(effect, sd_within, blocked=True) == expected


@pytest.mark.parametrize(
    ("df", "quantile"),
    # Tables of chi-square, lower 20 %.
    [(1, 0.0642), (2, 0.446), (3, 1.005), (4, 1.649), (9, 5.380), (20, 14.578)],
)
def test_upper_limit_of_an_sd(df: int, quantile: float) -> None:
    assert sd_upper_limit(1.0, df) == pytest.approx(math.sqrt(df / quantile), rel=1e-3)


def test_repetitions_of_kalibera_and_jones() -> None:
    """Reference note, section 1.7: T^2 .7266667 and .2627778, costs 20 and 3."""
    found = requests_per_launch(
        launch_sd=math.sqrt(0.2627778),
        request_sd=math.sqrt(0.7266667),
        launch_cost=20.0,
        request_cost=3.0,
    )
    assert math.sqrt(20 / 3 * 0.7266667 / 0.2627778) == pytest.approx(4.2937, abs=1e-4)
    assert found == 5
