"""Mutated artifacts that once gave anything but rows, findings or typed errors."""

import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from specstats.errors import MalformedArtifactError
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
ARTIFACTS = Path(__file__).parent / "artifacts"
MOST = 2**63 - 1
MADE = re.compile(r'"(errored|incomplete)": \d+')
GUIDELLM = MADE.sub(
    rf'"\1": {MOST}',
    (ARTIFACTS / "guidellm/0.2/constant.json").read_text(encoding="utf-8"),
)
TABLE = (
    "config,workload,repeat,tok/s,wall_s,completion_tokens,requests,num_drafts,"
    "acceptance_rate,mean_accept_len,k\n"
    f"spec,w,0,100,10,1000,8,{2**50},0.375,{1 + 3 * 2**47},{2**50}\n"
)
LONG = "x" * 50_000
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
    "exllama-job counts whose sum has 65 bits": (
        "exllama-job",
        json.dumps(
            {
                "new_tokens": 4,
                "time_generate": 2.0,
                "accepted_draft_tokens": MOST,
                "rejected_draft_tokens": MOST,
            }
        ),
    ),
    "guidellm failures whose sum has 65 bits": ("guidellm", GUIDELLM),
    "table draft tokens beyond 64 bits": ("table", TABLE),
    "llama-server-log a bare line of a second child": (
        "llama-server-log",
        "[0] eval time = 0.00 ms / 1 tokens\n[3] eval time = 0.00 ms\n",
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


LONG_TEXTS = {
    "hyperfine": json.dumps(
        {"results": [{**HYPERFINE, "command": LONG, "exit_codes": [1, 1]}]}
    ),
    "google-benchmark": json.dumps(
        {"context": {}, "benchmarks": [{"name": LONG, "run_type": "iteration"}]}
    ),
    "specdecode-study": json.dumps({"measured": {}, "status": LONG}),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_texts_of_artifacts_are_cut_in_findings(name: str) -> None:
    source = Source(name="x", data=LONG_TEXTS[name].encode())

    found = [item for batch in READERS[name].parse(source) for item in batch.findings]

    assert found
    assert all(
        len(told) < 1100
        for item in found
        for told in (item.message, item.observed, item.required, item.remedy)
    )


def test_a_bare_line_belongs_to_the_child_that_wrote_it() -> None:
    _, content = CASES["llama-server-log a bare line of a second child"]

    batches = list(
        READERS["llama-server-log"].parse(Source(name="x", data=content.encode()))
    )

    assert sum(batch.entries for batch in batches) == 2


@pytest.mark.parametrize("written", ["x", '[1,"x"]', "5", "[1.5]", "[-1]"])
def test_positions_that_are_no_counts_are_located(written: str) -> None:
    row = {"process": "p", "scope": "lifetime", "accepted_by_position": written}
    content = f'{{"specstats.table":"counters","version":1}}\n{json.dumps(row)}\n'

    (batch,) = READERS["specstats-jsonl"].parse(Source(name="x", data=content.encode()))

    assert not batch.tables
    assert [item.code for item in batch.findings] == ["SPS002"]
    assert "accepted_by_position" in batch.findings[0].message


def test_long_names_of_columns_are_cut_in_errors() -> None:
    table = pa.table({LONG: [1]})
    content = io.BytesIO()
    pq.write_table(table, content)

    with pytest.raises(MalformedArtifactError) as caught:
        list(READERS["table-parquet"].parse(Source(name="x", data=content.getvalue())))

    assert len(str(caught.value)) < 500
