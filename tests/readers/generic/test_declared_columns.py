"""Plain tables whose columns the user declares."""

from collections.abc import Callable

import pyarrow as pa
import pytest

from specstats.errors import DesignError, MalformedArtifactError
from specstats.readers._base import Batch
from specstats.readers.tables import columns_from, table_reader
from specstats.source import Source

CONTENT = """launch_no,method,q,speed,latency,wait_ms,drafted,kept,size
1,base,p1,50.0,120,80,,,8
1,spec,p1,99.0,110,90,160,60,8
2,spec,p2,98.0,115,95,150,50,8
"""
MAPPING = {
    "run": "launch_no",
    "arm": "method",
    "prompt": "q",
    "decode_rate": "speed",
    "ttft_ms": "latency",
    "e2e": "wait_ms",
    "n_draft": "drafted",
    "n_accepted": "kept",
    "cfg.batch_size": "size",
}


def parsed(content: str | bytes, mapping: dict[str, str]) -> list[Batch]:
    data = content.encode() if isinstance(content, str) else content
    return list(table_reader(mapping).parse(Source(name="x", data=data)))


def column(batches: list[Batch], name: str) -> list[object]:
    return [
        value
        for batch in batches
        for value in batch.tables.get("requests", {}).get(name, [])
    ]


def test_launches_are_declared() -> None:
    batches = parsed(CONTENT, MAPPING)

    assert column(batches, "run_id") == ["1", "1", "2"]
    assert set(column(batches, "run_boundary")) == {"declared"}
    assert column(batches, "arm") == ["base", "spec", "spec"]
    assert column(batches, "prompt_id") == ["p1", "p1", "p2"]
    assert [item.code for batch in batches for item in batch.findings] == ["SPS006"] * 3


def test_units_are_declared_or_told_by_the_column() -> None:
    batches = parsed(CONTENT, MAPPING)

    assert column(batches, "ttft_s") == pytest.approx([0.12, 0.11, 0.115])
    assert column(batches, "e2e_s") == pytest.approx([0.08, 0.09, 0.095])
    assert column(batches, "engine_rate_tps") == [50.0, 99.0, 98.0]
    assert column(batches, "n_accepted") == [None, 60, 50]
    assert set(column(batches, "settings")) == {'{"cfg.batch_size": 8}'}


def test_nothing_else_is_read() -> None:
    content = "arm,prompt,tok_s,ttft_ms,temperature\na,p,5,80,1\n"
    batches = parsed(content, {"run": "arm", "decode_rate": "tok_s"})

    for name in ("arm", "prompt_id", "ttft_s", "settings"):
        assert column(batches, name) == [None]


def test_json_and_columnar_files(to_parquet: Callable[[pa.Table], bytes]) -> None:
    mapping = {"run": "no", "decode_rate": "speed"}
    lines = '{"no": 1, "speed": 5}\n{"no": 2, "speed": 6, "late": 1}\n'
    table = pa.table({"no": [1, 2], "speed": [5.0, 6.0]})

    for content in (lines, to_parquet(table)):
        batches = parsed(content, mapping)
        assert column(batches, "run_id") == ["1", "2"]
        assert column(batches, "engine_rate_tps") == [5, 6]


def test_without_a_run_the_boundary_is_unknown() -> None:
    batches = parsed(CONTENT, {"decode_rate": "speed"})

    assert set(column(batches, "run_boundary")) == {"unknown"}
    assert [item.code for item in batches[0].findings] == ["SPS012"]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"decode_rte": "speed"}, r"no column name 'decode_rte'.*'decode_rate'"),
        ({"run": "launch_no"}, "nothing that is measured"),
        ({}, "nothing that is measured"),
        ({"n_draft": "drafted"}, "nothing that is measured"),
        ({"ttft": "latency", "ttft_ms": "latency"}, "declare the same thing"),
        ({"decode_rate": "speed", "run": "a", "run_id": "b"}, "declare the same thing"),
    ],
)
def test_mappings_that_mean_nothing(mapping: dict[str, str], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        table_reader(mapping)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"decode_rate": "sped"}, r"column 'sped' is not in the data.*'speed'"),
        ({"decode_rate": "zzz"}, r"column 'zzz' is not in the table, which has 'laun"),
        ({"ttft": "latency"}, "write ttft_ms=latency or ttft_s=latency"),
        ({"e2e_s": "wait_ms"}, "tell different units"),
    ],
)
def test_mappings_that_do_not_fit(mapping: dict[str, str], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        parsed(CONTENT, mapping)


def test_claims_tables_that_have_the_columns() -> None:
    reader = table_reader({"run": "no", "decode_rate": "speed"})

    assert reader.claim(b"no;speed\n1;2\n", "x").score == 100
    assert reader.claim(b'{"no": 1, "speed": 2}', "x").score == 100
    assert reader.claim(b"no,sped\n1,2\n", "x").score == 0
    assert "'speed'" in reader.claim(b"no,sped\n1,2\n", "x").why
    assert reader.claim(b"plain words\n", "x").score == 0


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(MalformedArtifactError, match="no header"):
        parsed("words\n", {"decode_rate": "speed"})


def test_options_are_split_at_the_first_sign() -> None:
    assert columns_from(["run=no", "decode_rate=a=b, ttft_ms = wait"]) == {
        "run": "no",
        "decode_rate": "a=b",
        "ttft_ms": "wait",
    }


@pytest.mark.parametrize("pairs", [["run"], ["=x"], ["run="], ["run=a", "run=b"]])
def test_options_that_declare_nothing(pairs: list[str]) -> None:
    with pytest.raises(DesignError):
        columns_from(pairs)
