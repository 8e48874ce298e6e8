"""Telemetry belongs to an arm or run by declaration, else by time."""

import json
from pathlib import Path

import pytest

import specstats
from specstats.bench import Bench

# Requests end at these Unix times; telemetry clocks run two hours ahead of UTC.
ENDS = {"a": 1785672010.0, "b": 1785672040.0}
CLOCKS = ("14:00:05", "14:00:10", "14:00:25", "14:00:40", "14:00:41", "14:00:59")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for arm, end in ENDS.items():
        timings = {"predicted_n": 10, "predicted_ms": 1000.0}
        entry = {"timings": timings, "created": end}
        earlier = {"timings": {**timings, "predicted_ms": 900.0}, "created": end - 6}
        content = f"{json.dumps(earlier)}\n{json.dumps(entry)}\n"
        (tmp_path / f"{arm}-1.jsonl").write_text(content)
    lines = [f"2026/08/02 {clock}, {50 + n}.5 W" for n, clock in enumerate(CLOCKS)]
    (tmp_path / "smi.csv").write_text(
        "\n".join(["timestamp, power.draw [W]", *lines, ""])
    )
    return tmp_path


def placed(bench: Bench) -> list[tuple[object, object]]:
    return list(
        zip(
            bench.column("telemetry", "arm"),
            bench.column("telemetry", "run_id"),
            strict=True,
        )
    )


def manifest(folder: Path, telemetry: str) -> Bench:
    (folder / "study.toml").write_text(
        '[study]\nlayout = "{arm}-{run}.jsonl"\n'
        f'[[telemetry]]\nfiles = ["smi.csv"]\n{telemetry}\n'
    )
    return specstats.read(folder)


def test_nothing_says_where(folder: Path) -> None:
    bench = specstats.read(folder)

    assert set(placed(bench)) == {(None, None)}
    assert ("smi.csv",) in [item.where for item in bench.findings.of("SPS013")]


def test_by_time_with_a_zone(folder: Path) -> None:
    bench = manifest(folder, 'timezone = "+02:00"')

    a, b = ("a", "a/1"), ("b", "b/1")
    assert placed(bench) == [a, a, (None, None), b, b, (None, None)]
    assert not bench.findings.of("SPS013")


def test_another_zone_is_another_time(folder: Path) -> None:
    assert set(placed(manifest(folder, 'timezone = "Z"'))) == {(None, None)}


def test_by_arm(folder: Path) -> None:
    assert set(placed(manifest(folder, 'arm = "b"'))) == {("b", None)}


def test_by_run(folder: Path) -> None:
    assert set(placed(manifest(folder, 'run = "b/1"'))) == {("b", "b/1")}
    assert set(placed(manifest(folder, 'run = "1"\narm = "a"'))) == {("a", "a/1")}


def test_by_a_run_of_the_manifest(folder: Path) -> None:
    runs = "".join(
        f'[[runs]]\nrun = "R"\narm = "{arm}"\nfiles = ["{arm}-1.jsonl"]\n'
        for arm in ENDS
    )
    (folder / "study.toml").write_text(
        f'{runs}[[telemetry]]\nfiles = ["smi.csv"]\nrun = "R"\narm = "b"\n'
    )

    assert set(placed(specstats.read(folder))) == {("b", "b/R")}


def test_by_glob(folder: Path) -> None:
    bench = specstats.read(folder, arms={"a": "a-*", "b": "[bs]*"})

    assert set(placed(bench)) == {("b", None)}


def test_a_file_a_run_is_not_said_of_telemetry(folder: Path) -> None:
    bench = specstats.read(folder, run_per_file=True)

    assert len(bench.runs) == 2
    assert set(placed(bench)) == {(None, None)}


def test_values_are_kept(folder: Path) -> None:
    bench = specstats.read(folder)

    assert bench.column("telemetry", "power_w") == [50.5 + n for n in range(6)]
    assert bench.column("telemetry", "local_time_s")[0] == 1785679205.0
