"""An interrupt while tables are written leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = 300_000
WAIT_S = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a table that takes seconds to convert."""
    place = tmp_path_factory.mktemp("interrupt")
    row = json.dumps({"arm": "a", "run": "1", "n_output": 100, "decode_s": 1.5})
    header = '{"specstats.table": "requests"}'
    (place / "requests.jsonl").write_text("\n".join([header, *[row] * ROWS]) + "\n")
    return place


def interrupted(folder: Path, form: str, output: str) -> tuple[int, str]:
    """Convert, interrupt once rows are being written, and return what is left."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "specstats", "convert", "requests.jsonl"),
            *("--to", form, "--output", output),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + WAIT_S
    while not any(path.stat().st_size for path in folder.glob(".specstats-*/*")):
        assert process.poll() is None, "it ended before it was interrupted"
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=WAIT_S)
    return process.returncode, error.strip()


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_nothing_is_left(form: str, folder: Path) -> None:
    code, error = interrupted(folder, form, "made")

    assert (code, error) == (130, "interrupted")
    assert [path.name for path in folder.iterdir()] == ["requests.jsonl"]


def test_a_file_that_was_there_stays_as_it_was(folder: Path) -> None:
    (folder / "made.jsonl").write_text("before\n")

    code, _ = interrupted(folder, "jsonl", "made.jsonl")

    assert code == 130
    assert (folder / "made.jsonl").read_text() == "before\n"
    (folder / "made.jsonl").unlink()
    assert [path.name for path in folder.iterdir()] == ["requests.jsonl"]
