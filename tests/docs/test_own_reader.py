"""The example package of the guide: found by its entry point, and its tests pass."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "specstats-stopwatch"
GROUP = "specstats.readers"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Lay the example out as an installer does: the module and its metadata."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    (name, target), *more = project["entry-points"][GROUP].items()
    assert not more
    about = tmp_path / f"specstats_stopwatch-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\n"
        f"Version: {project['version']}\n"
    )
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {target}\n")
    module = EXAMPLE / "specstats_stopwatch.py"
    (tmp_path / module.name).write_text(module.read_text())
    return tmp_path


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=installed,
        env={"PYTHONPATH": f"{installed}:{ROOT}", "PATH": ""},
        timeout=120,
    )


def test_its_own_tests_pass(installed: Path) -> None:
    test = EXAMPLE / "test_stopwatch.py"
    (installed / test.name).write_text(test.read_text())

    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", test.name)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_formats_lists_it(installed: Path) -> None:
    done = run(installed, "-m", "specstats", "formats", "stopwatch", "--format", "json")

    (found,) = json.loads(done.stdout)
    assert found["boundary"] == "proved: one header line a launch"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("gone:READER", "cannot be loaded (ModuleNotFoundError"),
        ("specstats_stopwatch:_sniff", "is a function. Expected a Reader"),
        ("specstats.readers.llamacpp.bench:READER", "'llama-bench' already"),
    ],
)
def test_what_is_no_reader_is_named(installed: Path, target: str, message: str) -> None:
    (points,) = installed.glob("*.dist-info/entry_points.txt")
    points.write_text(f"[{GROUP}]\nother = {target}\n")

    done = run(installed, "-m", "specstats", "formats")

    assert done.returncode == 2
    assert "entry point 'other'" in " ".join(done.stderr.split())
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
