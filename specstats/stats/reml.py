"""One-way components by (restricted) maximum likelihood, groups of any sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specstats.stats._one_way import best_ratio, mean_uncertainty, profiled
from specstats.stats._sums import (
    GroupSums,
    make_sums,
    sums_by_label,
    sums_of_groups,
)
from specstats.stats.contrast import Contrast
from specstats.stats.intervals import mean_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = [
    "GroupSums",
    "OneWayFit",
    "group_mean",
    "make_sums",
    "one_way_fit",
    "sums_by_label",
    "sums_of_groups",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWayFit:
    """Variances between and within groups, by likelihood.

    Attributes
    ----------
    method : str
        ``REML`` or ``ML``.
    mean : float
        Generalised least-squares mean.
    between_var, within_var : float
        The components; zero is a valid value of either.
    criterion : float
        -2 log (restricted) likelihood with all constants, as lme4 prints it;
        minus infinity where a variance of zero fits without residual.
    boundary : bool
        `between_var` is zero: the groups differ no more than their values do.
    sums : GroupSums
        What was fitted.
    """

    method: Literal["REML", "ML"]
    mean: float
    between_var: float
    within_var: float
    criterion: float
    boundary: bool
    sums: GroupSums

    @property
    def icc(self) -> float:
        """Share of the variance that lies between groups; zero without variance."""
        both = self.between_var + self.within_var
        return self.between_var / both if both > 0.0 else 0.0

    @property
    def std_error(self) -> float:
        """Standard error of the mean under the fitted model, as lme4 prints it."""
        sums = self.sums
        if self.within_var == 0.0:
            return math.sqrt(self.between_var / sums.n_groups)
        inverse = sums.counts / (self.between_var + self.within_var / sums.sizes)
        return math.sqrt(1.0 / float(inverse.sum()))


def one_way_fit(
    groups: Sequence[ArrayLike] | ArrayLike | GroupSums,
    /,
    *,
    method: Literal["REML", "ML"] = "REML",
) -> OneWayFit:
    """Variance components of groups of any sizes by likelihood.

    Parameters
    ----------
    groups : sequence of array_like, array_like of shape (k, n), or GroupSums
        The (log) values of each group (run), two groups or more, one of them with two
        values or more.
    method : {"REML", "ML"}
        REML does not lose the degree of freedom of the mean; ML does.

    Returns
    -------
    OneWayFit
        Variances, mean and criterion.

    Raises
    ------
    ValueError
        Fewer than two groups, or no group with two values.

    Notes
    -----
    Estimand: variance between groups (launches) and within them (requests). Unit:
    the group. Model: independent normal effects at both levels. The likelihood is
    searched over the ratio of the two variances alone, on a grid of its logarithm
    and then by the root of its slope, and compared with the edge at zero; the rest
    has closed forms on sizes, means and squares. Balanced and positive, REML equals
    the estimates of :func:`specstats.stats.components.one_way`. Checked against
    lme4 (Dyestuff, Dyestuff2, pulp) and statsmodels (unequal sizes).

    Examples
    --------
    >>> from specstats.stats.reml import one_way_fit
    >>> fit = one_way_fit([[1.0, 3.0, 2.0], [6.0, 4.0], [2.0, 3.0, 1.0, 2.0]])
    >>> round(fit.between_var, 3), round(fit.within_var, 3)
    (2.493, 1.008)
    """
    sums = groups if isinstance(groups, GroupSums) else sums_of_groups(groups)
    if sums.n_groups < 2 or sums.n_values == sums.n_groups:  # noqa: PLR2004
        msg = "expected two groups or more and a group with two values"
        raise ValueError(msg)
    restricted = method == "REML"
    ratio = best_ratio(sums, restricted=restricted)
    if math.isinf(ratio):
        return _without_within(sums, method)
    at = profiled(sums, ratio, restricted=restricted)
    within = at.square / (sums.n_values - int(restricted))
    return OneWayFit(
        method=method,
        mean=at.mean,
        between_var=ratio * within,
        within_var=within,
        criterion=at.criterion,
        boundary=ratio == 0.0,
        sums=sums,
    )


def group_mean(fit: OneWayFit, /) -> Contrast:
    """Mean over groups with Satterthwaite degrees of freedom.

    Parameters
    ----------
    fit : OneWayFit
        From :func:`one_way_fit`.

    Returns
    -------
    Contrast
        The mean of the model; where the variance between groups is estimated as
        zero, the plain mean of the group means on k - 1 degrees of freedom, and
        `method` says so.

    Raises
    ------
    ZeroSpreadError
        The group means do not differ.

    Notes
    -----
    Estimand: the mean over launches. Unit: the group. At the edge the model takes
    all values for independent, and its standard error and degrees of freedom would
    be those of requests; an estimate of zero from few groups does not prove that.
    Balanced data have k - 1 degrees of freedom. Checked against lmerTest (Dyestuff).
    """
    plain = mean_t(fit.sums.means)
    if fit.boundary:
        return Contrast(
            estimate=plain.estimate,
            std_error=plain.std_error,
            df=plain.df,
            method="t on group means (variance between groups estimated as zero)",
        )
    if fit.within_var == 0.0:
        return plain
    variance, df = mean_uncertainty(
        fit.sums, fit.between_var, fit.within_var, restricted=fit.method == "REML"
    )
    if not 0.0 < df < math.inf:
        return Contrast(
            estimate=plain.estimate,
            std_error=plain.std_error,
            df=plain.df,
            method="t on group means (flat likelihood)",
        )
    return Contrast(
        estimate=fit.mean,
        std_error=math.sqrt(variance),
        df=df,
        method=f"{fit.method}, Satterthwaite df",
    )


def _without_within(sums: GroupSums, method: Literal["REML", "ML"]) -> OneWayFit:
    """Equal values inside every group: all variance lies between the groups."""
    mean, groups = float(sums.means.mean()), sums.n_groups
    squares = float(((sums.means - mean) ** 2).sum())
    return OneWayFit(
        method=method,
        mean=mean,
        between_var=squares / (groups - 1 if method == "REML" else groups),
        within_var=0.0,
        criterion=-math.inf,
        boundary=False,
        sums=sums,
    )
