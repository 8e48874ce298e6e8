"""Likelihood fits against lme4; crossed and nested components against lme4."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from specstats.stats.crossed import _by_likelihood, _checked, crossed_components
from specstats.stats.mixed import mixed_effect
from specstats.stats.nested import nested_components
from specstats.stats.profile import profile_intervals
from specstats.stats.reml import group_mean, one_way_fit

Load = Callable[[str], dict[str, Any]]
METHODS: tuple[Literal["REML", "ML"], ...] = ("REML", "ML")


@pytest.mark.parametrize("name", ["dyestuff", "dyestuff2", "pulp"])
@pytest.mark.parametrize("method", METHODS)
def test_one_way_likelihood(
    reference: Load, name: str, method: Literal["REML", "ML"]
) -> None:
    values = reference("variance")
    fit = one_way_fit(values[name]["groups"], method=method)
    expected = values["likelihood"][name].get(method, {})
    for key, value in expected.items():
        assert getattr(fit, key) == pytest.approx(value, rel=1e-6), key
    assert fit.mean == pytest.approx(values[name]["mean"])
    assert fit.boundary is values[name]["truncated"]


def test_mean_of_dyestuff(reference: Load) -> None:
    values = reference("variance")
    found = group_mean(one_way_fit(values["dyestuff"]["groups"]))
    assert found.df == pytest.approx(values["likelihood"]["dyestuff"]["df"])
    low_high = values["dyestuff"]["mean_interval"]
    assert found.interval() == pytest.approx(low_high, rel=1e-8)


def test_mean_at_the_edge_is_that_of_the_groups(reference: Load) -> None:
    case = reference("variance")["dyestuff2"]
    found = group_mean(one_way_fit(case["groups"]))
    assert found.interval() == pytest.approx(case["mean_interval"], rel=1e-6)
    assert found.df == 5.0
    assert "estimated as zero" in found.method


def test_profile_of_dyestuff(reference: Load) -> None:
    values = reference("variance")
    expected = values["likelihood"]["dyestuff"]["profile"]
    fit = one_way_fit(values["dyestuff"]["groups"], method="ML")
    found = profile_intervals(fit)
    assert found.within_sd == pytest.approx(expected["within_sd"], rel=1e-5)
    assert found.mean == pytest.approx(expected["mean"], rel=1e-7)
    assert found.between_sd[1] == pytest.approx(expected["between_sd"][1], rel=1e-5)
    # lme4 reads this one off a spline through its profile: see NOTES.md.
    assert found.between_sd[0] == pytest.approx(expected["between_sd"][0], rel=2e-4)


@pytest.mark.parametrize("method", ["ANOVA", "REML"])
def test_pastes(reference: Load, method: Literal["ANOVA", "REML"]) -> None:
    values = reference("variance")
    case, expected = values["pastes"], values["likelihood"]["pastes"]
    batch, cask = np.repeat(np.arange(10), 6), np.tile([0, 0, 1, 1, 2, 2], 10)
    found = nested_components(
        np.ravel(case["rows"]),
        {"batch": batch.tolist(), "cask": cask.tolist()},
        method=method,
    )
    parts = [found.levels[name].variance for name in ("residual", "cask", "batch")]
    assert parts == pytest.approx(case["unbiased"], rel=1e-5)
    assert found.mean is not None
    assert found.mean.std_error == pytest.approx(case["mean_se"], rel=1e-6)
    assert found.mean.df == expected["df"]
    if method == "REML":
        assert found.criterion == pytest.approx(expected["criterion"], rel=1e-9)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_kalibera_jones(reference: Load, index: int) -> None:
    case = reference("variance")["kalibera_jones"][index]
    table = np.array(case["values"], dtype=float)
    places = np.indices(table.shape).reshape(table.ndim, -1)[:-1]
    levels = {f"level {i}": place.tolist() for i, place in enumerate(places)}
    found = nested_components(table.ravel(), levels, method="ANOVA")
    expected = np.maximum(case["unbiased"][::-1], 0.0)
    parts = [part.variance for part in found.levels.values()]
    assert parts == pytest.approx(expected, rel=1e-6)
    truncated = [part.truncated for part in found.levels.values()]
    assert truncated == [value < 0 for value in case["unbiased"][::-1]]
    assert found.mean is not None
    if "half_width" in case:
        assert found.mean.half_width() == pytest.approx(case["half_width"], rel=1e-7)


def test_penicillin(reference: Load) -> None:
    case = reference("variance")["penicillin"]
    values = np.ravel(case["rows"])
    plate = np.repeat(np.arange(24), 6).tolist()
    sample = np.tile(np.arange(6), 24).tolist()
    moments = crossed_components(values, run=plate, prompt=sample)
    likelihood = _by_likelihood(_checked(values, plate, sample, None))
    for found in (moments, likelihood):
        # lmer stopped at 6e-5 of its optimum.
        for ours, theirs in (("run", "plate"), ("prompt", "sample")):
            variance = found.levels[ours].variance
            assert variance == pytest.approx(case[theirs], rel=1e-4)
        residual = found.levels["residual"].variance
        assert residual == pytest.approx(case["residual"], rel=2e-6)
    assert likelihood.criterion == pytest.approx(case["criterion"], rel=1e-9)
    model = mixed_effect(values, run=plate, prompt=sample)
    assert model.fitted
    assert model.contrast is not None
    assert model.contrast.estimate == pytest.approx(case["mean"], rel=1e-7)
    assert model.contrast.std_error == pytest.approx(case["mean_se"], rel=1e-4)
    # Six samples bound the mean, not 24 plates.
    assert model.contrast.df == 5.0


def test_mixed_model_of_dyestuff(reference: Load) -> None:
    values = reference("variance")
    groups = np.array(values["dyestuff"]["groups"])
    found = mixed_effect(groups.ravel(), run=np.repeat(np.arange(6), 5).tolist())
    assert found.fitted
    assert found.failure is None
    assert found.contrast is not None
    low_high = values["dyestuff"]["mean_interval"]
    assert found.contrast.interval() == pytest.approx(low_high, rel=1e-5)
    assert found.variances["run"] == pytest.approx(1764.05, rel=1e-4)


def test_mixed_model_of_dyestuff2_is_refused_and_run_means_named(
    reference: Load,
) -> None:
    case = reference("variance")["dyestuff2"]
    values = np.ravel(case["groups"])
    found = mixed_effect(values, run=np.repeat(np.arange(6), 5).tolist())
    assert not found.fitted
    assert found.attempts[0].startswith("lbfgs: LinAlgError")
    assert found.failure == "variance between runs at its edge of zero"
    assert found.fallback == "t on run means"
    assert found.contrast is not None
    assert found.contrast.interval() == pytest.approx(case["mean_interval"], rel=1e-6)
    assert str(found).endswith("used instead: t on run means")
