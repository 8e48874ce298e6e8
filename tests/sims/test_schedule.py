"""What a linear drift of 10 % over a session does under three orders of launches.

Two arms of 5 launches that do not differ, SD of a launch 2 %; tests are the paired t on
blocks of one launch of each arm. The expected type I errors are those of the
statistics note (section 3.2), found with another program.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from specstats.design.schedule import ScheduleDesign, schedule

pytestmark = pytest.mark.sim

STUDIES = 20_000
SD = 0.02
DRIFT = np.log(0.9)


def differences(
    rng: np.random.Generator, design: ScheduleDesign, runs: int
) -> NDArray[np.float64]:
    """Candidate minus baseline of every block, one row a study, orders drawn anew."""
    found = []
    for seed in range(40):
        drawn = schedule(["a", "b"], runs=runs, design=design, seed=seed)
        shape = (STUDIES // 40, 2 * runs)
        values = rng.normal(0.0, SD, shape) + np.linspace(0.0, DRIFT, 2 * runs)
        place = {
            arm: [run.order - 1 for run in drawn.runs if run.arm == arm] for arm in "ab"
        }
        found.append(values[:, place["b"]] - values[:, place["a"]])
    return np.concatenate(found)


def false_verdicts(data: NDArray[np.float64]) -> float:
    n = data.shape[1]
    statistic = data.mean(axis=1) / (data.std(axis=1, ddof=1) / np.sqrt(n))
    return float((np.abs(statistic) > special.stdtrit(n - 1, 0.975)).mean())


@pytest.mark.parametrize(("runs", "expected"), [(5, 0.041), (10, 0.044)])
def test_abba_holds_its_level(
    rng: np.random.Generator, runs: int, expected: float
) -> None:
    found = differences(rng, "abba", runs)
    assert false_verdicts(found) == pytest.approx(expected, abs=0.01)
    if runs % 2 == 0:
        assert found.mean() == pytest.approx(0.0, abs=4 * SD / np.sqrt(5 * STUDIES))


@pytest.mark.parametrize(("runs", "expected"), [(5, 0.105), (10, 0.084)])
def test_alternating_does_not(
    rng: np.random.Generator, runs: int, expected: float
) -> None:
    found = differences(rng, "alternating", runs)
    assert false_verdicts(found) == pytest.approx(expected, abs=0.012)
    assert found.mean() == pytest.approx(DRIFT / (2 * runs - 1), abs=0.001)


@pytest.mark.parametrize("runs", [5, 10])
def test_random_orders_hold_their_level_on_average(
    rng: np.random.Generator, runs: int
) -> None:
    assert false_verdicts(differences(rng, "randomised blocks", runs)) < 0.06


def test_a_drift_that_bends_is_cancelled_by_reversing_at_most_in_part() -> None:
    drawn = schedule(["a", "b"], runs=6, design="abba", seed=2)
    curve = np.square(np.arange(12.0))
    sums = {
        arm: sum(curve[run.order - 1] for run in drawn.runs if run.arm == arm)
        for arm in "ab"
    }
    assert 0.0 < abs(sums["a"] - sums["b"]) <= 12.0
