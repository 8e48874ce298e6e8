"""Coverage of intervals of the variance between launches, normal and skewed."""

import math

import numpy as np
import pytest
from scipy import special

from specstats.stats._additive import additive_one_way
from specstats.stats.components import (
    Components,
    icc_interval,
    mls_interval,
    one_way,
    total_interval,
)
from specstats.stats.crossed import crossed_components
from specstats.stats.nested import nested_components
from specstats.stats.profile import profile_intervals
from specstats.stats.reml import group_mean, make_sums, one_way_fit

pytestmark = pytest.mark.sim

STUDIES = 1_500
PROFILES = 200
REQUESTS = 4
SD_REQUEST = 0.05
RUNS = (3, 4, 5, 8, 10, 20)


def error(studies: int, times: float = 4.0) -> float:
    return times * math.sqrt(0.95 * 0.05 / studies)


def effects(
    rng: np.random.Generator, shape: tuple[int, ...], sd: float, *, skewed: bool
) -> np.ndarray:
    """Launch effects; skewed: most near the best, some far below (exponential)."""
    if skewed:
        return np.asarray(sd * (1.0 - rng.exponential(1.0, shape)))
    return rng.normal(0.0, sd, shape)


def study(
    rng: np.random.Generator, runs: int, sd: float, *, skewed: bool = False
) -> np.ndarray:
    launch = effects(rng, (runs, 1), sd, skewed=skewed)
    return launch + rng.normal(0.0, SD_REQUEST, (runs, REQUESTS))


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("sd", [0.02, 0.10])
def test_normal_launches(rng: np.random.Generator, runs: int, sd: float) -> None:
    truth, inner = sd**2, SD_REQUEST**2
    tails = 2 * special.gammaincinv((runs - 1) / 2, (0.975, 0.025))
    mls = icc = total = means_only = wald = satterthwaite = 0
    for _ in range(STUDIES):
        data = study(rng, runs, sd)
        parts = one_way(list(data))
        low, high = mls_interval(parts)
        mls += low <= truth <= high
        low, high = icc_interval(parts)
        icc += low <= truth / (truth + inner) <= high
        low, high = total_interval(parts)
        total += low <= truth + inner <= high
        low, high = (runs - 1) * data.mean(axis=1).var(ddof=1) / tails
        means_only += low <= truth <= high
        wald += _wald(parts, truth)
        satterthwaite += _satterthwaite(parts, truth)
    within = error(STUDIES)
    assert mls / STUDIES == pytest.approx(0.95, abs=within)
    assert icc / STUDIES == pytest.approx(0.95, abs=within)
    assert 0.95 - within <= total / STUDIES <= 0.985
    # Negative controls. With launches as quiet as requests, run means taken as free
    # of request noise answer for the sum of both.
    assert wald / STUDIES < (0.92 if runs <= 10 else 0.945)
    if sd < SD_REQUEST:
        assert means_only / STUDIES < 0.90
        assert satterthwaite / STUDIES < 0.90


def _wald(parts: Components, truth: float) -> bool:
    variance = parts.ms_between**2 / parts.between_df
    variance += parts.ms_within**2 / parts.within_df
    half_width = 1.96 * math.sqrt(2.0 * variance) / parts.size
    raw = (parts.ms_between - parts.ms_within) / parts.size
    return raw - half_width <= truth <= raw + half_width


def _satterthwaite(parts: Components, truth: float) -> bool:
    raw = parts.ms_between - parts.ms_within
    if raw <= 0.0:
        return False
    spread = parts.ms_between**2 / parts.between_df
    spread += parts.ms_within**2 / parts.within_df
    df = raw**2 / spread
    upper, lower = 2.0 * special.gammaincinv(df / 2.0, (0.975, 0.025))
    variance = df * raw / parts.size
    return bool(variance <= truth * upper and truth * lower <= variance)


@pytest.mark.parametrize("runs", [3, 5, 10, 20])
def test_profile_likelihood(rng: np.random.Generator, runs: int) -> None:
    sd = 0.10
    restricted = plain = 0
    for _ in range(PROFILES):
        data = study(rng, runs, sd)
        low, high = profile_intervals(one_way_fit(data)).between_sd
        restricted += low <= sd <= high
        low, high = profile_intervals(one_way_fit(data, method="ML")).between_sd
        plain += low <= sd <= high
    assert restricted / PROFILES == pytest.approx(0.95, abs=error(PROFILES, 3.5))
    # ML is lme4's default profile: too narrow with few launches.
    assert plain <= restricted
    if runs == 3:
        assert plain / PROFILES < 0.94


@pytest.mark.parametrize("runs", [5, 10, 20])
def test_no_interval_holds_for_skewed_launches(
    rng: np.random.Generator, runs: int
) -> None:
    sd = 0.10
    mls = icc = profile = 0
    for i in range(STUDIES):
        data = study(rng, runs, sd, skewed=True)
        parts = one_way(list(data))
        low, high = mls_interval(parts)
        mls += low <= sd**2 <= high
        low, high = icc_interval(parts)
        icc += low <= sd**2 / (sd**2 + SD_REQUEST**2) <= high
        if i < PROFILES:
            low, high = profile_intervals(one_way_fit(data)).between_sd
            profile += low <= sd <= high
    for covered in (mls / STUDIES, icc / STUDIES):
        assert 0.65 < covered < 0.92
    assert profile / PROFILES < 0.93


