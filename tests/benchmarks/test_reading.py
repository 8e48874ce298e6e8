"""Speed and memory of reading llama-server responses, beside peers, in one run."""

import contextlib
import importlib.util
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from specstats.readers.llamacpp import _regular

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).resolve().parents[2]
PEERS = Path(__file__).parent / "peers"
PAIRS = 5
MEGABYTES = 350
SMALL_FILES = 10_000
MODULES = {
    "duckdb": "duckdb",
    "polars": "polars",
    "arrow": "pyarrow",
    "pandas": "pandas",
}
WORDS = (
    *("the", "a", "of", "engine", "token", "draft", "model", "graph", "cache", "step"),
    *("time", "kernel", "warp", "layer", "batch", "decode", "verify", "tree", "speed"),
    *("prompt", "table", "value", "night", "river", "stone", "green", "quick", "over"),
)
# The bare loop makes no rows, digests, runs or inputs of what it decodes.
MOST_OF_A_LOOP = 3.0
BESIDE_A_LOOP = """
import os, statistics, sys, time
import orjson
import specstats

def loop():
    for folder, _, names in os.walk(sys.argv[1]):
        for name in names:
            with open(os.path.join(folder, name), "rb") as stream:
                orjson.loads(stream.read())

def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin

turns = [
    (timed(lambda: specstats.read(sys.argv[1])), timed(loop))
    for _ in range(int(sys.argv[2]))
]
print(*(statistics.median(times) for times in zip(*turns[1:])))
"""


def response(number: int, chance: random.Random) -> bytes:
    """Build a response of 1.2 KB, as llama-server writes it."""
    milliseconds = 5000.0 + chance.random() * 97
    message = {"role": "assistant", "content": " ".join(chance.choices(WORDS, k=96))}
    usage = {"completion_tokens": 128, "prompt_tokens": 34, "total_tokens": 162}
    whole = {
        "choices": [{"finish_reason": "length", "index": 0, "message": message}],
        "created": 1_780_000_000 + number,
        "model": "gemma-12b-Q4_0.gguf",
        "system_fingerprint": "b9862-798cf6cbe",
        "object": "chat.completion",
        "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 0}},
        "id": f"chatcmpl-{number:010}",
        "timings": {
            "cache_n": 0,
            "prompt_n": 34,
            "prompt_ms": 220.0 + number % 7,
            "prompt_per_token_ms": 6.4,
            "prompt_per_second": 154.5,
            "predicted_n": 128,
            "predicted_ms": milliseconds,
            "predicted_per_token_ms": milliseconds / 128,
            "predicted_per_second": 128_000 / milliseconds,
            "draft_n": 111,
            "draft_n_accepted": 92,
        },
    }
    return json.dumps(whole).encode() + b"\n"


def write_responses(path: Path, megabytes: float) -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    size, number = 0, 0
    with path.open("wb") as stream:
        while size < megabytes * 1_000_000:
            size += stream.write(response(number, chance))
            number += 1


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    write_responses(path, MEGABYTES)
    return path


def ours(source: Path, target: Path) -> list[str]:
    arguments = ["convert", str(source), "--to", "parquet", "-o", str(target)]
    return [sys.executable, "-m", "specstats", *arguments]


def peer(name: str, source: Path, target: Path) -> list[str]:
    return [sys.executable, str(PEERS / f"{name}_convert.py"), str(source), str(target)]


def seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return time.perf_counter() - begin


@pytest.mark.parametrize("name", MODULES)
def test_convert_beside_a_peer(tmp_path: Path, big: Path, name: str) -> None:
    if importlib.util.find_spec(MODULES[name]) is None:
        pytest.skip(f"{name} is not installed")
    turns = []
    for turn in range(PAIRS + 1):
        pair = (
            seconds(ours(big, tmp_path / f"ours-{turn}")),
            seconds(peer(name, big, tmp_path / f"{name}-{turn}.parquet")),
        )
        turns.append(pair)
    mine, theirs = (statistics.median(times) for times in zip(*turns[1:], strict=True))
    print(f"convert: {mine:.2f} s, {name} {theirs:.2f} s: x{mine / theirs:.2f}")  # noqa: T201
    assert mine / theirs <= 1.0


def tree_rss(process: int) -> int:
    """Sum the resident kilobytes of a process and of its children."""
    total = 0
    task = Path(f"/proc/{process}")
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = (task / "status").read_text(encoding="ascii")
        total = int(status.split("VmRSS:")[1].split()[0])
        children = (task / f"task/{process}/children").read_text(encoding="ascii")
        total += sum(tree_rss(int(child)) for child in children.split())
    return total


def peak_of_tree(command: list[str]) -> int:
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        peak = 0
        while process.poll() is None:
            peak = max(peak, tree_rss(process.pid))
            time.sleep(0.005)
    assert process.returncode == 0
    return peak


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_all_processes_is_flat(tmp_path: Path, big: Path) -> None:
    double = tmp_path / "double.jsonl"
    with double.open("wb") as target:
        for _ in range(2):
            with big.open("rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
    once = peak_of_tree(ours(big, tmp_path / "once"))
    twice = peak_of_tree(ours(double, tmp_path / "twice"))
    print(f"peak of all processes: {once} KB, {twice} KB for twice the size")  # noqa: T201
    assert once < 400_000
    assert twice < 400_000
    assert twice / once < 1.15


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def extend(rows: list[_regular.Response], lines: list[bytes]) -> None:
    rows.extend(map(_regular.whole, lines))


def test_profile_of_a_conversion(tmp_path: Path, big: Path) -> None:
    """Print where the seconds of one process go; the decoder's rate is the bound."""
    stages = dict.fromkeys(("decode", "sha256", "all columns"), 0.0)
    with big.open("rb") as stream:
        # A little at a time: later tests measure processes that begin as large as this.
        while lines := stream.readlines(1 << 20):
            rows: list[_regular.Response] = []
            stages["decode"] += timed(partial(extend, rows, lines))
            messages = [row.choices[0].message for row in rows]
            stages["sha256"] += timed(partial(_regular._digests, messages))
            stages["all columns"] += timed(partial(_regular.packed, lines))
    start = [sys.executable, "-m", "specstats", "convert", "--help"]
    stages["start-up"] = seconds(start)
    stages["Arrow and Parquet, to load"] = seconds(
        [sys.executable, "-c", "import pyarrow.parquet"]
    )
    whole = seconds(ours(big, tmp_path / "out"))
    for name, taken in stages.items():
        print(f"{name}: {taken:.2f} s")  # noqa: T201
    bound = big.stat().st_size / stages["decode"] / 1e6
    rate = big.stat().st_size / whole / 1e6
    print(f"whole: {rate:.0f} MB/s; the decoder alone {bound:.0f} MB/s")  # noqa: T201


def test_small_files_beside_a_bare_loop(tmp_path: Path) -> None:
    pytest.importorskip("orjson")
    chance = random.Random(1)  # noqa: S311 - no secret
    for number in range(SMALL_FILES):
        folder = tmp_path / ("base", "spec")[number % 2]
        folder.mkdir(exist_ok=True)
        (folder / f"r{number:05}.json").write_bytes(response(number, chance).strip())
    # One process for both, and none that tests have filled before.
    done = subprocess.run(
        [sys.executable, "-c", BESIDE_A_LOOP, str(tmp_path), str(PAIRS + 1)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    mine, theirs = map(float, done.stdout.split())
    print(f"small files: {mine:.2f} s, loop {theirs:.2f} s: x{mine / theirs:.1f}")  # noqa: T201
    assert mine / theirs <= MOST_OF_A_LOOP
