"""Readings of /metrics: counts, differences, engines, and readings that cannot be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.readers._base import Batch
from specstats.readers.vllm.metrics import READER

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]

NGRAM = "prometheus/vllm-0.12.0/ngram.prom"
READING = "prometheus/vllm-0.21.0/one-reading.prom"


def test_all_decode_steps_count_not_those_that_drafted(artifacts: Path) -> None:
    bench = specstats.read(artifacts / NGRAM)
    (row,) = bench.counters.to_pylist()
    (found,) = specstats.acceptance(bench)

    # 1 + 48196 / 12022 = 5.009; (76609 - 210) / 28202 = 2.709.
    assert 1 + row["n_accepted"] / row["n_verify"] == pytest.approx(5.009, abs=5e-4)
    assert found.tokens_per_step == pytest.approx(2.709, abs=5e-4)
    assert found.steps == 28202
    assert found.step_convention is not None
    assert "drafted or not" in found.step_convention
    assert found.rate == pytest.approx(48196 / 58110)
    assert json.loads(row["accepted_by_position"]) == [11000, 10400, 9700, 8900, 8196]
    assert (row["n_prompt"], row["n_requests"], row["n_failed"]) == (31000, 210, 0)
    assert json.loads(row["settings"]) == {
        "cfg.block_size": "16",
        "cfg.cache_dtype": "auto",
        "cfg.enable_prefix_caching": "False",
        "cfg.gpu_memory_utilization": "0.9",
        "id.engine": "vllm",
        "id.model": "Tiny-1B",
    }


def test_means_of_histograms(rows: Rows, artifacts: Path) -> None:
    found = {
        row["metric"]: (row["value"], row["n"], row["scope"])
        for row in rows((artifacts / NGRAM).read_bytes(), "aggregates")
    }

    # 10.5 s over 210 first tokens; 564.04 s over 28202 steps.
    assert found["ttft"] == (pytest.approx(0.05), 210, "lifetime")
    assert found["itl"] == (pytest.approx(0.02), 28202, "lifetime")


def later(reading: str, times: int, *, started: str = "1.75000000025e+09") -> str:
    """Return a reading of several times the counts."""
    lines = []
    for line in reading.splitlines():
        name, _, value = line.rpartition(" ")
        if line.startswith("vllm:"):
            line = f"{name} {float(value) * times}"  # noqa: PLW2901
        elif line.startswith("process_start"):
            line = f"{name} {started}"  # noqa: PLW2901
        lines.append(line)
    return "\n".join(lines) + "\n"


def test_readings_in_one_file_are_told_apart(artifacts: Path) -> None:
    first = (artifacts / READING).read_text()
    restarted = later(first, 2, started="1.75000100025e+09")
    bench = specstats.read((first + later(first, 3) + restarted).encode())
    rows = bench.counters.to_pylist()
    differences = [row for row in rows if row["scope"] == "delta"]

    assert [row["process"] for row in rows if row["scope"] == "lifetime"] == [
        *["started 1750000000.25"] * 2,
        "started 1750001000.25",
    ]
    # 3000 - 1000 drafts, 9000 - 3000 draft tokens, 9015 - 3005 tokens.
    assert [(row["n_verify"], row["n_draft"]) for row in differences] == [(2000, 6000)]
    assert [(row["n_output"], row["n_requests"]) for row in differences] == [(6010, 20)]
    assert differences[0]["accepted_by_position"] == "[1800, 1400, 800]"
    assert not [item for item in bench.findings if item.code == "SPS006"]


def test_a_restart_gives_no_difference(artifacts: Path, tmp_path: Path) -> None:
    content = (artifacts / READING).read_text()
    first, second, third = (tmp_path / f"{number}.prom" for number in range(3))
    first.write_text(content)
    second.write_text(later(content, 3))
    third.write_text(later(content, 2, started="1.75000100025e+09"))
    together = specstats.read([second, third], arms={"x": "*"})
    same = specstats.read([second, first], arms={"x": "*"})

    assert "delta" not in together.counters["scope"].to_pylist()
    assert same.counters["scope"].to_pylist().count("delta") == 1


def test_gauges_of_several_engines_are_averaged(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / "prometheus/sglang-0.5/gauges.prom").read_bytes()
    (counts,) = rows(content, "counters")
    (length,) = [
        row
        for row in rows(content, "aggregates")
        if row["metric"] == "mean_accepted_length"
    ]

    # SGLang counts 390 tokens there, not steps; (2.5 + 3.5) / 2 = 3.
    assert counts["n_steps"] is None
    assert counts["n_output"] == 400
    assert length["value"] == 3.0
    assert length["statistic"] == "last"


def test_llama_cpp(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / "prometheus/llama.cpp-b6000/counters.prom").read_bytes()
    (row,) = rows(content, "counters")

    assert (row["n_prompt"], row["n_output"], row["process"]) == (320, 640, None)


def test_engines_are_summed(rows: Rows) -> None:
    (row,) = rows(
        'vllm:spec_decode_num_drafts_total{engine="0"} 10.0\n'
        'vllm:spec_decode_num_drafts_total{engine="1"} 3.0061031424e+010 1750000000\n'
        'vllm:generation_tokens_created{engine="0"} 1.7e+09\n'
        'vllm:generation_tokens_created{engine="1"} 1.8e+09\n',
        "counters",
    )

    assert row["n_verify"] == 30061031434
    assert row["process"] == "counters of 1800000000.000"


def test_braces_and_quotes_in_labels(rows: Rows) -> None:
    (row,) = rows(
        'vllm:generation_tokens_total{model_name="a/b}c \\" d",engine="0"} 7\n',
        "counters",
    )

    assert row["n_output"] == 7


@pytest.mark.parametrize("value", ["-1.0", "x", "1e400", "1e300", "9" * 39])
def test_counters_that_are_no_counts(codes: Codes, value: str) -> None:
    content = f"vllm:prompt_tokens_total 5\nvllm:generation_tokens_total {value}\n"

    assert codes(content) == [("SPS002", "case:2")]


def test_an_empty_summary_is_no_fault(codes: Codes) -> None:
    content = "vllm:prompt_tokens_total 5\nvllm:generation_tokens_total NaN\n"

    assert codes(content) == []


def test_positions_that_do_not_add_up(codes: Codes, artifacts: Path) -> None:
    content = (artifacts / NGRAM).read_text()

    assert codes(content) == []
    assert [code for code, _ in codes(content.replace(" 8196", " 8197"))] == ["SPS006"]


@pytest.mark.parametrize(
    ("output", "wrong"),
    # 1000 steps + 2000 accepted + 10 first tokens = 3010; up to 2 % may be cut off.
    [(3005, []), (2955, []), (2900, ["SPS006"]), (3100, ["SPS006"])],
)
def test_tokens_against_steps(
    codes: Codes, artifacts: Path, output: int, wrong: list[str]
) -> None:
    content = (artifacts / READING).read_text().replace(" 3005.0", f" {output}.0")

    assert [code for code, _ in codes(content)] == wrong


@pytest.mark.parametrize(
    ("content", "score"),
    [
        (b"vllm:num_requests_running 3\n", 80),
        (b'# HELP x\r\nsglang:gen_throughput{model_name="m"} 3\r\n', 80),
        (b"python_gc_objects_collected_total 3\n", 0),
        (b"vllm: error: unrecognized arguments\n", 0),
        (b'{"text": "vllm:num_requests_running 3"}', 0),
    ],
)
def test_sniff(content: bytes, score: int) -> None:
    assert READER.claim(content, "x").score == score


def test_a_sample_that_is_cut_off(codes: Codes, rows: Rows) -> None:
    content = 'vllm:prompt_tokens_total 5\nvllm:generation_tokens_total{engine="0'

    assert codes(content) == [("SPS002", "case:2")]
    assert rows(content, "counters")[0]["n_prompt"] == 5


def test_many_readings_come_in_batches(
    parse: Callable[..., list[Batch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specstats.readers.vllm.metrics._ROWS_A_BATCH", 1)
    content = "".join(f"vllm:prompt_tokens_total {count}\n" for count in range(5))

    assert [batch.count("counters") for batch in parse(content)] == [2, 2, 1]


def test_engines_of_two_kinds_are_kept_apart(rows: Rows) -> None:
    content = "vllm:prompt_tokens_total 5\nsglang:prompt_tokens_total 7\n"

    assert [row["n_prompt"] for row in rows(content, "counters")] == [5, 7]


def test_two_starts_in_one_reading_prove_no_process(rows: Rows) -> None:
    content = (
        'process_start_time_seconds{job="a"} 1.7e+09\n'
        'process_start_time_seconds{job="b"} 1.8e+09\n'
        "vllm:prompt_tokens_total 5\n"
    )

    assert [row["process"] for row in rows(content, "counters")] == [None]


def test_sums_beyond_64_bits_are_left_out(rows: Rows) -> None:
    content = "".join(
        f'vllm:prompt_tokens_total{{engine="{engine}"}} 9e15\n'
        for engine in range(1000)
    )

    assert (
        rows(f"{content}vllm:generation_tokens_total 1\n", "counters")[0]["n_prompt"]
        is None
    )


@pytest.mark.parametrize(
    ("more", "accepted", "found"),
    [
        ("vllm:spec_decode_num_emitted_tokens_total 9\n", None, [("SPS308", "case:1")]),
        ("vllm:spec_decode_num_drafts_total 5\n", 7, []),
        ("", 7, []),
    ],
)
def test_accepted_tokens_of_v0(
    rows: Rows,
    codes: Codes,
    more: str,
    accepted: int | None,
    found: list[tuple[str, str]],
) -> None:
    content = (
        "vllm:spec_decode_num_accepted_tokens_total 7\n"
        f"vllm:spec_decode_num_draft_tokens_total 20\n{more}"
    )

    assert rows(content, "counters")[0]["n_accepted"] == accepted
    assert codes(content) == found
