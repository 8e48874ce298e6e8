"""MLPerf LoadGen summaries and detailed logs: values by hand, results that count."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers._registry import choose
from specstats.source import Source

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
FOLDER = "mlperf/5.1"


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def test_a_summary(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "server.summary.txt").read_bytes()
    found = printed(rows(content, "aggregates"))

    assert found == {
        ("request_throughput", "rate"): 4.25,
        ("output_throughput", "rate"): 512.25,
        ("scheduled_request_rate", "rate"): 4.5,
        ("e2e", "min"): pytest.approx(0.1),
        ("e2e", "max"): pytest.approx(0.9),
        ("e2e", "mean"): pytest.approx(0.4),
        ("e2e", "median"): pytest.approx(0.35),
        ("e2e", "p99.9"): pytest.approx(0.89),
        ("ttft", "mean"): pytest.approx(0.05),
        ("ttft", "p99"): pytest.approx(0.08),
        ("tpot", "mean"): pytest.approx(0.0125),
        ("tpot", "p99"): pytest.approx(0.02),
    }


def test_offline(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "offline.summary.txt").read_bytes()
    found = rows(content, "aggregates")

    assert printed(found)["request_throughput", "rate"] == 6.125
    assert printed(found)["output_throughput", "rate"] == 730.5
    waits = {row["definition"] for row in found if row["metric"] == "e2e"}
    assert len(waits) == 1
    assert "wait" in str(waits.pop())


def test_settings_without_seeds(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "server.summary.txt").read_bytes()
    settings = rows(content, "aggregates")[0]["settings"]

    assert '"cfg.target_qps": 4.5' in settings
    assert '"cfg.ttft_latency_ns": 2000000000.0' in settings
    assert '"id.sut": "TinySUT"' in settings
    assert "seed" not in settings


def test_a_detailed_log(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / FOLDER / "detail.txt").read_bytes()

    assert printed(rows(content, "aggregates")) == {
        ("request_throughput", "rate"): 4.25,
        ("e2e", "mean"): pytest.approx(0.4),
        ("e2e", "p99.9"): pytest.approx(0.89),
        ("ttft", "mean"): pytest.approx(0.05),
        ("tpot", "p99"): pytest.approx(0.02),
        ("tpot", "mean"): pytest.approx(0.0125),
    }
    assert codes(content) == [("SPS010", "case:14")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Result is : VALID", b"Result is : INVALID"),
        (b"PerformanceOnly", b"AccuracyOnly"),
    ],
)
def test_results_that_do_not_count(
    old: bytes, new: bytes, artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / FOLDER / "server.summary.txt").read_bytes()

    assert codes(content) == []
    assert rows(content.replace(old, new), "aggregates") == []
    assert [code for code, _ in codes(content.replace(old, new))] == [
        "SPS014",
        "SPS002",
    ]


def test_an_invalid_detailed_log(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "detail.txt").read_bytes()

    assert rows(content.replace(b'"VALID"', b'"INVALID"'), "aggregates") == []


def test_accuracy_mode_has_no_result(rows: Rows, codes: Codes) -> None:
    content = "\nNo warnings encountered during test.\n\n1 errors encountered. See\n"

    assert rows(content, "aggregates") == []
    assert [code for code, _ in codes(content)] == ["SPS014", "SPS002"]


def test_a_ranging_run(artifacts: Path) -> None:
    content = (artifacts / FOLDER / "server.summary.txt").read_bytes()
    source = Source(name="s", relative="Server/ranging/summary.txt", data=content)

    (batch,) = choose(source).parse(source)

    assert (batch.entries, batch.parsed, batch.tables) == (1, 0, {})
    assert batch.findings[0].code == "SPS014"


def test_a_broken_result_line(artifacts: Path, codes: Codes) -> None:
    content = (artifacts / FOLDER / "detail.txt").read_bytes()
    broken = content.replace(b'"result_mean_latency_ns", "value": ', b'"result_x", ')

    assert ("SPS002", "case:9") in codes(broken)


@pytest.mark.parametrize("value", ["nan", "-1", "1e999", "0", "12 34", ""])
def test_useless_numbers(value: str, artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "server.summary.txt").read_text(encoding="utf-8")
    changed = content.replace(": 400000000", f": {value}")

    assert ("e2e", "mean") not in printed(rows(changed, "aggregates"))
