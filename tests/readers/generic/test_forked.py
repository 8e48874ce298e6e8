"""Work in forked processes: in order, and nothing of it stays behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from specstats.readers import _forked


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        timeout=60,
    )
    return done.stdout


FORK = """
import os, signal, sys
from specstats.readers import _forked
def work(task):
    if {fault} and task == 5 and os.getpid() != parent:
        {deed}
    return bytes([task]) * (task * 50_000)
parent = os.getpid()
found = _forked.in_order(work, 12, workers=3)
print([len(item) // 50_000 for item in found] == list(range(12)))
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("none left")
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")


@linux
@pytest.mark.parametrize(
    "deed",
    ["pass", "raise ValueError", "os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"],
)
def test_results_come_in_order_whatever_happens_to_a_process(deed: str) -> None:
    code = FORK.replace("{fault}", "True").replace("{deed}", deed)
    assert run(code).split("\n")[:2] == ["True", "none left"]


@linux
def test_an_abandoned_iterator_leaves_no_process() -> None:
    code = FORK.replace("{fault}", "False").replace("{deed}", "pass")
    code = code.replace(
        "print([len(item) // 50_000 for item in found] == list(range(12)))",
        "next(found); found.close(); print(True)",
    )
    assert run(code).split("\n")[:2] == ["True", "none left"]


def test_nothing_is_forked_beside_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _forked.processes() >= 1
    monkeypatch.setattr(sys, "platform", "darwin")
    assert _forked.processes() == 1
    found = _forked.in_order(lambda task: bytes([task]), 3, workers=1)
    assert list(found) == [b"\0", b"\1", b"\2"]
