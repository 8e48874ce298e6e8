"""Plain tables: names of columns, units, cells, loads."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import specstats
from specstats.errors import MalformedArtifactError, UnknownFormatError
from specstats.readers.tables import parquet
from specstats.readers.tables._aliases import plan_of, unit_in
from specstats.source import Source

Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[..., list[tuple[str, str]]]
UNKNOWN = ("SPS012", "case")


def table(header: str, *lines: str) -> str:
    return "\n".join((f"arm,prompt,{header}", *(f"a,p,{line}" for line in lines)))


def test_requests(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "table/comma/requests.csv").read_bytes()
    base, spec, failed = rows(content)

    assert (base["arm"], base["prompt_id"], base["repetition"]) == ("base", "p1", 0)
    assert (base["decode_s"], base["ttft_s"]) == (2.0, 0.08)
    assert (base["n_output"], base["engine_rate_tps"]) == (100, 50.0)
    assert (base["rate_convention"], spec["rate_convention"]) == ("n", "n-1")
    assert (base["n_draft"], spec["n_draft"], spec["n_accepted"]) == (None, 160, 60)
    assert (failed["ok"], failed["error"], failed["engine_rate_tps"]) == (
        *(False, "failed"),
        None,
    )
    assert json.loads(str(base["settings"])) == {
        "cfg.temperature": 0,
        "id.model": "m.gguf",
    }
    assert codes(content) == [UNKNOWN, ("SPS007", "case:4")]


def test_a_run_is_unknown_unless_declared(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "table/comma/requests.csv")

    assert [(run.arm, run.boundary) for run in bench.runs] == [
        ("base", "unknown"),
        ("spec", "unknown"),
    ]
    assert any("columns={'run'" in item.remedy for item in bench.findings)


def test_decimal_commas_are_not_guessed(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / "table/semicolon/latency.csv").read_bytes()

    assert [row["e2e_s"] for row in rows(content)] == [None, 2.5]
    assert [row["ttft_s"] for row in rows(content)] == [0.1, 0.1]
    assert codes(content) == [UNKNOWN, ("SPS002", "case:3")]


def test_loads(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "table/tab/loads.tsv").read_bytes()
    spec, base = rows(content, "counters")
    summaries = {row["metric"]: row for row in rows(content, "aggregates")[:3]}

    # 400 steps of 4 tokens, 0.375 of them accepted: 1 + 4 x 0.375 = 2.5.
    assert (spec["n_verify"], spec["n_draft"], spec["n_accepted"]) == (400, 1600, 600)
    assert (spec["n_requests"], spec["n_output"], spec["duration_s"]) == (8, 1000, 10)
    assert (base["n_draft"], base["n_accepted"], base["n_verify"]) == (None, None, None)
    # The rate of a load is no decode rate of a request.
    assert rows(content) == []
    assert summaries["output_throughput"]["value"] == 100
    assert summaries["mean_accepted_length"]["definition"] == "bonus token included"
    assert codes(content) == [UNKNOWN, ("SPS012", "case:2")]


def test_drafts_of_a_load_are_not_invented(rows: Rows) -> None:
    header = "tok_s,requests,num_drafts,acceptance_rate,mean_accept_len,k"
    found = rows(
        table(header, "9,8,400,0.375,3.1,4", "9,8,401,0.37511,2.50044,4"), "counters"
    )

    assert [(row["n_draft"], row["n_accepted"]) for row in found] == [(None, None)] * 2


def test_json_objects(artifacts: Path, rows: Rows) -> None:
    found = rows((artifacts / "table-jsonl/lines/requests.jsonl").read_bytes())

    assert [row["engine_rate_tps"] for row in found] == [50.0, 51.0]
    assert [row["phase"] for row in found] == ["warmup", None]
    assert [row["e2e_s"] for row in found] == [2.5, 2.4]


def test_json_in_an_array(rows: Rows, codes: Codes) -> None:
    content = '[{"arm": "a", "rep": 0, "tps": 5}, 7, {"arm": "a", "rep": 1, "tps": []}]'

    assert [row["entry"] for row in rows(content)] == [1]
    assert codes(content) == [
        UNKNOWN,
        ("SPS002", "case:2"),
        ("SPS002", "case:3"),
        ("SPS002", "case:3"),
    ]


def test_arrow_and_parquet(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "table-parquet/arrow/requests.arrow").read_bytes()
    found = rows(content)
    sink = io.BytesIO()
    pq.write_table(pa.ipc.open_file(io.BytesIO(content)).read_all(), sink)
    again = Source(name="case", data=sink.getvalue())
    batches = list(parquet.READER.parse(again))

    assert [row["engine_rate_tps"] for row in found] == [50.0, 99.5, None]
    assert [row["ttft_s"] for row in found] == pytest.approx([0.08, 0.09, 0.085])
    assert found[1]["n_accepted"] == 60
    assert batches[0].tables["requests"]["engine_rate_tps"] == [50.0, 99.5, None]


@pytest.mark.parametrize("content", [b"PAR1xPAR1", b"ARROW1\0\0junk", b"ARROW1"])
def test_broken_columnar_files(content: bytes) -> None:
    with pytest.raises(MalformedArtifactError, match="columnar"):
        list(parquet.READER.parse(Source(name="x", data=content)))


def test_a_columnar_file_without_a_known_column(
    to_parquet: Callable[[pa.Table], bytes],
) -> None:
    source = Source(name="x", data=to_parquet(pa.table({"colour": ["red"]})))

    with pytest.raises(MalformedArtifactError, match="'colour'"):
        list(parquet.READER.parse(source))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("ttft_ms", ("ttft", 1e-3)),
        ("TTFT (ms)", ("ttft", 1e-3)),
        ("Latency [s]", ("latency", 1.0)),
        ("e2e_us", ("e2e", 1e-6)),
        ("total-ns", ("total", 1e-9)),
        ("ttft", ("ttft", None)),
        ("s", ("s", None)),
        ("ttft (furlongs)", ("ttft_(furlongs)", None)),
    ],
)
def test_units_of_names(column: str, expected: tuple[str, float | None]) -> None:
    assert unit_in(column) == expected


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("tok/s", "decode_rate"),
        ("Decode (tok/s)", "decode_rate"),
        ("throughput [tokens/s]", "output_throughput"),
        ("prompt (tok/s)", None),
        ("acceptance_pct", "acceptance_rate"),
        ("accept rate (%)", "acceptance_rate"),
        ("predicted_ms", "decode"),
        ("prompt_ms", "prefill"),
        ("colour", None),
    ],
)
def test_names_of_columns(column: str, name: str | None) -> None:
    plan = plan_of(["arm", "e2e_ms", column])
    assert plan is not None

    found = [key for key, field in plan.fields.items() if field.column == column]
    assert found == ([] if name is None else [name])


@pytest.mark.parametrize(
    ("header", "line", "expected"),
    [
        ("tok_s", "50", []),
        ("tok_s,ttft", "50,350", [("SPS010", "case")]),
        ("tok_s,latency", "50,2", [("SPS010", "case")]),
        ("tok_s,ttft_ms", "50,350", []),
        ("tok_s,tps", "50,60", [("SPS011", "case")]),
        ("tok_s,ttft_ms", "50,1 234", [("SPS002", "case:2")]),
        ("tok_s,acceptance_rate", "50,37%", [("SPS002", "case:2")]),
        ("tok_s,acceptance_rate", "50,37.5", [("SPS010", "case:2")]),
        ("tok_s,acceptance_pct", "50,37.5", []),
        ("tok_s,ttft_s", "50,-1", [("SPS002", "case:2")]),
        ("tok_s,output_tokens", "50,1.5", [("SPS002", "case:2")]),
        ("tok_s,output_tokens,decode_s", "50,100,2", []),
        ("tok_s,output_tokens,decode_s", "70,100,2", [("SPS006", "case:2")]),
        ("tok_s,output_tokens,decode_s", "50,100,2000", [("SPS010", "case:2")]),
        ("tok_s,draft_n,draft_n_accepted", "50,10,11", [("SPS006", "case:2")]),
        ("tok_s,draft_n,draft_n_accepted", "50,10,10", []),
        (
            "tok_s,draft_n,draft_n_accepted,acceptance_rate",
            "50,10,5,0.9",
            [("SPS006", "case:2")],
        ),
        ("ttft_ms,latency_s", "90,0.05", [("SPS006", "case:2")]),
        ("ttft_ms,latency_s", "90,0.5", []),
        ("tok_s,status", "50,200", []),
        ("tok_s,status", "50,odd", [("SPS002", "case:2")]),
        ("tok_s,error", "50,out of memory", [("SPS007", "case:2")]),
    ],
)
def test_findings(
    header: str, line: str, expected: list[tuple[str, str]], codes: Codes
) -> None:
    found = codes(table(header, line, line.replace("odd", "ok")))
    first = [item for item in found if item[1] != "case:3"]

    assert [item for item in first if item != UNKNOWN] == expected


def test_percent_is_a_fraction(rows: Rows) -> None:
    found = rows(table("tok_s,acceptance_pct", "50,37.5"), "aggregates")

    assert found[0]["value"] == pytest.approx(0.375)


def test_a_time_without_a_unit_is_not_read(rows: Rows) -> None:
    assert rows(table("tok_s,ttft", "50,350"))[0]["ttft_s"] is None


@pytest.mark.parametrize("cell", ["", "NA", "nan", "null", "-"])
def test_a_missing_cell_is_no_fault(cell: str, rows: Rows, codes: Codes) -> None:
    content = table("tok_s,ttft_ms", f"50,{cell}")

    assert rows(content)[0]["ttft_s"] is None
    assert codes(content) == [UNKNOWN]


def test_quoted_cells(rows: Rows, codes: Codes) -> None:
    content = 'arm,prompt,tok_s\na,"one\ntwo, ""x""",5\na,"open,6\na,p,7\n'

    assert [(row["entry"], row["prompt_id"]) for row in rows(content)] == [
        (2, 'one\ntwo, "x"'),
        (5, "p"),
    ]
    assert codes(content) == [UNKNOWN, ("SPS002", "case:4")]


