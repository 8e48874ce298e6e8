"""PyTorch HUD records: framings, units and values that are no numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def record(name: object = "m", values: object = (1.5,)) -> dict[str, object]:
    listed = list(values) if isinstance(values, tuple) else values
    return {
        "benchmark": {"name": "b"},
        "model": {"name": "x"},
        "metric": {"name": name, "benchmark_values": listed},
    }


def test_a_list_of_records(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "pytorch-hud/v3/records.json").read_bytes()
    found = rows(content, "aggregates")

    assert [
        (x["entry"], x["metric"], x["unit"], x["statistic"], x["value"]) for x in found
    ] == [
        (1, "ttft", "s", "mean", 0.0625),
        (1, "ttft", "s", "mean", 0.06),
        (2, "output_throughput", "tok/s", "rate", 512.5),
        (3, "acceptance_rate", "1", "ratio", 0.625),
        (4, "request_goodput", "", "value", 2.5),
        (5, "peak_mem", "mb", "value", 333.25),
    ]
    settings = json.loads(found[0]["settings"])
    assert settings["cfg.request_rate"] == 4.0
    assert settings["cfg.method"] == "chain"
    assert settings["id.model"] == "tiny-1b"
    assert "cfg.host" not in settings


def test_a_line_may_be_a_list(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "pytorch-hud/v3/lines.jsonl").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["entry"], x["metric"], x["value"]) for x in found] == [
        (1, "itl", 0.0155),
        (2, "request_throughput", 4.5),
        (2, "instruction_count", 123456789.0),
    ]


def test_infinity_is_left_out(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / "pytorch-hud/v3/records.json").read_bytes()

    assert codes(content) == [("SPS002", "case:4")]


@pytest.mark.parametrize(
    "bad",
    [
        record(values=()),
        record(values=("inf",)),
        record(values=(None, [1])),
        record(values=7),
        record(name=None),
        {"benchmark": 1},
        [7],
    ],
)
def test_records_without_values(bad: object, rows: Rows, codes: Codes) -> None:
    content = "\n".join(json.dumps(entry) for entry in (record(), bad)) + "\n"

    assert len(rows(content, "aggregates")) == 1
    assert codes(content) == [("SPS002", "case:2")]
