from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specstats.stats.blocks import paired_blocks
from specstats.stats.equivalence import tost
from specstats.stats.intervals import (
    Contrast,
    RankInterval,
    aa_log_factor,
    delta_log_ratio_of_means,
    fieller,
    hodges_lehmann,
    hodges_lehmann_paired,
    mean_t,
    pooled,
    sd_interval,
    welch,
)
from specstats.stats.permutation import exact_permutation_p, sign_flip_p
from specstats.stats.ratios import FiellerDf

Load = Callable[[str], dict[str, Any]]

SEVEN_DIGITS = 2e-6


def t_of(contrast: Contrast) -> float:
    return contrast.estimate / contrast.std_error


def check(
    contrast: Contrast, expected: dict[str, Any], *, exponentiate: bool = False
) -> None:
    """Compare every number that the reference gives."""
    interval = contrast.interval()
    found = {
        "estimate": contrast.estimate,
        "ratio": np.exp(contrast.estimate),
        "std_error": contrast.std_error,
        "df": contrast.df,
        "t": t_of(contrast),
        "p": contrast.p_value(),
        "interval": np.exp(interval) if exponentiate else interval,
    }
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=SEVEN_DIGITS, abs=1e-7), key


def check_ranks(
    found: RankInterval, expected: dict[str, Any], *, exponentiate: bool = False
) -> None:
    assert found.low is not None
    assert found.high is not None
    limits = np.array([found.low, found.high])
    limits = np.exp(limits) if exponentiate else limits
    assert limits == pytest.approx(expected["interval"], rel=SEVEN_DIGITS, abs=1e-7)
    if "statistic" in expected:
        assert found.statistic == expected["statistic"]
        assert found.p_value == pytest.approx(expected["p"], rel=SEVEN_DIGITS)


def test_unbalanced_nested(reference: Load) -> None:
    case = reference("two_arms")["unbalanced_nested"]
    means = [
        [np.mean(np.log(run)) for run in case[arm]] for arm in ("candidate", "baseline")
    ]
    assert means[0] == pytest.approx(case["candidate_means"], rel=1e-9)
    assert means[1] == pytest.approx(case["baseline_means"], rel=1e-9)
    check(welch(*means), case["welch"])
    check(pooled(*means), case["pooled"])


def test_requests_as_units_reach_significance_where_runs_do_not(
    reference: Load,
) -> None:
    case = reference("two_arms")["unbalanced_nested"]
    requests = [np.log(np.concatenate(case[arm])) for arm in ("candidate", "baseline")]
    check(welch(*requests), case["requests_as_units"])
    assert case["requests_as_units"]["p"] < 0.01
    assert case["welch"]["p"] > 0.1


def test_five_and_five_on_logs(reference: Load) -> None:
    case = reference("two_arms")["five_and_five"]
    logs = np.log(case["candidate"]), np.log(case["baseline"])
    check(welch(*logs), case["welch"], exponentiate=True)
    check(paired_blocks(*logs), case["paired"], exponentiate=True)
    found = hodges_lehmann(*logs)
    check_ranks(found, case["hodges_lehmann"], exponentiate=True)
    ratio = case["hodges_lehmann"]["ratio"]
    assert np.exp(found.estimate) == pytest.approx(ratio, rel=SEVEN_DIGITS)
    assert sign_flip_p(logs[0] - logs[1]) == case["sign_flip_p"]
    p_value = exact_permutation_p(*logs)
    assert p_value == pytest.approx(case["permutation_p"], rel=SEVEN_DIGITS)


def test_five_and_five_ratio_of_means(reference: Load) -> None:
    case = reference("two_arms")["five_and_five"]
    arms = case["candidate"], case["baseline"]
    check(delta_log_ratio_of_means(*arms), case["delta"], exponentiate=True)


@pytest.mark.parametrize("df", ["welch", "pooled", "per_arm"])
def test_fieller(reference: Load, df: FiellerDf) -> None:
    case = reference("two_arms")["five_and_five"]
    found = fieller(case["candidate"], case["baseline"], df=df)
    expected = case["fieller"][df]
    assert found.ratio == pytest.approx(expected["ratio"], rel=SEVEN_DIGITS)
    assert (found.low, found.high) == pytest.approx(expected["interval"], rel=1e-7)
    assert found.df == pytest.approx(expected["df"], rel=SEVEN_DIGITS)
    assert found.g == pytest.approx(expected["g"], rel=1e-5)


