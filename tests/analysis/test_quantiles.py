"""Quantiles of the requests of a launch as metrics, and time per output token."""

import math

import numpy as np
import pytest

import specstats
from specstats import Design
from specstats.bench import Bench
from specstats.errors import DesignError
from specstats.results import Verdict
from specstats.stats.welch import welch
from specstats.testing import read_rows
from specstats.units import METRICS, metric_named

NEEDED = 299  # max(p, 1 - p)^n <= .05 at p99


def served(n_requests: int, factor: float = 0.8) -> Bench:
    rng = np.random.default_rng(5)
    rows: list[dict[str, object]] = []
    for launch in range(8):
        arm = ("old", "new")[(launch + launch // 2) % 2]
        level = (1.0 if arm == "old" else factor) * math.exp(rng.normal(0, 0.02))
        rows += [
            {
                "arm": arm,
                "run": f"{arm}{launch}",
                "order": launch,
                "prompt": f"p{number % 7}",
                "n_output": 11,
                "ttft_s": float(0.1 * level * math.exp(rng.normal(0, 0.3))),
                "e2e_s": float(0.6 * level),
            }
            for number in range(n_requests)
        ]
    return read_rows(rows)


def test_a_quantile_is_a_metric_of_its_own() -> None:
    metric = metric_named("ttft.p99")
    assert (metric.base, metric.quantile, metric.unit) == ("ttft", 0.99, "s")
    assert metric.better == "lower"
    assert "ttft.p99" not in METRICS
    assert metric_named("e2e.p99.9").quantile == pytest.approx(0.999)
    for name in ("ttft.p", "ttft.p100", "ttft.p0", "nothing.p50", "ttft.mean"):
        with pytest.raises(DesignError, match="there is no metric"):
            metric_named(name)


def test_the_run_value_is_the_quantile_of_the_run() -> None:
    bench = served(NEEDED, factor=0.5)
    found = specstats.speedup(bench, Design(baseline="old"), metric="ttft.p99")

    runs = bench.column("requests", "run_id")
    seconds = bench.numbers("ttft_s")
    logs: dict[str, list[float]] = {"old": [], "new": []}
    for name in dict.fromkeys(runs):
        own = seconds[[run == name for run in runs]]
        logs[str(name)[:3]].append(-math.log(float(np.quantile(own, 0.99))))
    expected = welch(logs["new"], logs["old"])
    low, high = expected.interval(0.95)
    interval = found.require().interval
    assert math.log(found.require().value) == pytest.approx(expected.estimate)
    assert math.log(interval.low) == pytest.approx(low)
    assert math.log(interval.high) == pytest.approx(high)
    assert (found.verdict, found.metric) == (Verdict.FASTER, "ttft.p99")
    assert "p99 time to first token" in found.sentence


def test_too_few_requests_are_refused() -> None:
    found = specstats.speedup(
        served(NEEDED - 1), Design(baseline="old"), metric="ttft.p99"
    )
    assert found.verdict is Verdict.REFUSED
    (error,) = found.findings.errors
    assert (error.code, error.observed) == ("SPS201", "298 requests")
    assert "299 in each launch" in error.required
    median = specstats.speedup(
        served(NEEDED - 1), Design(baseline="old"), metric="ttft.p50"
    )
    assert median.verdict is Verdict.FASTER


def test_it_is_in_the_report() -> None:
    study = specstats.summarize(
        served(NEEDED), Design(baseline="old"), metrics=("ttft.p95", "e2e")
    )
    arm = next(item for item in study.arms if item.arm == "old")
    found = arm.metrics["ttft.p95"]
    assert found.minimum <= found.estimate <= found.maximum
    assert found.n_requests == 4 * NEEDED
    assert found.spread is not None
    assert "P95 time to first token by arm" in specstats.report.to_text(study)
    assert {item.metric for item in study.headlines} == {"ttft.p95", "e2e"}


def test_prompts_that_follow_the_arm_are_seen_behind_a_quantile() -> None:
    bench = served(NEEDED)
    names = bench.column("requests", "prompt_id")
    arms = bench.column("requests", "arm")
    columns = dict(bench.columns)
    columns["requests"] = dict(columns["requests"]) | {
        "prompt_id": [f"{arm} {name}" for arm, name in zip(arms, names, strict=True)]
    }
    other = Bench(
        columns=columns, runs=bench.runs, inputs=bench.inputs, findings=bench.findings
    )
    found = specstats.speedup(other, Design(baseline="old"), metric="ttft.p95")
    assert "SPS105" in found.findings.errors.codes


def test_time_per_output_token() -> None:
    bench = served(8)
    found = specstats.describe(bench)
    first = next(item for item in found if item.arm == "old").metrics["tpot"]
    seconds = (bench.numbers("e2e_s") - bench.numbers("ttft_s")) / 10
    rows = [arm == "old" for arm in bench.column("requests", "arm")]
    assert first.mean == pytest.approx(float(seconds[rows].mean()))
