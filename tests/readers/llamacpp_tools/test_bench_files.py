"""llama-bench records in harnesses, tables with noise, and SQL."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.readers.llamacpp import bench_table
from specstats.readers.llamacpp._bench_checks import has_wrapped

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]
GOOD = {
    "build_commit": "ab",
    "n_prompt": 0,
    "n_gen": 8,
    "avg_ns": 5e8,
    "avg_ts": 16.666667,
    "stddev_ns": 141421356.2,
    "stddev_ts": 4.714045,
    # 8 tokens in 0.4 s and 0.6 s: 20 and 13.33 tok/s.
    "samples_ns": [4e8, 6e8],
    "samples_ts": [20.0, 13.3333],
}
TABLE = "| model | ngl | test | t/s |\n| --- | --- | --- | --- |\n"


def record(**changes: object) -> str:
    return json.dumps({**GOOD, **changes})


def settings(row: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(row["settings"])
    return told


def test_records_in_a_harness(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-bench/b10464/harness.jsonl").read_bytes()
    found = rows(content)

    assert [(x["entry"], x["prompt_id"], x["repetition"]) for x in found] == [
        *((1, "pp100", 0), (1, "pp100", 1), (1, "tg40", 0)),
        (2, "tg40", 0),
        *((3, "pp100", 0), (3, "pp100", 1)),
    ]
    processes = [row["process"] for row in found]
    assert [processes.index(process) for process in processes] == [0, 0, 0, 3, 4, 4]
    assert {settings(row)["id.model_filename"] for row in found} == {"tiny.gguf"}
    assert [row["value"] for row in rows(content, "aggregates")] == [400, 20, 20, 400]
    assert codes(content) == []


@pytest.mark.parametrize(
    "raw", ["x samples_ns", [1, {"samples_ns": 3}], '{"samples_ns']
)
def test_a_harness_with_broken_records(raw: object, rows: Rows) -> None:
    assert rows(json.dumps({"bench_raw": raw})) == []


def test_printed_means_are_kept_beside_the_samples(rows: Rows, codes: Codes) -> None:
    (mean,) = rows(record(), "aggregates")

    assert (mean["metric"], mean["statistic"], mean["unit"]) == (
        *("decode_rate", "mean"),
        "tok/s",
    )
    assert (mean["value"], mean["sd"], mean["n"]) == (16.666667, 4.714045, 2)
    assert codes(record()) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"avg_ts": 16.0}, "SPS006"),
        ({"avg_ns": 4e8}, "SPS006"),
        ({"samples_ts": [20.0, 15.0]}, "SPS006"),
        ({"samples_ts": [20.0]}, "SPS006"),
        ({"stddev_ts": 3.3}, "SPS009"),
        ({"stddev_ns": 4.29e9}, "SPS009"),
    ],
)
def test_what_contradicts_the_samples(
    changes: dict[str, object], code: str, codes: Codes
) -> None:
    assert codes(record(**changes)) == [(code, "case:1")]


@pytest.mark.parametrize("value", [None, "x", [], {}, True, -1])
@pytest.mark.parametrize("key", ["avg_ts", "stddev_ts", "avg_ns", "samples_ts"])
def test_odd_means(key: str, value: object, rows: Rows) -> None:
    assert len(rows(record(**{key: value}))) == 2


def test_noise_and_broken_records_are_told_apart(codes: Codes) -> None:
    noise = 'ggml_cuda_init: found 1 devices:\n"x"\n'
    broken = record()[:-9]

    assert codes(f"{noise}{record()}\nggml: [done]\n") == []
    assert codes(f"{record()}\n{broken}\n") == [("SPS002", "case:2")]
    assert codes(f"{noise}{noise}{record()}\n{broken}\n") == [("SPS002", "case:6")]


def test_an_array_behind_noise_is_one_invocation(rows: Rows) -> None:
    first, second = ({**GOOD, "n_batch": size} for size in (512, 1024))
    array = rows("ggml: found\n" + json.dumps([first, second], indent=2))
    lines = rows("ggml: found\n" + json.dumps(first) + "\n" + json.dumps(second))

    assert len({row["process"] for row in array}) == 1
    assert array[0]["process"] is not None
    # Lines of two settings may be of one invocation or of two.
    assert {row["process"] for row in lines} == {None}


def test_two_tables_with_a_dump_between_rows(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = (artifacts / "llama-bench-table/b7356/two-devices.log").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["entry"], x["prompt_id"], x["value"], x["sd"]) for x in found] == [
        (8, "pp512", 2000.0, 4.0),
        (11, "tg128", 80.0, 0.25),
        (25, "pp512", 500.0, 2.0),
    ]
    assert [row["workload"] for row in found] == ["GPU 0", "GPU 0", "GPU 1"]
    builds = [settings(row)["id.build_number"] for row in found]
    assert builds == ["7356", "7356", "7361"]
    assert settings(found[0])["id.gpu_info"] == "Card One (RADV ONE)"
    assert settings(found[2])["id.gpu_info"] == "Card One (RADV ONE), Card Two"
    processes = [row["process"] for row in found]
    assert processes[0] == processes[1] != processes[2]
    # The table of the author's notes is none; the crash cut a row.
    assert codes(content) == [("SPS002", "case:26"), ("SPS014", "case:27")]


def test_a_table_without_a_footer(rows: Rows) -> None:
    (row,) = rows(f"{TABLE}| tiny | 99 | tg8 | 5.00 ± 0.10 |\n", "aggregates")

    assert settings(row) == {"cfg.n_gpu_layers": 99, "id.model_type": "tiny"}


@pytest.mark.parametrize("sign", ["±", "Â±", "+/-", "�"])
def test_signs_of_the_deviation(sign: str, rows: Rows) -> None:
    (row,) = rows(f"{TABLE}| tiny | 99 | tg8 | 5.00 {sign} 0.10 |\n", "aggregates")

    assert (row["value"], row["sd"]) == (5.0, 0.1)


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"{TABLE}ggml.c:1: GGML_ASSERT(x) failed\n",
        "x\n/usr/bin/llama-bench() [0x40a3db]\nterminate called after throwing\n",
        "/usr/bin/llama-bench(+0x12ab) [0x40a3db]\n",
    ],
)
def test_a_crash_before_the_first_row(text: str, rows: Rows, codes: Codes) -> None:
    assert [code for code, _ in codes(text)] == ["SPS014"]
    assert rows(text, "aggregates") == []


def test_an_empty_table_beside_one_with_rows(rows: Rows, codes: Codes) -> None:
    one = "| tiny | 99 | tg8 | 5.00 \u00b1 0.10 |\n"

    assert codes(TABLE + one + "\n" + TABLE + one) == []
    for content, line in (
        (f"{TABLE}Killed\n{TABLE}{one}", 1),
        (f"{TABLE}{one}\n{TABLE}Killed\n", 5),
    ):
        assert len(rows(content, "aggregates")) == 1
        assert codes(content) == [("SPS014", f"case:{line}")]


def test_footers_behind_csv_that_was_appended(rows: Rows) -> None:
    header = "build_commit,n_prompt,n_gen,avg_ts,stddev_ts\n"
    one = "| tiny | 99 | tg8 | 5.00 \u00b1 0.10 |\n"
    tables = (f"{TABLE}{one}\nbuild: {build}\n" for build in ("aa1 (1)", "bb2 (2)"))
    content = header + 2 * '"cc3","0","8","5.0","0.5"\n' + "\n" + "\n".join(tables)
    found = [settings(row) for row in rows(content, "aggregates")]

    builds = [told["id.build_commit"] for told in found]
    assert builds == ["cc3", "cc3", "aa1", "bb2"]


def test_a_table_that_fills_its_batches(
    monkeypatch: pytest.MonkeyPatch, rows: Rows, codes: Codes
) -> None:
    monkeypatch.setattr(bench_table, "_ROWS_A_BATCH", 2)
    one = "| tiny | 99 | tg8 | 5.00 \u00b1 0.10 |\n"

    for count in (1, 2, 3, 4):
        assert len(rows(TABLE + one * count, "aggregates")) == count
        assert codes(TABLE + one * count) == []


def test_csv_behind_noise_and_appended(rows: Rows, codes: Codes) -> None:
    header = "build_commit,n_prompt,n_gen,n_batch,avg_ts,stddev_ts\n"
    one = '"ab","0","8","64","5.0","0.5"\n'
    content = f"ggml_vulkan: found 1, yes\n{header}{one}ggml: done\n{header}{one}{one}"
    found = rows(content, "aggregates")

    assert [row["entry"] for row in found] == [3, 6, 7]
    assert len({row["process"] for row in found}) == 3
    assert codes(content) == []


def test_sql(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-bench-sql/b5163/bench.sql").read_bytes()
    found = rows(content, "aggregates")

    assert [(x["prompt_id"], x["metric"], x["value"], x["sd"]) for x in found] == [
        ("pp512", "prompt_rate", 1024.5, 2.25),
        ("pp512+tg64", "total_rate", 192.0, 0.5),
        ("pp512", "prompt_rate", 1280.0, 3.5),
    ]
    processes = [row["process"] for row in found]
    assert processes[0] == processes[1] != processes[2]
    assert settings(found[0]) == {
        "cfg.flash_attn": 0,
        "cfg.n_threads": 8,
        "id.build_commit": "12e45678",
        "id.build_number": "5163",
        "id.cpu_info": "It's a CPU, 8 cores",
        "id.model_filename": "tiny.gguf",
    }
    # 4.1e9 of 3e9 ns is 137 %, 0.5 of 192 tok/s is 0.26 %: it wrapped.
    assert codes(content) == [("SPS009", "case:9"), ("SPS002", "case:11")]


def insert(values: str) -> str:
    names = "build_commit, n_prompt, n_gen, avg_ts, stddev_ts"
    return f"INSERT INTO test ({names}) VALUES ({values});\n"  # noqa: S608


@pytest.mark.parametrize(
    "values",
    [
        "'ab', '0', '8', '5.0'",
        "'ab', '0', '8', 'x', '1'",
        "'ab', '0', '0', '5.0', '1'",
        "'ab', '0', '8', '-5.0', '1'",
        "'ab', '0', '8', '1e999', '1'",
        "'ab, '0', '8', '5.0', '1'",
        "",
    ],
)
def test_bad_inserts(values: str, rows: Rows, codes: Codes) -> None:
    content = insert(values) + insert("'ab', '0', '8', '5.0', NULL")

    assert [row["value"] for row in rows(content, "aggregates")] == [5.0]
    assert codes(content) == [("SPS002", "case:1")]


@pytest.mark.parametrize(
    ("times", "rates", "expected"),
    [
        ((3.03e9, 4.09e9), (190.6, 48.6), True),
        ((3.03e9, 1.55e9), (190.6, 48.6), False),
        # Slow and steady: 4 s of 100 s are 4 %, as the rates say.
        ((1e11, 4e9), (5.0, 0.2), False),
        ((None, 4e9), (5.0, 0.2), False),
        ((1e11, 4e9), (5.0, None), False),
    ],
)
def test_wrapped_deviations(
    times: tuple[float | None, float | None],
    rates: tuple[float | None, float | None],
    expected: bool,
) -> None:
    assert has_wrapped(times, rates) is expected
