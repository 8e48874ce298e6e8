import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import specstats
from specstats.errors import DesignError

PUBLISHED = [17.4, 19.8, 22.6, 24.9, 27.3]
PASCAL = {"target": (0.0492, 5, 1.213), "mtp": (0.0663, 6, 1.273)}


def test_five_published_values() -> None:
    found = specstats.aa_band(PUBLISHED)
    logs = np.log(PUBLISHED)
    sd = logs.std(ddof=1)
    assert found.sd_log == pytest.approx(sd)
    assert sd == pytest.approx(0.1793, abs=5e-5)
    assert found.df == 4
    assert found.band is not None
    factor = math.exp(scipy.stats.t.ppf(0.975, 4) * sd * math.sqrt(2))
    assert found.band.ratio == pytest.approx(factor)
    assert round(found.band.ratio, 2) == 2.02
    assert found.band.runs == 5
    assert "2.02" in str(found)


@pytest.mark.parametrize("arm", PASCAL)
def test_bands_of_the_pascal_launches(arm: str) -> None:
    sd, runs, ratio = PASCAL[arm]
    factor = math.exp(scipy.stats.t.ppf(0.975, runs - 1) * sd * math.sqrt(2))
    assert factor == pytest.approx(ratio, abs=1e-3)
    spread = np.linspace(-1.0, 1.0, runs)
    values = np.exp(spread / spread.std(ddof=1) * sd)
    found = specstats.aa_band(values.tolist())
    assert found.band is not None
    assert found.band.ratio == pytest.approx(factor)


def test_a_range_alone_gives_no_band() -> None:
    found = specstats.aa_band(low=17.4, high=27.3)
    assert found.observed_factor == pytest.approx(1.569, abs=5e-4)
    assert (found.band, found.sd_log, found.df) == (None, None, None)
    assert str(found) == "Two runs of this setting have differed by a factor 1.569."


def test_a_range_of_stated_runs() -> None:
    found = specstats.aa_band(low=17.4, high=27.3, runs=5)
    assert found.sd_log is not None
    assert found.sd_log == pytest.approx(math.log(27.3 / 17.4) / 2.32593, rel=1e-4)
    assert found.band is not None
    assert found.band.ratio > math.exp(1.96 * found.sd_log * math.sqrt(2))


def test_equal_values_give_no_band() -> None:
    for found in (
        specstats.aa_band([20.0, 20.0, 20.0]),
        specstats.aa_band(low=20.0, high=20.0, runs=3),
    ):
        assert found.observed_factor == 1.0
        assert found.band is None
        assert "nothing follows about the spread (SPS208)" in found.sentence


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"low": 3.0},
        {"low": 3.0, "high": 2.0},
        {"low": 0.0, "high": 2.0},
        {"low": 1.0, "high": math.inf},
        {"low": 1.0, "high": 2.0, "runs": 1},
        {"low": math.nan, "high": 2.0},
    ],
)
def test_what_is_no_range(arguments: dict[str, float]) -> None:
    with pytest.raises(DesignError, match=r"range|runs"):
        specstats.aa_band(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values", [[], [1.0], [1.0, 0.0], [1.0, -2.0], [1.0, math.nan], [1.0, math.inf]]
)
def test_what_are_no_values(values: list[float]) -> None:
    with pytest.raises(DesignError, match="two positive numbers"):
        specstats.aa_band(values)


@given(
    st.lists(st.floats(0.1, 1000.0), min_size=2, max_size=8),
    st.floats(1e-3, 1e3),
)
def test_the_unit_does_not_matter(values: list[float], scale: float) -> None:
    found = specstats.aa_band(values)
    scaled = specstats.aa_band([value * scale for value in values])
    assert scaled.observed_factor == pytest.approx(found.observed_factor)
    if found.sd_log is not None and found.sd_log > 1e-6:
        assert scaled.sd_log == pytest.approx(found.sd_log, rel=1e-6)
