"""Spread of clusters against published analyses of the litters of Weil (1970)."""

from collections.abc import Callable
from typing import Any

import pytest
from scipy import special

from specstats.stats.beta_binomial import beta_binomial
from specstats.stats.dispersion import overdispersion, quasi_binomial_difference

Load = Callable[[str], dict[str, Any]]
SIX_PLACES = 1.1e-6
ARMS = pytest.mark.parametrize("arm", ["control", "treated"])


@ARMS
def test_weil_overdispersion(reference: Load, arm: str) -> None:
    case = reference("acceptance")["weil"][arm]
    found = overdispersion(case["accepted"], case["drafted"])
    assert found is not None
    assert found.chi_square == pytest.approx(case["chi_square"], abs=SIX_PLACES)
    assert found.phi == pytest.approx(case["phi"], abs=SIX_PLACES)
    assert found.icc == pytest.approx(case["anova_icc"], abs=1e-7)
    assert found.design_effect == pytest.approx(case["deff"], rel=1e-6)
    assert found.n_effective == pytest.approx(case["n_eff"], rel=1e-6)
    binomial = case["cluster_se"] / found.design_effect**0.5
    assert binomial == pytest.approx(case["binomial_se"], rel=1e-5)


@ARMS
def test_weil_beta_binomial(reference: Load, arm: str) -> None:
    case = reference("acceptance")["weil"][arm]
    expected = case["beta_binomial"]
    found = beta_binomial(case["accepted"], case["drafted"])
    assert found is not None
    assert found.mu == pytest.approx(expected["mu"], abs=SIX_PLACES)
    # VGAM's own stopping rule leaves its logit 3e-5 from the logit of its mu.
    assert special.logit(found.mu) == pytest.approx(expected["logit_mu"], abs=5e-5)
    assert found.rho == pytest.approx(expected["rho"], abs=SIX_PLACES)
    assert found.log_likelihood == pytest.approx(
        expected["log_likelihood"], abs=SIX_PLACES
    )
    assert found.binomial_log_likelihood == pytest.approx(
        expected["binomial_log_likelihood"], abs=SIX_PLACES
    )
    assert (found.low, found.high) == pytest.approx(expected["profile"], abs=SIX_PLACES)


def test_weil_quasi_binomial(reference: Load) -> None:
    # R's glm takes weights from the last but one iterate: four digits agree.
    weil = reference("acceptance")["weil"]
    treated, control = weil["treated"], weil["control"]
    found = quasi_binomial_difference(
        *(treated["accepted"], treated["drafted"]),
        *(control["accepted"], control["drafted"]),
    )
    expected = weil["quasi_binomial"]
    assert found is not None
    assert found.estimate == pytest.approx(expected["estimate"], abs=1e-7)
    assert found.std_error == pytest.approx(expected["std_error"], rel=1e-4)
    pooled = (control["chi_square"] + treated["chi_square"]) / found.df
    assert pooled == pytest.approx(expected["dispersion"], rel=1e-4)
