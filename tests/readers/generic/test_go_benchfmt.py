"""Go benchmark results: configuration, units, packages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.errors import UnknownFormatError

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
PACKAGES = "go-benchfmt/1.22/packages.txt"


def test_times_of_packages(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / PACKAGES).read_bytes())

    assert [row["e2e_s"] for row in found] == [
        pytest.approx(2e-6),
        pytest.approx(2.2e-6),
        pytest.approx(1.5e-6),
    ]
    assert [row["prompt_id"] for row in found] == [
        "Decode/size=8",
        "Decode/size=8",
        "Verify",
    ]
    assert [row["repetition"] for row in found] == [0, 1, 0]
    assert found[0]["process"] == found[1]["process"] != found[2]["process"]
    assert found[2]["workload"] == "example.org/spec/verify"


def test_settings(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / PACKAGES).read_bytes())

    assert json.loads(str(found[0]["settings"])) == {
        "cfg.draft": "4",
        "cfg.gomaxprocs": 16,
        "id.cpu": "Test CPU",
        "id.goarch": "amd64",
        "id.goos": "linux",
    }


def test_other_units(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / PACKAGES).read_bytes(), "aggregates")
    values = [(row["metric"], row["unit"], row["value"]) for row in found]

    assert values[:3] == [
        ("throughput", "B/s", 512.5e6),
        ("allocated_bytes", "B/op", 64),
        ("allocations", "allocs/op", 2),
    ]
    assert values[-1] == ("accepted/draft", "accepted/draft", 0.375)


def test_nothing_proves_a_process_without_a_package(
    artifacts: Path, rows: Rows
) -> None:
    content = (artifacts / "go-benchfmt/1.22/bare.txt").read_bytes()
    rates = rows(content, "aggregates")

    assert [row["value"] for row in rates] == [100, 103]
    assert [json.loads(str(row["settings"])) for row in rates] == [
        {"cfg.note": "first"},
        {"cfg.note": "second"},
    ]
    assert [row["e2e_s"] for row in rows(content)] == [0.5]
    assert {row["process"] for row in rows(content)} == {None}


@pytest.mark.parametrize(
    "line",
    [
        "BenchmarkX 1 x ns/op",
        "BenchmarkX 1 5 ns/op 6",
        "BenchmarkX y 5 ns/op",
        "BenchmarkX 1 5 ns/op 6 ns/op",
        "BenchmarkX 1 1e999 ns/op",
        "BenchmarkX 1 NaN ns/op",
    ],
)
def test_a_line_that_cannot_be_used(line: str, codes: Codes) -> None:
    assert codes(f"pkg: a\nBenchmarkGood 1 5 ns/op\n{line}\n") == [("SPS002", "case:3")]


def test_a_failed_package_is_told(codes: Codes) -> None:
    content = "pkg: a\nBenchmarkGood 1 5 ns/op\nFAIL\ta\t1.0s\n"

    assert codes(content) == [("SPS014", "case:3")]


def test_a_name_alone_is_no_result(rows: Rows, codes: Codes) -> None:
    content = "pkg: a\nBenchmarkGood\nBenchmarkGood-8 1 5 ns/op\n"

    assert len(rows(content)) == 1
    assert codes(content) == []


def test_the_output_of_another_tool_in_this_form(rows: Rows) -> None:
    with pytest.raises(UnknownFormatError):
        rows("BenchmarkModel/name=m/step=other 1 5 ns/fortnight\n")
