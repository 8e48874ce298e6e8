"""Mutated artifacts that once gave anything but rows, findings or typed errors."""

import json

import pytest

from specstats.readers._registry import formats
from specstats.source import Source
from specstats.testing import READER_CHECKS

READERS = {reader.name: reader for reader in formats()}
HYPERFINE = {
    "command": "sleep 1",
    "mean": 1.0,
    "stddev": 0.1,
    "median": 1.0,
    "user": 0.0,
    "system": 0.0,
    "min": 0.9,
    "max": 1.1,
    "exit_codes": [0, 0],
}
OLLAMA = (
    "NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC\n"
    "# Model: tiny | Params: 1.0B | Quant: Q4_0 | Family: tiny | Size: 1 | VRAM: 1\n"
    "tiny,prefill,100,{nanoseconds},10.0\ntiny,generate,64,2000.0,10.0\n"
)
BENCH = {
    "hw": "gpu",
    "conc": 4,
    "image": "vllm/vllm-openai:v0.21.0",
    "model": "m",
    "infmax_model_prefix": "m",
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "mtp",
    "isl": 1024,
    "osl": 1024,
    "tp": 8,
    "ep": 1,
    "dp_attention": "false",
    "tput_per_gpu": 1.0,
    "mean_ttft": 0.1,
    "mean_itl": 1e10,
    "mean_tpot": 1e-300,
}
ROWS = (
    '{"specstats.table":"requests","version":1}\n'
    '{"arm":"a","n_output":3,"settings":"{\\"depth\\":2}"}\n'
)
CASES = {
    "hyperfine times beyond floating point": (
        "hyperfine",
        json.dumps({"results": [{**HYPERFINE, "times": [1e308, 0.5]}]}),
    ),
    "ollama-bench nanoseconds whose square is 0": (
        "ollama-bench",
        OLLAMA.format(nanoseconds="1e-320"),
    ),
    "inferencex a ratio beyond floating point": ("inferencex", json.dumps(BENCH)),
    "specstats-jsonl settings of another kind": (
        "specstats-jsonl",
        ROWS,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_found_by_mutation(case: str) -> None:
    name, content = CASES[case]
    (check,) = [item for item in READER_CHECKS if item.name.startswith("gives rows, ")]

    assert list(check.problems(READERS[name], content.encode())) == []


def test_settings_of_another_kind_are_located() -> None:
    _, content = CASES["specstats-jsonl settings of another kind"]

    (batch,) = READERS["specstats-jsonl"].parse(Source(name="x", data=content.encode()))

    assert [(item.code, item.where) for item in batch.findings] == [
        ("SPS002", ("x:2",))
    ]
    assert "settings" in batch.findings[0].message
