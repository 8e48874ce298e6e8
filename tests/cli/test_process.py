"""The command as a process: start-up, bytes, terminals, pipes and interrupts."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ESCAPE = "\x1b"
LIGHT = {
    *("specstats", "specstats._version", "specstats.cli", "specstats.cli.main"),
    *("specstats.errors", "specstats.render", "specstats.render.clean"),
}


def environment(**changes: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}
    }
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **changes}


def specstats(
    *arguments: str, folder: Path, **changes: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "specstats", *arguments],
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        check=False,
        timeout=120,
    )


def on_a_terminal(
    *arguments: str, folder: Path, columns: int, **changes: str
) -> tuple[str, int]:
    """Run the command with a terminal of some width as standard output."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "specstats", *arguments],
        cwd=folder,
        env=environment(COLUMNS=str(columns), **changes),
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    )
    os.close(terminal)
    chunks = []
    while select.select([controller], [], [], 60)[0]:
        try:
            chunk = os.read(controller, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(controller)
    return b"".join(chunks).decode().replace("\r\n", "\n"), process.wait(timeout=60)


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[\d+m", "", text)


def test_python_m_specstats(workplace: Path) -> None:
    result = specstats("summarize", "slower.jsonl", folder=workplace)

    golden = Path(__file__).parent / "golden" / "slower" / "stdout"
    assert result.stdout == golden.read_bytes()
    assert result.stderr == b""
    assert result.returncode == 0


def test_the_command_itself_imports_little() -> None:
    code = (
        "import json, sys, specstats.cli.main\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('specstats')]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        check=True,
    )

    assert set(json.loads(result.stdout)) == LIGHT


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv", "junit", "github"])
def test_bytes_do_not_depend_on_the_process(form: str, workplace: Path) -> None:
    elsewhere = workplace.parent / "another place"
    workplace.rename(elsewhere)
    runs = [
        specstats(
            *("summarize", "mixed.jsonl", "runs", "--format", form),
            *("--baseline", "base", "--min-runs", "4"),
            folder=elsewhere,
            PYTHONHASHSEED=seed,
            TZ=zone,
            LC_ALL="C",
        )
        for seed, zone in (("0", "UTC"), ("1", "Asia/Tokyo"), ("2", "America/Lima"))
    ]

    assert {run.returncode for run in runs} == {0}, runs[0].stderr
    assert len({run.stdout for run in runs}) == 1
    assert str(elsewhere).encode() not in runs[0].stdout
    assert ESCAPE.encode() not in runs[0].stdout


def test_the_order_of_file_names_on_disk_does_not_matter(workplace: Path) -> None:
    command = ("summarize", "runs", "--layout", "{arm}/{run}.json", "--format", "json")
    before = specstats(*command, folder=workplace)
    for path in sorted((workplace / "runs").glob("*/*.json"), reverse=True):
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)

    assert specstats(*command, folder=workplace).stdout == before.stdout


@pytest.mark.parametrize(("columns", "widest"), [(40, 80), (100, 100), (400, 120)])
def test_a_terminal_gets_colour_and_its_width(
    columns: int, widest: int, workplace: Path
) -> None:
    command = ("summarize", "h200-tinyspec")
    text, code = on_a_terminal(*command, folder=workplace, columns=columns)

    assert code == 0
    assert f"{ESCAPE}[32mFASTER{ESCAPE}[0m" in text
    assert f"[1] {ESCAPE}[33mwarning{ESCAPE}[0m" in text
    plain = uncoloured(text)
    assert ESCAPE not in plain
    assert 0.9 * widest <= max(map(len, plain.splitlines())) <= widest


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour(changes: dict[str, str], workplace: Path) -> None:
    text, _ = on_a_terminal(
        "summarize", "mixed.jsonl", folder=workplace, columns=80, **changes
    )

    golden = Path(__file__).parent / "golden" / "mixed" / "stdout"
    assert text == golden.read_text()


@pytest.mark.parametrize("form", ["markdown", "json", "csv", "junit", "github"])
def test_only_text_is_coloured(form: str, workplace: Path) -> None:
    text, _ = on_a_terminal(
        *("summarize", "mixed.jsonl", "--format", form), folder=workplace, columns=80
    )

    assert ESCAPE not in text


def test_a_reader_that_leaves_gets_no_traceback(workplace: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "specstats", "summarize", "mixed.jsonl"],
        cwd=workplace,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.wait(timeout=60) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_interrupt_ends_with_130(workplace: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        cwd=workplace,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (130, b"")
    assert err.strip().decode() == "interrupted"


INTERRUPTED = f"""
import os, sys
from specstats.cli import _run, main

def interrupt(reading):
    os.kill(os.getpid(), {int(signal.SIGINT)})
    raise AssertionError("not interrupted")

_run.bench_of = interrupt
main.main(["summarize", "slower.jsonl"])
"""


@pytest.mark.slow
def test_the_version_comes_at_once(workplace: Path) -> None:
    def seconds(*command: str) -> float:
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment())
        return time.perf_counter() - start

    bare = (sys.executable, "-c", "import click, importlib.metadata")
    version = (sys.executable, "-m", "specstats", "--version")
    times = [(seconds(*bare), seconds(*version)) for _ in range(5)]

    assert min(b for _, b in times) < 3 * min(a for a, _ in times)


def test_progress_goes_to_a_terminal_on_stderr_alone(workplace: Path) -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "specstats", "summarize", "h200-tinyspec"],
        cwd=workplace,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    out, _ = process.communicate(timeout=120)
    shown = os.read(controller, 65536)
    os.close(controller)

    golden = Path(__file__).parent / "golden" / "h200-text" / "stdout"
    assert out == golden.read_bytes()
    assert b"reading" in shown
    assert b"Traceback" not in shown
