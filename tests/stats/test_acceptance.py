import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specstats.stats.acceptance import (
    AcceptanceInterval,
    clopper_pearson,
    cluster_rate,
    cluster_rate_logit,
    korn_graubard,
    linearised_t,
    rao_scott_wilson,
    rate_difference,
    two_way_rate,
    wilson,
)

Method = Callable[..., AcceptanceInterval | None]
ALL = [cluster_rate, cluster_rate_logit, linearised_t, rao_scott_wilson, korn_graubard]
COUNTS = st.lists(
    st.tuples(st.integers(1, 60), st.integers(0, 60)).map(
        lambda pair: (min(pair), max(pair))
    ),
    min_size=2,
    max_size=8,
)


def test_one_cluster_says_nothing_about_a_workload() -> None:
    for method in ALL:
        assert method([92], [111]) is None
    assert two_way_rate([92], [111], ["run"], ["prompt"]) is None


def test_clusters_that_drafted_nothing_do_not_count() -> None:
    assert cluster_rate([92, 0], [111, 0]) is None
    found = cluster_rate([9, 0, 6], [10, 0, 10])
    assert found is not None
    assert found == cluster_rate([9, 6], [10, 10])
    assert found.n_clusters == 2


def test_jackknife_by_hand() -> None:
    # Two clusters: the two leave-one-out logits are the clusters' own logits.
    found = cluster_rate([9, 6], [10, 10])
    assert found is not None
    gap = math.log(9) - math.log(1.5)
    assert found.std_error_logit == pytest.approx(gap / 2)
    half_width = 12.706205 * gap / 2
    centre = math.log(0.75 / 0.25)
    assert found.low == pytest.approx(1 / (1 + math.exp(half_width - centre)), rel=1e-5)


def test_linearised_by_hand() -> None:
    # Deviations u of 1.5 and -1.5 tokens: V is 2/1 times 4.5 over 20 squared.
    found = linearised_t([9, 6], [10, 10], confidence_level=0.5)
    assert found is not None
    half_width = math.sqrt(2 * 4.5 / 400)
    assert (found.low, found.high) == pytest.approx(
        (0.75 - half_width, 0.75 + half_width)
    )


def test_all_rejections_in_one_cluster_falls_back_to_korn_graubard() -> None:
    found = cluster_rate([5, 4, 5], [5, 5, 5])
    assert found is not None
    assert found == korn_graubard([5, 4, 5], [5, 5, 5])
    assert found.method == "Korn-Graubard"
    assert 0 < found.low < found.rate < found.high <= 1


@pytest.mark.parametrize("hits", [0, 5])
def test_all_or_nothing_accepted_counts_each_cluster_once(hits: int) -> None:
    found = cluster_rate([hits] * 4, [5] * 4)
    assert found is not None
    assert "each cluster one trial" in found.method
    assert (found.low, found.high) == clopper_pearson(hits / 5 * 4, 4)
    assert found.std_error_logit is None


def test_equal_clusters_get_no_zero_width() -> None:
    found = cluster_rate([92, 92, 92], [111, 111, 111])
    assert found is not None
    assert "each cluster one trial" in found.method
    assert (found.low, found.high) == clopper_pearson(92 / 111 * 3, 3)
    assert cluster_rate_logit([92, 92], [111, 111]) is None
    assert rao_scott_wilson([92, 92], [111, 111]) is None
    assert linearised_t([92, 92], [111, 111]) is None


def test_korn_graubard_never_has_more_than_the_tokens() -> None:
    # Rates more alike than tokens at random: the effective number stops at 400.
    found = korn_graubard([101, 100, 99, 100], [200] * 4, confidence_level=0.5)
    assert found is not None
    low, high = clopper_pearson(400, 800, confidence_level=0.5)
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("accepted", "drafted"),
    [([2, 1], [1, 1]), ([-1, 1], [1, 1]), ([1], [1, 1]), ([[1]], [[1]])],
)
def test_impossible_counts_are_misuse(accepted: list[int], drafted: list[int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        cluster_rate(accepted, drafted)


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5), (0, 0)])
def test_impossible_proportions_are_misuse(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="successes"):
        wilson(*counts)
    with pytest.raises(ValueError, match="successes"):
        clopper_pearson(*counts)


