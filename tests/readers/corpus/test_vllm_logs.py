"""Real readings of /metrics, server logs and printed blocks of vLLM."""

import json
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.bench import Bench

METRICS = "vllm_metrics"
LOGS = "vllm_log"


def counters(bench: Bench, scope: str | None = None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = bench.counters.to_pylist()
    return [row for row in rows if scope is None or row["scope"] == scope]


def test_windows_of_a_log_add_up_to_the_loads(corpus: Path) -> None:
    log = specstats.read(corpus / LOGS / "same_server.server.log")
    loads = specstats.read(
        sorted((corpus / LOGS).glob("same_server_run*.bench.log")), arms={"x": "*"}
    )
    windows, blocks = counters(log), counters(loads)

    # 5069 + 4985 + 5081 + 5050 + 5058 and 15343 + 15436 + 15337 + 15370 + 15352.
    assert [row["n_accepted"] for row in blocks] == [5069, 4985, 5081, 5050, 5058]
    assert (len(windows), len(blocks)) == (10, 5)
    for rows in (windows, blocks):
        assert sum(row["n_accepted"] for row in rows) == 25_243
        assert sum(row["n_draft"] for row in rows) == 76_838
    # One draft token a step.
    assert [row["n_verify"] for row in windows] == [row["n_draft"] for row in windows]
    (of_log,), (of_loads,) = specstats.acceptance(log), specstats.acceptance(loads)
    assert of_log.tokens_per_step == of_loads.tokens_per_step == 1 + 25_243 / 76_838
    assert of_log.interval is None
    # 23,256 of 116,802 over 8 windows and 4 loads is of a server whose files are not
    # here; tests/readers/vllm_logs has such sums in artifacts of its own.


def test_a_block_of_a_load(corpus: Path) -> None:
    bench = specstats.read(corpus / LOGS / "same_server_run1.bench.log")
    (row,) = counters(bench)
    printed = {
        (item["metric"], item["statistic"]): item["value"]
        for item in bench.aggregates.to_pylist()
    }

    assert (row["n_requests"], row["n_failed"]) == (80, 0)
    assert (row["n_prompt"], row["n_output"]) == (6078, 20480)
    assert (row["duration_s"], row["n_verify"]) == (12.38, 15343)
    assert row["accepted_by_position"] == "[5069]"
    assert printed["ttft", "mean"] == 0.06946
    assert printed["itl", "p99"] == 0.00828
    # 20480 / 12.38 = 1654.3, the duration being rounded; 5069 / 15343 = 0.33038.
    assert printed["output_throughput", "rate"] == 1653.82
    assert printed["acceptance_rate", "ratio"] == pytest.approx(0.3304)
    assert json.loads(row["settings"])["cfg.max_concurrency"] == 8


def test_a_block_with_three_positions(corpus: Path) -> None:
    bench = specstats.read(corpus / LOGS / "bench_stdout_c32_v0.21.0.log")
    (row,) = counters(bench)
    (found,) = specstats.acceptance(bench)

    # 65808 / 3 = 21936; 1 + 29250 / 21936 = 2.3334.
    assert (row["n_verify"], row["n_draft"], row["n_accepted"]) == (21936, 65808, 29250)
    assert found.tokens_per_step == pytest.approx(2.3334, abs=5e-5)
    # 0.6601, 0.4153 and 0.2581 of 21936 are 29252 rounded: not one number a position.
    assert row["accepted_by_position"] is None


def test_a_long_block(corpus: Path) -> None:
    path = corpus / "vllm_bench_serve/spark_muse_bf16-spec_07-office-baseline.log"
    (row,) = counters(specstats.read(path))
    settings = json.loads(row["settings"])

    # 1125090 / 15 = 75006.
    assert (row["n_verify"], row["n_draft"]) == (75006, 1125090)
    assert row["n_accepted"] == 21970
    assert settings["cfg.request_rate"] == 0.3
    assert settings["id.model"] == "Muse-Glimmer-30B"


def test_a_load_that_failed_gives_no_values(corpus: Path) -> None:
    path = corpus / LOGS / "connect_refused_all_failed.bench.log"
    bench = specstats.read(path)
    (row,) = counters(bench)

    assert (row["n_requests"], row["n_failed"]) == (0, 80)
    assert row["duration_s"] is row["n_output"] is row["n_prompt"] is None
    assert bench.aggregates.num_rows == 0
    assert "SPS007" in {item.code for item in bench.findings}
    assert specstats.acceptance(bench) == ()


def test_boots_of_a_server(corpus: Path) -> None:
    bench = specstats.read(
        [corpus / LOGS / f"fresh_boot-0{number}.server.log" for number in (1, 2)],
        arms={"x": "*"},
    )
    rows = counters(bench)
    (found,) = specstats.acceptance(bench)

    # 12 / 6, 6 / 6, 714 / 6, 2196 / 6 and 12 / 6, 6 / 6, 708 / 6, 2196 / 6.
    assert [row["n_verify"] for row in rows] == [2, 1, 119, 366, 2, 1, 118, 366]
    # 0.899, 0.840, 0.782 and three times 0.748 of 119; they add up to 567.
    assert rows[2]["accepted_by_position"] == "[107, 100, 93, 89, 89, 89]"
    assert (found.accepted, found.drafted) == (1243 + 1226, 2928 + 2922)
    assert found.n_clusters == 2
    assert found.interval is not None
    settings = json.loads(rows[0]["settings"])
    assert settings["cfg.speculative_config.method"] == "mtp"
    assert settings["cfg.speculative_config.num_speculative_tokens"] == 6
    assert settings["cfg.quantization"] == "exl3"


def test_cumulative_lines_of_v0(corpus: Path) -> None:
    bench = specstats.read(corpus / LOGS / "v0_speculative_metrics_lines.log")
    rows = counters(bench)

    # 51056 - 42272 = 8784 and 3191 - 2642 = 549; 13311 is less: another server.
    assert [row["n_draft"] for row in rows] == [42272, 8784, 13311]
    assert [row["n_output"] for row in rows] == [2642, 549, 10616]
    # 42272 / 16, 8784 / 16 and 13311 / 3.
    assert [row["n_verify"] for row in rows] == [2642, 549, 4437]
    # 10616 emitted less 4437 steps. The 8547 printed count positions behind the first
    # rejection: 10616 / (4437 x 4) = 0.598 is the efficiency printed, 8547 gives 0.73.
    assert [row["n_accepted"] for row in rows] == [0, 0, 6179]
    assert len({row["process"] for row in rows}) == 2
    assert "SPS308" in {item.code for item in bench.findings}


def test_early_lines_of_v1(corpus: Path) -> None:
    bench = specstats.read(corpus / LOGS / "v1_early_specdecoding_lines.log")
    rows = counters(bench)

    # 295 / 5 = 59 and 1 + 262 / 59 = 5.44.
    assert [row["n_draft"] for row in rows] == [66, 66, 295]
    assert [row["n_verify"] for row in rows] == [None, None, 59]
    # 0.983, 0.949, 0.915, 0.881 and 0.712 of 59.
    assert rows[2]["accepted_by_position"] == "[58, 56, 54, 52, 42]"


def test_an_ngram_drafter(corpus: Path) -> None:
    name = "v0.12.0_canitedit_ngram_specdecode_only.prom.txt"
    bench = specstats.read(corpus / METRICS / name)
    (row,) = counters(bench)
    (found,) = specstats.acceptance(bench)

    assert (row["n_verify"], row["n_accepted"]) == (40_576, 131_102)
    assert (row["n_steps"], row["n_output"]) == (89_023, 220_276)
    assert row["n_requests"] == 436 + 1
    assert row["n_draft"] == 202_877
    # 1 + 131102 / 40576 = 4.231, but (220276 - 437) / 89023 = 2.469.
    assert 1 + row["n_accepted"] / row["n_verify"] == pytest.approx(4.231, abs=5e-4)
    assert found.tokens_per_step == pytest.approx(2.469, abs=5e-4)
    assert found.rate == pytest.approx(131_102 / 202_877)


def test_a_drafter_that_always_drafts(corpus: Path) -> None:
    bench = specstats.read(corpus / METRICS / "v0.12.0_canitedit_eagle3.prom.txt")
    (row,) = counters(bench)
    (found,) = specstats.acceptance(bench)

    assert row["n_verify"] == row["n_steps"] == 24_337
    # 1 + 52994 / 24337 = 3.178 and (76959 - 210) / 24337 = 3.154.
    assert 1 + row["n_accepted"] / row["n_verify"] == pytest.approx(3.178, abs=5e-4)
    assert found.tokens_per_step == pytest.approx(3.154, abs=5e-4)
    assert sum(json.loads(row["accepted_by_position"])) == row["n_accepted"] == 52_994


def test_no_drafter(corpus: Path) -> None:
    bench = specstats.read(
        corpus / METRICS / "v0.12.0_canitedit_autoregressive.prom.txt"
    )
    (row,) = counters(bench)

    # 76699 tokens less 210 first ones in 76489 steps.
    assert (row["n_output"] - row["n_requests"]) / row["n_steps"] == 1.0
    assert row["n_verify"] is row["n_draft"] is None
    assert specstats.acceptance(bench) == ()


def test_readings_before_and_after_a_load(corpus: Path) -> None:
    bench = specstats.read(
        [corpus / METRICS / f"mtp_L0-{when}.prom.txt" for when in ("pre", "post")],
        arms={"x": "*"},
    )
    (row,) = counters(bench, "delta")
    (found,) = specstats.acceptance(bench)

    # The server had answered nothing before: the differences are the later counts.
    counted = ("n_requests", "n_prompt", "n_output", "n_steps", "n_verify", "n_draft")
    assert [row[name] for name in counted] == [38, 301_180, 5103, 1775, 1775, 5325]
    assert row["n_accepted"] == 1467 + 1083 + 803
    assert row["accepted_by_position"] == "[1467, 1083, 803]"
    assert row["process"] == "started 1786886966.95"
    assert row["run_boundary"] == "proved"
    assert len(counters(bench)) == 3
    # Lifetime counts are not added to their difference; (5103 - 38) / 1775 = 2.8535.
    assert (found.drafted, found.accepted) == (5325, 3353)
    assert found.tokens_per_step == pytest.approx(2.8535, abs=5e-5)
    assert not [item for item in bench.findings if item.code == "SPS006"]


def test_a_reading_under_load(corpus: Path) -> None:
    bench = specstats.read(corpus / METRICS / "v0.25.1_loaded.prom.txt")
    (row,) = counters(bench)
    means = {item["metric"]: item["value"] for item in bench.aggregates.to_pylist()}

    # 664 requests with a first token, of which 600 are finished; 165293 - 664 = 164629.
    assert (row["n_requests"], row["n_output"], row["n_steps"]) == (
        664,
        165_293,
        164_629,
    )
    assert means["ttft"] == pytest.approx(88.24499082565308 / 664)
    assert means["e2e"] == pytest.approx(999.2306158542633 / 600)


def test_the_offline_example(corpus: Path) -> None:
    bench = specstats.read(corpus / "vllm_offline_spec_decode/stats_v1_issue26191.txt")
    (row,) = counters(bench)
    (found,) = specstats.acceptance(bench)

    # 33712 / 7 = 4816; 1 + 12208 / 4816 = 3.535, printed 3.53.
    assert (row["n_verify"], row["n_draft"], row["n_accepted"]) == (
        4816,
        33_712,
        12_208,
    )
    assert row["n_output"] == 16_990
    assert found.tokens_per_step == pytest.approx(3.535, abs=5e-4)
    assert "SPS006" not in {item.code for item in bench.findings}
