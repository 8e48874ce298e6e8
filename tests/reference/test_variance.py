from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specstats.stats.components import _mls_raw
from specstats.stats.intervals import mean_t
from specstats.stats.variance import (
    design_effect,
    icc_interval,
    kalibera_jones,
    mls_interval,
    one_way,
    total_interval,
    within_interval,
)

Load = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize("name", ["dyestuff", "dyestuff2", "pulp"])
def test_one_way(reference: Load, name: str) -> None:
    case = reference("variance")[name]
    parts = one_way(case["groups"])
    assert parts.ms_between == pytest.approx(case["ms_between"], rel=2e-6)
    assert parts.ms_within == pytest.approx(case["ms_within"], rel=2e-6)
    assert parts.between_var == pytest.approx(case["between_var"], rel=2e-6)
    assert parts.icc == pytest.approx(case["icc"], rel=2e-6)
    assert parts.truncated is case["truncated"]
    assert mls_interval(parts) == pytest.approx(case["mls"], rel=2e-6)
    assert icc_interval(parts) == pytest.approx(case["icc_interval"], abs=1e-6)


@pytest.mark.parametrize("name", ["dyestuff", "dyestuff2", "pulp"])
def test_mean_uses_the_groups_as_units(reference: Load, name: str) -> None:
    case = reference("variance")[name]
    centre = mean_t(np.mean(case["groups"], axis=1))
    assert centre.estimate == pytest.approx(case["mean"])
    assert centre.std_error == pytest.approx(case["mean_se"], rel=1e-6)
    assert centre.interval() == pytest.approx(case["mean_interval"], rel=1e-6)


@pytest.mark.parametrize("name", ["dyestuff", "pulp"])
def test_total_variance(reference: Load, name: str) -> None:
    case = reference("variance")[name]
    assert total_interval(one_way(case["groups"])) == pytest.approx(case["total"])


def test_within_variance_and_design_effect(reference: Load) -> None:
    case = reference("variance")["dyestuff"]
    parts = one_way(case["groups"])
    assert within_interval(parts) == pytest.approx(case["within"], rel=1e-6)
    effect = design_effect(parts.icc, parts.n0)
    assert effect == pytest.approx(case["design_effect"], rel=1e-6)


def test_negative_component_is_zero_with_its_raw_limits_kept_private(
    reference: Load,
) -> None:
    case = reference("variance")["dyestuff2"]
    parts = one_way(case["groups"])
    raw = (parts.ms_between - parts.ms_within) / parts.n0
    assert raw == pytest.approx(case["raw_between_var"], rel=1e-6)
    assert _mls_raw(parts, 0.95) == pytest.approx(case["raw_mls"], rel=1e-6)


def test_pastes_three_levels(reference: Load) -> None:
    case = reference("variance")["pastes"]
    nested = kalibera_jones(np.reshape(case["rows"], (10, 3, 2)))
    assert nested.mean == pytest.approx(case["mean"])
    # REML stops at 1e-6 of its own optimum.
    assert nested.unbiased == pytest.approx(case["unbiased"], rel=1e-5)
    squares = np.multiply(nested.biased, (1, 2, 6))
    assert squares == pytest.approx(case["mean_squares"], rel=1e-6)
    std_error = np.sqrt(nested.biased[-1] / 10)
    assert std_error == pytest.approx(case["mean_se"], rel=1e-6)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_kalibera_jones(reference: Load, index: int) -> None:
    case = reference("variance")["kalibera_jones"][index]
    nested = kalibera_jones(case["values"], costs=case.get("costs", ()))
    assert nested.mean == pytest.approx(case["mean"])
    assert nested.biased == pytest.approx(case["biased"], rel=1e-6)
    assert nested.unbiased == pytest.approx(case["unbiased"], rel=1e-6)
    assert nested.counts == tuple(case.get("counts", ()))


def test_kalibera_jones_interval(reference: Load) -> None:
    case = reference("variance")["kalibera_jones"][0]
    tops = np.mean(case["values"], axis=(1, 2))
    assert mean_t(tops).half_width() == pytest.approx(case["half_width"], rel=1e-7)


def test_misprinted_recursion_gives_other_variances(reference: Load) -> None:
    case = reference("variance")["kalibera_jones"][0]
    nested = kalibera_jones(case["values"])
    misprint = nested.biased[2] - nested.unbiased[1] / 2
    assert abs(misprint - case["unbiased"][2]) > 1
