"""Speed of the cluster bootstrap beside SciPy and arch: 10,000 resamples of 1,000.

Random resamples are compared with those of SciPy. Without a number of resamples the
limits are those of all of them, found without drawing: the same interval, but for the
random error of the peers.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from specstats.stats.bootstrap import BootstrapMethod
from specstats.stats.cluster_bootstrap import cluster_ratio_bootstrap

pytestmark = pytest.mark.benchmark

Array = NDArray[np.float64]
CLUSTERS = 1_000
RESAMPLES = 10_000
TURNS = 7
# Of the limits, in half-widths: eight standard errors of a percentile limit.
MONTE_CARLO = 0.12


def clusters() -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    drafted = rng.integers(200, 2000, CLUSTERS).astype(float)
    accepted = rng.binomial(drafted.astype(int), rng.beta(8, 3, CLUSTERS))
    return accepted.astype(float), drafted


def ratio(first: Array, second: Array, axis: int = -1) -> Array:
    return np.asarray(first.sum(axis=axis) / second.sum(axis=axis))


def in_turn(*works: Callable[[], object]) -> list[float]:
    """Median seconds of each, taken in turn after a warm-up."""

    def seconds(work: Callable[[], object]) -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    turns = [[seconds(work) for work in works] for _ in range(TURNS + 1)][1:]
    return [statistics.median(times) for times in zip(*turns, strict=True)]


def agree(ours: tuple[float, float], theirs: tuple[float, float]) -> None:
    half_width = (theirs[1] - theirs[0]) / 2
    assert ours == pytest.approx(theirs, abs=MONTE_CARLO * half_width)


@pytest.mark.parametrize(("method", "name"), [("percentile",) * 2, ("bca", "BCa")])
def test_beside_scipy(method: BootstrapMethod, name: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    tops, bottoms = clusters()
    ours = partial(
        cluster_ratio_bootstrap, tops, bottoms, method=method, n_resamples=RESAMPLES
    )
    theirs = partial(
        stats.bootstrap,
        (tops, bottoms),
        ratio,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method=name,
        rng=np.random.default_rng(1),
    )
    found = ours()
    agree((found.low, found.high), tuple(theirs().confidence_interval))
    mine, other = in_turn(ours, theirs)
    print(f"{method}: {mine:.4f} s, SciPy {other:.4f} s: x{other / mine:.1f}")  # noqa: T201
    assert other / mine >= 2.0


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_beside_arch(method: BootstrapMethod) -> None:
    arch = pytest.importorskip("arch.bootstrap")
    tops, bottoms = clusters()
    ours = partial(cluster_ratio_bootstrap, tops, bottoms, method=method)
    drawn = partial(ours, n_resamples=RESAMPLES)

    def theirs() -> Array:
        rows = arch.IIDBootstrap(tops, bottoms, seed=np.random.default_rng(1))
        limits = rows.conf_int(
            lambda top, bottom: top.sum() / bottom.sum(), reps=RESAMPLES, method=method
        )
        return np.asarray(limits).ravel()

    found = ours()
    limits = theirs()
    agree((found.low, found.high), (float(limits[0]), float(limits[1])))
    mine, random, other = in_turn(ours, drawn, theirs)
    print(  # noqa: T201
        f"{method}: {mine:.4f} s, with random resamples {random:.4f} s, "
        f"arch {other:.4f} s: x{other / mine:.1f}, x{other / random:.1f}"
    )
    assert other / mine >= 10.0
    assert other / random >= 1.5
