import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from numpy.typing import NDArray

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.beta_binomial import BetaBinomial, beta_binomial
from specstats.stats.dispersion import overdispersion, quasi_binomial_difference


def test_dispersion_by_hand() -> None:
    # Rate .75, expected 7.5 and 7.5: X^2 = 2 * 1.5^2 / (7.5 * .25) = 2.4 on 1 df.
    found = overdispersion([9, 6], [10, 10])
    assert found is not None
    assert found.chi_square == pytest.approx(2.4)
    assert found.phi == pytest.approx(2.4)
    # V = 2 * 4.5 / 400 against .1875 / 20.
    assert found.design_effect == pytest.approx(9 / 400 / (0.1875 / 20))
    assert found.n_effective == pytest.approx(20 / found.design_effect)
    # MSB = .45 on 1 df, MSW = (.9 + 2.4) / 18.
    assert found.icc == pytest.approx((0.45 - 3.3 / 18) / (0.45 + 9 * 3.3 / 18))


def test_clusters_more_alike_than_tokens() -> None:
    found = overdispersion([5, 5, 5], [10, 10, 10])
    assert found is not None
    assert (found.phi, found.design_effect, found.n_effective) == (0.0, 0.0, None)
    assert found.icc is not None
    assert found.icc < 0


def test_nothing_to_say() -> None:
    for method in (overdispersion, beta_binomial):
        assert method([5], [10]) is None
        assert method([0, 0], [10, 10]) is None
        assert method([10, 10], [10, 10]) is None
    assert quasi_binomial_difference([5], [10], [4], [10]) is None
    assert quasi_binomial_difference([10, 10], [10, 10], [4, 5], [10, 10]) is None


def test_single_tokens_have_no_icc() -> None:
    found = overdispersion([1, 0, 1], [1, 1, 1])
    assert found is not None
    assert found.icc is None


def test_quasi_binomial_without_spread() -> None:
    with pytest.raises(ZeroSpreadError):
        quasi_binomial_difference([5, 5], [10, 10], [4, 4], [10, 10])


def fitted(hits: list[int], tries: list[int], level: float = 0.95) -> BetaBinomial:
    found = beta_binomial(hits, tries, confidence_level=level)
    assert found is not None
    return found


def log_likelihood(hits: list[int], tries: list[int], a: float, b: float) -> float:
    return float(np.sum(scipy.stats.betabinom.logpmf(hits, tries, a, b)))


def test_beta_binomial_is_the_maximum_of_scipys_likelihood() -> None:
    hits, tries = [60, 45, 70, 30, 50], [80, 75, 85, 66, 71]
    found = fitted(hits, tries)
    size = 1 / found.rho - 1
    own = log_likelihood(hits, tries, found.mu * size, (1 - found.mu) * size)
    assert own == pytest.approx(found.log_likelihood, abs=1e-9)

    def negative(place: NDArray[np.float64]) -> float:
        return -log_likelihood(hits, tries, *np.exp(place).tolist())

    best = scipy.optimize.minimize(
        negative,
        np.ones(2),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12},
    )
    assert -best.fun == pytest.approx(found.log_likelihood, abs=1e-8)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_lie_where_the_profile_has_fallen(level: float) -> None:
    hits, tries = [60, 45, 70, 30, 50], [80, 75, 85, 66, 71]
    found = fitted(hits, tries, level)
    drop = scipy.stats.chi2.ppf(level, 1) / 2
    for limit in (found.low, found.high):
        best = scipy.optimize.minimize_scalar(
            lambda place, mu=limit: (
                -log_likelihood(
                    hits, tries, mu * np.exp(place), (1 - mu) * np.exp(place)
                )
            ),
            bounds=(-3, 10),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert -best.fun == pytest.approx(found.log_likelihood - drop, abs=1e-6)


def test_without_overdispersion_it_is_the_binomial() -> None:
    found = fitted([50, 50, 50], [100, 100, 100])
    assert found.rho == 0.0
    assert found.mu == pytest.approx(0.5, abs=1e-6)
    assert found.log_likelihood == pytest.approx(found.binomial_log_likelihood)


def test_all_or_nothing_clusters() -> None:
    found = fitted([10, 0, 10], [10, 10, 10])
    assert found.rho > 0.99
    assert found.mu == pytest.approx(2 / 3, abs=1e-3)
    assert found.low < 0.3
    assert found.high > 0.9


def test_many_tokens_do_not_lose_digits() -> None:
    tries = [200_000] * 4
    found = fitted([100_000, 120_000, 90_000, 110_000], tries)
    mirror = fitted([100_000, 80_000, 110_000, 90_000], tries)
    assert mirror.mu == pytest.approx(1 - found.mu, abs=1e-6)
    assert (mirror.low, mirror.high) == pytest.approx(
        (1 - found.high, 1 - found.low), abs=1e-5
    )


def test_a_level_outside_0_and_1_is_misuse() -> None:
    with pytest.raises(ValueError, match="level"):
        beta_binomial([5, 6], [10, 10], confidence_level=95)
