"""One ratio over workloads: equal weights, the launch as the unit."""

import math

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, StudySummary, Verdict
from specstats.analysis.workloads import OVERALL
from specstats.testing import launch_rows, read_rows

Rows = list[dict[str, object]]
BASE, SPEC = [100.0, 104.0, 97.0, 101.0], [121.0, 117.0, 125.0, 119.0]
FACTORS = {"code": 1.5, "chat": 1.0, "maths": 1.2}
DESIGN = Design(baseline="base")


def rows_of(*, blocked: bool = False) -> Rows:
    rows: Rows = []
    for load, factor in FACTORS.items():
        prompts = [f"{load}{number}" for number in range(1 + len(load) % 3)]
        arms = {"base": BASE, "spec": [rate * factor for rate in SPEC]}
        rows += [
            row | {"workload": load}
            for row in launch_rows(arms, prompts=prompts, blocked=blocked)
        ]
    return rows


def summary(rows: Rows) -> StudySummary:
    return specstats.summarize(read_rows(rows), DESIGN, by_workload=True)


def overall(study: StudySummary) -> Comparison:
    (item,) = [item for item in study.headlines if item.workload == OVERALL]
    return item


def test_it_is_the_geometric_mean_of_the_ratios_by_workload() -> None:
    study = summary(rows_of())
    singles = [
        math.log(item.estimate.value)
        for item in study.headlines
        if item.workload != OVERALL and item.estimate is not None
    ]
    found = overall(study).estimate
    assert len(singles) == 3
    assert found is not None
    assert math.log(found.value) == pytest.approx(np.mean(singles))


def test_its_interval_rests_on_launches() -> None:
    """Every workload of a launch shifts together: three of them are no more data."""
    item = overall(summary(rows_of()))
    own = scipy.stats.ttest_ind(np.log(SPEC), np.log(BASE), equal_var=False)
    limits = own.confidence_interval(0.95)
    assert item.estimate is not None
    width = math.log(item.estimate.interval.high / item.estimate.interval.low)
    assert width == pytest.approx(limits.high - limits.low)
    assert item.estimate.df == pytest.approx(float(own.df))
    assert item.replicate == "run"
    assert item.verdict is Verdict.FASTER
    assert item.estimands == ()


def test_blocks_stay_blocks() -> None:
    item = overall(summary(rows_of(blocked=True)))
    assert (item.scope, item.n_blocks) == ("future sessions", 4)


def test_workloads_are_not_prompts_to_generalise_from() -> None:
    scopes = {item.scope for item in summary(rows_of()).comparisons
              if item.workload == OVERALL}  # fmt: skip
    assert scopes == {"runs"}


def test_the_overall_ratio_is_a_family_of_its_own() -> None:
    study = summary(rows_of())
    sizes = {item.workload: item.family_size for item in study.headlines}
    assert sizes == {"code": 3, "chat": 3, "maths": 3, OVERALL: 1}


def test_unequal_sets_are_refused_and_single_ratios_stand() -> None:
    rows = [
        row for row in rows_of() if (row["arm"], row["workload"]) != ("spec", "chat")
    ]
    study = summary(rows)
    item = overall(study)
    assert item.verdict is Verdict.REFUSED
    assert item.findings.errors[0].code == "SPS204"
    assert "spec lacks chat" in item.sentence
    verdicts = {one.workload: one.verdict for one in study.headlines}
    assert verdicts["code"] is Verdict.FASTER


def test_a_launch_without_a_workload_is_refused() -> None:
    rows = [
        row for row in rows_of() if (row["run"], row["workload"]) != ("spec-1", "maths")
    ]
    item = overall(summary(rows))
    assert item.verdict is Verdict.REFUSED
    assert "some lack maths" in str(item.findings.of("SPS204")[0].message)


def test_requests_of_no_workload_are_refused() -> None:
    rows = [row | {"repeat": 0} for row in rows_of()]
    for row in rows:
        if row["prompt"] == "maths0":
            row.pop("workload")
    assert "SPS204" in overall(summary(rows)).findings.errors.codes


def test_one_workload_has_no_overall_ratio() -> None:
    rows = [row for row in rows_of() if row["workload"] == "code"]
    assert {item.workload for item in summary(rows).headlines} == {"code"}


def test_allowing_it_takes_the_workloads_that_all_have() -> None:
    rows = [
        row for row in rows_of() if (row["arm"], row["workload"]) != ("spec", "chat")
    ]
    study = specstats.summarize(
        read_rows(rows), DESIGN, by_workload=True, allow=["SPS204", "SPS105"]
    )
    item = overall(study)
    assert item.estimate is not None
    assert "SPS204" in item.findings.codes
