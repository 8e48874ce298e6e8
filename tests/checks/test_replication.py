"""SPS101, SPS103, SPS109, SPS212: what counts as a replicate."""

import json
from pathlib import Path

import pytest

import specstats
from specstats import Design, Findings, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")


def check(rows: list[dict[str, object]], design: Design = DESIGN) -> Findings:
    return specstats.check(read_rows(rows), design)


@pytest.mark.parametrize(("base", "new", "arms"), [(1, 1, 2), (1, 3, 1), (4, 1, 1)])
def test_one_launch(base: int, new: int, arms: int) -> None:
    found = check(launch_rows({"base": BASE[:base], "new": NEW[:new]}, n_requests=4))
    errors = found.of("SPS101").errors
    assert len(errors) == arms
    assert "4 requests" in errors[0].message


def test_two_launches_are_not_one() -> None:
    assert "SPS101" not in check(launch_rows({"base": BASE[:2], "new": NEW[:2]})).codes


@pytest.mark.parametrize("unit", ["request", "prompt"])
def test_a_unit_below_the_launch(unit: str) -> None:
    design = Design(baseline="base", unit=unit)  # type: ignore[arg-type]
    bench = read_rows(launch_rows({"base": BASE, "new": NEW}))
    found = specstats.speedup(bench, design)
    assert found.verdict is Verdict.REFUSED
    assert "SPS103" in found.findings.errors.codes


def response(cached: int, rate: float, pid: int | None = None) -> str:
    timings = {
        "cache_n": cached,
        "prompt_n": 34 - cached,
        "prompt_ms": 200.0 + rate,
        "predicted_n": 128,
        "predicted_ms": 1000 * 128 / rate,
        "predicted_per_second": rate,
    }
    body: dict[str, object] = {
        "choices": [{"finish_reason": "length", "message": {"content": "x"}}],
        "timings": timings,
    }
    if pid is not None:
        body |= {"pid": pid, "process_start": 1.78e9 + pid}
    return json.dumps(body)


def folder_of(
    folder: Path, cached: list[int], pids: list[int] | None = None
) -> specstats.Bench:
    for arm, rates in (("base", BASE), ("new", NEW)):
        for run, rate in enumerate(rates):
            own = cached[run] if arm == "base" else 0
            pid = None if pids is None or arm == "new" else pids[run]
            (folder / f"{arm}-{run}.json").write_text(response(own, rate, pid))
    return specstats.read(folder, layout="{arm}-{run}.json")


@pytest.mark.parametrize(
    ("cached", "refused"),
    [([0, 7, 7, 7], True), ([0, 0, 0, 7], True), ([0, 0, 0, 0], False)],
)
def test_a_cached_first_request_proves_a_shared_server(
    tmp_path: Path, cached: list[int], refused: bool
) -> None:
    found = specstats.speedup(folder_of(tmp_path, cached), DESIGN)
    assert (found.verdict is Verdict.REFUSED) == refused
    assert ("SPS103" in found.findings.errors.codes) == refused


@pytest.mark.parametrize(
    ("pids", "refused"), [([1, 1, 2, 3], True), ([1] * 4, True), ([1, 2, 3, 4], False)]
)
def test_declared_launches_of_one_process(
    tmp_path: Path, pids: list[int], refused: bool
) -> None:
    found = specstats.speedup(folder_of(tmp_path, [0] * 4, pids), DESIGN)
    assert (found.verdict is Verdict.REFUSED) == refused
    assert ("SPS103" in found.findings.errors.codes) == refused


def test_one_process_behind_two_arms() -> None:
    rows = launch_rows({"base": BASE, "new": NEW})
    rows = [{**row, "process": str(row["run"])[-1]} for row in rows]
    found = specstats.speedup(read_rows(rows), DESIGN)
    assert found.verdict is Verdict.REFUSED
    assert "SPS103" in found.findings.errors.codes


def test_byte_identical_repeats() -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=2)
    rows = [
        {**row, "output_sha256": "x", "n_draft": 9, "n_accepted": 5} for row in rows
    ]
    found = check(rows).of("SPS109")
    assert len(found) == 2
    assert "7 of 8 requests" in found[0].message
    fresh = [{**row, "output_sha256": str(k)} for k, row in enumerate(rows)]
    assert "SPS109" not in check(fresh).codes


@pytest.mark.parametrize(
    ("base", "new", "fires"),
    [(2, 4, False), (2, 5, True), (5, 2, True), (1, 3, False)],
)
def test_unequal_replication(base: int, new: int, fires: bool) -> None:
    base_rates, new_rates = [*BASE, 99.9][:base], [*NEW, 110.2][:new]
    found = check(launch_rows({"base": base_rates, "new": new_rates}))
    assert ("SPS212" in found.codes) == fires
