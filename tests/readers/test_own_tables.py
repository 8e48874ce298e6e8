"""specstats' own JSONL and Parquet: values, types and settings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import specstats
from specstats.errors import MalformedArtifactError, UnknownFormatError

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
HEADER = '{"specstats.table": "requests"}\n'


def test_requests(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "specstats-jsonl/requests/requests.jsonl").read_bytes()

    first, second, failed = rows(content)

    assert (first["arm"], first["run_id"], first["prompt_id"]) == ("base", "r1", "p1")
    assert (first["n_output"], first["decode_s"], first["ttft_s"]) == (100, 4.0, 0.25)
    assert (first["engine_rate_tps"], first["rate_convention"]) == (25.0, "n")
    assert json.loads(first["settings"]) == {"cfg.depth": 0, "id.model": "tiny"}
    assert (second["arm"], second["n_draft"], second["n_accepted"]) == ("spec", 60, 45)
    assert [item["ok"] for item in (first, second, failed)] == [True, True, False]
    assert failed["error"] == "500 Compute error."
    assert codes(content) == [("SPS002", "case:5")]


def test_all_tables(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / "specstats-jsonl/tables/tables.jsonl").read_bytes()

    (request,), (step,) = rows(content), rows(content, "steps")
    (sample,), (mean,) = rows(content, "telemetry"), rows(content, "aggregates")

    assert json.loads(request["settings"]) == {"cfg.depth": 2}
    assert (step["n_draft"], step["n_accepted"], step["step_s"]) == (4, 3, 0.125)
    assert (sample["power_w"], sample["memory_mib"]) == (150.25, 7524.0)
    assert (mean["prompt_id"], mean["value"], mean["sd"]) == ("tg128", 32.5, 0.25)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ('{"n_output": "5"}', "n_output"),
        ('{"n_output": 1.5}', "n_output"),
        ('{"n_output": true}', "n_output"),
        ('{"n_output": 9223372036854775808}', "n_output"),
        ('{"decode_s": "2"}', "decode_s"),
        ('{"decode_s": NaN}', "decode_s"),
        ('{"ok": 1}', "ok"),
        ('{"arm": ["a"]}', "arm"),
        ('{"settings": "[1]"}', "settings"),
        ('{"settings": "{"}', "settings"),
        ('{"settings": {"cfg.a": 1}}', "settings"),
        ("{}", "an object without keys"),
        ('{"unknown": 1}', "every column: none is known"),
    ],
)
def test_wrong_types_are_skipped(row: str, wrong: str) -> None:
    bench = specstats.read((HEADER + '{"arm": "a"}\n' + row + "\n").encode())

    (found,) = bench.findings.of("SPS002")

    assert found.where == ("<bytes>:3",)
    assert wrong in found.message
    assert bench.requests.num_rows == 1


def test_settings_come_from_columns_and_from_the_column(rows: Rows) -> None:
    row = {"settings": '{"cfg.a": 1, "cfg.b": [1]}', "cfg.a": 2, "id.m": "x"}

    (found,) = rows(HEADER + json.dumps(row))

    assert json.loads(found["settings"]) == {"cfg.a": 2, "id.m": "x"}


@pytest.mark.parametrize("name", ['"trials"', "[]", "{}", "null", "1"])
def test_headers_of_unknown_tables(name: str, codes: Codes) -> None:
    header = f'{{"specstats.table": {name}}}\n'

    with pytest.raises(UnknownFormatError):
        codes(header)
    assert codes(HEADER + header + '{"arm": "a"}') == [
        *(("SPS002", "case:2"), ("SPS002", "case:3"))
    ]


def test_a_flipped_page_is_found(to_parquet: Callable[[pa.Table], bytes]) -> None:
    row = '{"arm": "long enough to find", "n_output": 5}\n'
    data = to_parquet(specstats.read((HEADER + row).encode()).requests)
    broken = data[:-4] + b"XXXX"

    with pytest.raises(MalformedArtifactError, match="not a readable Parquet file"):
        specstats.read(broken)


def test_a_malformed_file_in_a_folder_leaves_no_rows(
    tmp_path: Path, to_parquet: Callable[[pa.Table], bytes]
) -> None:
    row = '{"arm": "a", "n_output": 5}\n'
    (tmp_path / "good.jsonl").write_text(HEADER + row)
    data = to_parquet(specstats.read((HEADER + row).encode()).requests)
    (tmp_path / "bad.parquet").write_bytes(data[:-4] + b"XXXX")

    bench = specstats.read(tmp_path)

    assert [item.path for item in bench.inputs] == ["good.jsonl"]
    (found,) = bench.findings.of("SPS002")
    assert found.where == ("bad.parquet",)
    assert found.message.startswith("file skipped: bad.parquet: not a readable")
    with pytest.raises(MalformedArtifactError, match=r"bad\.parquet"):
        specstats.read(tmp_path, on_error="raise")
