"""Memory of ``convert``: flat as the input grows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 1_000_000
PEAK = """
import resource, sys
from specstats.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write_responses(path: Path, size: int) -> None:
    """Write a llama-server JSONL of about `size` bytes."""
    written, number = 0, 0
    with path.open("w", encoding="utf-8") as stream:
        while written < size:
            milliseconds = 5000.0 + number % 97
            response = {
                "id": f"chatcmpl-{number:010}",
                "created": 1_780_000_000 + number,
                "model": "m.gguf",
                "system_fingerprint": "b9862-798cf6cbe",
                "choices": [
                    {
                        "finish_reason": "length",
                        "message": {"role": "assistant", "content": "text " * 80},
                    }
                ],
                "timings": {
                    "cache_n": 0,
                    "prompt_n": 34,
                    "prompt_ms": 220.0 + number % 7,
                    "predicted_n": 128,
                    "predicted_ms": milliseconds,
                    "predicted_per_second": 128_000 / milliseconds,
                    "draft_n": 111,
                    "draft_n_accepted": 92,
                },
            }
            written += stream.write(json.dumps(response) + "\n")
            number += 1


def peak_rss(source: Path, form: str, target: Path) -> int:
    """Return the peak resident memory of a conversion, in kilobytes."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", PEAK, "convert", str(source)),
            *("--to", form, "--output", str(target)),
        ],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return int(done.stdout.split()[-1])


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_convert_is_flat_as_the_input_doubles(tmp_path: Path, form: str) -> None:
    peaks = []
    for megabytes in (40, 80):
        source = tmp_path / f"{megabytes}.jsonl"
        write_responses(source, megabytes * MEGABYTE)
        peaks.append(peak_rss(source, form, tmp_path / f"out-{megabytes}-{form}"))
    print(f"{form}: {peaks[0]} KB, {peaks[1]} KB: x{peaks[1] / peaks[0]:.3f}")  # noqa: T201
    assert peaks[1] / peaks[0] < 1.10