@given(st.integers(1, 80), st.integers(0, 80), st.floats(0.5, 0.99))
def test_proportions(a: int, b: int, level: float) -> None:
    trials, hits = max(a, b), min(a, b)
    for method in (wilson, clopper_pearson):
        low, high = method(hits, trials, confidence_level=level)
        assert 0.0 <= low <= hits / trials <= high <= 1.0
        mirrored = method(trials - hits, trials, confidence_level=level)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("method", ALL)
@given(counts=COUNTS, level=st.floats(0.5, 0.95))
def test_limits_mirror_nest_and_ignore_order(
    method: Method, counts: list[tuple[int, int]], level: float
) -> None:
    accepted, drafted = np.array(counts).T
    found = method(accepted, drafted, confidence_level=level)
    assume(found is not None)
    assert found is not None
    assert 0.0 <= found.low <= found.rate <= found.high <= 1.0
    again = method(accepted[::-1], drafted[::-1], confidence_level=level)
    assert again is not None
    assert (again.low, again.high) == pytest.approx((found.low, found.high))
    mirror = method(drafted - accepted, drafted, confidence_level=level)
    assert mirror is not None
    assert (mirror.low, mirror.high) == pytest.approx(
        (1 - found.high, 1 - found.low), abs=1e-7
    )
    wide = method(accepted, drafted, confidence_level=0.99)
    assert wide is not None
    assert wide.low <= found.low + 1e-12
    assert wide.high >= found.high - 1e-12


def test_two_way_with_equal_prompts_is_the_run_interval() -> None:
    # Both prompts behave alike: V_prompts = 0 and V_cells is below V_runs.
    accepted, drafted = [9, 9, 6, 6], [10] * 4
    found = two_way_rate(accepted, drafted, [1, 1, 2, 2], ["x", "y", "x", "y"])
    runs = cluster_rate_logit([18, 12], [20, 20])
    assert found is not None
    assert runs is not None
    assert (found.low, found.high) == pytest.approx((runs.low, runs.high))
    assert found.n_clusters == 2


def test_two_way_adds_what_each_way_brings() -> None:
    # u/D over cells: +2 +1 -1 -2 over 40. V1 = 2*(9+9), V2 = 2*(1+1), Vc = 4/3*10.
    accepted = [9, 8, 6, 5]
    found = two_way_rate(accepted, [10] * 4, [1, 1, 2, 2], ["x", "y", "x", "y"])
    assert found is not None
    floored = max(36 + 4 - 40 / 3, 36.0) / 1600
    slope = 1 / (0.7 * 0.3)
    assert found.std_error_logit == pytest.approx(math.sqrt(floored) * slope)


def test_two_way_without_spread_counts_the_fewer_clusters() -> None:
    runs, prompts = [1, 1, 2, 2, 3, 3], ["x", "y"] * 3
    found = two_way_rate([5] * 6, [5] * 6, runs, prompts)
    assert found is not None
    assert found.n_clusters == 2
    assert (found.low, found.high) == clopper_pearson(2, 2)


def test_two_way_of_one_generation_per_run_repeated() -> None:
    found = two_way_rate([92] * 4, [111] * 4, [1, 1, 2, 2], ["x", "y", "x", "y"])
    assert found is not None
    assert "each cluster one trial" in found.method


def test_rate_difference_cannot() -> None:
    assert rate_difference([9], [10], [5, 6], [10, 10]) is None
    assert rate_difference([9, 9], [10, 10], [5, 5], [10, 10]) is None


def test_rate_difference_by_hand() -> None:
    found = rate_difference([9, 6], [10, 10], [5, 5], [10, 10])
    assert found is not None
    assert found.estimate == pytest.approx(0.25)
    assert found.std_error == pytest.approx(math.sqrt(2 * 4.5 / 400))
    assert found.df == pytest.approx(1.0)
