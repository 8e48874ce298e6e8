from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from specstats.stats.blocks import paired_blocks, these_blocks
from specstats.stats.intervals import (
    Contrast,
    aa_log_factor,
    mean_t,
    next_value,
    sd_interval,
    welch,
)
from specstats.stats.spread import range_statement
from specstats.stats.variance import between_block_sd

Load = Callable[[str], dict[str, Any]]
Rows = list[tuple[str, str, float]]

FOUR_PLACES = 5.1e-5


@pytest.fixture
def pascal(reference: Load) -> dict[str, Any]:
    case: dict[str, Any] = reference("worked")["pascal_p5200"]
    return case


def values_of(rows: Rows) -> NDArray[np.float64]:
    return np.array([value for _, _, value in rows])


def block_means(rows: Rows) -> list[float]:
    days = sorted({day for _, day, _ in rows})
    return [
        float(np.mean([value for _, other, value in rows if other == day]))
        for day in days
    ]


def check(contrast: Contrast, expected: dict[str, Any]) -> None:
    ratios = np.exp([contrast.estimate, *contrast.interval()])
    figures = [expected["ratio"], *expected["interval"]]
    assert ratios == pytest.approx(figures, abs=FOUR_PLACES)
    assert contrast.df == pytest.approx(expected["df"], abs=5e-3)


def test_days_not_declared(pascal: dict[str, Any]) -> None:
    arms = values_of(pascal["candidate"]), values_of(pascal["baseline"])
    check(welch(*arms), pascal["welch"])


def test_future_sessions(pascal: dict[str, Any]) -> None:
    expected = pascal["future_sessions"]
    arms = block_means(pascal["candidate"]), block_means(pascal["baseline"])
    check(paired_blocks(*arms), expected)
    ratios = np.exp(np.subtract(*arms))
    assert ratios == pytest.approx(expected["block_ratios"], abs=FOUR_PLACES)


def test_these_sessions(pascal: dict[str, Any]) -> None:
    expected = pascal["these_sessions"]
    rows = pascal["candidate"] + pascal["baseline"]
    flags = [True] * 6 + [False] * 5
    found = these_blocks(values_of(rows), flags, [day for _, day, _ in rows])
    assert found is not None
    check(found.contrast, expected)
    limits = np.exp(found.additive.interval())
    assert limits == pytest.approx(expected["additive_interval"], abs=FOUR_PLACES)
    assert found.additive.df == expected["additive_df"]
    sds = (found.sd_candidate, found.sd_baseline)
    assert sds == pytest.approx(expected["sds"], abs=FOUR_PLACES)
    assert found.blocks_used == ("08-02", "08-07")
    assert found.interaction_p is not None
    assert found.interaction_p > 0.25


@pytest.mark.parametrize("arm", ["candidate", "baseline"])
def test_bands(pascal: dict[str, Any], arm: str) -> None:
    expected = pascal["aa"][arm]
    spread = sd_interval(values_of(pascal[arm]))
    assert spread.df + 1 == expected["n"]
    assert spread.sd == pytest.approx(expected["sd"], abs=FOUR_PLACES)
    factor = np.exp(aa_log_factor(spread.sd, spread.df))
    assert factor == pytest.approx(expected["factor"], abs=5e-4)


def test_band_between_days_is_far_wider_than_within(pascal: dict[str, Any]) -> None:
    rows = pascal["baseline"]
    spread = between_block_sd(values_of(rows), [day for _, day, _ in rows])
    assert spread.within_sd is not None
    assert spread.within_df is not None
    within = aa_log_factor(spread.within_sd, spread.within_df)
    between = aa_log_factor(spread.total_sd, spread.total_df)
    assert np.exp(within) < 1.03
    assert np.exp(between) > 1.213


def test_two_launches_per_arm_as_two_days(pascal: dict[str, Any]) -> None:
    case = pascal["two_day_blocks"]
    value = {name: value for name, _, value in pascal["candidate"] + pascal["baseline"]}
    arms = [[value[name] for name in case[arm]] for arm in ("candidate", "baseline")]
    check(paired_blocks(*arms), case)


def test_requests_of_two_launches_look_significant(pascal: dict[str, Any]) -> None:
    case = pascal["requests_a_against_b"]
    contrast = welch(np.log(case["a"]), np.log(case["b"]))
    ratios = np.exp([contrast.estimate, *contrast.interval()])
    assert ratios == pytest.approx([case["ratio"], *case["interval"]], abs=5e-4)


def test_six_launches(reference: Load) -> None:
    case = reference("worked")["flash_next_spark"]
    centre, spread = mean_t(case["values"]), sd_interval(case["values"])
    assert centre.estimate == pytest.approx(case["mean"], abs=5e-4)
    assert spread.sd == pytest.approx(case["sd"], abs=5e-4)
    cv = 100 * spread.sd / centre.estimate
    assert cv == pytest.approx(case["cv_percent"], abs=6e-3)
    assert centre.interval() == pytest.approx(case["interval"], abs=6e-3)
    assert next_value(case["values"]) == pytest.approx(case["next_run"], abs=6e-3)
    logs = sd_interval(np.log(case["values"]))
    percent = 100 * np.expm1(aa_log_factor(logs.sd, logs.df))
    assert percent == pytest.approx(case["two_runs_percent"], abs=0.06)


@pytest.mark.parametrize("name", ["factorial_gsm8k_c64", "imp_1011"])
def test_three_and_three(reference: Load, name: str) -> None:
    case = reference("worked")[name]
    contrast = welch(np.log(case["candidate"]), np.log(case["baseline"]))
    ratios = np.exp([contrast.estimate, *contrast.interval()])
    places = 5e-4 if name == "factorial_gsm8k_c64" else 5e-3
    figures = [case["ratio"], *case["interval"]]
    assert ratios == pytest.approx(figures, abs=places + 1e-9)
    if "df" in case:
        assert contrast.df == pytest.approx(case["df"], abs=0.05)


def test_medusa_band(reference: Load) -> None:
    case = reference("worked")["medusa_7b"]
    spread = sd_interval(np.log(case["values"]))
    raw = np.std(case["values"], ddof=1) / np.mean(case["values"])
    assert 100 * raw == pytest.approx(case["cv_percent"], abs=0.05)
    factor = np.exp(aa_log_factor(spread.sd, spread.df))
    assert factor == pytest.approx(case["two_runs_factor"], abs=5e-3)


def test_published_range(reference: Load) -> None:
    case = reference("worked")["published_range"]
    factor = range_statement(case["low"], case["high"])
    assert factor == pytest.approx(case["factor"], abs=5e-3)