def test_one_arm(reference: Load) -> None:
    case = reference("two_arms")["five_and_five"]
    expected = case["one_arm"]
    raw, logs = np.array(case["baseline"]), np.log(case["baseline"])
    assert mean_t(raw).estimate == pytest.approx(expected["mean"])
    assert mean_t(raw).interval() == pytest.approx(expected["raw_interval"], rel=1e-7)
    centre = np.exp(mean_t(logs).estimate)
    assert centre == pytest.approx(expected["geometric_mean"], rel=1e-7)
    limits = np.exp(mean_t(logs).interval())
    assert limits == pytest.approx(expected["log_interval"], rel=1e-7)
    spread = sd_interval(logs)
    assert spread.sd == pytest.approx(expected["sd"], rel=1e-6)
    assert (spread.low, spread.high) == pytest.approx(expected["sd_interval"], rel=1e-6)
    cv = sd_interval(raw).sd / raw.mean()
    assert cv == pytest.approx(expected["cv"], rel=1e-6)
    factor = np.exp(aa_log_factor(spread.sd, spread.df))
    assert factor == pytest.approx(expected["aa_factor"], rel=1e-7)


def test_sleep(reference: Load) -> None:
    case = reference("two_arms")["sleep"]
    check(welch(case["candidate"], case["baseline"]), case["welch"])
    check(paired_blocks(case["candidate"], case["baseline"]), case["paired"])


def test_mouse(reference: Load) -> None:
    case = reference("two_arms")["mouse"]
    arms = np.array(case["candidate"], float), np.array(case["baseline"], float)
    check(welch(*arms), case["welch"])
    check(welch(*map(np.log, arms)), case["welch_log"])
    raw, logs = hodges_lehmann(*arms), hodges_lehmann(*map(np.log, arms))
    check_ranks(raw, case["hodges_lehmann"])
    check_ranks(logs, case["hodges_lehmann_log"])
    assert raw.estimate == case["hodges_lehmann"]["estimate"]
    expected = case["hodges_lehmann_log"]["estimate"]
    assert logs.estimate == pytest.approx(expected, rel=1e-6)


def test_permeability(reference: Load) -> None:
    case = reference("two_arms")["permeability"]
    found = hodges_lehmann(case["candidate"], case["baseline"])
    check_ranks(found, case["hodges_lehmann"])
    assert found.estimate == pytest.approx(case["hodges_lehmann"]["estimate"])


def test_depression(reference: Load) -> None:
    case = reference("two_arms")["depression"]
    found = hodges_lehmann_paired(np.subtract(case["candidate"], case["baseline"]))
    check_ranks(found, case["signed_rank"])
    assert found.estimate == pytest.approx(case["signed_rank"]["estimate"])


def test_ministat(reference: Load) -> None:
    case = reference("two_arms")["ministat"]
    arms = case["candidate"], case["baseline"]
    assert [np.mean(case[arm]) for arm in ("baseline", "candidate")] == case["means"]
    sds = [sd_interval(case[arm]).sd for arm in ("baseline", "candidate")]
    assert sds == pytest.approx(case["sds"], rel=1e-7)
    check(pooled(*arms), case["pooled"])
    check(welch(*arms), case["welch"])


@pytest.mark.parametrize("method", ["welch", "paired"])
def test_tost(reference: Load, method: str) -> None:
    case = reference("two_arms")["tost"]
    logs = np.log(case["candidate"]), np.log(case["baseline"])
    contrast = welch(*logs) if method == "welch" else paired_blocks(*logs)
    expected = case[method]
    found = tost(contrast, margin=expected["margin"])
    assert (found.t_low, found.t_high) == pytest.approx(expected["t"], rel=1e-6)
    assert found.p_value == pytest.approx(expected["p"], rel=1e-5)
    assert contrast.df == pytest.approx(expected["df"], rel=1e-7)
    assert contrast.interval(0.9) == pytest.approx(expected["interval_90"], abs=1e-7)
    if "interval_95" in expected:
        limits = contrast.interval()
        assert limits == pytest.approx(expected["interval_95"], abs=1e-7)
