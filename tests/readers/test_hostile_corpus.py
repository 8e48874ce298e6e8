"""Real artifacts, cut off or with a byte changed: rows, findings or typed errors."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARDS = 4  # parts of the corpus, so that workers share them
LARGEST = 60_000
PER_FILE = 120_000  # bytes read a kind of change: large files get fewer changes
MOST, FEWEST = 9, 3
Faults = Callable[..., list[str]]


@pytest.fixture(params=range(SHARDS))
def contents(request: pytest.FixtureRequest, corpus: Path) -> list[tuple[str, bytes]]:
    """Give names and beginnings of a part of the files."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    assert len(files) > 300
    return [
        (path.relative_to(corpus).as_posix(), content)
        for path in files[request.param :: SHARDS]
        if (content := path.read_bytes()[:LARGEST])
    ]


def times(content: bytes) -> int:
    return max(FEWEST, min(MOST, PER_FILE // len(content)))


def test_cut_off(contents: list[tuple[str, bytes]], faults_of: Faults) -> None:
    assert not faults_of(
        (f"the first {end} bytes of {name}", content[:end])
        for name, content in contents
        for turn in range(times(content))
        for end in [len(content) * turn // times(content)]
    )


def test_flipped_bytes(contents: list[tuple[str, bytes]], faults_of: Faults) -> None:
    draw = random.Random(20261130)  # noqa: S311 - not for secrets

    def flipped() -> Iterator[tuple[str, bytes]]:
        for name, content in contents:
            for _ in range(times(content)):
                changed = bytearray(content)
                place, value = draw.randrange(len(changed)), draw.randrange(256)
                changed[place] = value
                yield f"byte {place} of {name} is {value}", bytes(changed)

    assert not faults_of(flipped())


def test_spliced(contents: list[tuple[str, bytes]], faults_of: Faults) -> None:
    draw = random.Random(20261130)  # noqa: S311 - not for secrets

    def spliced() -> Iterator[tuple[str, bytes]]:
        for name, whole in contents:
            other_name, other = draw.choice(contents)
            content, other = whole[:4000], other[:4000]
            yield (
                f"half {name}, then {other_name}",
                content[: len(content) // 2] + other,
            )
            yield f"{other_name}, then {name}", other + b"\n" + content

    assert not faults_of(spliced())
