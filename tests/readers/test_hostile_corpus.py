"""Real artifacts, cut off or with a byte changed: rows, findings or typed errors."""

import random
from collections.abc import Callable
from pathlib import Path

from specstats.bench import Bench

CUTS = 12
FLIPS = 10
LARGEST = 60_000
Outcome = Callable[..., Bench | None]


def files_of(corpus: Path) -> list[Path]:
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    assert len(files) > 300
    return files


def test_cut_off(corpus: Path, read_or_refuse: Outcome) -> None:
    for path in files_of(corpus):
        content = path.read_bytes()[:LARGEST]
        for cut in range(CUTS):
            read_or_refuse(content[: len(content) * cut // CUTS])


def test_flipped_bytes(corpus: Path, read_or_refuse: Outcome) -> None:
    draw = random.Random(20261130)  # noqa: S311 - not for secrets
    for path in files_of(corpus):
        content = path.read_bytes()[:LARGEST]
        for _ in range(FLIPS if content else 0):
            changed = bytearray(content)
            changed[draw.randrange(len(changed))] = draw.randrange(256)
            read_or_refuse(bytes(changed))


def test_spliced(corpus: Path, read_or_refuse: Outcome) -> None:
    draw = random.Random(20261130)  # noqa: S311 - not for secrets
    contents = [path.read_bytes()[:4000] for path in files_of(corpus)]
    for content in contents:
        other = draw.choice(contents)
        read_or_refuse(content[: len(content) // 2] + other)
        read_or_refuse(other + b"\n" + content)
