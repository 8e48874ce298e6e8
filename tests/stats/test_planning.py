import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from specstats.stats._quantiles import t_critical
from specstats.stats.blocks import paired_blocks
from specstats.stats.levels import kalibera_jones
from specstats.stats.planning import (
    df_of_limit,
    expected_half_width,
    prompts_for_half_width,
    requests_per_launch,
    run_sd,
    runs_for_half_width,
    sd_upper_limit,
)
from specstats.stats.welch import _welch_arrays, welch


def test_upper_limit_of_an_sd_by_hand() -> None:
    # chi-square on 2 df has the quantile -2 log(1 - p).
    assert sd_upper_limit(1.0, 2) == pytest.approx(math.sqrt(2 / (-2 * math.log(0.8))))
    assert sd_upper_limit(1.0, 2, level=0.5) == pytest.approx(
        math.sqrt(1 / math.log(2.0))
    )
    assert sd_upper_limit(0.05, 1e6) == pytest.approx(0.05, rel=1e-3)


def test_upper_limit_holds_in_four_of_five_pilots(rng: np.random.Generator) -> None:
    for n in (3, 6):
        pilots = rng.normal(0.0, 0.05, (20_000, n)).std(axis=1, ddof=1)
        above = (pilots * sd_upper_limit(1.0, n - 1) > 0.05).mean()
        assert above == pytest.approx(0.8, abs=0.012)


@given(st.floats(0.5, 500.0), st.floats(0.8, 0.999))
def test_degrees_of_freedom_come_back_from_the_limit(df: float, level: float) -> None:
    upper = sd_upper_limit(0.05, df, level=level)
    assert df_of_limit(0.05, upper, level=level) == pytest.approx(df, rel=1e-6)


def test_degrees_of_freedom_of_a_limit_that_cannot_be() -> None:
    assert df_of_limit(0.05, 0.05, level=0.975) == pytest.approx(1e6)
    with pytest.raises(ValueError, match="no degrees of freedom"):
        df_of_limit(0.05, 1e300, level=0.975)


def test_sd_of_a_run_by_hand() -> None:
    found = run_sd(
        launch_sd=0.03, request_sd=0.06, requests=4, interaction_sd=0.02, prompts=5
    )
    assert found == pytest.approx(math.sqrt(0.0009 + 0.0004 / 5 + 0.0036 / 20))


def test_sd_of_a_run_describes_simulated_runs(rng: np.random.Generator) -> None:
    runs, prompts, repeats = 20_000, 4, 3
    values = (
        rng.normal(0.0, 0.03, (runs, 1, 1))
        + rng.normal(0.0, 0.04, (runs, prompts, 1))
        + rng.normal(0.0, 0.05, (runs, prompts, repeats))
    )
    expected = run_sd(
        launch_sd=0.03,
        request_sd=0.05,
        requests=repeats,
        interaction_sd=0.04,
        prompts=prompts,
    )
    assert values.mean(axis=(1, 2)).std() == pytest.approx(expected, rel=0.02)


@given(
    st.floats(0.001, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.1, 1000.0),
    st.floats(0.1, 1000.0),
)
def test_no_other_number_of_requests_is_better(
    launch: float, request: float, per_launch: float, per_request: float
) -> None:
    found = requests_per_launch(
        launch_sd=launch,
        request_sd=request,
        launch_cost=per_launch,
        request_cost=per_request,
    )
    assert found is not None

    def loss(m: float) -> float:
        sd = run_sd(launch_sd=launch, request_sd=request, requests=m)
        return (per_launch + m * per_request) * sd**2

    # The loss is convex in m: rounded up, it is no worse than one more.
    assert loss(found) <= loss(found + 1) * (1 + 1e-9)
    if found > 2:
        assert loss(found - 1) <= loss(found - 2) * (1 + 1e-9)


def test_requests_agree_with_kalibera_jones(rng: np.random.Generator) -> None:
    values = rng.normal(0.0, 0.03, (8, 1)) + rng.normal(0.0, 0.09, (8, 12))
    levels = kalibera_jones(values, costs=(60.0, 2.0))
    found = requests_per_launch(
        launch_sd=math.sqrt(levels.unbiased[1]),
        request_sd=math.sqrt(levels.unbiased[0]),
        launch_cost=60.0,
        request_cost=2.0,
    )
    assert levels.counts == (found,)


