"""criterion.rs: batches, estimates, relative changes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.errors import MalformedArtifactError, UnknownFormatError

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("0.5/sample.json", [100e-9, 110e-9, 100e-9]),
        ("0.2/sample-lists.txt", [100e-9, 110e-9]),
        ("0.2/raw.csv", [100e-9, 110e-9]),
        ("0.5/raw.csv", [100e-9]),
    ],
)
def test_batches_are_divided(
    name: str, seconds: list[float], artifacts: Path, rows: Rows
) -> None:
    found = rows((artifacts / "criterion" / name).read_bytes())

    assert [row["e2e_s"] for row in found] == pytest.approx(seconds)
    assert len({row["process"] for row in found}) == 1
    assert [row["repetition"] for row in found] == list(range(len(seconds)))


def test_names_stand_in_raw_tables_only(artifacts: Path, rows: Rows) -> None:
    named = rows((artifacts / "criterion/0.2/raw.csv").read_bytes())
    other = rows((artifacts / "criterion/0.5/raw.csv").read_bytes())

    assert {row["prompt_id"] for row in named} == {"decode/draft/4"}
    assert {row["prompt_id"] for row in other} == {"decode"}


def test_estimates(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "criterion/0.5/estimates.json").read_bytes()
    found = rows(content, "aggregates")

    assert [(row["metric"], row["statistic"]) for row in found] == [
        ("e2e", "mean"),
        ("e2e", "median"),
        ("e2e_mad", "value"),
    ]
    assert [row["value"] for row in found] == pytest.approx([100e-9, 99e-9, 4e-9])
    assert found[0]["sd"] == pytest.approx(5e-9)


def test_changes_are_relative(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "criterion/0.2/change-estimates.json").read_bytes()
    found = rows(content, "aggregates")

    assert {row["metric"] for row in found} == {"e2e_relative_change"}
    assert {row["unit"] for row in found} == {"1"}
    assert [row["value"] for row in found] == [0.02, -0.01]


def test_samples_that_cannot_be_used(rows: Rows, codes: Codes) -> None:
    content = json.dumps(
        {
            "sampling_mode": "Flat",
            "iters": [10, 0, "x", 10, 10],
            "times": [100, 100, 100, None, -5],
        }
    )

    assert len(rows(content)) == 1
    assert codes(content) == [("SPS002", f"case:{entry}") for entry in (2, 3, 4, 5)]


def test_a_row_of_another_unit(codes: Codes) -> None:
    header = "group,function,value,throughput_num,throughput_type,"
    header += "sample_measured_value,unit,iteration_count\n"

    assert codes(header + "a,,,,,5,ns,1\na,,,,,5,cycles,1\na,b\n") == [
        ("SPS002", "case:3"),
        ("SPS002", "case:4"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        '{"sampling_mode": "Flat", "iters": [1, 2], "times": [5]}',
        '{"sampling_mode": "Flat", "iters": [1, 2], "times": "x"}',
        "[[1.0, 2.0], [3.0, ",
    ],
)
def test_counts_and_times_that_cannot_be_paired(content: str, rows: Rows) -> None:
    with pytest.raises(MalformedArtifactError):
        rows(content)


@pytest.mark.parametrize(
    "content",
    [
        "[4.2, 4.4, 4.9, 5.1]",
        "[[1.0, 2.0], [3.0]]",
        '{"group_id": "G", "function_id": "F", "full_id": "G/F"}',
        '[[1, 2], ["x", "y"]]',
    ],
)
def test_files_without_times_are_not_claimed(content: str, rows: Rows) -> None:
    with pytest.raises(UnknownFormatError):
        rows(content)
