"""The range of a ratio when any one launch or block is left out."""

import math

import numpy as np
import pytest

import specstats
from specstats import Design
from specstats.report import to_text
from specstats.testing import launch_rows, read_rows


def test_the_range_over_launches() -> None:
    base, spec = [30.0, 31.0, 29.5], [40.0, 42.0, 41.0, 55.0]
    bench = read_rows(launch_rows({"base": base, "spec": spec}))
    (found,) = specstats.compare_all(bench, Design(baseline="base"))
    logs = [np.log(base), np.log(spec)]
    ratios = [logs[1].mean() - np.delete(logs[0], i).mean() for i in range(3)]
    ratios += [np.delete(logs[1], i).mean() - logs[0].mean() for i in range(4)]
    span = found.leave_one_out
    assert span is not None
    assert span.unit == "run"
    assert span.low == pytest.approx(math.exp(min(ratios)))
    assert span.high == pytest.approx(math.exp(max(ratios)))
    assert found.to_dict()["leave_one_out"] == {
        "low": span.low,
        "high": span.high,
        "unit": "run",
    }


def test_blocks_are_left_out_whole() -> None:
    bench = specstats.datasets.load("h200-tinyspec")
    found = specstats.speedup(bench, Design(candidate="spec-g4"))
    span = found.leave_one_out
    assert span is not None
    assert span.unit == "block"
    assert found.estimate is not None
    assert span.low < found.estimate.value < span.high


def test_a_refusal_has_no_range() -> None:
    bench = read_rows(launch_rows({"base": [30.0], "spec": [40.0, 41.0]}))
    (found,) = specstats.compare_all(bench, Design(baseline="base"))
    assert found.leave_one_out is None


def test_the_report_shows_it_beside_an_outlying_run() -> None:
    quiet = {"base": [30.0, 31.0, 29.5, 30.4, 30.2], "spec": [40.0, 42.0, 41.0, 41.5]}
    apart = {**quiet, "base": [30.0, 30.1, 29.9, 30.2, 22.0]}
    text = [
        to_text(specstats.summarize(read_rows(launch_rows(arms))))
        for arms in (quiet, apart)
    ]
    assert "leaving any one run out" not in text[0]
    assert "leaving any one run out" in " ".join(text[1].split())
