"""Beta-binomial model of cluster counts, by maximum likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, special

from specstats.stats._clusters import cluster_totals
from specstats.stats._quantiles import check_level, chi2_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["BetaBinomial", "beta_binomial"]

# Log of 1/(a+b): below, log-gammas lose the digits that matter and the binomial is as
# good; above, every cluster is all or nothing.
_LOWEST, _HIGHEST, _GRID = math.log(1e-6), math.log(1e4), 41
_SAME = 1e-8
_FAR = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaBinomial:
    """Fit of a beta-binomial to counts of clusters.

    Attributes
    ----------
    mu : float
        Mean rate over clusters, each cluster weighing as the model says.
    low, high : float
        Profile-likelihood limits of `mu`.
    rho : float
        1 / (1 + a + b), the intraclass correlation; 0 where tokens vary no more
        than independent ones.
    log_likelihood, binomial_log_likelihood : float
        Of the fit, and of independent tokens with one rate; binomial coefficients
        included.
    n_clusters : int
        Clusters that drafted anything.
    """

    mu: float
    low: float
    high: float
    rho: float
    log_likelihood: float
    binomial_log_likelihood: float
    n_clusters: int


def beta_binomial(
    accepted: ArrayLike, drafted: ArrayLike, /, *, confidence_level: float = 0.95
) -> BetaBinomial | None:
    """Fit a beta-binomial, with profile-likelihood limits of its mean.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.
    confidence_level : float
        Level of the limits.

    Returns
    -------
    BetaBinomial or None
        None with fewer than two clusters, or when all tokens or none were accepted.

    Raises
    ------
    ValueError
        Counts that cannot be.

    Notes
    -----
    Estimand: the mean rate of a cluster, which is not accepted over drafted tokens
    when long clusters accept less. Model: rates of clusters follow a beta, tokens
    within a cluster are independent. Limits: where twice the log-likelihood falls
    chi-square(1) below its maximum, maximised over rho; with few clusters they cover
    too little, since no t enters: about .86 with 3 and .95 with 20
    (tests/sims/test_acceptance.py). Never a Wald interval from the Hessian of a
    quasi-Newton search. Checked against VGAM on the litters of Weil (1970).

    Examples
    --------
    >>> found = beta_binomial([60, 45, 70, 30, 50], [80, 75, 85, 66, 71])
    >>> round(found.mu, 3), round(found.rho, 3)
    (0.668, 0.057)
    """
    hits, tries = cluster_totals(accepted, drafted)
    check_level(confidence_level)
    total = float(hits.sum())
    if hits.size < 2 or not 0.0 < total < float(tries.sum()):  # noqa: PLR2004
        return None
    model = _Model(hits, tries)
    centre = _maximum(model, float(special.logit(total / tries.sum())))
    top, spread = model.profile(centre)
    cut = top - chi2_quantile(1.0, confidence_level) / 2.0
    limits = [_crossing(model, centre, end, cut) for end in (-_FAR, _FAR)]
    return BetaBinomial(
        mu=float(special.expit(centre)),
        low=float(special.expit(limits[0])),
        high=float(special.expit(limits[1])),
        rho=spread / (1.0 + spread),
        log_likelihood=top,
        binomial_log_likelihood=model.binomial(total / float(tries.sum())),
        n_clusters=hits.size,
    )


class _Model:
    def __init__(self, hits: NDArray[np.float64], tries: NDArray[np.float64]) -> None:
        self.hits = hits
        self.misses = tries - hits
        self.tries = tries
        self.ways = float(
            (
                special.gammaln(tries + 1.0)
                - special.gammaln(hits + 1.0)
                - special.gammaln(self.misses + 1.0)
            ).sum()
        )

    def binomial(self, rate: float) -> float:
        inside = special.xlogy(self.hits, rate) + special.xlog1py(self.misses, -rate)
        return self.ways + float(inside.sum())

    def at(self, rate: float, spread: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-likelihood over an array of 1 / (a + b)."""
        first, second = rate / spread[:, None], (1.0 - rate) / spread[:, None]
        parts = special.betaln(
            self.hits + first, self.misses + second
        ) - special.betaln(first, second)
        return np.asarray(self.ways + parts.sum(axis=1))

    def profile(self, logit: float) -> tuple[float, float]:
        """Largest log-likelihood over 1 / (a + b), and where it is."""
        rate = float(special.expit(logit))
        grid = np.linspace(_LOWEST, _HIGHEST, _GRID)
        values = self.at(rate, np.exp(grid))
        best = int(np.argmax(values))
        found = optimize.minimize_scalar(
            lambda place: -float(self.at(rate, np.exp(np.array([place])))[0]),
            bounds=(grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]),
            method="bounded",
            options={"xatol": 1e-9},
        )
        plain = self.binomial(rate)
        if plain >= -float(found.fun) - _SAME:
            return plain, 0.0
        return -float(found.fun), math.exp(float(found.x))


def _maximum(model: _Model, start: float) -> float:
    found = optimize.minimize_scalar(
        lambda place: -model.profile(place)[0],
        bracket=(start - 0.5, start, start + 0.5)
        if model.profile(start)[0]
        > max(model.profile(start - 0.5)[0], model.profile(start + 0.5)[0])
        else (start - 0.5, start + 0.5),
        method="brent",
        options={"xtol": 1e-8},
    )
    return float(found.x)


def _crossing(model: _Model, centre: float, end: float, cut: float) -> float:
    def above(place: float) -> float:
        return model.profile(place)[0] - cut

    far = centre
    step = 0.5 if end > 0 else -0.5
    while above(far) > 0.0:
        far += step
        step *= 1.5
        if abs(far) > _FAR:
            return math.inf if end > 0 else -math.inf
    return float(optimize.brentq(above, centre, far, xtol=1e-9))
