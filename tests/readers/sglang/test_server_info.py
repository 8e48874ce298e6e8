"""SGLang /server_info: schedulers, lifetime lengths, launches."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

FOLDER = "sglang-server-info"
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def test_schedulers_that_say_nothing(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "0.5.9/data-parallel-nulls.json").read_bytes()
    lengths = [
        row
        for row in rows(content, "aggregates")
        if row["metric"] == "mean_accepted_length"
    ]

    assert [row["value"] for row in lengths] == [2.9, 3.1]
    assert [row["prompt_id"] for row in lengths] == ["scheduler 1", "scheduler 3"]
    assert {row["scope"] for row in lengths} == {"lifetime"}
    assert {row["process"] for row in lengths} == {"sglang seed 771234567"}
    assert codes(content) == [("SPS308", "case:1")]


def test_one_scheduler(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "0.5.9/one.json").read_bytes()
    found = {row["metric"]: row for row in rows(content, "aggregates")}

    assert found["mean_accepted_length"]["value"] == 2.6
    assert found["decode_rate"]["statistic"] == "last"
    assert found["weight_memory"]["value"] == 2.5
    assert found["kv_cache_capacity"]["value"] == 50000
    assert "graph_memory" not in found
    assert found["decode_rate"]["process"] is None
    assert codes(content) == []


@pytest.mark.parametrize("wrong", [None, [], [None], "x", 3, {}, [[1]], [{"a": 1}]])
def test_states_that_are_none(wrong: object, artifacts: Path, codes: Codes) -> None:
    entry = json.loads((artifacts / FOLDER / "0.5.9/one.json").read_text())
    entry["internal_states"] = wrong

    assert codes(json.dumps(entry)) == [("SPS002", "case:1")]


@pytest.mark.parametrize(
    "wrong", ["x", None, -1, [], {}, True, 1e999, pytest.param(10**400, id="huge")]
)
def test_wrong_types(wrong: object, artifacts: Path) -> None:
    entry = json.loads((artifacts / FOLDER / "0.5.9/one.json").read_text())
    for key in ("random_seed", "version", "model_path", "tp_size", "prefill"):
        bench = specstats.read(json.dumps({**entry, key: wrong}).encode())
        assert bench.aggregates.num_rows == 5
    for key in entry["internal_states"][0]:
        state = {**entry["internal_states"][0], key: wrong}
        bench = specstats.read(
            json.dumps({**entry, "internal_states": [state]}).encode()
        )
        assert bench.inputs[0].entries == 1
