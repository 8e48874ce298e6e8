"""nvidia-smi telemetry: values against hand-computed ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
COLUMNS = ("temperature_c", "power_w", "utilisation_pct", "memory_mib")
HEADER = "timestamp, power.draw [W]\n"


def values(rows: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in COLUMNS) for row in rows]


def test_units_in_cells(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "nvidia-smi/units-in-cells/telemetry.csv").read_bytes()

    found = rows(content, "telemetry")

    assert values(found) == [
        (44, 9.5, 0, 208),
        (57, 172.38, 98, 7824),
        (56, None, 94, 7824),
    ]
    # 2026-08-02 14:40:00.25 read as if it were UTC.
    assert [row["local_time_s"] for row in found] == [
        *(1785681600.25, 1785681600.75, 1785681601.25)
    ]
    assert [row["entry"] for row in found] == [2, 3, 4]


def test_units_in_the_header(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "nvidia-smi/units-in-header/telemetry.csv").read_bytes()

    found = rows(content, "telemetry")

    assert values(found) == [(30, 119.66, 31, 1234), (71, 700.0, 100, 143771)]
    assert [row["gpu"] for row in found] == ["0", "1"]
    assert codes(content) == [("SPS002", "case:4")]


def test_no_header(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "nvidia-smi/no-header/telemetry.csv").read_bytes()

    assert values(rows(content, "telemetry")) == [
        (52, 36.5, 0, 7524),
        (58, 149.1, 98, 7524),
        (64, 140.25, 97, 7524),
    ]
    assert codes(content) == [("SPS011", "case")]


def test_columns_that_cannot_be_told_stay_unnamed(rows: Rows) -> None:
    line = "2026/08/02 14:40:00, 50, 60, 30.5, 900\n"

    (row,) = rows(line, "telemetry")

    assert values([row]) == [(None, 30.5, None, 900)]


def test_two_columns_of_one_kind_are_not_guessed(rows: Rows) -> None:
    (row,) = rows("2026/08/02 14:40:00, 30.5, 40.5\n", "telemetry")

    assert values([row]) == [(None, None, None, None)]


@pytest.mark.parametrize("power", ["9" * 400, "1e5", "nan", "inf", "9.5 kW", "\u0669"])
def test_power_that_is_none(power: str, rows: Rows, codes: Codes) -> None:
    content = f"{HEADER}2026/08/02 14:40:00, {power}\n"

    assert rows(content, "telemetry") == []
    assert codes(content) == [("SPS002", "case:2")]


@pytest.mark.parametrize("power", ["", "N/A", "[N/A]", "[Not Supported]"])
def test_power_that_is_missing(power: str, rows: Rows) -> None:
    (row,) = rows(f"{HEADER}2026/08/02 14:40:00, {power}\n", "telemetry")

    assert row["power_w"] is None


@pytest.mark.parametrize(
    "clock",
    ["2026/13/02 14:40:00", "2026/02/30 14:40:00", "2026-08-02 14:40:00", "", "0"],
)
def test_clocks_that_are_none(clock: str, codes: Codes) -> None:
    assert codes(f"{HEADER}{clock}, 5.0 W\n") == [("SPS002", "case:2")]


def test_no_header_and_a_number_too_long_for_a_float(rows: Rows) -> None:
    line = f"2026/08/02 14:40:00, 30.5, {'9' * 400}\n"

    assert values(rows(line, "telemetry")) == [(None, 30.5, None, None)]
