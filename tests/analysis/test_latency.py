"""Metrics of which less is better: a ratio above 1 is still faster."""

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, Verdict
from specstats.testing import launch_rows, read_rows

SLOW = [0.50, 0.52, 0.49, 0.51]
QUICK = [0.40, 0.41, 0.39, 0.42]
DESIGN = Design(baseline="base")


def compare(
    base: list[float], new: list[float], metric: str, orders: list[int] | None = None
) -> Comparison:
    rows = launch_rows({"base": [100.0] * len(base), "new": [100.0] * len(new)})
    times = dict(zip([f"base-{k}" for k in range(len(base))], base, strict=True))
    times |= dict(zip([f"new-{k}" for k in range(len(new))], new, strict=True))
    for place, row in enumerate(rows):
        row[f"{metric}_s"] = times[str(row["run"])]
        if orders is not None:
            row["order"] = orders[place]
    return specstats.speedup(read_rows(rows), DESIGN, metric=metric)


@pytest.mark.parametrize("metric", ["ttft", "e2e"])
def test_shorter_is_faster(metric: str) -> None:
    found = compare(SLOW, QUICK, metric)
    own = scipy.stats.ttest_ind(np.log(SLOW), np.log(QUICK), equal_var=False)
    interval = own.confidence_interval(0.95)
    assert found.verdict is Verdict.FASTER
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(
        np.exp(np.log(SLOW).mean() - np.log(QUICK).mean())
    )
    assert found.estimate.interval.low == pytest.approx(np.exp(interval.low))
    assert found.estimate.interval.high == pytest.approx(np.exp(interval.high))
    assert found.estimate.value > 1
    assert found.observed_ratio == pytest.approx(found.estimate.value)
    assert found.unit == "s"
    assert compare(QUICK, SLOW, metric).verdict is Verdict.SLOWER


def test_a_claim_that_survives_a_drift_term_stands_in_either_direction() -> None:
    order = [0, 1, 2, 4, 3, 5, 6, 7]  # base first but for one swap: R^2 above a half
    rates = [1 / time for time in SLOW], [1 / time for time in QUICK]
    rows = launch_rows({"base": rates[0], "new": rates[1]})
    for place, row in enumerate(rows):
        row["order"] = order[place]
    by_rate = specstats.speedup(read_rows(rows), DESIGN)
    by_time = compare(SLOW, QUICK, "ttft", order)
    assert "SPS104" in by_rate.findings.codes
    assert "SPS104" in by_time.findings.codes
    assert by_time.verdict is by_rate.verdict
    assert by_time.p_value == pytest.approx(by_rate.p_value)


def test_each_metric_is_a_family_of_its_own() -> None:
    rows = launch_rows({"base": [100.0, 101, 99], "new": [110.0, 111, 109]})
    for place, row in enumerate(rows):
        row["ttft_s"] = 0.5 + 0.01 * place
    study = specstats.summarize(
        read_rows(rows), DESIGN, metrics=("decode_rate", "ttft")
    )
    assert [(item.metric, item.family_size) for item in study.headlines] == [
        ("decode_rate", 1),
        ("ttft", 1),
    ]
