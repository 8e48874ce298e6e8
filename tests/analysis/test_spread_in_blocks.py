"""The interval of an SD knows that launches of a session are no free draws."""

import numpy as np
import pytest
from scipy import stats

import specstats
from specstats.stats.variance import between_block_sd


def test_several_launches_a_block_give_fewer_degrees_of_freedom() -> None:
    bench = specstats.datasets.load("pascal-p5200")
    found = specstats.spread(bench)["mtp"]
    runs = [run for run in bench.runs if run.arm == "mtp"]
    rates = bench.to_frame().groupby("run_id")["engine_rate_tps"]
    logs = rates.apply(lambda values: float(np.log(values).mean()))
    values = [logs[run.run_id] for run in runs]
    df = between_block_sd(values, [run.block for run in runs]).total_df
    assert found.run_sd_log == pytest.approx(np.std(values, ddof=1))
    assert df < len(runs) - 1
    upper = stats.chi2.ppf(0.025, df)
    assert found.sd_high == pytest.approx(found.run_sd_log * np.sqrt(df / upper))


def test_one_launch_a_block_keeps_them() -> None:
    found = specstats.spread(specstats.datasets.load("h200-tinyspec"))["baseline"]
    upper = stats.chi2.ppf(0.025, 4)
    assert found.sd_high == pytest.approx(found.run_sd_log * np.sqrt(4 / upper))
