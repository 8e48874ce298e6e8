"""Large response files as columns: the same as line by line, to the last finding."""

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specstats.diagnostics import Finding
from specstats.limits import Limits
from specstats.readers._base import Batch
from specstats.readers.llamacpp import server
from specstats.readers.llamacpp._columnar import Sizes, chunks
from specstats.schema import TABLES
from specstats.source import Source
from tests.readers.llamacpp_server.responses import Entry, response, written

ARTIFACTS = Path(__file__).parents[1] / "artifacts" / "llama-server"
SMALL = Sizes(least=0, unit=600, units=2)

Read = tuple[dict[str, pa.Table], list[Finding], int, int]


def joined(parts: list[tuple[dict[str, pa.Table], Batch]]) -> Read:
    tables: dict[str, list[pa.Table]] = {}
    for columns, _ in parts:
        for name, table in columns.items():
            tables.setdefault(name, []).append(table)
    whole = {name: pa.concat_tables(found) for name, found in tables.items()}
    return (
        {name: table.combine_chunks() for name, table in whole.items() if len(table)},
        [finding for _, batch in parts for finding in batch.findings],
        sum(batch.entries for _, batch in parts),
        sum(batch.parsed for _, batch in parts),
    )


def arrow(batch: Batch) -> dict[str, pa.Table]:
    return {
        name: pa.table(columns, schema=TABLES[name].arrow_schema())
        for name, columns in batch.tables.items()
    }


def by_line(source: Source) -> Read:
    return joined([(arrow(batch), batch) for batch in server._parse_entries(source)])


def as_parsed(source: Source) -> Read:
    return joined([(arrow(batch), batch) for batch in server.READER.parse(source)])


def by_column(source: Source, sizes: Sizes = SMALL) -> Read:
    found = chunks(source, server._add_line, sizes=sizes)
    assert found is not None
    return joined(
        [
            ({**arrow(chunk.batch), "requests": chunk.requests}, chunk.batch)
            for chunk in found
        ]
    )


def assert_same(path: Path, content: bytes) -> Read:
    path.write_bytes(content)
    source = Source(name=path.name, file=path)
    expected, found = by_line(source), by_column(source)
    assert found[1:] == expected[1:]
    assert found[0].keys() == expected[0].keys()
    assert as_parsed(source) == expected
    for name, table in expected[0].items():
        assert found[0][name].equals(table), name
        assert found[0][name].schema.equals(table.schema, check_metadata=True)
    return found


