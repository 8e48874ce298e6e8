"""Alternating measurements of two commands on one machine, in one go."""

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 7

Command = Sequence[str]


def user_time(command: Command) -> float:
    """Run a command; user seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        # One thread: pools spin while they wait, which is not the work compared here.
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    }
    subprocess.run(
        [sys.executable, *command],
        check=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.fixture
def ratio(record_property: Callable[[str, object], None]) -> Callable[..., float]:
    """Median user time of one command over that of another, taken in turn."""

    def measure(command: Command, reference: Command) -> float:
        for warm_up in (command, reference):
            user_time(warm_up)
        pairs = [(user_time(command), user_time(reference)) for _ in range(PAIRS)]
        first, second = (statistics.median(times) for times in zip(*pairs, strict=True))
        record_property("seconds", f"{first:.3f} against {second:.3f}")
        print(f"{' '.join(command)}: {first:.3f} s / {second:.3f} s")  # noqa: T201
        return float(first / second)

    return measure
