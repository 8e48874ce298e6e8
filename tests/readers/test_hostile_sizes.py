"""Large hostile artifacts: time and memory grow with their size, and no faster."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from specstats.errors import SpecstatsError
from specstats.readers._prefix import beginning
from specstats.readers._registry import formats
from specstats.readers._text import real_in
from specstats.source import Source

ARTIFACTS = Path(__file__).parent / "artifacts"
READERS = {reader.name: reader for reader in formats()}
MIB = 1 << 20
SHORT = 100_000
SECONDS = 10.0  # a loaded machine takes one, quadratic time takes minutes
LARGEST_BATCH = 25_000
ENDINGS = (b"{}", b'"', b"1 ", b"\n", b",\n", b"{\n", b"[", b"9", b'{"a":', b"\x1b[")


def smallest_fixture(name: str) -> bytes:
    files = [path for path in (ARTIFACTS / name).rglob("*") if path.is_file()]
    return min((path.read_bytes() for path in files), key=len)


@pytest.fixture(scope="module")
def seconds_of() -> Callable[[str, bytes], float]:
    """Parse bytes with a reader and return the processor time that it took."""

    def measure(name: str, content: bytes) -> float:
        began = time.process_time()
        try:
            for _ in READERS[name].parse(Source(name="x", data=content)):
                pass
        except SpecstatsError:
            pass
        return time.process_time() - began

    return measure


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in READERS if (ARTIFACTS / name).is_dir()]
)
def test_noise_behind_an_artifact(
    name: str, seconds_of: Callable[[str, bytes], float]
) -> None:
    content = smallest_fixture(name).rstrip() + b"\n"

    for ending in ENDINGS:
        took = seconds_of(name, content + ending * (SHORT // len(ending)))

        assert took < SECONDS, ending


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("trtllm-bench", "specdec-bench", "specdecode-study", "optimum-benchmark"),
        *("sglang-server-info", "llmperf"),
    ],
)
def test_a_mebibyte_of_empty_entries(
    name: str, seconds_of: Callable[[str, bytes], float]
) -> None:
    (path,) = sorted((ARTIFACTS / name).rglob("*.json"))[:1]

    assert seconds_of(name, path.read_bytes() + b"{}" * (MIB // 2)) < SECONDS


@pytest.mark.slow
def test_a_mebibyte_of_rows_that_do_not_fit(
    seconds_of: Callable[[str, bytes], float],
) -> None:
    (path,) = sorted((ARTIFACTS / "lmdeploy").rglob("*.csv"))[:1]

    assert seconds_of("lmdeploy", path.read_bytes() + b"{}\n" * (MIB // 3)) < SECONDS


@pytest.mark.parametrize("cell", ["9" * 100_000 + "x", "1." * 50_000, "9" * 100_000])
def test_a_number_is_read_in_linear_time(cell: str) -> None:
    began = time.process_time()

    assert real_in(cell) is None
    assert time.process_time() - began < SECONDS / 5


def test_the_end_of_a_deep_document_is_found_in_linear_time() -> None:
    began = time.process_time()

    assert beginning("[" * 190 + "1," * 200_000) is not None
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("name", ["medusa", "rest"])
def test_turns_without_end_are_not_all_read(name: str) -> None:
    (path,) = sorted((ARTIFACTS / name).rglob("*.jsonl"))[:1]
    entry = json.loads(path.read_bytes().splitlines()[0])
    choice = entry["choices"][0]
    for key in ("turns", "idxs", "new_tokens", "wall_time"):
        choice[key] = list(choice[key]) * 20_000
    source = Source(name="x", data=json.dumps(entry).encode() + b"\n")

    batches = list(READERS[name].parse(source))

    assert max(batch.count("requests") for batch in batches) <= LARGEST_BATCH
    assert any(
        "the rest is not read" in item.message
        for batch in batches
        for item in batch.findings
    )


def test_executions_without_end_are_not_read() -> None:
    result = {"command": "a", "mean": 1.0, "stddev": 0.1, "median": 1.0}
    result |= {"user": 0.0, "system": 0.0, "min": 1.0, "max": 1.0}
    content = json.dumps({"results": [{**result, "times": [1.0] * 500_001}]}).encode()

    (batch,) = READERS["hyperfine"].parse(Source(name="x", data=content))

    assert not batch.tables
    assert [item.code for item in batch.findings] == ["SPS002"]
