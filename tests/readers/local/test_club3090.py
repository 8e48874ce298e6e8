"""The club-3090 benchmark text, and what all readers of local engines share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.readers._base import Batch
from specstats.readers.local import READERS, _sink
from specstats.source import Source

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
ARTIFACTS = Path(__file__).parent.parent / "artifacts"
CASES = [
    (reader, path)
    for reader in READERS
    for path in sorted((ARTIFACTS / reader.name).rglob("*"))
    if path.is_file()
]


@pytest.fixture
def bench(artifacts: Path) -> str:
    return (artifacts / "club3090-bench/2026-05/bench.txt").read_text("utf-8")


def test_runs_and_warm_ups(bench: str, rows: Rows, codes: Codes) -> None:
    found = rows(bench)

    assert [row["phase"] for row in found] == ["warmup", None, None]
    assert [row["repetition"] for row in found] == [0, 0, 1]
    assert {row["workload"] for row in found} == {"story"}
    assert {row["settings"] for row in found} == {'{"cfg.max_tokens.story": 100}'}
    assert [row["n_output"] for row in found] == [100] * 3
    assert [row["e2e_s"] for row in found] == [5.5, 2.2, 2.7]
    assert [row["ttft_s"] for row in found] == [3.5, 0.2, 0.2]
    assert [row["decode_s"] for row in found] == pytest.approx([2.0, 2.0, 2.5])
    assert [row["engine_rate_tps"] for row in found] == [50.0, 50.0, 40.0]
    assert {row["rate_convention"] for row in found} == {"n"}
    assert codes(bench) == []


def test_the_summary(bench: str, rows: Rows) -> None:
    found = [row for row in rows(bench, "aggregates") if row["scope"] == "runs"]
    means = {str(row["metric"]): row for row in found if row["statistic"] == "mean"}

    # The deviation of 50 and 40 is 10 over the root of 2.
    assert means["decode_rate"]["value"] == 45.0
    assert means["decode_rate"]["sd"] == 7.07
    assert (means["ttft"]["value"], means["ttft"]["unit"]) == (0.2, "s")
    assert {row["n"] for row in found} == {2}
    assert len(found) == 9


def test_draft_windows(bench: str, rows: Rows, codes: Codes) -> None:
    (window,) = rows(bench, "counters")

    assert (window["n_accepted"], window["n_draft"], window["n_verify"]) == (
        150,
        200,
        100,
    )
    assert window["accepted_by_position"] == "[90, 60]"
    assert (window["scope"], window["duration_s"]) == ("window", 10.0)
    told = [row for row in rows(bench, "aggregates") if row["scope"] == "window"]
    assert [(row["metric"], row["value"]) for row in told] == [
        ("mean_accepted_length", 2.5),
        ("acceptance_rate", 0.75),
    ]
    (bare,) = rows(bench.replace("length: 2.50", "length: 2.10"), "counters")
    assert (bare["n_verify"], bare["accepted_by_position"]) == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("mean=  45.00", "mean=  46.00", ("SPS006", "case:12")),
        ("std=  7.07", "std=  5.00", ("SPS009", "case:12")),
        ("wall_TPS= 37.04", "wall_TPS= 47.04", ("SPS006", "case:8")),
        ("decode_TPS= 50.00\n\n", "decode_TPS= 70.00\n\n", ("SPS006", "case:4")),
        ("rate: 75.0%", "rate: 85.0%", ("SPS006", "case:19")),
        ("Accepted: 150 tokens", "Accepted: many", ("SPS002", "case:19")),
        ("Accepted: 150 tokens", "Accepted: 250 tokens", ("SPS002", "case:19")),
        ("wall=  5.50s", "wall=    --s", ("SPS002", "case:4")),
        (
            "3500ms  toks= 100  wall_TPS= 18.18",
            "3500ms  toks= 0  wall_TPS= 18.18",
            ("SPS007", "case:4"),
        ),
    ],
)
def test_lines_that_do_not_fit(
    before: str, after: str, found: tuple[str, str], bench: str, codes: Codes
) -> None:
    assert before in bench

    assert found in codes(bench.replace(before, after))


def rows_of(batches: list[Batch]) -> dict[tuple[str, str], list[object]]:
    merged: dict[tuple[str, str], list[object]] = {}
    for batch in batches:
        for table, columns in batch.tables.items():
            for name, values in columns.items():
                merged.setdefault((table, name), []).extend(values)
    return merged


@pytest.mark.parametrize(
    ("reader", "path"), CASES, ids=lambda x: getattr(x, "name", "")
)
def test_small_batches_give_the_same_rows(
    reader: object, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = next(x.parse for x in READERS if x is reader)
    source = Source(name="case", file=path)
    whole = list(parse(source))

    monkeypatch.setattr(_sink, "ROWS_A_BATCH", 1)
    parts = list(parse(source))

    assert rows_of(parts) == rows_of(whole)
    assert sum(x.parsed for x in parts) == sum(x.parsed for x in whole)
    assert [x for part in parts for x in part.findings] == [
        x for batch in whole for x in batch.findings
    ]


@pytest.mark.parametrize(
    ("reader", "path"), CASES, ids=lambda x: getattr(x, "name", "")
)
def test_any_beginning_of_a_file(reader: object, path: Path) -> None:
    parse = next(x.parse for x in READERS if x is reader)
    content = path.read_bytes()

    for cut in range(0, len(content), 7):
        for batch in parse(Source(name="case", data=content[:cut])):
            assert batch.parsed <= batch.entries
            assert all(item.where for item in batch.findings)