ODD: dict[str, list[Entry | str]] = {
    "error": [{"error": {"code": 503, "message": "Loading model"}}],
    "no object": ["[1, 2]", "17", "null", '"timings"', "nonsense"],
    "blank": ["", "  \t", "\x00\x00"],
    "broken": [json.dumps(response())[:200], '{"timings": {', "{}{}", "{} {}"],
    "two of a line": [json.dumps(response()) * 2],
    "spans lines": [json.dumps(response(), indent=1)],
    "not a number": [json.dumps(response()).replace("220.5", "NaN")],
    "beyond a double": [json.dumps(response()).replace("154.5", "1e999")],
    "beyond a double, unknown": [json.dumps(response(k=7)).replace("7", "1e999")],
    "beyond 63 bits": [response(predicted_n=2**63), response(prompt_n=2**200)],
    "thousands of digits": [json.dumps(response(k=7)).replace(" 7}", " 7" * 5000)],
    "lone surrogate": [json.dumps(response(k="\ud800")), response(id="\udc00")],
    "escapes": ["\x1b[0m" + json.dumps(response()), json.dumps(response()) + "\x1b[K"],
    "control": [json.dumps(response(k="a")).replace('"a"', '"\x01"')],
    "deep": [json.dumps(response(k=0)).replace(" 0}", " " + "[" * 5000)],
    "counts as reals": [response(predicted_n=128.0), response(draft_n=1.5)],
    "texts as numbers": [response(predicted_n="128"), response(predicted_ms="5")],
    "truths": [response(predicted_n=True), response(created=False)],
    "negative": [
        response(prompt_ms=-1),
        response(predicted_n=-5),
        response(created=-9),
    ],
    "minus nought": [response(predicted_ms=-0.0), response(prompt_ms=-0.0)],
    "no rate": [response(predicted_per_second=...), response(predicted_per_second=0)],
    "n-1": [response(predicted_per_second=25.4), response(predicted_n=2**60)],
    "other rate": [response(predicted_per_second=99.0), response(predicted_ms=1e308)],
    "no output": [response(predicted_n=0, predicted_ms=0, predicted_per_second=0)],
    "no draft": [response(draft_n=..., draft_n_accepted=...)],
    "half a draft": [response(draft_n=...), response(draft_n_accepted=...)],
    "too much accepted": [response(draft_n_accepted=112)],
    "null": [response(draft_n=None), response(cache_n=None), response(usage=None)],
    "no cache_n": [response(cache_n=...), response(cache_n=..., usage=...)],
    "usage": [response(cache_n=..., usage={"prompt_tokens_details": None})],
    "wrong usage": [response(cache_n=..., usage=[1]), response(usage="many")],
    "no identity": [response(id=..., model=..., created=..., system_fingerprint=...)],
    "number as identity": [response(id=5), response(model=1.5)],
    "not ASCII": [response(id="ä", model="模型"), json.dumps(response(k="é"))],
    "two emoji": [json.dumps(response(k="\U0001f600"), ensure_ascii=True)],
    "other models": [response(model="C:\\m\\a.gguf"), response(model="")],
    "other reason": [response(choices=[{"message": {"content": ""}}])],
    "reasoning": [
        response(choices=[{"message": {"content": "b", "reasoning_content": "a"}}]),
        response(choices=[{"message": {"content": None, "reasoning_content": "a"}}]),
    ],
    "no text": [
        response(choices=[{"message": {}}]),
        response(choices=[{"message": {"content": None}}]),
        response(choices=[{"message": {}}], sha256="5e"),
    ],
    "text": [
        response(choices=[{"text": "a"}]),
        response(choices=[{"message": {"text": "a"}}]),
        response(choices=[{"message": {"content_sha256": "ab"}}]),
        response(choices=[]),
        response(choices=...),
        response(choices=[5]),
        response(choices=[{"message": {"content": "a"}}, {"message": 5}]),
    ],
    "tools": [
        response(choices=[{"message": {"content": "a", "tool_calls": [{"id": "x"}]}}]),
    ],
    "new keys": [response(t_draft_kind="mtp", future={"nested": [1, 2]})],
    "no counts": [response(timings={}), response(timings={"prompt_n": 3})],
    "harness": [
        response(spec={"arm": "a", "run_index": 3, "accepted": [2, 0], "pid": 1}),
        response(spec=None),
        response(depth=None),
        response(arm="b", pid=7, process_start=1.5),
        response(n_steps=5, accepted=[1, 2], drafted=[2, 2], step_ms=[1.0]),
    ],
    "settings": [response(generation_settings={"temperature": 0.5})],
    "cut off": [response(truncated_stream=True)],
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_line_is_what_it_is_line_by_line(
    tmp_path: Path, odd: list[Entry | str]
) -> None:
    regular = [response(number) for number in range(9)]
    assert_same(tmp_path / "x", written(*regular[:5], *odd, *regular[5:]))
    assert_same(tmp_path / "x", written(regular[0], *odd))


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_file_of_one_response(tmp_path: Path, odd: list[Entry | str]) -> None:
    for number, entry in enumerate([response(), *odd]):
        for end in (b"", b"\n", b"\r\n", b"\n\n"):
            path = tmp_path / f"{number}-{len(end)}.json"
            path.write_bytes(written(entry).rstrip(b"\n") + end)
            source = Source(name="x", file=path)
            general = joined(
                [(arrow(batch), batch) for batch in server._parse_entries(source)]
            )
            assert as_parsed(source) == general


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(tmp_path: Path, end: str, *, last: bool) -> None:
    content = written(*map(response, range(7)), end=end)
    found = assert_same(tmp_path / "x", content if last else content.rstrip())
    assert found[2:] == (7, 7)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    content = written(*[response(number, k="marker") for number in range(6)])
    assert_same(tmp_path / "x", content.replace(b"marker", b"\xff", 2))
    assert_same(tmp_path / "x", content.replace(b"answer", b"\xed\xa0\x80", 1))


def test_hundreds_of_findings_are_counted_across_chunks(tmp_path: Path) -> None:
    entries = [response(number, draft_n_accepted=200) for number in range(60)]
    _, findings, *_ = assert_same(tmp_path / "x", written(*entries, *["{"] * 40))
    assert len(findings) == 2 * 20 + 2


PATHS = sorted(
    path for path in ARTIFACTS.rglob("*.*") if path.suffix in {".jsonl", ".json"}
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_artifacts(tmp_path: Path, path: Path) -> None:
    value = path.read_bytes()
    if b"\n{" in value or value.count(b"\n") <= 1:
        assert_same(tmp_path / "x", value)
        assert_same(tmp_path / "x", value * 5)


def test_corpus(tmp_path: Path, corpus: Path) -> None:
    for folder in ("llama-server", "pascal-p5200", "h200-tinyspec"):
        for path in sorted((corpus / folder).rglob("*.jsonl")):
            assert_same(tmp_path / "x", path.read_bytes())


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 12))
def test_mutated_files(tmp_path: Path, seed: int, edits: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    content = bytearray(written(*map(response, range(8))))
    # A first line that is whole: what is no file of lines is left to `parse` anyway.
    first = content.index(b"\n") + 1
    for _ in range(edits):
        place = chance.randrange(first, len(content))
        kind = chance.randrange(4)
        if kind == 0:
            content[place] = chance.randrange(256)
        elif kind == 1:
            del content[place : place + chance.randrange(1, 30)]
        elif kind == 2:
            other = chance.randrange(first, len(content))
            content[place:place] = content[other : other + chance.randrange(60)]
        else:
            tokens = (
                b"-",
                b"e9",
                b"null",
                b'"',
                b"}",
                b"{",
                b"\n",
                b"0",
                b"1e999",
                b",",
            )
            content[place : place + 1] = chance.choice(tokens)
    assert_same(tmp_path / "x", bytes(content))


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + written(response()),
        written(response()).decode().encode("utf-16"),
        b"\x1f\x8b" + bytes(50),
        written("{" + '"k": "' + "x" * (9 << 20) + '"}', response()),
    ],
    ids=["mark", "UTF-16", "gzip", "long line"],
)
def test_other_files_are_left_to_parse(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert chunks(Source(name="x", file=path), server._add_line, sizes=SMALL) is None


def test_small_files_bytes_and_low_limits_are_left_to_parse(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(written(response()))
    assert server.READER.columnar is not None
    assert server.READER.columnar(Source(name="x", file=path)) is None
    assert server.READER.columnar(Source(name="x", data=path.read_bytes())) is None
    low = Source(name="x", file=path, limits=Limits(line_bytes=1000))
    assert chunks(low, server._add_line, sizes=SMALL) is None
