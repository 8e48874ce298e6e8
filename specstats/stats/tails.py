"""Quantiles of the requests of a run, and how many requests one needs for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import special

from specstats.stats._arrays import ZeroSpreadError, as_values
from specstats.stats._quantiles import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

WITHIN_ONE_LAUNCH = "within one launch"

SEEN_BEYOND = 0.95
"""Chance, at the smallest number of requests, that one lies beyond the quantile."""

_SMALL_CODES = 1 << 16

Masked: TypeAlias = "np.ma.MaskedArray[Any, np.dtype[np.float64]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileInterval:
    """A quantile of the requests of one run, between two of its order statistics.

    Attributes
    ----------
    estimate, low, high : float
        The quantile (linear interpolation) and the limits, in the units of the data.
    coverage : float
        Exact chance that the limits hold the quantile; at least the level asked for.
    probability : float
        Which quantile.
    n_requests : int
        Requests of the run.
    scope : str
        "within one launch": other launches may differ by more.
    """

    estimate: float
    low: float
    high: float
    coverage: float
    probability: float
    n_requests: int
    scope: str = WITHIN_ONE_LAUNCH


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFewRequests:
    """A quantile without an interval: no request need lie beyond it.

    Attributes
    ----------
    n_requests, needed : int
        Requests of the run, and how many the interval needs.
    probability, confidence_level : float
        Which quantile, at which level.
    """

    n_requests: int
    needed: int
    probability: float
    confidence_level: float

    @property
    def message(self) -> str:
        """What is missing, as a sentence."""
        return (
            f"{self.n_requests} requests say too little of the "
            f"{self.probability:g} quantile; {self.needed} are needed"
        )


def fewest_requests(probability: float, /, *, chance: float = SEEN_BEYOND) -> int:
    """Count the requests that a quantile needs to have one beyond it on either side.

    Parameters
    ----------
    probability : float
        Which quantile, 0.99 for p99.
    chance : float
        Wanted chance that at least one request lies beyond the quantile.

    Returns
    -------
    int
        Smallest n with max(p, 1 - p)^n <= 1 - chance: 299 for p99, 59 for p95.

    Notes
    -----
    With fewer, the sample quantile of p99 is mostly the largest request, and below
    the quantile that it is named after. The level .99 gives LoadGen's 459.

    Examples
    --------
    >>> [fewest_requests(p) for p in (0.5, 0.95, 0.99)]
    [5, 59, 299]
    >>> fewest_requests(0.99, chance=0.99)
    459
    """
    outer = max(_check_probability(probability), 1.0 - probability)
    return math.ceil(math.log1p(-check_level(chance)) / math.log(outer) - 1e-9)


def run_quantiles(
    values: ArrayLike,
    run_codes: ArrayLike,
    n_runs: int,
    probability: float | Sequence[float],
    *,
    minimum: int | None = None,
) -> Masked:
    """Quantile of the requests of each run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One finite value per request.
    run_codes : array_like of int, shape (n,)
        Run of each request, 0 to n_runs - 1, in any order.
    n_runs : int
        Number of runs.
    probability : float or sequence of float
        Which quantile, 0.99 for p99; several are found for little more than one.
    minimum : int, optional
        Fewest requests of a run; by default :func:`fewest_requests`.

    Returns
    -------
    masked ndarray, shape (n_runs,) or (quantiles, n_runs)
        Linear interpolation between order statistics, as numpy.quantile. A run of
        fewer requests is masked, with infinity beneath the mask, so that a caller who
        drops the mask cannot go on unnoticed.

    Notes
    -----
    Estimand: quantile of the requests of that launch. The unit of a comparison
    stays the run: take logs of these and use :func:`.welch`, with one value a run.

    Examples
    --------
    >>> found = run_quantiles([1, 2, 3, 4, 5, 9], [0, 0, 0, 0, 0, 1], 2, 0.5)
    >>> found.tolist()
    [3.0, None]
    """
    wanted = [probability] if isinstance(probability, float) else list(probability)
    needed = [fewest_requests(each) for each in wanted]
    if minimum is not None:
        needed = [max(1, minimum) for _ in wanted]
    data = as_values(values)
    codes = _check_codes(run_codes, n_runs=n_runs, size=data.size)
    if (codes[1:] < codes[:-1]).any():
        # Sorting 16-bit codes is a radix sort, ten times as fast as one of 64 bits.
        small = codes.astype(np.uint16) if n_runs <= _SMALL_CODES else codes
        data = data[np.argsort(small, kind="stable")]
    counts = np.bincount(codes, minlength=n_runs)
    ends = np.cumsum(counts)
    found = np.full((len(wanted), n_runs), np.inf)
    mask = counts < np.array(needed, dtype=np.intp)[:, None]
    for run in np.flatnonzero(~mask.all(axis=0)).tolist():
        own = np.sort(data[ends[run] - counts[run] : ends[run]])
        for place in np.flatnonzero(~mask[:, run]).tolist():
            found[place, run] = _quantile(own, wanted[place])
    shape = (n_runs,) if isinstance(probability, float) else found.shape
    return np.ma.MaskedArray(
        found.reshape(shape), mask=mask.reshape(shape), fill_value=np.inf
    )


def quantile_interval(
    values: ArrayLike, /, *, probability: float, confidence_level: float = 0.95
) -> QuantileInterval | TooFewRequests:
    """Distribution-free interval of a quantile of the requests of one run.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value per request of one run.
    probability : float
        Which quantile, 0.99 for p99.
    confidence_level : float
        Two-sided level.

    Returns
    -------
    QuantileInterval or TooFewRequests
        The second where an order statistic beyond the data would be needed.

    Raises
    ------
    ZeroSpreadError
        Both limits are the same value.

    Notes
    -----
    Estimand: quantile of the requests that this launch would serve; nothing is said
    of other launches. Unit: the request; assumes that they are independent, which
    queueing violates. The order statistics l and u are the innermost with
    P(B < l) and P(B >= u) at most half the error each, B binomial (n, p): exact for
    continuous values, more than exact with ties.

    Examples
    --------
    >>> found = quantile_interval(range(1, 101), probability=0.5)
    >>> found.low, found.high, round(found.coverage, 4)
    (40.0, 61.0, 0.9648)
    """
    data = np.sort(as_values(values))
    tail = (1.0 - check_level(confidence_level)) / 2.0
    needed = fewest_requests(probability, chance=1.0 - tail)
    if data.size < needed:
        return TooFewRequests(
            n_requests=data.size,
            needed=needed,
            probability=probability,
            confidence_level=confidence_level,
        )
    below = special.bdtr(np.arange(data.size), data.size, probability)
    first = int((below <= tail).sum())
    # P(B >= u) is 1 - P(B <= u - 1); the complement keeps its digits in the tail.
    above = special.bdtrc(np.arange(data.size), data.size, probability)
    last = int((above > tail).sum()) + 1
    low, high = float(data[first - 1]), float(data[last - 1])
    if low == high:
        msg = f"requests {first} to {last} of {data.size} have one value"
        raise ZeroSpreadError(msg)
    return QuantileInterval(
        estimate=_quantile(data, probability),
        low=low,
        high=high,
        coverage=float(below[last - 1] - below[first - 1]),
        probability=probability,
        n_requests=data.size,
    )


def early_stopping_count(
    over_latency: int,
    /,
    *,
    probability: float,
    confidence_level: float = 0.99,
    tolerance: float = 0.0,
) -> int:
    """Count the requests in time that MLPerf LoadGen wants beside the late ones.

    Parameters
    ----------
    over_latency : int
        Requests over the latency bound.
    probability : float
        Share of requests that has to be in time, 0.99 for p99.
    confidence_level : float
        One-sided; LoadGen uses 0.99.
    tolerance : float
        Taken off the share.

    Returns
    -------
    int
        Smallest h with P(B <= t) <= 1 - level, B binomial (h + t, 1 - p + d).

    Notes
    -----
    Statement: the latency bound holds for a share `probability` of requests of this
    launch. Checked against the values in mlcommons/endpoints#417.

    Examples
    --------
    >>> [early_stopping_count(t, probability=0.99) for t in range(4)]
    [459, 661, 836, 998]
    """
    if over_latency < 0 or not 0.0 <= tolerance < _check_probability(probability):
        msg = f"expected counts and tolerance of 0 or more: {over_latency}, {tolerance}"
        raise ValueError(msg)
    late = 1.0 - probability + tolerance
    error = 1.0 - check_level(confidence_level)

    def enough(in_time: int) -> bool:
        chance = special.bdtr(over_latency, in_time + over_latency, late)
        return bool(chance <= error)

    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _quantile(ordered: NDArray[np.float64], probability: float) -> float:
    place = (ordered.size - 1) * probability
    lower = math.floor(place)
    upper = min(lower + 1, ordered.size - 1)
    gap = ordered[upper] - ordered[lower]
    return float(ordered[lower] + (place - lower) * gap)


def _check_probability(probability: float) -> float:
    if not 0.0 < probability < 1.0:
        msg = f"expected a probability between 0 and 1, got {probability!r}"
        raise ValueError(msg)
    return probability


def _check_codes(run_codes: ArrayLike, *, n_runs: int, size: int) -> NDArray[np.intp]:
    codes = np.asarray(run_codes)
    if codes.shape != (size,) or codes.dtype.kind not in "iu":
        msg = f"expected {size} whole run codes, got {codes.dtype} {codes.shape}"
        raise ValueError(msg)
    if codes.min() < 0 or codes.max() >= n_runs:
        msg = f"expected run codes from 0 to {n_runs - 1}"
        raise ValueError(msg)
    return codes.astype(np.intp, copy=False)
