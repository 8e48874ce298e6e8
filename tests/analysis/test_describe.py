"""One arm: centre, spread, bands and components against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import specstats
from specstats.errors import DesignError
from specstats.testing import launch_rows, read_rows

RATES = [17.4, 19.8, 22.6, 24.9, 27.3]


def test_centre() -> None:
    bench = read_rows(launch_rows({"a": RATES}, n_requests=3))
    (arm,) = specstats.describe(bench)
    found = arm.metrics["decode_rate"]
    logs = np.log(RATES)
    low, high = scipy.stats.t.interval(0.95, 4, logs.mean(), logs.std(ddof=1) / 5**0.5)
    assert found.estimate == pytest.approx(scipy.stats.gmean(RATES))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(np.exp(low))
    assert found.interval.high == pytest.approx(np.exp(high))
    assert found.mean == pytest.approx(np.mean(RATES))
    assert (found.minimum, found.maximum) == pytest.approx((17.4, 27.3))
    assert found.run_values == pytest.approx(RATES)
    assert (found.n_runs, found.n_requests) == (5, 15)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_spread(level: float) -> None:
    bench = read_rows(launch_rows({"a": RATES}))
    found = specstats.spread(bench, confidence_level=level)["a"]
    sd = np.log(RATES).std(ddof=1)
    tails = scipy.stats.chi2.ppf([0.5 + level / 2, 0.5 - level / 2], 4)
    t = scipy.stats.t.ppf(0.5 + level / 2, 4)
    centre = np.log(RATES).mean()
    assert found.run_sd_log == pytest.approx(sd)
    assert [found.sd_low, found.sd_high] == pytest.approx(sd * np.sqrt(4 / tails))
    assert found.run_cv == pytest.approx(np.sqrt(np.exp(sd**2) - 1))
    assert found.next_run_low == pytest.approx(np.exp(centre - t * sd * 1.2**0.5))
    assert found.next_run_high == pytest.approx(np.exp(centre + t * sd * 1.2**0.5))
    assert found.aa_band is not None
    assert found.aa_band.ratio == pytest.approx(np.exp(t * sd * 2**0.5))
    assert found.aa_band_between_blocks is None


def test_two_bands_where_there_are_blocks() -> None:
    rows = launch_rows({"a": [100.0, 101.0, 99.5, 90.0, 91.0, 90.3]})
    for row in rows:
        row["block"] = "one" if int(str(row["run"])[-1]) < 3 else "two"
    found = specstats.spread(read_rows(rows))["a"]
    assert found.aa_band is not None
    assert found.aa_band_between_blocks is not None
    assert found.aa_band.ratio < 1.05 < found.aa_band_between_blocks.ratio


@pytest.mark.parametrize("rates", [[20.0], [20.0, 20.0], [20.0, 20.0 * (1 + 1e-15)]])
def test_no_spread(rates: list[float]) -> None:
    bench = read_rows(launch_rows({"a": rates}))
    assert specstats.spread(bench) == {}
    (arm,) = specstats.describe(bench)
    assert arm.metrics["decode_rate"].interval is None


def test_components(rng: np.random.Generator) -> None:
    rows = launch_rows({"a": [100.0] * 6}, prompts=("p", "q"), n_requests=4)
    effects = rng.normal(0, 0.05, 6)
    for row in rows:
        noise = effects[int(str(row["run"])[-1])] + rng.normal(0, 0.02)
        row["decode_s"] = float(str(row["decode_s"])) * float(np.exp(noise))
    found = specstats.spread(read_rows(rows))["a"]
    assert found.components is not None
    logs = np.array([np.log(127 / float(str(row["decode_s"]))) for row in rows])
    for prompt in "pq":
        own = np.array([row["prompt"] == prompt for row in rows])
        logs[own] -= logs[own].mean()
    table = logs.reshape(6, 8)
    mse = table.var(axis=1, ddof=1).mean()
    msa = 8 * table.mean(axis=1).var(ddof=1)
    assert found.components["request"] == pytest.approx(np.sqrt(mse), rel=0.02)
    assert found.components["run"] == pytest.approx(np.sqrt((msa - mse) / 8), rel=0.02)
    assert found.components["runs"] == 6
    assert found.components["requests"] == 48


@given(st.lists(st.floats(1.0, 1000.0), min_size=2, max_size=7), st.floats(1e-3, 1e3))
@settings(max_examples=30)
def test_spread_has_no_unit(rates: list[float], scale: float) -> None:
    scaled = [rate * scale for rate in rates]
    one, other = (
        specstats.spread(read_rows(launch_rows({"a": own}))) for own in (rates, scaled)
    )
    # Where values agree to the last digits, rounding decides whether they are flat.
    if one.keys() == other.keys() == {"a"} and one["a"].run_sd_log > 1e-9:
        assert other["a"].run_sd_log == pytest.approx(one["a"].run_sd_log, rel=1e-5)


def test_extreme_spread_stays_finite() -> None:
    found = specstats.spread(read_rows(launch_rows({"a": [1e-300, 1.0, 1e300]})))["a"]
    numbers = (found.run_cv, found.next_run_low, found.next_run_high)
    assert np.isfinite(numbers).all()
    assert found.aa_band is not None
    assert np.isfinite(found.aa_band.ratio)


def test_arms_by_the_levels_of_a_factor() -> None:
    rows = launch_rows({"a": RATES})
    for row in rows:
        del row["arm"]
        row["cfg.n_max"] = 4 if row["run"] in {"a-0", "a-2"} else 8
    arms = specstats.describe(read_rows(rows), specstats.Design(factor="n_max"))
    assert [(arm.arm, arm.n_runs) for arm in arms] == [("n_max=4", 2), ("n_max=8", 3)]


def test_an_unknown_metric() -> None:
    bench = read_rows(launch_rows({"a": RATES}))
    with pytest.raises(DesignError, match="decode_rate"):
        specstats.spread(bench, metric="decode_rat")


def test_settings_that_are_constant_are_listed() -> None:
    rows = launch_rows({"a": RATES})
    for row in rows:
        row |= {"cfg.n_max": 16, "cfg.seed": row["run"], "id.model": "m.gguf"}
    (arm,) = specstats.describe(read_rows(rows))
    assert arm.settings == {"cfg.n_max": 16, "id.model": "m.gguf"}
