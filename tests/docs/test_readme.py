"""What README.md shows is what happens."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from docs._gen import console

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGE = README.read_text(encoding="utf-8")


def blocks(info: str) -> list[str]:
    return ["\n".join(item.lines) for item in console.fences(PAGE) if item.info == info]


@pytest.fixture
def _in_root() -> Iterator[None]:
    with chdir(ROOT):
        yield


def test_every_kind_of_block_is_tested() -> None:
    kinds = {item.info for item in console.fences(PAGE)}

    assert kinds == {"console", "pycon", "sh", "yaml"}


def test_commands_print_what_is_shown() -> None:
    assert console.refreshed(PAGE) == PAGE


def test_a_wrong_output_is_noticed() -> None:
    assert console.refreshed(PAGE.replace("1.073", "1.074")) == PAGE


@pytest.mark.usefixtures("_in_root")
def test_python_snippets_hold() -> None:
    examples = doctest.DocTestParser().get_doctest(
        "\n\n".join(blocks("pycon")), {}, "README.md", str(README), 0
    )
    result = doctest.DocTestRunner().run(examples)

    assert result.attempted > 5
    assert result.failed == 0


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    targets = {line.split()[1] for line in lines if line.startswith("make ")}

    assert targets == {"demo", "test"}
    assert all(f"\n{target}:" in makefile for target in targets)
    others = {line for line in lines if not line.startswith("make ")}
    assert others == {"python3 -m pip install ."}


@pytest.mark.usefixtures("_in_root")
def test_the_demo_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    lines = recipe[1].splitlines()
    assert lines
    for line in lines:
        program, *arguments = shlex.split(line.strip().removeprefix("@"))
        assert program.endswith("/specstats")
        code, printed = console.run(shlex.join(["specstats", *arguments]), 0)
        assert code == 0
        assert len(printed) > 20


def test_the_workflow_step_judges(tmp_path: Path) -> None:
    command = folded_run(blocks("yaml")[0])
    shutil.copytree(
        ROOT / "tests" / "docs" / "data" / "pull-request", tmp_path / "results"
    )
    program = tmp_path / "bin" / "specstats"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m specstats "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }

    result = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 1, result.stderr
    assert "**slower**" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def folded_run(step: str) -> str:
    """Return the command of a ``run: >`` key: its lines joined by spaces."""
    _, _, rest = step.partition("run: >\n")
    return " ".join(line.strip() for line in rest.splitlines())
