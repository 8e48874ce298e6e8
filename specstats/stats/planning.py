"""Planning from a pilot: its uncertain spread, widths, requests and prompts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.stats._noncentral import welch_df_nodes
from specstats.stats._quantiles import chi2_quantile, t_critical
from specstats.stats.welch import welch_df

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "df_of_limit",
    "expected_half_width",
    "prompts_for_half_width",
    "requests_per_launch",
    "run_sd",
    "runs_for_half_width",
    "sd_upper_limit",
]

_LARGEST = 1000  # runs, blocks and prompts; what needs more needs another design


def sd_upper_limit(sd: float, df: float, /, *, level: float = 0.8) -> float:
    """Return the one-sided upper limit of an SD.

    Parameters
    ----------
    sd : float
        SD found in a pilot, above zero.
    df : float
        Its degrees of freedom.
    level : float
        Share of pilots whose limit lies above the true SD.

    Returns
    -------
    float
        sd sqrt(df / q), q the 1 - level quantile of chi-square on df.

    Notes
    -----
    Assumes normal values. A pilot of 3 runs gives 2.1 times its SD at .8, one of 10
    gives 1.3 times: a study planned with the SD itself misses its power about as often
    as not (Browne 1995).

    Examples
    --------
    >>> round(sd_upper_limit(0.05, 2), 4)
    0.1058
    """
    _above_zero(sd=sd, df=df)
    if not 0.0 < level < 1.0:
        msg = f"expected a level between 0 and 1, got {level!r}"
        raise ValueError(msg)
    return sd * math.sqrt(df / chi2_quantile(df, 1.0 - level))


def df_of_limit(sd: float, upper: float, /, *, level: float) -> float:
    """Return the degrees of freedom of an SD from its one-sided upper limit.

    Parameters
    ----------
    sd, upper : float
        SD and its limit, above it.
    level : float
        One-sided level of the limit, above one half.

    Returns
    -------
    float
        The inverse of :func:`sd_upper_limit`, at most a million.

    Examples
    --------
    >>> round(df_of_limit(0.05, sd_upper_limit(0.05, 7, level=0.975), level=0.975), 6)
    7.0
    """
    from scipy import optimize

    _above_zero(sd=sd, upper=upper)

    def excess(log_df: float) -> float:
        return math.log(sd_upper_limit(sd, math.exp(log_df), level=level) / upper)

    low, high = math.log(0.1), math.log(1e6)
    if not excess(high) < 0.0 < excess(low):
        if excess(high) >= 0.0:
            return math.exp(high)
        msg = f"no degrees of freedom give the limit {upper!r} of an SD of {sd!r}"
        raise ValueError(msg)
    return math.exp(float(optimize.brentq(excess, low, high, xtol=1e-12)))


def run_sd(
    *,
    launch_sd: float,
    request_sd: float,
    requests: float = 1,
    interaction_sd: float = 0.0,
    prompts: int = 1,
) -> float:
    """Return the SD of the mean log value of one run.

    Parameters
    ----------
    launch_sd : float
        SD between launches that no number of requests lowers.
    request_sd : float
        SD of repeats of one prompt inside a launch.
    requests : float
        Requests of each prompt in a launch.
    interaction_sd : float
        SD of launch x prompt: what a launch does to one prompt and not to another.
    prompts : int
        Prompts in a launch.

    Returns
    -------
    float
        Root of launch_sd^2 + interaction_sd^2 / prompts + request_sd^2 / (prompts
        requests): never below launch_sd.

    Examples
    --------
    >>> round(run_sd(launch_sd=0.03, request_sd=0.05, requests=10), 4)
    0.0339
    >>> round(run_sd(launch_sd=0.03, request_sd=0.05, requests=10_000), 4)
    0.03
    """
    if min(launch_sd, request_sd, interaction_sd) < 0.0:
        msg = f"expected SDs of 0 or more, got {(launch_sd, request_sd)}"
        raise ValueError(msg)
    _above_zero(requests=requests, prompts=prompts)
    return math.sqrt(
        launch_sd**2
        + interaction_sd**2 / prompts
        + request_sd**2 / (prompts * requests)
    )


def requests_per_launch(
    *, launch_sd: float, request_sd: float, launch_cost: float, request_cost: float
) -> int | None:
    """Return the requests in a launch that give the most precision for the cost.

    Parameters
    ----------
    launch_sd, request_sd : float
        SD between launches and of requests inside one.
    launch_cost, request_cost : float
        Cost of a launch without requests and of one request, in one unit.

    Returns
    -------
    int or None
        sqrt(launch_cost / request_cost) request_sd / launch_sd, rounded up; None
        when launches do not differ, so that more requests always pay.

    Notes
    -----
    Minimises (launch_cost + m request_cost) (launch_sd^2 + request_sd^2 / m) over m.
    Source: Kalibera and Jones (2013), as `kalibera_jones` for two levels.

    Examples
    --------
    >>> requests_per_launch(
    ...     launch_sd=0.03, request_sd=0.05, launch_cost=60, request_cost=2
    ... )
    10
    """
    _above_zero(launch_cost=launch_cost, request_cost=request_cost)
    if min(launch_sd, request_sd) < 0.0:
        msg = f"expected SDs of 0 or more, got {(launch_sd, request_sd)}"
        raise ValueError(msg)
    if launch_sd == 0.0:
        return None
    best = math.sqrt(launch_cost / request_cost) * request_sd / launch_sd
    return max(1, math.ceil(best))


def expected_half_width(
    sd: float,
    n: int,
    /,
    *,
    confidence_level: float = 0.95,
    blocked: bool = False,
    welch: bool = False,
) -> float:
    """Half the width of the interval of a log ratio, if the SD is found again.

    Parameters
    ----------
    sd : float
        SD of log run values, within a block if `blocked`.
    n : int
        Runs per arm, or blocks with one run of each arm; at least 2.
    confidence_level : float
        Level of the interval.
    blocked : bool
        Paired in blocks instead of independent runs.
    welch : bool
        Independent runs: the critical value of Welch's t, averaged over its degrees
        of freedom, instead of that of the pooled one.

    Returns
    -------
    float
        t sd sqrt(2 / n), t on 2n - 2 or n - 1 degrees of freedom.

    Notes
    -----
    Interval of `welch`, `pooled` or `paired_blocks`. The width of one study varies
    about it as its own SD does.
    """
    _above_zero(sd=sd)
    if n < 2:  # noqa: PLR2004 - one run has no spread
        msg = f"expected n >= 2, got {n!r}"
        raise ValueError(msg)
    if welch and not blocked:
        nodes = welch_df_nodes(n)
        critical = sum(part * t_critical(df, confidence_level) for df, part in nodes)
    else:
        df = n - 1.0 if blocked else 2.0 * n - 2.0
        critical = t_critical(df, confidence_level)
    return critical * sd * math.sqrt(2.0 / n)


def runs_for_half_width(
    half_width: float,
    sd: float,
    /,
    *,
    confidence_level: float = 0.95,
    blocked: bool = False,
    welch: bool = False,
    max_runs: int = _LARGEST,
) -> int | None:
    """Return the fewest runs per arm (or blocks) that give so narrow an interval.

    Parameters
    ----------
    half_width : float
        Half the width wanted, on the log scale.
    sd : float
        SD of log run values, within a block if `blocked`.
    confidence_level : float
        Level of the interval.
    blocked : bool
        Count blocks instead of independent runs.
    welch : bool
        Independent runs: Welch's t instead of the pooled one.
    max_runs : int
        Largest number considered.

    Returns
    -------
    int or None
        None when `max_runs` is not enough.
    """
    _above_zero(half_width=half_width)

    def narrow(n: int) -> bool:
        found = expected_half_width(
            sd, n, confidence_level=confidence_level, blocked=blocked, welch=welch
        )
        return found <= half_width

    return _smallest(narrow, max_runs)


def prompts_for_half_width(
    half_width: float,
    /,
    *,
    prompt_sd: float,
    run_error: float,
    run_df: float,
    confidence_level: float = 0.95,
    max_prompts: int = _LARGEST,
) -> int | None:
    """Return the smallest number of prompts for "prompts like these".

    Parameters
    ----------
    half_width : float
        Half the width wanted, on the log scale.
    prompt_sd : float
        SD between prompts of the log ratio.
    run_error, run_df : float
        Standard error of the log ratio from runs alone, and its degrees of freedom.
    confidence_level : float
        Level of the interval.
    max_prompts : int
        Largest number considered.

    Returns
    -------
    int or None
        None when `max_prompts` is not enough: then more runs are needed, too.

    Notes
    -----
    Variance run_error^2 + prompt_sd^2 / P with Satterthwaite degrees of freedom, as
    the two-way interval has without its correction for what both share.
    """
    _above_zero(half_width=half_width, prompt_sd=prompt_sd, run_df=run_df)

    def narrow(prompts: int) -> bool:
        over_prompts = prompt_sd**2 / prompts
        df = welch_df((run_error**2, run_df), (over_prompts, prompts - 1.0))
        width = t_critical(float(df), confidence_level)
        return width * math.sqrt(run_error**2 + over_prompts) <= half_width

    return _smallest(narrow, max_prompts)


def _smallest(enough: Callable[[int], bool], largest: int) -> int | None:
    """Return the smallest n from 2 on that is enough, for what grows with n."""
    low, high = 1, largest
    if high < 2 or not enough(high):  # noqa: PLR2004 - one has no spread
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _above_zero(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            msg = f"expected {name} above 0, got {value!r}"
            raise ValueError(msg)
