"""specdec_bench files: text numbers, histograms and the ladder rebuilt from them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
FOLDER = "specdec-bench/a2fbac7"


def lengths(**changes: object) -> str:
    entry = {
        "Request_AL": {"0": {"0": 2.0}},
        "Average_AL": 2.0,
        "Acceptance_Length_Histogram": {"1": 1, "2": 1, "3": 2},
    }
    return json.dumps([{**entry, **changes}])


def test_timing(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "timing.json").read_bytes(), "aggregates")
    first = {
        (row["metric"], row["statistic"]): row for row in found if row["entry"] == 1
    }

    assert first["output_throughput", "rate"]["value"] == 120.5
    assert first["output_throughput_per_gpu", "rate"]["value"] == 60.25
    assert first["e2e", "mean"]["value"] == 1.0
    assert first["e2e", "mean"]["sd"] == 0.25
    assert first["ttft", "p75"]["value"] == 0.09
    assert first["decode_rate", "median"]["value"] == 110.0
    assert first["step_time", "min"]["value"] == 0.0
    assert first["output_tokens", "max"]["value"] == 256.0


def test_each_element_is_a_run(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "timing.json").read_bytes(), "aggregates")

    assert {(row["entry"], row["process"][-2:]) for row in found} == {
        (1, "#0"),
        (2, "#1"),
    }


def test_counts_come_from_the_histogram(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "acceptance_rate.json").read_bytes()
    (found,) = rows(content, "counters")

    # Lengths 1, 2, 4 occurred 4, 2, 4 times: 24 tokens in 10 steps.
    assert (found["n_steps"], found["n_output"], found["n_accepted"]) == (10, 24, 14)
    assert json.loads(found["accepted_by_position"]) == [6, 4, 4]


def test_conditional_rates_are_rebuilt(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / FOLDER / "acceptance_rate.json").read_bytes()
    found = {row["metric"]: row["value"] for row in rows(content, "aggregates")}

    assert found["conditional_acceptance_rate_at_0"] == 0.6
    assert found["conditional_acceptance_rate_at_1"] == pytest.approx(4 / 6)
    assert found["conditional_acceptance_rate_at_2"] == 1.0
    assert codes(content) == [("SPS006", "case:1")]
    whole = (artifacts / FOLDER / "specbench.json").read_bytes()
    assert codes(whole) == []


def test_lengths_of_requests(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "acceptance_rate.json").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["prompt_id"], x["value"]) for x in found if x["prompt_id"]] == [
        ("0/0", 2.0),
        ("0/1", 1.5),
        ("1/0", 3.0),
    ]


@pytest.mark.parametrize(
    "histogram",
    [{"1": 2**62, "9": 2**62}, {"99999999": 1}, {"x": 1}, {"1": -1}, [1], None],
)
def test_useless_histograms(histogram: object, rows: Rows) -> None:
    content = lengths(Acceptance_Length_Histogram=histogram)

    assert rows(content, "counters") == []
    assert len(rows(content, "aggregates")) == 2


def test_an_element_without_anything(codes: Codes) -> None:
    content = json.dumps([json.loads(lengths())[0], {"other": 1}, 7])

    assert [code for code, _ in codes(content)] == ["SPS002", "SPS002"]
