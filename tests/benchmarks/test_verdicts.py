"""False verdicts of other tools and of specstats, on studies where nothing differs."""

import math

import pytest

pytestmark = pytest.mark.benchmark

STUDIES = 400
LEVEL = 0.05


@pytest.mark.parametrize("n_runs", [3, 5])
def test_only_launches_keep_the_level(n_runs: int) -> None:
    for name in ("arch", "benchmatrix", "benchstats", "inference_doctor", "pyperf"):
        pytest.importorskip(name)
    from tests.benchmarks.verdicts.simulated import rates

    found = rates(STUDIES, n_runs)

    error = math.sqrt(LEVEL * (1 - LEVEL) / STUDIES)
    ours = found["specstats"]
    assert ours.silent == 0.0
    assert ours.false is not None
    assert ours.false <= LEVEL + 3 * error
    for name in ("Welch over requests", "pyperf, requests", "benchstats, requests"):
        false = found[name].false
        assert false is not None
        assert false > 0.3, name
