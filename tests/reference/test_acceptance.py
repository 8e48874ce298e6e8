import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specstats.stats._clusters import ratio_of_totals
from specstats.stats.acceptance import (
    AcceptanceInterval,
    clopper_pearson,
    cluster_rate,
    cluster_rate_logit,
    korn_graubard,
    linearised_t,
    rao_scott_wilson,
    rate_difference,
    wilson,
)
from specstats.stats.variance import one_way

Load = Callable[[str], dict[str, Any]]
Method = Callable[..., AcceptanceInterval | None]

SIX_PLACES = 1.1e-6


@pytest.mark.parametrize("index", range(5))
def test_single_proportions(reference: Load, index: int) -> None:
    case = reference("acceptance")["single_proportions"][index]
    found = wilson(*case["counts"])
    assert found == pytest.approx(case["wilson"], abs=SIX_PLACES)
    found = clopper_pearson(*case["counts"])
    assert found == pytest.approx(case["clopper_pearson"], abs=SIX_PLACES)


@pytest.mark.parametrize("arm", ["control", "treated"])
@pytest.mark.parametrize(
    ("method", "key"),
    [
        (linearised_t, "linearised_t"),
        (cluster_rate_logit, "logit"),
        (cluster_rate, "jackknife"),
        (rao_scott_wilson, "rao_scott_wilson"),
        (korn_graubard, "korn_graubard"),
    ],
)
def test_weil_intervals(reference: Load, arm: str, method: Method, key: str) -> None:
    case = reference("acceptance")["weil"][arm]
    found = method(case["accepted"], case["drafted"])
    assert found is not None
    assert found.rate == pytest.approx(case["rate"], rel=1e-7)
    assert (found.low, found.high) == pytest.approx(case[key], abs=SIX_PLACES)
    assert (found.df, found.n_clusters) == (15, 16)
    if key == "jackknife":
        assert found.std_error_logit == pytest.approx(case["jackknife_se"], rel=1e-5)


@pytest.mark.parametrize("arm", ["control", "treated"])
def test_weil_design_effect(reference: Load, arm: str) -> None:
    case = reference("acceptance")["weil"][arm]
    accepted, drafted = np.array(case["accepted"], float), np.array(case["drafted"])
    assert [accepted.sum(), drafted.sum()] == case["totals"]
    ratio = ratio_of_totals(accepted, drafted.astype(float))
    assert math.sqrt(ratio.variance) == pytest.approx(case["cluster_se"], rel=1e-5)
    effect = ratio.variance * ratio.drafted * ratio.logit_slope
    assert effect == pytest.approx(case["deff"], rel=1e-6)
    assert ratio.drafted / effect == pytest.approx(case["n_eff"], rel=1e-6)


@pytest.mark.parametrize("arm", ["control", "treated"])
def test_weil_anova_icc(reference: Load, arm: str) -> None:
    case = reference("acceptance")["weil"][arm]
    tokens = [
        [1.0] * hits + [0.0] * (tries - hits)
        for hits, tries in zip(case["accepted"], case["drafted"], strict=True)
    ]
    assert one_way(tokens).icc == pytest.approx(case["anova_icc"], rel=1e-5)


@pytest.mark.parametrize("arm", ["control", "treated"])
def test_pooled_tokens_are_too_narrow(reference: Load, arm: str) -> None:
    case = reference("acceptance")["weil"][arm]
    low, high = wilson(*case["totals"])
    assert (low, high) == pytest.approx(case["pooled_wilson"], abs=SIX_PLACES)
    clustered = cluster_rate(case["accepted"], case["drafted"])
    assert clustered is not None
    assert high - low < clustered.high - clustered.low


def test_weil_difference(reference: Load) -> None:
    weil = reference("acceptance")["weil"]
    treated, control = weil["treated"], weil["control"]
    found = rate_difference(
        treated["accepted"],
        treated["drafted"],
        control["accepted"],
        control["drafted"],
    )
    assert found is not None
    expected = weil["difference"]
    assert found.estimate == pytest.approx(expected["estimate"], rel=1e-6)
    assert found.std_error == pytest.approx(expected["std_error"], rel=1e-6)
    assert found.df == pytest.approx(expected["df"], rel=1e-7)
    assert found.interval() == pytest.approx(expected["interval"], abs=1e-7)
    assert found.p_value() == pytest.approx(expected["p"], rel=1e-6)
