"""What every reader keeps to, over every fixture artifact."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import specstats
from specstats.bench import Bench, Run
from specstats.errors import AmbiguousFormatError
from specstats.readers import _registry
from specstats.readers._base import Batch
from specstats.readers._marks import Marks
from specstats.readers._registry import READERS, choose
from specstats.readers.llamacpp import server as llama_server
from specstats.schema import TABLES
from specstats.source import Source

ARTIFACTS = Path(__file__).parent / "artifacts"
CASES = sorted(
    path.relative_to(ARTIFACTS).as_posix()
    for path in ARTIFACTS.rglob("*")
    if path.is_file()
)
# A bare error body says so little that a stranger's keys make it a stranger.
JSON_CASES = [
    name
    for name in CASES
    if name.endswith((".json", ".jsonl")) and "/errors/" not in name
]
OF_READERS = [
    module
    for name, module in sys.modules.items()
    if name.startswith("specstats.readers.")
]
OF_THE_FILE = ("source", "entry")
Values = dict[str, dict[str, list[object]]]


@pytest.fixture(params=[*CASES, "specstats-parquet/made"])
def case(
    request: pytest.FixtureRequest,
    artifacts: Path,
    to_parquet: Callable[[pa.Table], bytes],
) -> Source:
    """Give each fixture artifact; the Parquet one is made from the JSONL one."""
    name: str = request.param
    if name in CASES:
        return Source(name=name, file=artifacts / name)
    bench = specstats.read(artifacts / "specstats-jsonl/requests/requests.jsonl")
    return Source(name=name, data=to_parquet(bench.requests))


def columns_of(batches: Iterator[Batch]) -> Values:
    merged: Values = {}
    for batch in batches:
        for table, columns in batch.tables.items():
            for name, values in columns.items():
                merged.setdefault(table, {}).setdefault(name, []).extend(values)
    return merged


def test_every_reader_has_an_artifact() -> None:
    have = {name.partition("/")[0] for name in CASES} | {"specstats-parquet"}

    assert have == {reader.name for reader in READERS}


def test_names_of_readers_are_unique() -> None:
    names = [reader.name for reader in READERS]

    assert len(set(names)) == len(names)
    assert all(reader.label and reader.levels and reader.boundary for reader in READERS)


def test_claimed_by_its_own_reader_alone(case: Source) -> None:
    head = case.head()
    claims = [reader.name for reader in READERS if reader.claim(head, "x").score]

    assert claims == [case.name.partition("/")[0]]
    assert choose(case).name == claims[0]


def test_the_name_of_a_file_decides_nothing(case: Source) -> None:
    head = case.head()

    for reader in READERS:
        names = ("", "bench.csv", "llama-bench.json", case.name)
        assert len({reader.sniff(head, name) for name in names}) == 1


def test_parsing_is_deterministic(case: Source) -> None:
    reader = choose(case)

    assert list(reader.parse(case)) == list(reader.parse(case))


def test_columns_are_those_of_the_schema_and_equally_long(case: Source) -> None:
    batches = list(choose(case).parse(case))

    for batch in batches:
        for name, columns in batch.tables.items():
            assert tuple(columns) == TABLES[name].names
            assert len({len(values) for values in columns.values()}) == 1
            schema = TABLES[name].arrow_schema()
            assert pa.table(dict(columns), schema=schema).num_rows == batch.count(name)
    assert any(batch.tables for batch in batches)


def test_entries_are_counted_and_rows_located(case: Source) -> None:
    batches = list(choose(case).parse(case))
    entries = sum(batch.entries for batch in batches)
    parsed = sum(batch.parsed for batch in batches)
    skipped = [
        item for batch in batches for item in batch.findings if item.code == "SPS002"
    ]

    assert 0 < parsed <= entries
    assert len(skipped) >= entries - parsed
    for table in columns_of(iter(batches)).values():
        assert set(table["source"]) == {case.name}
        assert all(isinstance(entry, int) and entry > 0 for entry in table["entry"])
    for batch in batches:
        assert all(item.where[0].startswith(case.name) for item in batch.findings)


def test_settings_are_flat_json(case: Source) -> None:
    for table in columns_of(choose(case).parse(case)).values():
        for text in table.get("settings", []):
            settings = json.loads(str(text)) if text is not None else {}
            assert all(key.startswith(("cfg.", "id.")) for key in settings)
            assert not any(isinstance(item, dict | list) for item in settings.values())


@pytest.mark.parametrize("name", JSON_CASES)
def test_unknown_keys_change_no_value(name: str, artifacts: Path) -> None:
    content = (artifacts / name).read_text(encoding="utf-8")
    future = '{"zz_future": {"a": [1, null]}, "zz_other": "x", '
    changed = "\n".join(
        future + line[1:] if line.startswith("{") and line.endswith("}") else line
        for line in content.splitlines()
    )
    if name.endswith(".json"):
        changed = content.replace("{", future, 1)
    first = Source(name="x", data=content.encode())
    second = Source(name="x", data=changed.encode())

    before = columns_of(choose(first).parse(first))
    after = columns_of(choose(second).parse(second))

    assert changed != content
    assert without_bytes(after) == without_bytes(before)


def without_bytes(tables: Values) -> Values:
    """Leave out what follows from all keys or from the digest of the file."""
    return {
        table: {
            name: values
            for name, values in columns.items()
            if name not in {"settings", "process"}
        }
        for table, columns in tables.items()
    }


def test_parquet_round_trip(case: Source) -> None:
    before = read_alone(case.document())

    for table in TABLES:
        rows = getattr(before, table)
        if not rows.num_rows:
            continue
        sink = io.BytesIO()
        pq.write_table(rows, sink, compression="zstd")
        again = read_alone(sink.getvalue())
        kept = [name for name in rows.column_names if name not in OF_THE_FILE]
        assert getattr(again, table).select(kept).equals(rows.select(kept))
        if table == "requests":
            assert [plain(run) for run in again.runs] == [
                plain(run) for run in before.runs
            ]


def read_alone(content: bytes) -> Bench:
    return specstats.read(content)


def plain(run: Run) -> tuple[object, ...]:
    return (
        *(run.run_id, run.arm, run.block, run.boundary, run.order, run.started_s),
        *(run.settings, run.varying, run.processes, run.n_requests, run.n_failed),
    )


def test_small_batches_give_the_same_rows(
    case: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = choose(case)
    whole = list(reader.parse(case))

    for module in OF_READERS:
        for constant in ("_ROWS_A_BATCH", "ROWS_A_BATCH"):
            if hasattr(module, constant):
                monkeypatch.setattr(module, constant, 1)
    parts = list(reader.parse(case))

    assert columns_of(iter(parts)) == columns_of(iter(whole))
    for counted in ("entries", "parsed"):
        assert sum(getattr(part, counted) for part in parts) == sum(
            getattr(batch, counted) for batch in whole
        )
    assert [item for part in parts for item in part.findings] == [
        item for batch in whole for item in batch.findings
    ]


def test_two_readers_that_claim_equally(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = replace(llama_server.READER, name="twin")
    marks = Marks([*READERS, twin])
    monkeypatch.setattr(_registry, "READERS", (*READERS, twin))
    monkeypatch.setattr(_registry, "_marks", lambda: marks)
    source = Source(name="x", data=b'{"timings":{"predicted_n":1}}')

    with pytest.raises(AmbiguousFormatError, match=r"x: claimed by 'llama-server' and"):
        choose(source)
    assert choose(source, format_name="twin") is twin


def test_formats_are_listed_in_order() -> None:
    assert specstats.formats() == READERS
