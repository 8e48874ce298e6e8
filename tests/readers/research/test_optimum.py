"""optimum-benchmark reports and tables: values by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
FOLDER = "optimum-benchmark"


def phase(values: object, **changes: object) -> dict[str, object]:
    latency = {"unit": "s", "values": values, "count": 2, "mean": 1.5, "stdev": 0.5}
    return {"latency": {**latency, "stdev_": 33.3, **changes}, "throughput": None}


def test_values_are_repeats_in_one_process(artifacts: Path) -> None:
    bench = specstats.read(artifacts / FOLDER / "0.2/benchmark_report.json")

    assert [(run.boundary, run.n_requests) for run in bench.runs] == [("proved", 4)]
    assert bench.column("requests", "e2e_s") == [0.5, 0.75, 0.625, 0.5]
    assert bench.column("requests", "repetition") == [0, 1, 2, 3]
    assert set(bench.column("requests", "prompt_id")) == {"forward"}


def test_phases(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / FOLDER / "0.6/benchmark.json").read_bytes())
    prompt, decode = found[:3], found[3:]

    assert [row["prompt_s"] for row in prompt] == [0.05, 0.0625, 0.04]
    assert {row["n_prompt"] for row in prompt} == {128}
    assert [row["decode_s"] for row in decode] == [1.0, 1.25, 1.5]
    assert {row["n_output"] for row in decode} == {64}
    settings = json.loads(decode[0]["settings"])
    assert settings["id.model"] == "tiny-1b"
    assert settings["id.device"] == "GPU X"
    assert settings["cfg.batch_size"] == 1


def test_summaries(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "0.6/benchmark.json").read_bytes()
    found = {
        (row["metric"], row["statistic"], row["unit"]): row
        for row in rows(content, "aggregates")
    }

    assert found["decode", "mean", "s"]["value"] == 1.25
    # The root of two thirds of a quarter squared: it divides by n.
    assert found["decode", "mean", "s"]["sd"] == pytest.approx(0.2041241)
    assert found["load", "mean", "s"]["value"] == 12.5
    assert found["itl", "median", "s"]["value"] == 0.016
    assert found["sample_throughput", "rate", "samples/s"]["value"] == 20.0
    assert found["output_throughput", "rate", "tok/s"]["value"] == 62.5


def test_the_table_of_old_versions(artifacts: Path, rows: Rows) -> None:
    path = artifacts / FOLDER / "0.0/inference_results.csv"
    found = rows(path.read_bytes(), "aggregates")

    assert [(x["prompt_id"], x["metric"], x["value"], x["unit"]) for x in found] == [
        ("forward", "e2e", 0.05, "s"),
        ("forward", "sample_throughput", 20.0, "samples/s"),
        ("generate", "e2e", 4.0, "s"),
        ("generate", "output_throughput", 25.0, "tok/s"),
    ]


@pytest.mark.parametrize(
    ("changes", "code"), [({"mean": 1.6}, "SPS006"), ({"stdev": 0.7071}, "SPS009")]
)
def test_printed_against_values(
    changes: dict[str, object], code: str, codes: Codes
) -> None:
    assert codes(json.dumps({"forward": phase([1.0, 2.0])})) == []
    content = json.dumps({"forward": phase([1.0, 2.0], **changes)})
    assert codes(content) == [(code, "case:1")]


def test_a_batch_has_no_token_counts(rows: Rows) -> None:
    shapes = {"batch_size": 2, "sequence_length": 16}
    scenario = {"input_shapes": shapes, "generate_kwargs": {"max_new_tokens": 8}}
    config = {"scenario": scenario}
    content = json.dumps({"config": config, "report": {"generate": phase([1.0, 2.0])}})

    assert {row["n_output"] for row in rows(content)} == {None}


@pytest.mark.parametrize("values", [[-1.0], [0], ["1"], [None], 3, [1e999]])
def test_useless_values(values: object, rows: Rows) -> None:
    content = json.dumps({"forward": phase([1.0, 2.0]), "generate": phase(values)})

    assert [row["prompt_id"] for row in rows(content)] == ["forward"] * 2


def test_another_unit_is_not_read(codes: Codes) -> None:
    content = json.dumps(
        {"forward": phase([1.0, 2.0]), "generate": phase([1.0], unit="ms")}
    )

    assert codes(content) == [("SPS002", "case:1")]
