"""Broken artifacts give rows, located findings or typed errors, and nothing else."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specstats
from specstats.bench import Bench
from specstats.readers._registry import READERS

ARTIFACTS = Path(__file__).parent / "artifacts"
CASES = sorted(
    path.relative_to(ARTIFACTS).as_posix()
    for path in ARTIFACTS.rglob("*")
    if path.is_file()
)
FORMATS = [reader.name for reader in READERS]
# Reads of each kind over all fixtures, shared out among them: the number of fixtures
# grows, the time that a run may take does not. Large fixtures get fewer.
PREFIXES = 12_000
FLIPS = 10_000
REPLACED = 30_000
FOREIGN = 9_000
FEWEST = 24
USUAL_SIZE = 8_000
BINARY = (b"PAR1", b"ARROW1")
DEEP = 30_000
LONG = 150_000
DIGITS = 5_000
Faults = Callable[..., list[str]]
Outcome = Callable[..., Bench | None]

VALUES = {
    "null": "null",
    "true": "true",
    "false": "false",
    "text": '"128"',
    "empty text": '""',
    "word": '"x\\u0000y"',
    "lone surrogate": '"\\ud800"',
    "list": "[]",
    "nested list": "[[1], {}]",
    "object": "{}",
    "negative": "-5",
    "negative zero": "-0.0",
    "fraction": "0.5",
    "tiny": "1e-320",
    "large": "1e308",
    "overflow": "1e999",
    "negative overflow": "-1e999",
    "nan": "NaN",
    "infinity": "Infinity",
    "2^63": "9223372036854775808",
    "2^64": "18446744073709551616",
    "400 digits": "9" * 400,
    "5000 digits": "9" * DIGITS,
    "1000 deep": "[" * 1000 + "]" * 1000,
}
WRAPS: dict[str, Callable[[bytes], bytes]] = {
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
    "old Mac line ends": lambda data: data.replace(b"\n", b"\r"),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16 without mark": lambda data: data.decode().encode("utf-16-le"),
    "zero tail": lambda data: data + b"\0" * 4096,
    "zero head": lambda data: b"\0" * 4096 + data,
    "zeros between": lambda data: data.replace(b"\n", b"\n\0\0\n"),
    "bad UTF-8 in front": lambda data: b"\xff\xfe\n" + data,
    "bad UTF-8 inside": lambda data: data.replace(b"tiny", b"t\xffny"),
    "bad UTF-8 behind": lambda data: data + b"\xc3\x28\n",
    "blank lines": lambda data: data.replace(b"\n", b"\n\n  \n"),
    "twice": lambda data: data + data,
    "open list in front": lambda data: b"[" * DEEP + data,
    "open objects behind": lambda data: data + b'{"a":' * DEEP,
    "open quote behind": lambda data: data + b'"',
    "long line behind": lambda data: data + b"x" * LONG,
    "long line in front": lambda data: b"x" * LONG + b"\n" + data,
}


def share(reads: int, content: bytes | str) -> int:
    """Return how many of the reads a fixture gets, fewer where each takes longer."""
    fair = reads / len(CASES) * USUAL_SIZE / (USUAL_SIZE + len(content))
    return max(FEWEST, round(fair))


@pytest.fixture(params=[*CASES, "parquet"])
def content(
    request: pytest.FixtureRequest, to_parquet: Callable[[pa.Table], bytes]
) -> bytes:
    """Give the bytes of each fixture artifact."""
    name: str = request.param
    if name != "parquet":
        return (ARTIFACTS / name).read_bytes()
    bench = specstats.read(ARTIFACTS / "specstats-jsonl/requests/requests.jsonl")
    return to_parquet(bench.requests)


def test_prefixes(content: bytes, faults_of: Faults) -> None:
    step = max(1, len(content) // share(PREFIXES, content))

    assert not faults_of(
        (f"the first {end} bytes", content[:end])
        for end in range(0, len(content), step)
    )


def test_flipped_bytes(content: bytes, faults_of: Faults) -> None:
    draw = random.Random(len(content))  # noqa: S311 - not for secrets

    def flipped() -> tuple[str, bytes]:
        changed = bytearray(content)
        place, value = draw.randrange(len(changed)), draw.randrange(256)
        changed[place] = value
        return f"byte {place} is {value}", bytes(changed)

    assert not faults_of(flipped() for _ in range(share(FLIPS, content)))


def test_wrapped(content: bytes, faults_of: Faults) -> None:
    binary = content.startswith(BINARY)

    assert not faults_of(
        (wrap, change(content))
        for wrap, change in WRAPS.items()
        if not (binary and wrap.startswith("UTF-16"))  # what is no text has no encoding
    )


@pytest.mark.parametrize("name", [x for x in CASES if x.endswith((".json", ".jsonl"))])
def test_every_value_replaced(name: str, faults_of: Faults) -> None:
    text = (ARTIFACTS / name).read_text(encoding="utf-8")
    places = values_of(text)
    each = min(len(places), max(1, share(REPLACED, text) // len(VALUES)))
    draw = random.Random(len(text))  # noqa: S311 - not for secrets

    assert not faults_of(
        (
            f"{kind} in place of {text[max(start - 20, 0) : end][:60]!r}",
            (text[:start] + VALUES[kind] + text[end:]).encode(),
        )
        for kind in VALUES
        for start, end in draw.sample(places, each)
    )


def values_of(text: str) -> list[tuple[int, int]]:
    """Return where the values behind the colons of a JSON text begin and end."""
    decoder = json.JSONDecoder()
    found = []
    place = text.find(":")
    while place >= 0:
        start = place + 1
        while start < len(text) and text[start] == " ":
            start += 1
        try:
            _, end = decoder.raw_decode(text, start)
        except ValueError:
            end = start
        if end > start:
            found.append((start, end))
        place = text.find(":", place + 1)
    return found


def test_each_reader_stands_the_files_of_the_others(
    content: bytes, faults_of: Faults
) -> None:
    draw = random.Random(len(content))  # noqa: S311 - not for secrets

    for format_name in draw.sample(FORMATS, min(len(FORMATS), FOREIGN // len(CASES))):
        assert not faults_of([(format_name, content)], format_name)


@pytest.mark.parametrize("data", [b"", b" ", b"\n\n\t ", b"\0", b"\xff", b"[", b'"'])
def test_nothing_in_it(data: bytes, read_or_refuse: Outcome) -> None:
    for format_name in (None, *FORMATS):
        bench = read_or_refuse(data, format_name)

        assert bench is None or not bench.requests.num_rows, format_name


@settings(max_examples=300)
@given(data=st.binary(max_size=200), format_name=st.sampled_from([None, *FORMATS]))
def test_noise(data: bytes, format_name: str | None, read_or_refuse: Outcome) -> None:
    read_or_refuse(data, format_name)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True)
    | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
TIMINGS = (
    *("predicted_n", "predicted_ms", "predicted_per_second", "prompt_n", "prompt_ms"),
    *("cache_n", "draft_n", "draft_n_accepted"),
)
RESPONSE = (
    *("choices", "created", "model", "system_fingerprint", "id", "usage", "content"),
    *("error", "stop_type", "generation_settings", "prompt", "pid", "process_start"),
    *("arm", "run", "block", "rep", "accepted", "drafted", "step_ms", "n_steps"),
)
BENCH = (
    *("samples_ns", "samples_ts", "n_prompt", "n_gen", "n_depth", "stddev_ns"),
    *("test_time", "build_commit", "model_filename", "n_batch"),
)
COLUMNS = (
    *("arm", "run", "block", "n_output", "decode_s", "settings", "cfg.depth", "ok"),
    *("process", "run_boundary", "order", "started_s", "repeat", "rate_convention"),
)


def some_of(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(st.sampled_from(names), JSON_VALUES, max_size=6)


@settings(max_examples=300)
@given(response=some_of(RESPONSE), timings=some_of(TIMINGS))
def test_any_response(
    response: dict[str, object], timings: dict[str, object], read_or_refuse: Outcome
) -> None:
    entry = {**response, "timings": {"prompt_n": 1, **timings}}

    bench = read_or_refuse(json.dumps(entry).encode())

    assert bench is not None
    assert bench.requests.num_rows == 1


@settings(max_examples=300)
@given(entry=some_of(BENCH))
def test_any_record(entry: dict[str, object], read_or_refuse: Outcome) -> None:
    record = {"samples_ns": [1e9], "n_prompt": 0, "n_gen": 8, **entry}

    assert read_or_refuse(json.dumps(record).encode()) is not None


@settings(max_examples=300)
@given(row=some_of(COLUMNS), table=JSON_VALUES)
def test_any_row(
    row: dict[str, object], table: object, read_or_refuse: Outcome
) -> None:
    header = json.dumps({"specstats.table": "requests"})
    other = json.dumps({"specstats.table": table})

    read_or_refuse("\n".join((header, json.dumps(row), other, "{}")).encode())
    read_or_refuse("\n".join((other, json.dumps(row))).encode())


def test_duplicate_keys_take_the_last(rows: Callable[..., list[Bench]]) -> None:
    text = '{"timings":{"predicted_n":1,"predicted_n":2,"predicted_ms":5}}'

    assert [row["n_output"] for row in rows(text)] == [2]  # type: ignore[index]
