"""How far accepted counts of clusters vary beyond independent tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import special

from specstats.stats._clusters import cluster_totals, ratio_of_totals
from specstats.stats.contrast import Contrast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Overdispersion", "overdispersion", "quasi_binomial_difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdispersion:
    """Spread of cluster rates against that of independent tokens.

    Attributes
    ----------
    chi_square : float
        Pearson's X^2 of the clusters against the pooled rate.
    phi : float
        X^2 over G - 1; 1 for independent tokens.
    icc : float or None
        One-way ANOVA intraclass correlation of 0/1 tokens, may be below 0; None
        where there is one token a cluster.
    design_effect : float
        Linearised cluster variance over the binomial variance.
    n_effective : float or None
        Independent tokens that would tell as much; None where clusters do not vary.
    n_clusters : int
        Clusters that drafted anything.
    """

    chi_square: float
    phi: float
    icc: float | None
    design_effect: float
    n_effective: float | None
    n_clusters: int


def overdispersion(accepted: ArrayLike, drafted: ArrayLike, /) -> Overdispersion | None:
    """Measure how far cluster counts vary beyond independent tokens.

    Parameters
    ----------
    accepted, drafted : array_like, shape (G,)
        Totals of each cluster; clusters that drafted nothing do not count.

    Returns
    -------
    Overdispersion or None
        None with fewer than two clusters, or when all tokens or none were accepted.

    Raises
    ------
    ValueError
        Counts that cannot be.

    Notes
    -----
    Descriptive: X^2 is no test here, because tokens of one step are a stopped
    sequence even in a single text. Checked against the litters of Weil (1970) in
    tests/reference.

    Examples
    --------
    >>> found = overdispersion([60, 45, 70, 30], [80, 75, 85, 66])
    >>> round(found.phi, 3), round(found.design_effect, 3)
    (8.965, 8.691)
    """
    hits, tries = cluster_totals(accepted, drafted)
    if hits.size < 2:  # noqa: PLR2004 - spread needs two clusters
        return None
    ratio = ratio_of_totals(hits, tries)
    if not 0.0 < ratio.rate < 1.0:
        return None
    chi_square = _chi_square(hits, tries, ratio.rate)
    effect = ratio.variance * ratio.drafted * ratio.logit_slope
    return Overdispersion(
        chi_square=chi_square,
        phi=chi_square / ratio.df,
        icc=_anova_icc(hits, tries),
        design_effect=effect,
        n_effective=ratio.drafted / effect if effect > 0.0 else None,
        n_clusters=hits.size,
    )


def quasi_binomial_difference(
    candidate_accepted: ArrayLike,
    candidate_drafted: ArrayLike,
    baseline_accepted: ArrayLike,
    baseline_drafted: ArrayLike,
    /,
) -> Contrast | None:
    """Log odds ratio of two arms with one dispersion for both.

    Parameters
    ----------
    candidate_accepted, candidate_drafted : array_like, shape (G1,)
        Totals of each cluster of the candidate.
    baseline_accepted, baseline_drafted : array_like, shape (G0,)
        Totals of each cluster of the baseline.

    Returns
    -------
    Contrast or None
        Candidate minus baseline on the logit; None with fewer than three clusters in
        all, or when an arm accepted all tokens or none.

    Raises
    ------
    ValueError
        Counts that cannot be.
    ZeroSpreadError
        No cluster differs from the rate of its arm.

    Notes
    -----
    For comparison with published analyses; assumes that both arms are equally
    dispersed, which :func:`specstats.stats.acceptance.rate_difference` does not.
    Dispersion: pooled X^2 over G1 + G0 - 2.

    Examples
    --------
    >>> found = quasi_binomial_difference([60, 45], [80, 75], [50, 30], [80, 70])
    >>> round(found.estimate, 3), found.df
    (0.608, 2.0)
    """
    arms = (
        cluster_totals(candidate_accepted, candidate_drafted),
        cluster_totals(baseline_accepted, baseline_drafted),
    )
    df = sum(hits.size for hits, _ in arms) - 2.0
    rates = [
        float(hits.sum() / tries.sum()) if hits.size else 0.0 for hits, tries in arms
    ]
    if df < 1.0 or not all(0.0 < rate < 1.0 for rate in rates):
        return None
    dispersion = sum(
        _chi_square(*arm, rate) for arm, rate in zip(arms, rates, strict=True)
    )
    binomial = sum(
        1.0 / (float(tries.sum()) * rate * (1.0 - rate))
        for (_, tries), rate in zip(arms, rates, strict=True)
    )
    return Contrast(
        estimate=float(special.logit(rates[0]) - special.logit(rates[1])),
        std_error=math.sqrt(binomial * dispersion / df),
        df=df,
        method="quasi-binomial on the logit",
    )


def _chi_square(
    hits: NDArray[np.float64], tries: NDArray[np.float64], rate: float
) -> float:
    expected = tries * rate
    return float(((hits - expected) ** 2 / (expected * (1.0 - rate))).sum())


def _anova_icc(hits: NDArray[np.float64], tries: NDArray[np.float64]) -> float | None:
    total, groups = float(tries.sum()), hits.size
    if total <= groups:
        return None
    rates = hits / tries
    between = float((tries * (rates - hits.sum() / total) ** 2).sum()) / (groups - 1.0)
    within = float((tries * rates * (1.0 - rates)).sum()) / (total - groups)
    size = (total - float((tries**2).sum()) / total) / (groups - 1.0)
    below = between + (size - 1.0) * within
    return (between - within) / below if below > 0.0 else None
