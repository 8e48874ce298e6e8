"""What other tools say of two arms, each given the data as its own guide has it.

Every tool gets the launches of two arms, a launch being the decode rates of its
requests. Those that know no launches get all requests as one sample, as their users
give them; those that do get one number a launch.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from specstats import Design, summarize
from specstats.results import Verdict
from specstats.testing import read_rows

__all__ = ["TOOLS", "Launches", "Said"]

Launches = Sequence[Sequence[float]]
RESAMPLES = 2_000


@dataclass(frozen=True)
class Said:
    """A statement: whether the arms differ, and limits of the ratio, if any."""

    differ: bool | None
    low: float | None = None
    high: float | None = None

    def covers(self, ratio: float) -> bool | None:
        """Whether the limits hold a ratio; None without limits."""
        if self.low is None or self.high is None:
            return None
        return self.low <= ratio <= self.high


def _pooled(launches: Launches) -> np.ndarray:
    return np.array(list(chain.from_iterable(launches)))


def _means(launches: Launches) -> list[float]:
    return [fmean(launch) for launch in launches]


def _from_limits(low: float, high: float) -> Said:
    return Said(not low <= 1.0 <= high, low, high)


def welch_over_requests(base: Launches, other: Launches) -> Said:
    from scipy import stats

    logs = np.log(_pooled(other)), np.log(_pooled(base))
    found = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    return _from_limits(math.exp(found.low), math.exp(found.high))


def paired_over_prompts(base: Launches, other: Launches) -> Said:
    """A paired t test over prompts, each the mean of its launches."""
    from scipy import stats

    if {len(launch) for launch in (*base, *other)} != {len(base[0])} or len(
        base[0]
    ) < 2:
        return Said(None)
    logs = [np.log(np.array(launches)).mean(axis=0) for launches in (other, base)]
    found = stats.ttest_rel(*logs).confidence_interval(0.95)
    return _from_limits(math.exp(found.low), math.exp(found.high))


def scipy_bootstrap(base: Launches, other: Launches) -> Said:
    """`scipy.stats.bootstrap`, BCa, on the requests."""
    from scipy import stats

    samples = np.log(_pooled(other)), np.log(_pooled(base))
    found = stats.bootstrap(
        samples,
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        n_resamples=RESAMPLES,
        random_state=np.random.default_rng(0),
    ).confidence_interval
    return _from_limits(math.exp(found.low), math.exp(found.high))


def scipy_bootstrap_launches(base: Launches, other: Launches) -> Said:
    """`scipy.stats.bootstrap`, BCa, on launches: for those who know of them."""
    return scipy_bootstrap([_means(base)], [_means(other)])


def arch_bootstrap(base: Launches, other: Launches) -> Said:
    """`arch`'s bootstrap of independent samples, percentile, on launches."""
    from arch.bootstrap import IndependentSamplesBootstrap

    samples = np.log(_means(other)), np.log(_means(base))
    drawn = IndependentSamplesBootstrap(*samples, seed=0)
    low, high = drawn.conf_int(
        lambda x, y: x.mean() - y.mean(), reps=RESAMPLES, method="percentile"
    ).ravel()
    return _from_limits(math.exp(low), math.exp(high))


def benchstat(base: Launches, other: Launches) -> Said:
    """Go's benchstat: the U test at .05 on what a line of the file holds, a request."""
    from scipy import stats

    found = stats.mannwhitneyu(_pooled(other), _pooled(base))
    return Said(bool(found.pvalue < 0.05))


def benchstats(base: Launches, other: Launches) -> Said:
    from benchstats.compare import compareStats

    sets = [{"b": {"rate": _pooled(launches)}} for launches in (base, other)]
    found = compareStats(*sets, debug_log=False)
    return Said(bool(found.at_least_one_differs))


def pyperf(base: Launches, other: Launches) -> Said:
    from pyperf._utils import is_significant

    significant, _ = is_significant(list(_pooled(other)), list(_pooled(base)))
    return Said(bool(significant))


def inference_doctor(base: Launches, other: Launches) -> Said:
    """Its interval of the ratio of means over runs, 3 a side or more, at 95 %."""
    from inference_doctor.stats import welch_log_ratio_interval

    if min(len(base), len(other)) < 3:
        return Said(None)
    found = welch_log_ratio_interval(_means(base), _means(other), 0.95)
    return _from_limits(found.low, found.high)


def benchmatrix(base: Launches, other: Launches) -> Said:
    """Its BCa interval of the ratio of medians over processes, 5 a side or more."""
    from benchmatrix.bench_statistics import bootstrap_median_ratio_interval

    if min(len(base), len(other)) < 5:
        return Said(None)
    found: Any = bootstrap_median_ratio_interval(
        _means(base),
        _means(other),
        lower_is_better=False,
        confidence_level=0.95,
        resamples=RESAMPLES,
        random_seed=0,
    )
    if found.low is None:
        return Said(None)
    # As a change in percent.
    return _from_limits(1.0 + found.low / 100.0, 1.0 + found.high / 100.0)


def specstats(base: Launches, other: Launches) -> Said:
    rows = []
    order = 0
    for place in range(max(len(base), len(other))):
        turn = [("base", base), ("other", other)]
        for arm, launches in turn if place % 2 == 0 else turn[::-1]:
            if place >= len(launches):
                continue
            rows += [
                {
                    "run": f"{arm}-{place}",
                    "arm": arm,
                    "order": order,
                    "prompt": f"p{number}",
                    "n_output": 1001,
                    "decode_s": 1000 / rate,
                    "rate_convention": "n-1",
                }
                for number, rate in enumerate(launches[place])
            ]
            order += 1
    (found,) = summarize(read_rows(rows), Design(baseline="base")).headlines
    if found.verdict in {Verdict.REFUSED, Verdict.INSUFFICIENT}:
        return Said(None)
    limits = found.require().interval
    differ = found.verdict in {Verdict.FASTER, Verdict.SLOWER}
    return Said(differ, limits.low, limits.high)


TOOLS: dict[str, Callable[[Launches, Launches], Said]] = {
    "Welch over requests": welch_over_requests,
    "paired t over prompts": paired_over_prompts,
    "scipy.stats.bootstrap, requests": scipy_bootstrap,
    "scipy.stats.bootstrap, launches": scipy_bootstrap_launches,
    "arch, launches": arch_bootstrap,
    "benchstat (U test), requests": benchstat,
    "benchstats, requests": benchstats,
    "pyperf, requests": pyperf,
    "inference-doctor, launches": inference_doctor,
    "benchmatrix, launches": benchmatrix,
    "specstats": specstats,
}
