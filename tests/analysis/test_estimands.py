"""Three averages of the requests of a launch, and who wins by each."""

import math

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Bench, Comparison, Design
from specstats.testing import launch_rows, read_rows

DESIGN = Design(baseline="base")
TIMES = {
    "base": [(4.0, 4.02), (4.05, 4.01), (3.98, 4.07)],
    "spec": [(2.0, 7.6), (2.03, 7.7), (1.98, 7.5)],
}
TOKENS = (129, 257)


def bench_of(**extra: object) -> Bench:
    rows = [
        {
            "arm": arm,
            "run": run,
            "order": 2 * run + (arm == "spec") * (1 - 2 * (run % 2)) + run % 2,
            "prompt": f"p{prompt}",
            "n_output": TOKENS[prompt],
            "decode_s": seconds,
            "rate_convention": "n-1",
        }
        | extra
        for arm, runs in TIMES.items()
        for run, both in enumerate(runs)
        for prompt, seconds in enumerate(both)
    ]
    return read_rows(rows)


def ratios(item: Comparison) -> dict[str, float]:
    return {found.estimand: found.ratio for found in item.estimands}


def by_hand() -> dict[str, dict[str, list[float]]]:
    """Log run values by estimand and arm."""
    found: dict[str, dict[str, list[float]]] = {}
    for arm, runs in TIMES.items():
        for seconds in runs:
            tokens = [count - 1 for count in TOKENS]
            rates = [n / s for n, s in zip(tokens, seconds, strict=True)]
            for name, value in (
                ("geometric", np.log(rates).mean()),
                ("arithmetic", math.log(np.mean(rates))),
                ("totals", math.log(sum(tokens) / sum(seconds))),
            ):
                found.setdefault(name, {}).setdefault(arm, []).append(float(value))
    return found


def test_three_estimands_by_hand() -> None:
    (item,) = specstats.compare_all(bench_of(), DESIGN)
    for found in item.estimands:
        arms = by_hand()[found.estimand]
        own = scipy.stats.ttest_ind(arms["spec"], arms["base"], equal_var=False)
        limits = own.confidence_interval(0.95)
        shift = np.mean(arms["spec"]) - np.mean(arms["base"])
        assert found.ratio == pytest.approx(math.exp(shift))
        assert found.interval.low == pytest.approx(math.exp(limits.low))
        assert found.interval.high == pytest.approx(math.exp(limits.high))
    assert list(ratios(item)) == ["geometric", "arithmetic", "totals"]


def test_the_geometric_mean_is_the_headline() -> None:
    (item,) = specstats.compare_all(bench_of(), DESIGN)
    assert item.estimate is not None
    assert ratios(item)["geometric"] == pytest.approx(item.estimate.value)


def test_disagreement_is_a_warning_and_leaves_the_verdict() -> None:
    (item,) = specstats.compare_all(bench_of(), DESIGN)
    found = ratios(item)
    assert found["geometric"] > 1.0 > found["totals"]
    (told,) = item.findings.of("SPS211")
    assert "decides which arm wins" in told.message
    assert told.level.value == "warning"


def test_no_disagreement_within_noise() -> None:
    """Signs that differ are not enough: their difference must leave out 0."""
    rng = np.random.default_rng(5)
    fired = differing = 0
    for _ in range(60):
        rows = launch_rows(
            {arm: [100.0] * 3 for arm in ("base", "spec")}, prompts=["p0", "p1", "p2"]
        )
        for row in rows:
            seconds = row["decode_s"]
            assert isinstance(seconds, float)
            row["decode_s"] = seconds * math.exp(rng.normal(0, 0.1))
        (item,) = specstats.compare_all(read_rows(rows), DESIGN)
        values = [math.log(value) for value in ratios(item).values()]
        differing += min(values) < 0 < max(values)
        fired += "SPS211" in item.findings.codes
    assert differing > 0
    assert fired <= 3


def test_one_request_a_launch_gives_one_value() -> None:
    arms = {"base": [100.0, 101.0, 99.0], "spec": [130.0, 131.0, 128.0]}
    (item,) = specstats.compare_all(read_rows(launch_rows(arms)), DESIGN)
    first, *others = ratios(item).values()
    assert others == pytest.approx([first, first])
    assert "SPS211" not in item.findings.codes


def test_rates_without_times_have_no_totals() -> None:
    rows = [
        {"arm": arm, "run": run, "prompt": prompt, "engine_rate_tps": rate + run}
        for arm, rate in (("base", 100.0), ("spec", 130.0))
        for run in range(3)
        for prompt in ("p1", "p2")
    ]
    (item,) = specstats.compare_all(read_rows(rows), DESIGN)
    assert list(ratios(item)) == ["geometric", "arithmetic"]


def test_latencies_have_no_totals_and_lower_is_better() -> None:
    rows = [
        {
            "arm": arm,
            "run": run,
            "prompt": prompt,
            "n_output": 9,
            "e2e_s": seconds + run / 50,
        }
        for arm, seconds in (("base", 2.0), ("spec", 1.0))
        for run in range(3)
        for prompt in ("p1", "p2")
    ]
    (item,) = specstats.compare_all(read_rows(rows), DESIGN, metric="e2e")
    assert list(ratios(item)) == ["geometric", "arithmetic"]
    assert min(ratios(item).values()) > 1.9


def test_refused_pairs_have_none() -> None:
    rows = launch_rows({"base": [100.0], "spec": [130.0]})
    (item,) = specstats.compare_all(read_rows(rows), DESIGN)
    assert item.estimands == ()


def test_tinyspec_winner_depends_on_the_estimand() -> None:
    """Statistics note, K: g4 against g8, five randomised blocks."""
    found = specstats.compare_pairs(specstats.datasets.load("h200-tinyspec"))
    (item,) = [
        pair
        for pair in found.pairs
        if {pair.baseline, pair.candidate} == {"spec-g4", "spec-g8"}
    ]
    assert "SPS211" in item.findings.codes
    values = ratios(item)
    assert values["arithmetic"] < 1.0 < values["totals"]
    study = specstats.summarize(specstats.datasets.path("h200-tinyspec"))
    assert len(study.findings.of("SPS211")) == 1
    codes = [item.findings.codes for item in study.headlines]
    assert not any("SPS211" in found for found in codes)
