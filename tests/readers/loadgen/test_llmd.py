"""llm-d benchmark reports and the YAML that they are written in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specstats.errors import MalformedArtifactError
from specstats.readers.loadgen._yaml_subset import read_yaml
from specstats.source import Source

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def text(artifacts: Path, version: str) -> str:
    return (artifacts / "llmd" / version / "report.yaml").read_text(encoding="utf-8")


def printed(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["statistic"]): row["value"] for row in rows}


def good(artifacts: Path) -> str:
    return text(artifacts, "0.1").replace("failures: 1", "failures: 0")


def test_schema_01(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text(artifacts, "0.1")
    found = printed(rows(content, "aggregates"))
    (counted,) = rows(content, "counters")

    assert found["e2e", "mean"] == pytest.approx(3.5)
    assert found["e2e", "p0.1"] == pytest.approx(3.001)
    assert found["e2e", "p99.9"] == pytest.approx(3.999)
    assert found["e2e", "max"] == pytest.approx(4.0)
    assert found["tpot", "mean"] == pytest.approx(0.025)
    assert found["output_length", "median"] == 32
    assert found["output_throughput", "rate"] == 16.0
    assert (counted["n_requests"], counted["n_failed"]) == (10, 2)
    assert (counted["started_s"], counted["duration_s"]) == (1.7e9, 20.0)
    assert codes(content) == [("SPS007", "case:1")]


def test_settings_of_schema_01(artifacts: Path, rows: Rows) -> None:
    (counted,) = rows(text(artifacts, "0.1"), "counters")

    assert json.loads(counted["settings"]) == {
        "id.model": "small-1b",
        "id.quantization": "fp16",
        "id.engine": "vllm",
        "id.build": "0.9.0.1",
        "id.device": "2 x H100",
        "cfg.load_generator": "inference-perf",
        "cfg.load_type": "long-input",
        "cfg.qps": 1.5,
        "cfg.note": "a text that goes on in the next line",
        "cfg.script": "first: line\n  second line",
        "cfg.engine0.--dtype": "fp16",
        "cfg.engine0.--speculative-config.method": "ngram",
        "cfg.engine0.--speculative-config.num_speculative_tokens": 4,
    }


def test_schema_02(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = text(artifacts, "0.2")
    found = printed(rows(content, "aggregates"))
    (counted,) = rows(content, "counters")
    settings = json.loads(counted["settings"])

    assert found["ttft", "p90"] == 0.04
    assert found["output_throughput", "rate"] == 2262.448
    assert found["request_throughput", "rate"] == 9.9
    assert counted["n_requests"] == 500
    # 2025-11-05T18:00:00Z
    assert (counted["started_s"], counted["ended_s"]) == (1762365600.0, 1762365660.0)
    assert counted["duration_s"] == 50.5
    assert settings["id.build"] == "vllm:0.11.0"
    assert settings["cfg.rate_qps"] == 10
    assert "cfg.concurrency" not in settings
    assert settings["cfg.synthetic_acceptance"] is True
    assert codes(content) == [("SPS309", "case:1"), ("SPS014", "case:1")]


def test_the_nearest_good_reports_are_silent(artifacts: Path, codes: Codes) -> None:
    strict = text(artifacts, "0.2").replace("synthetic", "strict")

    assert codes(strict.replace("restarts: 2", "restarts: 0")) == []
    assert codes(good(artifacts)) == []


def test_keys_in_any_order(artifacts: Path, rows: Rows) -> None:
    content = text(artifacts, "0.1").replace("version: '0.1' # schema\n", "")

    assert rows(content + "version: '0.1'\n", "aggregates")


def test_long_texts_as_yaml_libraries_write_them() -> None:
    content = 'a: "one \\\n  \\ two\\n\\\n  three"\nb: plain\n  text\nc: 1\n'
    found = read_yaml(Source(name="x", data=content.encode()))

    assert found == {"a": "one  two\nthree", "b": "plain text", "c": 1}


def test_long_reports_take_linear_time() -> None:
    lines = ["a:", *("  word" for _ in range(100_000)), 'b: "x', *["  y"] * 100_000]
    with pytest.raises(MalformedArtifactError):
        read_yaml(Source(name="x", data="\n".join(lines).encode()))


def test_an_end_before_the_start(artifacts: Path, rows: Rows, codes: Codes) -> None:
    wrong = good(artifacts).replace("1700000020.0", "1699999990.0")

    assert codes(wrong) == [("SPS006", "case:1")]
    assert rows(wrong, "counters")[0]["started_s"] is None


def test_quantiles_that_fall_are_left_out(
    artifacts: Path, rows: Rows, codes: Codes
) -> None:
    wrong = good(artifacts).replace("p50: 3500.0", "p50: 9500.0")

    assert codes(wrong) == [("SPS006", "case:1")]
    assert ("e2e", "mean") not in printed(rows(wrong, "aggregates"))


def test_units_that_nobody_knows(artifacts: Path, codes: Codes) -> None:
    odd = good(artifacts).replace("units: ms/token", "units: moons")
    assert codes(odd) == [("SPS002", "case:1")]


def test_a_report_without_numbers_is_refused(artifacts: Path) -> None:
    source = Source(name="x", data=b"version: '0.1'\nscenario:\nmetrics:\n")
    from specstats.readers.loadgen.llmd import READER

    with pytest.raises(MalformedArtifactError, match="x: no metrics"):
        list(READER.parse(source))


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("a: 1\nb: -2.5\nc: 1e+3\n", {"a": 1, "b": -2.5, "c": 1000.0}),
        ("a:\nb: ~\nc: null\nd: .inf\n", dict.fromkeys("abcd")),
        (
            "a: yes sir\nb: 0.9.0.1\nc: 017\n",
            {"a": "yes sir", "b": "0.9.0.1", "c": "017"},
        ),
        ("a: True # why\nb: 'it''s # no'\n", {"a": True, "b": "it's # no"}),
        ('a: "x\\ty"\n"b": http://x:80/y\n', {"a": "x\ty", "b": "http://x:80/y"}),
        (
            "a:\n- 1\n- b: 2\n  c: 3\n-\n  d: 4\n",
            {"a": [1, {"b": 2, "c": 3}, {"d": 4}]},
        ),
        ("- - 1\n  - 2\n- {}\n- []\n", [[1, 2], {}, []]),
        ("---\na:\n  # note\n\n  b: 1\n", {"a": {"b": 1}}),
        ('a: "one\n  two"\nb: 1\n', {"a": "one two", "b": 1}),
        ("a: |-\n  x: 1\n    y\nb: >\n  p\n  q\n", {"a": "x: 1\n  y", "b": "p q"}),
        ("--x: 1\n", {"--x": 1}),
        ("a: 'one\n\n\n  two'\nb: ''\n", {"a": "one\n\ntwo", "b": ""}),
        ('a: "\\x41\\u00e9\\U0001F600\\e\\_"\n', {"a": "A\u00e9\U0001f600\x1b\xa0"}),
        ('a: "say \\"x\\"\n  # no"\n', {"a": 'say "x" # no'}),
        ("a: |\n    x\n      y\n\n    z\n", {"a": "x\n  y\n\nz"}),
        ("", None),
    ],
)
def test_yaml(content: str, value: object) -> None:
    assert read_yaml(Source(name="x", data=content.encode())) == value


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a: &anchor 1\n", 1),
        ("a: 1\nb: *alias\n", 2),
        ("a: !!python/object x\n", 1),
        ("? complex\n: 1\n", 1),
        ("a: {b: 1}\n", 1),
        ("a: [1,\n  2]\n", 1),
        ("a: 1\na: 2\n", 2),
        ("a: 1\n  b: 2\n", 2),
        ("a:\n    b: 1\n  c: 2\n", 3),
        ("a: 1\n\tb: 2\n", 2),
        ("a: 1\n---\nb: 2\n", 2),
        ('a: "open\n', 1),
        ("a: x: y\n", 1),
        ("a: 1\njust words\n", 2),
        ("- " * 100 + "x\n", 1),
        ('a: "\\q"\n', 1),
        ('a: "\\xZZ"\n', 1),
        ('a: "\\UFFFFFFFF"\n', 1),
        ("a: 'x' y\n", 1),
        ("a: 'x\nb: 1\n", 1),
    ],
)
def test_yaml_beyond_the_subset_is_refused_with_its_line(
    content: str, line: int
) -> None:
    with pytest.raises(MalformedArtifactError) as refused:
        read_yaml(Source(name="x", data=content.encode()))
    assert refused.value.location == str(line)