def test_launches_that_do_not_differ_bound_nothing() -> None:
    found = requests_per_launch(
        launch_sd=0.0, request_sd=0.1, launch_cost=1.0, request_cost=1.0
    )
    assert found is None


def test_half_width_is_that_of_the_interval(rng: np.random.Generator) -> None:
    first, second = rng.normal(0.0, 0.05, (2, 6))
    second = second / second.std(ddof=1) * first.std(ddof=1)
    sd = float(first.std(ddof=1))
    assert expected_half_width(sd, 6) == pytest.approx(
        welch(first, second).half_width()
    )
    difference = float((first - second).std(ddof=1)) / math.sqrt(2.0)
    assert expected_half_width(
        difference, 6, blocked=True, confidence_level=0.9
    ) == pytest.approx(paired_blocks(first, second).half_width(0.9))


@pytest.mark.parametrize("n", [3, 5])
def test_half_width_of_welch_is_wider(rng: np.random.Generator, n: int) -> None:
    found = expected_half_width(0.05, n, welch=True)
    assert found > expected_half_width(0.05, n)
    first, second = rng.normal(0.0, 0.05, (2, 40_000, n))
    _, variance, df = _welch_arrays(first, second)
    # The SD of both arms is independent of the degrees of freedom: only t is averaged.
    widths = special.stdtrit(df, 0.975) * 0.05 * np.sqrt(2.0 / n)
    assert widths.mean() == pytest.approx(found, rel=0.005)
    assert expected_half_width(0.05, n, welch=True, blocked=True) > found
    assert (variance > 0.0).all()


@given(st.floats(0.005, 0.5), st.floats(0.005, 0.5), st.booleans())
def test_runs_for_a_half_width_are_the_fewest(
    half_width: float, sd: float, blocked: bool
) -> None:
    found = runs_for_half_width(half_width, sd, blocked=blocked)
    if found is None:
        assert expected_half_width(sd, 1000, blocked=blocked) > half_width
        return
    assert expected_half_width(sd, found, blocked=blocked) <= half_width
    if found > 2:
        assert expected_half_width(sd, found - 1, blocked=blocked) > half_width


def test_prompts_by_hand() -> None:
    found = prompts_for_half_width(0.1, prompt_sd=0.2, run_error=1e-9, run_df=8.0)
    assert found is not None
    assert t_critical(found - 1, 0.95) * 0.2 / math.sqrt(found) <= 0.1
    assert t_critical(found - 2, 0.95) * 0.2 / math.sqrt(found - 1) > 0.1


def test_no_number_of_prompts_beats_the_launches() -> None:
    found = prompts_for_half_width(0.1, prompt_sd=0.2, run_error=0.06, run_df=8.0)
    assert t_critical(8.0, 0.95) * 0.06 > 0.1
    assert found is None


def test_misuse() -> None:
    with pytest.raises(ValueError, match="sd above 0"):
        sd_upper_limit(0.0, 3)
    with pytest.raises(ValueError, match="df above 0"):
        sd_upper_limit(0.1, 0)
    with pytest.raises(ValueError, match="a level"):
        sd_upper_limit(0.1, 3, level=1.0)
    with pytest.raises(ValueError, match="SDs of 0"):
        run_sd(launch_sd=-0.1, request_sd=0.1)
    with pytest.raises(ValueError, match="requests above 0"):
        run_sd(launch_sd=0.1, request_sd=0.1, requests=0)
    with pytest.raises(ValueError, match="launch_cost above 0"):
        requests_per_launch(
            launch_sd=0.1, request_sd=0.1, launch_cost=0.0, request_cost=1.0
        )
    with pytest.raises(ValueError, match="SDs of 0"):
        requests_per_launch(
            launch_sd=0.1, request_sd=-0.1, launch_cost=1.0, request_cost=1.0
        )
    with pytest.raises(ValueError, match="n >= 2"):
        expected_half_width(0.1, 1)
    with pytest.raises(ValueError, match="half_width above 0"):
        runs_for_half_width(0.0, 0.1)
    assert runs_for_half_width(0.1, 0.1, max_runs=1) is None
