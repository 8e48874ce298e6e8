"""Counters of processes: differences of readings, never across a restart."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import specstats
from specstats.bench import Bench
from specstats.bench.convert import convert
from specstats.layout import Layout

Row = dict[str, object]
HEADER = '{"specstats.table": "counters"}'
METRICS = Path(__file__).parents[1] / "readers" / "artifacts" / "prometheus"


def read(*rows: Row) -> Bench:
    usual: Row = {"arm": "spec", "process": "p1", "scope": "lifetime"}
    lines = [HEADER, *(json.dumps({**usual, **row}) for row in rows)]
    return specstats.read("\n".join(lines).encode())


def deltas(bench: Bench) -> list[Row]:
    found: list[Row] = bench.counters.to_pylist()
    return [row for row in found if row["scope"] == "delta"]


def codes(bench: Bench) -> list[str]:
    return [item.code for item in bench.findings if item.code == "SPS006"]


FIRST: Row = {"ended_s": 100.0, "n_draft": 10, "n_accepted": 6, "n_output": 1000}
SECOND: Row = {"ended_s": 160.0, "n_draft": 50, "n_accepted": 30, "n_output": 1400}
THIRD: Row = {"ended_s": 200.0, "n_draft": 90, "n_accepted": 70, "n_output": 1500}
ROWS = (FIRST, SECOND, THIRD)


def test_two_readings_of_a_process_give_their_difference() -> None:
    bench = read(
        {**FIRST, "accepted_by_position": "[4, 2]", "n_steps": 5, "n_requests": 1},
        {**SECOND, "accepted_by_position": "[20, 10]", "n_steps": 25, "n_failed": 0},
    )

    (found,) = deltas(bench)
    assert (found["n_draft"], found["n_accepted"], found["n_output"]) == (40, 24, 400)
    assert (found["n_steps"], found["accepted_by_position"]) == (20, "[16, 8]")
    assert (found["n_requests"], found["n_failed"]) == (None, None)
    assert (found["started_s"], found["ended_s"]) == (100.0, 160.0)
    assert found["duration_s"] == 60.0
    assert (found["arm"], found["process"]) == ("spec", "p1")
    assert (found["source"], found["entry"]) == ("<bytes>", 3)
    assert [row["scope"] for row in bench.counters.to_pylist()].count("lifetime") == 2
    assert codes(bench) == []


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_three_readings_give_two_differences(order: tuple[int, ...]) -> None:
    bench = read(*(ROWS[place] for place in order))

    found = deltas(bench)
    assert [row["n_draft"] for row in found] == [40, 40]
    assert [row["n_accepted"] for row in found] == [24, 40]
    assert [row["started_s"] for row in found] == [100.0, 160.0]


def test_readings_without_a_clock_are_ordered_by_what_was_counted() -> None:
    rows = [
        {key: value for key, value in row.items() if key != "ended_s"}
        for row in (SECOND, FIRST)
    ]

    (found,) = deltas(read(*rows))

    assert (found["n_draft"], found["n_output"]) == (40, 400)
    assert (found["started_s"], found["duration_s"]) == (None, None)


@pytest.mark.parametrize("name", ["n_draft", "n_accepted", "n_output"])
def test_a_counter_that_went_back_is_a_contradiction(name: str) -> None:
    bench = read(FIRST, {**SECOND, name: 5})

    assert deltas(bench) == []
    (found,) = bench.findings.of("SPS006")
    assert found.where == ("<bytes>:3",)
    assert "went back" in found.message
    assert found.observed == f"{name} 5 after {FIRST[name]}"


def test_a_restart_between_readings_costs_that_difference_only() -> None:
    restarted: Row = {"ended_s": 170.0, "n_draft": 1, "n_accepted": 1, "n_output": 9}
    later: Row = {"ended_s": 180.0, "n_draft": 11, "n_accepted": 5, "n_output": 59}

    bench = read(FIRST, SECOND, restarted, later)

    assert [row["n_draft"] for row in deltas(bench)] == [40, 10]
    assert codes(bench) == ["SPS006"]


def test_readings_of_two_processes_are_not_subtracted() -> None:
    bench = read(FIRST, {**SECOND, "process": "p2"})

    assert deltas(bench) == []
    assert codes(bench) == []
    assert len(bench.runs) == 2


def test_readings_of_no_proved_process_are_not_subtracted() -> None:
    bench = read({**FIRST, "process": None}, {**SECOND, "process": None})

    assert deltas(bench) == []
    assert codes(bench) == []


def test_other_scopes_are_not_subtracted() -> None:
    bench = read({**FIRST, "scope": "window"}, {**SECOND, "scope": "window"})

    assert deltas(bench) == []
    assert [row["scope"] for row in bench.counters.to_pylist()] == ["window"] * 2


def test_two_drafters_of_one_process_are_told_apart() -> None:
    one, two = '{"cfg.drafter": "mtp"}', '{"cfg.drafter": "ngram"}'
    bench = read(
        {**FIRST, "settings": one},
        {"ended_s": 100.0, "n_draft": 500, "n_accepted": 50, "settings": two},
        {**SECOND, "settings": one},
        {"ended_s": 160.0, "n_draft": 700, "n_accepted": 60, "settings": two},
    )

    found = {row["settings"]: row for row in deltas(bench)}
    assert (found[one]["n_draft"], found[one]["n_accepted"]) == (40, 24)
    assert (found[two]["n_draft"], found[two]["n_accepted"]) == (200, 10)
    assert codes(bench) == []
    assert len(bench.runs) == 1


def test_a_process_that_counted_nothing_gives_no_row() -> None:
    bench = read(FIRST, {**FIRST, "ended_s": 160.0})

    assert deltas(bench) == []
    assert codes(bench) == []


@pytest.mark.parametrize("positions", ["[1]", "[1, 2, 3]", None])
def test_positions_of_another_length_have_no_difference(positions: object) -> None:
    bench = read(
        {**FIRST, "accepted_by_position": "[1, 2]"},
        {**SECOND, "accepted_by_position": positions},
    )

    (found,) = deltas(bench)
    assert found["accepted_by_position"] is None
    assert found["n_draft"] == 40


KEPT = ("scope", "n_draft", "n_accepted", "n_output", "started_s", "ended_s")


def test_saved_counters_are_not_subtracted_again(tmp_path: Path) -> None:
    before = read(FIRST, SECOND, THIRD)

    pq.write_table(before.counters, tmp_path / "counters.parquet")
    again = specstats.read(tmp_path)

    assert again.counters.select(KEPT).equals(before.counters.select(KEPT))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_converted_counters_give_the_same_differences(
    form: str, tmp_path: Path
) -> None:
    source, place = tmp_path / "counters.jsonl", tmp_path / "made"
    lines = [{"arm": "a", "process": "p", "scope": "lifetime", **row} for row in ROWS]
    source.write_text("\n".join([HEADER, *map(json.dumps, lines)]))

    convert(source, place, form=form, layout=Layout())

    before, again = specstats.read(source), specstats.read(place)
    assert len(deltas(before)) == 2
    assert again.counters.select(KEPT).equals(before.counters.select(KEPT))


@pytest.mark.parametrize("path", sorted(METRICS.rglob("*.prom")), ids=lambda x: x.stem)
def test_scrapes(path: Path) -> None:
    bench = specstats.read(path)
    lifetimes: dict[object, list[Row]] = {}
    for row in bench.counters.to_pylist():
        if row["scope"] == "lifetime" and row["process"] is not None:
            lifetimes.setdefault((row["process"], row["settings"]), []).append(row)

    expected = sum(max(len(rows) - 1, 0) for rows in lifetimes.values())

    assert len(deltas(bench)) + len(codes(bench)) <= expected
    for row in deltas(bench):
        assert all(
            value >= 0
            for name, value in row.items()
            if name.startswith("n_") and isinstance(value, int)
        )


def test_a_layout_puts_readings_of_two_files_together(tmp_path: Path) -> None:
    usual: Row = {"process": "p1", "scope": "lifetime"}
    for name, row in (("before", FIRST), ("after", SECOND)):
        path = tmp_path / "spec" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER + "\n" + json.dumps({**usual, **row}) + "\n")

    bench = specstats.read(tmp_path, layout="{arm}/{ignore}.jsonl")

    (found,) = deltas(bench)
    assert (found["arm"], found["source"]) == ("spec", "spec/after.jsonl")
    assert found["n_draft"] == 40