def test_rows_that_do_not_fit(rows: Rows, codes: Codes) -> None:
    content = table("tok_s", "5", "5,6", "x", "7")

    assert [row["engine_rate_tps"] for row in rows(content)] == [5, 7]
    assert [item for item in codes(content) if item != UNKNOWN] == [
        ("SPS002", "case:3"),
        ("SPS002", "case:4"),
        ("SPS002", "case:4"),
    ]


def test_repeats_are_counted_where_nothing_numbers_them(rows: Rows) -> None:
    content = "arm,run,tok_s\na,x,1\na,y,2\nb,x,3\n"

    assert [row["repetition"] for row in rows(content)] == [0, 1, 0]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("2026-01-02T00:00:00+00:00", 1767312000.0),
        ("2026-01-02T00:00:00Z", 1767312000.0),
        ("2026-01-02T00:00:00", None),
        ("1767312000.5", 1767312000.5),
        ("12", None),
        ("soon", None),
        ("9999-99-99T00:00:00Z", None),
    ],
)
def test_starts(cell: str, seconds: float | None, rows: Rows) -> None:
    assert rows(table("tok_s,started_at", f"5,{cell}"))[0]["started_s"] == seconds


@pytest.mark.parametrize(
    "content",
    [
        "arm,run,wall_s\na,1,5\n",
        "arm,prompt,tok_s\n",
        "tok_s,ttft_ms\n5,6\n",
        "arm,colour\na,red\n",
        "arm,run,tok_s,http_code\na,1,5,200\n",
        '{"arm": "a", "rep": 1, "colour": 5}',
        '{"arm": "a", "tok_s": 5, "choices": 1}',
        "arm tok_s\na 5\n",
    ],
)
def test_tables_that_are_not_claimed(content: str, rows: Rows) -> None:
    with pytest.raises(UnknownFormatError):
        rows(content)
