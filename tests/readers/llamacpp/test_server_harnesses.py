"""Files of harnesses around llama-server: values, traps and contradictions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

Row = dict[str, object]
Rows = Callable[..., list[Row]]
Codes = Callable[..., list[tuple[str, str]]]


def text_of(artifacts: Path, name: str) -> str:
    return (artifacts / name).read_text(encoding="utf-8")


def changed(content: str, *path_and_value: object) -> str:
    """Return a JSON document with one value replaced."""
    *path, last, value = path_and_value
    found = json.loads(content)
    place = found
    for key in path:
        place = place[key]
    place[last] = value
    return json.dumps(found)


RESULTS = "llama-benchmark-csv/2026-07/results.csv"


def test_results_csv(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, RESULTS)
    found = rows(content)

    assert [row["phase"] for row in found] == ["warmup", None, None, None, None]
    assert [row["ok"] for row in found] == [True, True, True, False, True]
    assert found[3]["error"] == "HTTP status 503"
    assert [row["decode_s"] for row in found] == [2.0, 1.0, 100.0, None, 1.0]
    assert [row["rate_convention"] for row in found] == ["n", "n", "n", None, "n-1"]
    assert [row["repetition"] for row in found] == [0, 0, 1, 0, 1]
    assert [row["e2e_s"] for row in found] == [None] * 5
    assert codes(content) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("2100.0,200,", "2200.0,200,", "SPS006"),
        ("2000.0,25.0,", "2000.0,35.0,", "SPS006"),
        ("50,2000.0,25.0,", "0,2000.0,25.0,", "SPS007"),
        ("50,2000.0,25.0,", "50,nan,25.0,", "SPS002"),
        ("2100.0,200,", "2100.0,ok,", "SPS002"),
        ("short,warmup,1,20,", "short,warmup,1,", "SPS002"),
    ],
)
def test_wrong_rows_of_results_csv(
    old: str, new: str, code: str, artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, RESULTS)

    assert old in content
    assert (code, "case:2") in codes(content.replace(old, new, 1))


def test_battery_csv(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "spec-battery-csv/2026-08/battery.csv")
    found = rows(content)

    assert [row["arm"] for row in found] == ["vk-off", "vk-draft", "vk-draft"]
    assert [row["engine_rate_tps"] for row in found] == [10.5, 20.25, 20.0]
    assert [row["n_draft"] for row in found] == [None, 100, 100]
    assert [row["n_output"] for row in found] == [None] * 3
    assert codes(content) == []
    assert codes(content.replace("60,100", "160,100")) == [("SPS006", "case:3")]
    assert codes(content.replace("20.25", "fast")) == [("SPS002", "case:3")]


def test_kyuz0(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "kyuz0-mtp-json/2026-05/mtp-2.json")
    found = rows(content)

    assert [row["e2e_s"] for row in found] == [5.5, 6.25]
    assert [row["decode_s"] for row in found] == [None, None]
    assert [(row["n_accepted"], row["n_draft"]) for row in found] == [
        (60, 80),
        (63, 90),
    ]
    assert {str(row["process"])[-2:] for row in found} == {"#1"}
    settings = json.loads(str(found[0]["settings"]))
    assert settings["id.model"] == "Model-27B-Q8.gguf"
    # 123 of 170 draft tokens; 5.5 + 6.25 s.
    sums = {row["metric"]: row["value"] for row in rows(content, "aggregates")}
    assert sums == {"acceptance_rate": 0.7235, "e2e": 11.75}
    assert codes(content) == []


@pytest.mark.parametrize(
    "wrong",
    [
        ("aggregate", "total_draft", 171),
        ("aggregate", "n_requests", 3),
        ("aggregate", "aggregate_accept_rate", 0.8),
        ("aggregate", "wall_s_total", 12.75),
        ("results", 0, "accept_rate", 0.76),
        ("results", 0, "draft_n_accepted", 81),
    ],
)
def test_kyuz0_contradictions(
    wrong: tuple[object, ...], artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, "kyuz0-mtp-json/2026-05/mtp-2.json")

    assert "SPS006" in {code for code, _ in codes(changed(content, *wrong))}


def test_kyuz0_baseline_and_synthetic(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    content = text_of(artifacts, "kyuz0-mtp-json/2026-05/baseline.json")

    (row,) = rows(content)

    assert (row["arm"], row["n_draft"], row["n_accepted"]) == ("baseline", None, None)
    assert codes(content) == []
    flags = "--spec-synthetic-acceptance-length 3"
    assert codes(changed(content, "spec_flags", flags)) == [("SPS309", "case:1")]


def test_inventivehq(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "inventivehq-json/2026/arms.json")
    found = rows(content)

    assert [row["arm"] for row in found] == [
        "cuda/baseline",
        "cuda/baseline",
        "cuda/draft_small",
    ]
    assert [row["n_draft"] for row in found] == [None, None, 60]
    assert [row["decode_s"] for row in found] == [1.0, 2.0, 0.5]
    # Twelve digits are no SHA-256, sixty-four are.
    assert [row["output_sha256"] for row in found] == [None, None, "0" * 64]
    assert [row["workload"] for row in found] == ["code", "math", "code"]
    assert "id.draft_model" not in json.loads(str(found[0]["settings"]))
    assert json.loads(str(found[2]["settings"]))["id.draft_model"] == "draft.gguf"
    assert codes(content) == []
    assert codes(changed(content, "runs", 1, "status", "crashed")) == [
        ("SPS014", "case:3")
    ]
    assert codes(changed(content, "runs", 0, "records", 0, "tps", 80.0)) == [
        ("SPS006", "case:1")
    ]


def test_hogeheer(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "hogeheer-concurrency/b9010/batches.txt")
    batches = rows(content, "counters")
    rates = [
        (row["workload"], row["value"])
        for row in rows(content, "aggregates")
        if row["metric"] == "output_throughput"
    ]

    # 200 tokens in 4, 2 and 2.5 s.
    assert rates == [("warmup", 50.0), (None, 100.0), (None, 80.0)]
    assert [row["duration_s"] for row in batches] == [4.0, 2.0, 2.5]
    assert [row["n_output"] for row in batches] == [200] * 3
    assert codes(content) == []
    assert codes(content.replace("100.0,", "120.0,")) == [("SPS006", "case:2")]
    failed = content.replace('"errors": 0', '"errors": 1', 1)
    assert codes(failed) == [("SPS007", "case:1")]


def test_draftbench(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "draftbench/2026-02/grid.json")
    found = rows(content, "aggregates")

    assert rows(content) == []
    assert {row["arm"] for row in found} == {"14B Q8", "14B Q8 + 1B Q8"}
    means = [
        (row["metric"], row["unit"], row["value"])
        for row in found
        if row["arm"] == "14B Q8" and row["statistic"] == "mean"
    ]
    assert means == [
        ("decode_rate", "tok/s", 10.0),
        ("ttft", "s", 0.2),
        ("e2e", "s", 25.8),
    ]
    rates = [row["value"] for row in found if row["metric"] == "acceptance_rate"]
    assert rates == [0.75]
    assert codes(content) == []
    percent = changed(content, "results", 1, "acceptance_rate", 75.0)
    assert codes(percent) == [("SPS010", "case:2")]


def test_speed_bench_of_one_turn(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "llama-speed-bench/one-turn/new-rate.json")
    first, second = rows(content)

    assert (first["decode_s"], first["n_output"], first["e2e_s"]) == (2.0, 101, 2.5)
    assert [first["rate_convention"], second["rate_convention"]] == ["n-1", "n-1"]
    # 150 tok/s over 0.2 s are 30 of 40 prompt tokens: the others were cached.
    assert (first["n_prompt"], first["n_cached"]) == (30, 10)
    assert (first["n_draft"], second["n_draft"]) == (80, None)
    assert codes(content) == []


def test_speed_bench_of_two_turns(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text_of(artifacts, "llama-speed-bench/turns/two.json")
    first, second = rows(content)

    assert (first["decode_s"], first["rate_convention"]) == (2.0, "n")
    for column in ("decode_s", "engine_rate_tps", "prompt_s", "n_prompt"):
        assert second[column] is None
    assert (second["n_output"], second["n_draft"], second["e2e_s"]) == (400, 300, 9.0)
    assert codes(content) == [("SPS006", "case:2")]
    overall = [row for row in rows(content, "aggregates") if row["workload"] is None]
    # 260 of 380 draft tokens; (2.5 + 9) / 2 s.
    values = {str(row["metric"]): row["value"] for row in overall}
    assert values["acceptance_rate"] == pytest.approx(260 / 380)
    assert values["e2e"] == 5.75


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (("summary", 1, "draft_n", 81), "SPS006"),
        (("summary", 1, "avg_latency", 2.0), "SPS006"),
        (("results", 0, "completion_tokens", None), "SPS002"),
        (("results", 0, "completion_tokens", 0), "SPS007"),
    ],
)
def test_speed_bench_contradictions(
    wrong: tuple[object, ...], code: str, artifacts: Path, codes: Codes
) -> None:
    content = text_of(artifacts, "llama-speed-bench/one-turn/new-rate.json")

    assert code in {found for found, _ in codes(changed(content, *wrong))}


def test_speed_bench_failures(artifacts: Path, rows: Rows) -> None:
    content = text_of(artifacts, "llama-speed-bench/one-turn/new-rate.json")
    broken = changed(content, "results", 1, "ok", False)

    row = rows(changed(broken, "results", 1, "error", "timed out"))[1]

    assert (row["ok"], row["error"], row["e2e_s"]) == (False, "timed out", None)


def test_speed_bench_without_samples(artifacts: Path) -> None:
    content = text_of(artifacts, "llama-speed-bench/one-turn/new-rate.json")

    bench = specstats.read(changed(content, "results", []).encode())

    assert bench.requests.num_rows == 0


HOSTILE: tuple[object, ...] = (
    None,
    True,
    "x",
    [],
    {},
    [[1]],
    float("nan"),
    -1,
    10**30,
    1e300,
    "550",
)
FILES = (
    "kyuz0-mtp-json/2026-05/mtp-2.json",
    "inventivehq-json/2026/arms.json",
    "draftbench/2026-02/grid.json",
    "llama-speed-bench/turns/two.json",
)


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Return the paths of all values of a document."""
    found = [path] if path else []
    inner: list[tuple[object, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, item in inner:
        found += places(item, (*path, key))
    return found


@pytest.mark.parametrize("name", FILES)
def test_any_value_may_be_anything(
    name: str, artifacts: Path, read_or_refuse: Callable[..., object]
) -> None:
    content = text_of(artifacts, name)
    reader = name.partition("/")[0]

    for path in places(json.loads(content)):
        for value in HOSTILE:
            read_or_refuse(changed(content, *path, value).encode(), reader)


@pytest.mark.parametrize("name", FILES)
def test_any_document_may_be_cut_off(
    name: str, artifacts: Path, read_or_refuse: Callable[..., object]
) -> None:
    content = text_of(artifacts, name).encode()
    reader = name.partition("/")[0]

    for end in range(0, len(content), 7):
        read_or_refuse(content[:end], reader)
