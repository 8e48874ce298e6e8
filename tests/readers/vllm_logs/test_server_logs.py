"""Server logs of vLLM: windows, launches, wordings, configured acceptance."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.readers._base import Batch
from specstats.readers._scan import marked_lines
from specstats.readers.vllm._arguments import is_synthetic, server_settings
from specstats.readers.vllm._windows import Window, by_position, verified, window_in
from specstats.readers.vllm.log import READER
from specstats.source import Source

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
Parse = Callable[..., list[Batch]]

LAUNCHES = "vllm-log/0.20.0/two-launches.log"
CUMULATIVE = "vllm-log/0.6.3-v0/cumulative.log"
SYNTHETIC = "vllm-log/0.21.0/synthetic.log"
WINDOW = (
    "SpecDecoding metrics: Mean acceptance length: {length}, Accepted: {accepted} "
    "tokens, Drafted: {drafted} tokens, Per-position acceptance rate: {rates}\n"
)


def window(length: str, accepted: int, drafted: int, rates: str) -> Window:
    found = window_in(
        WINDOW.format(length=length, accepted=accepted, drafted=drafted, rates=rates)
    )
    assert found is not None
    return found


def test_launches_appended_to_one_file(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / LAUNCHES).read_bytes()
    counters = rows(content, "counters")
    process = Source(name="x", data=content).sha256[:12]

    assert [row["process"] for row in counters] == [
        *[f"{process}#0"] * 2,
        f"{process}#1",
    ]
    assert [row["entry"] for row in counters] == [8, 10, 19]
    assert [row["n_draft"] for row in counters] == [300, 150, 600]
    assert [row["n_accepted"] for row in counters] == [150, 60, 280]
    # 300 / 3 = 100 and 1 + 150 / 100 = 2.50; 150 / 3 and 2.20; 600 / 3 and 2.40.
    assert [row["n_verify"] for row in counters] == [100, 50, 200]
    assert counters[1]["accepted_by_position"] == "[30, 20, 10]"
    assert [row["value"] for row in rows(content, "aggregates")] == [
        250.0,
        110.5,
        480.0,
    ]


def test_launches_are_the_replicates_not_the_windows(artifacts: Path) -> None:
    (found,) = specstats.acceptance(specstats.read(artifacts / LAUNCHES))

    assert (found.drafted, found.accepted, found.n_clusters) == (1050, 490, 2)
    # 1 + 490 / 350.
    assert found.tokens_per_step == pytest.approx(2.4)


def test_settings_hold_no_places_and_no_keys(rows: Rows, artifacts: Path) -> None:
    first = rows((artifacts / LAUNCHES).read_bytes(), "counters")[0]

    assert json.loads(first["settings"]) == {
        "cfg.max_model_len": 4096,
        "cfg.speculative_config.method": "eagle3",
        "cfg.speculative_config.num_speculative_tokens": 3,
        "id.build": "0.20.0",
        "id.model": "Tiny-1B",
        "id.speculative_config.model": "Draft",
    }


def test_windows_add_up_to_the_loads(artifacts: Path) -> None:
    log = specstats.read(artifacts / "vllm-log/0.20.0/eight-windows.log")
    loads = specstats.read(artifacts / "vllm-bench-log/0.20.0/four-loads.log")
    (of_log,) = specstats.acceptance(log)
    (of_loads,) = specstats.acceptance(loads)

    assert (log.counters.num_rows, loads.counters.num_rows) == (8, 4)
    assert (of_log.accepted, of_log.drafted) == (23256, 116802)
    assert (of_loads.accepted, of_loads.drafted) == (23256, 116802)
    assert of_log.steps == of_loads.steps == 38934


def test_cumulative_counts_become_differences(
    rows: Rows, codes: Codes, artifacts: Path
) -> None:
    content = (artifacts / CUMULATIVE).read_bytes()
    counters = rows(content, "counters")
    printed = [row for row in rows(content, "aggregates") if row["scope"] == "lifetime"]

    assert [row["n_draft"] for row in counters] == [400, 600, 120]
    assert [row["n_output"] for row in counters] == [300, 420, 80]
    assert [row["n_verify"] for row in counters] == [100, 150, 30]
    # Emitted less steps: 300 - 100, 420 - 150, 80 - 30; printed are 300, 700 and 90.
    assert [row["n_accepted"] for row in counters] == [200, 270, 50]
    # 1000 drafted then 120: another launch.
    assert [row["process"][-2:] for row in counters] == ["#0", "#0", "#1"]
    assert [row["value"] for row in printed] == [0.75, 0.7, 0.75]
    assert [code for code, _ in codes(content)] == ["SPS308", "SPS308"]


def test_early_wordings(rows: Rows, codes: Codes, artifacts: Path) -> None:
    content = (artifacts / "vllm-log/0.8-v1/early.log").read_bytes()
    counters = rows(content, "counters")

    assert [row["n_accepted"] for row in counters] == [30, 27, 36]
    assert [row["n_draft"] for row in counters] == [60, 60, 60]
    # The length of the last is printed without bonus: 36 / 20 = 1.80.
    assert [row["n_verify"] for row in counters] == [None, None, 20]
    assert {row["process"] for row in counters} == {None}
    assert codes(content) == []


def test_dynamic_depth_and_arguments_that_are_no_literal(
    rows: Rows, artifacts: Path
) -> None:
    path = artifacts / "vllm-log/2026-dynamic-depth/depth.log"
    (row,) = rows(path.read_bytes(), "counters")

    assert (row["n_verify"], row["n_draft"], row["n_accepted"]) == (40, 240, 68)
    assert json.loads(row["settings"]) == {
        "cfg.max_model_len": 4096,
        "cfg.speculative_config.method": "mtp",
        "cfg.speculative_config.num_speculative_tokens": 6,
        "id.build": "0.0.0+dev",
        "id.model": "Tiny-1B",
    }


def test_configured_acceptance(artifacts: Path) -> None:
    bench = specstats.read(artifacts / SYNTHETIC)
    (row,) = bench.counters.to_pylist()

    assert json.loads(row["settings"])["cfg.synthetic_acceptance"] is True
    assert [item.where for item in bench.findings if item.code == "SPS309"] == [
        ("synthetic.log:4",)
    ]
    assert specstats.acceptance(bench) == ()


def test_acceptance_that_was_not_configured(artifacts: Path) -> None:
    content = (artifacts / SYNTHETIC).read_text()
    standard = content.replace("'synthetic'", "'standard'").replace(
        "[0.7, 0.5, 0.3]", "None"
    )
    bench = specstats.read(standard.encode())

    assert "SPS309" not in {item.code for item in bench.findings}
    assert len(specstats.acceptance(bench)) == 1


@pytest.mark.parametrize(
    ("text", "configured"),
    [
        ("'rejection_sample_method': 'synthetic'", True),
        ('"rejection_sample_method": "synthetic"', True),
        ("rejection_sample_method=synthetic", True),
        ("synthetic_acceptance_rate=0.8", True),
        ("'synthetic_acceptance_rates': [0.7, 0.5]", True),
        ("rejection_sample_method='standard'", False),
        ("synthetic_acceptance_rates=None", False),
        ("synthetic data for calibration", False),
    ],
)
def test_what_configures_acceptance(text: str, configured: bool) -> None:
    assert is_synthetic(text) is configured


@pytest.mark.parametrize(
    ("case", "steps"),
    [
        # 300 / 3 steps, and 1 + 150 / 100 = 2.50.
        (window("2.50", 150, 300, "0.800, 0.500, 0.200"), 100),
        # The same before May 2025: 150 / 100 = 1.50.
        (window("1.50", 150, 300, "0.800, 0.500, 0.200"), 100),
        # 300 drafted in more, shorter steps: 1 + 150 / 120 = 2.25, not 2.50.
        (window("2.25", 150, 300, "0.750, 0.400, 0.100"), None),
        # 299 is no multiple of 3; 150 / 1.5 = 100 alone gives whole tokens by position.
        (window("2.50", 150, 299, "0.800, 0.500, 0.200"), 100),
        # As many steps, but so many tokens that three decimals fit several numbers.
        (window("2.50", 15000, 29999, "0.800, 0.500, 0.200"), None),
        # Length and rates contradict each other.
        (window("3.70", 150, 300, "0.800, 0.500, 0.200"), None),
        # Nothing accepted.
        (window("1.00", 0, 300, "0.000, 0.000, 0.000"), 100),
        # One draft token a step: as many steps as drafted tokens.
        (window("1.33", 3799, 11480, "0.331"), 11480),
        (window("1.00", 0, 0, "0.000"), None),
    ],
)
def test_steps_of_a_window(case: Window, steps: int | None) -> None:
    assert verified(case) == steps


@pytest.mark.parametrize(("method", "steps"), [("eagle3", 100), ("ngram", None)])
def test_drafters_that_propose_what_they_find(
    rows: Rows, artifacts: Path, method: str, steps: int | None
) -> None:
    # 100,000 times as many tokens, so that the rounded rates leave several numbers.
    text = (artifacts / LAUNCHES).read_text().replace("'eagle3'", f"'{method}'")
    first = text.partition("Accepted: 60 tokens")[0]
    content = first.replace("150 tokens", "150000 tokens")
    counters = rows(content.replace("300 tokens", "300000 tokens"), "counters")

    assert counters[0]["n_verify"] == (None if steps is None else steps * 1000)


def test_counts_by_position() -> None:
    assert by_position([0.8, 0.5, 0.2], 0.0005, 100, 150) == [80, 50, 20]
    assert by_position([0.8, 0.5, 0.2], 0.0005, 100, 151) is None
    assert by_position([0.5, 0.8, 0.2], 0.0005, 100, 150) is None
    assert by_position([0.8, 0.5, 0.2], 0.0005, 1000, 1500) is None
    assert by_position([0.331], 0.0005, 11480, 3799) == [3799]
    assert by_position([0.4], 0.0005, 11480, 3799) is None
    assert by_position([], 0.0005, 100, 0) is None


def test_a_rate_that_the_counts_contradict(codes: Codes) -> None:
    good = "SpecDecoding metrics: Draft acceptance rate: 45.0%, Accepted: 27 tokens, "
    content = f"{good}Drafted: 60 tokens\n"

    assert codes(content) == []
    assert codes(content.replace("45.0", "46.0")) == [("SPS006", "case:1")]


def test_more_accepted_than_drafted(rows: Rows, codes: Codes) -> None:
    content = "SpecDecoding metrics: Accepted: 61 tokens, Drafted: 60 tokens\n"

    assert codes(content) == [("SPS006", "case:1")]
    assert rows(content, "counters") == []


@pytest.mark.parametrize(
    "counts",
    [
        "",
        "Accepted: x tokens, Drafted: 3 tokens",
        "Accepted: -1 tokens, Drafted: 3 tokens",
        "Accepted: 1 tokens",
        f"Accepted: {'9' * 30} tokens, Drafted: {'9' * 30} tokens",
    ],
)
def test_lines_without_counts(codes: Codes, counts: str) -> None:
    assert codes(f"SpecDecoding metrics: {counts}\n") == [("SPS002", "case:1")]


def test_throughput_that_is_no_number(codes: Codes, rows: Rows) -> None:
    content = (
        "Avg generation throughput: 1.2.3 tokens/s\n"
        "Avg generation throughput: 0.0 tokens/s\n"
        "Avg generation throughput: 12.5 tokens/s\n"
    )

    assert codes(content) == [("SPS002", "case:1")]
    assert [row["value"] for row in rows(content, "aggregates")] == [12.5]


def test_several_engines_of_one_server_are_one_launch(rows: Rows) -> None:
    counted = "SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens\n"
    engines = "".join(
        f"(EngineCore_DP{rank} pid=7) Initializing a V1 LLM engine (v0.10.2) with\n"
        for rank in (0, 1)
    )
    first = f"vLLM API server version 0.10.2\n{engines}{counted}"
    content = first * 2

    assert [row["process"][-2:] for row in rows(content, "counters")] == ["#0", "#1"]


def test_engines_without_a_version_line(rows: Rows) -> None:
    counted = "SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens\n"
    begun = "INFO Initializing a V1 LLM engine (v0.9.1) with config: model='m'\n"
    found = rows(f"{counted}{begun}{counted}{begun}{counted}", "counters")

    assert [row["process"] and row["process"][-2:] for row in found] == [
        None,
        "#1",
        "#2",
    ]


def test_another_process_number_is_another_launch(rows: Rows) -> None:
    counted = "SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens\n"
    content = "".join(f"(APIServer pid={pid}) {counted}" for pid in (4, 4, 5))
    found = rows(content, "counters")

    assert [row["process"][-2:] for row in found] == ["#0", "#0", "#1"]


def test_a_drafter_named_by_the_engine_alone(rows: Rows) -> None:
    content = (
        "Initializing a V1 LLM engine (v0.20.0) with config: model='/m/x', "
        "speculative_config=SpeculativeConfig(method='mtp', model='/m/x', "
        "num_spec_tokens=6), seed=0\n"
        "SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens\n"
    )
    (row,) = rows(content, "counters")

    assert json.loads(row["settings"]) == {
        "cfg.speculative_config.method": "mtp",
        "cfg.speculative_config.num_speculative_tokens": 6,
        "id.build": "0.20.0",
    }


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{",
        "{'a'",
        "{'a': 1or 2}",
        "{'a': [1, 2",
        "{'a': " + "[" * 3000,
        "{1: 2, 'b c': 3}",
        "[]",
    ],
)
def test_broken_arguments_are_left_out(written: str) -> None:
    assert server_settings(f"non-default args: {written}") == {}


def test_commas_in_arguments() -> None:
    text = (
        "non-default args: {'a': 'x, y', 'b': Spec(1, [2, 3]), 'c': 'it\\'s', 'd': 4}"
    )

    assert server_settings(text) == {"cfg.a": "x, y", "cfg.c": "it's", "cfg.d": 4}


@pytest.mark.parametrize(
    ("content", "score"),
    [
        (b"SpecDecoding metrics: Accepted: 1 tokens, Drafted: 3 tokens", 80),
        (b"decode_TPS=3\nAvg generation throughput: 3 tokens/s", 0),
        (b"wall_TPS=3\nSpecDecoding metrics: Accepted: 1 tokens", 0),
        (b"== Serving Benchmark Result ==\nSpecDecoding metrics: Accepted: 1", 0),
        (b'{"log": "SpecDecoding metrics: Accepted: 1 tokens"}', 0),
        (b"Decode batch, gen throughput (token/s): 3", 0),
        ("█  version 0.20.0".encode(), 60),
    ],
)
def test_sniff(content: bytes, score: int) -> None:
    assert READER.claim(content, "x").score == score


@pytest.mark.parametrize("chunk", [1, 7, 64, 4096])
def test_lines_do_not_depend_on_blocks(artifacts: Path, chunk: int) -> None:
    content = (artifacts / LAUNCHES).read_bytes()
    source = Source(name="x", data=content)
    needles = (b"SpecDecoding", b"metrics:", b"version ")
    expected = [
        (number, line)
        for number, line in enumerate(content.split(b"\n"), start=1)
        if any(needle in line for needle in needles)
    ]

    assert list(marked_lines(source, needles, chunk=chunk)) == expected


def test_line_ends_and_colours(rows: Rows, artifacts: Path) -> None:
    content = (artifacts / LAUNCHES).read_bytes()
    windows = content.replace(b"\n", b"\r\n").replace(b"INFO", b"\x1b[32mINFO\x1b[0m")

    plain, other = rows(content, "counters"), rows(windows, "counters")
    for row in (*plain, *other):
        row["process"] = row["process"][-2:]

    assert plain == other


def test_many_rows_come_in_batches(
    parse: Parse, artifacts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specstats.readers.vllm.log._ROWS_A_BATCH", 2)
    batches = parse((artifacts / LAUNCHES).read_bytes())

    assert [batch.count("counters") for batch in batches] == [1, 1, 1, 0]


def test_long_arguments_are_left_out() -> None:
    text = f"non-default args: {{'a': [{'1, ' * 1000}], 'b': 2}}"

    assert server_settings(text) == {"cfg.b": 2}


def test_windows_without_positions_leave_steps_unknown() -> None:
    found = window_in(
        "Accepted: 6 tokens, Drafted: 9 tokens, Mean acceptance length: 3"
    )

    assert found is not None
    assert verified(found) is None


def test_lines_behind_much_noise(artifacts: Path) -> None:
    content = (artifacts / LAUNCHES).read_bytes()
    noise = b'(APIServer pid=41) INFO: 127.0.0.1:1 - "POST /v1/completions" 200 OK\n'
    source = Source(name="x", data=noise * 100_000 + content)

    found = [line for line, _ in marked_lines(source, (b"SpecDecoding metrics:",))]

    assert found == [100_008, 100_010, 100_019]