@pytest.mark.parametrize("runs", [4, 8])
def test_unequal_launches(rng: np.random.Generator, runs: int) -> None:
    sizes = np.resize([2, 3, 5, 9], runs)
    sd = 0.06
    mls = icc = mean = over_requests = 0
    for _ in range(STUDIES):
        launch = effects(rng, (runs,), sd, skewed=False)
        groups = [
            effect + rng.normal(0.0, SD_REQUEST, size)
            for effect, size in zip(launch, sizes, strict=True)
        ]
        parts = one_way(groups)
        low, high = mls_interval(parts)
        mls += low <= sd**2 <= high
        low, high = icc_interval(parts)
        icc += low <= sd**2 / (sd**2 + SD_REQUEST**2) <= high
        low, high = group_mean(one_way_fit(groups)).interval()
        mean += low <= 0.0 <= high
        pooled = np.concatenate(groups)
        half_width = 1.96 * pooled.std(ddof=1) / math.sqrt(pooled.size)
        over_requests += abs(pooled.mean()) <= half_width
    within = error(STUDIES)
    assert mls / STUDIES == pytest.approx(0.95, abs=within)
    assert icc / STUDIES == pytest.approx(0.95, abs=within)
    assert 0.93 <= mean / STUDIES <= 0.985
    assert over_requests / STUDIES < 0.85


@pytest.mark.parametrize("kept", [1.0, 0.8])
def test_runs_crossed_with_prompts(rng: np.random.Generator, kept: float) -> None:
    runs, prompts, sd = 5, 12, 0.06
    run = np.repeat(np.arange(runs), prompts)
    prompt = np.tile(np.arange(prompts), runs)
    covered = ignoring = used = 0
    for _ in range(1_500):
        launch = effects(rng, (runs,), sd, skewed=False)
        level = rng.normal(0.0, 0.4, prompts)
        values = launch[run] + level[prompt] + rng.normal(0.0, SD_REQUEST, run.size)
        chosen = rng.random(run.size) < kept
        counts = chosen.reshape(runs, prompts).astype(float)
        if not counts.sum(axis=0).all():
            continue
        parts = additive_one_way(values[chosen], run[chosen], prompt[chosen], counts)
        assert parts is not None
        used += 1
        low, high = mls_interval(parts)
        covered += low <= sd**2 <= high
        own, code = values[chosen], run[chosen]
        low, high = mls_interval(one_way([own[code == r] for r in range(runs)]))
        ignoring += low > 0.0
    assert used > 1_000
    assert covered / used == pytest.approx(0.95, abs=error(used))
    # Without the prompts taken out, launches do not show at all.
    assert ignoring / used < 0.2


def test_nested_and_crossed_estimates_are_unbiased(rng: np.random.Generator) -> None:
    block, run = np.repeat(np.arange(5), 12), np.repeat(np.arange(15), 4)
    prompt = np.tile(np.arange(4), 15)
    covered = {"block": 0, "run": 0, "prompt": 0}
    sds = {"block": 0.08, "run": 0.05, "prompt": 0.2}
    studies = 600
    for _ in range(studies):
        values = (
            rng.normal(0.0, sds["block"], 5)[block]
            + rng.normal(0.0, sds["run"], 15)[run]
            + rng.normal(0.0, sds["prompt"], 4)[prompt]
            + rng.normal(0.0, SD_REQUEST, 60)
        )
        found = crossed_components(
            values, run=run.tolist(), prompt=prompt.tolist(), block=block.tolist()
        )
        for name in covered:
            part = found.levels[name]
            assert part.low is not None
            assert part.high is not None
            covered[name] += part.low <= sds[name] ** 2 <= part.high
    for count in covered.values():
        assert count / studies == pytest.approx(0.95, abs=error(studies))


def test_likelihood_of_uneven_nesting_finds_the_truth(rng: np.random.Generator) -> None:
    sizes = (1, 2, 3, 2, 4, 3, 1, 2)
    block = np.repeat(np.arange(8), np.multiply(sizes, 3))
    run = np.repeat(np.arange(sum(sizes)), 3)
    found = [
        nested_components(
            rng.normal(0.0, 0.2, 8)[block]
            + rng.normal(0.0, 0.1, sum(sizes))[run]
            + rng.normal(0.0, SD_REQUEST, run.size),
            {"block": block.tolist(), "run": run.tolist()},
        ).levels
        for _ in range(300)
    ]
    for name, sd in (("block", 0.2), ("run", 0.1), ("residual", SD_REQUEST)):
        variances = [levels[name].variance for levels in found]
        assert np.mean(variances) == pytest.approx(sd**2, rel=0.12)


def test_the_sums_suffice(rng: np.random.Generator) -> None:
    data = study(rng, 30, 0.1)
    within = float(((data - data.mean(axis=1, keepdims=True)) ** 2).sum())
    sizes = np.full(30, float(REQUESTS))
    sums = make_sums(sizes, data.mean(axis=1), within, scale=1.0)
    found, whole = one_way_fit(sums), one_way_fit(data)
    assert found.between_var == pytest.approx(whole.between_var, rel=1e-9)
