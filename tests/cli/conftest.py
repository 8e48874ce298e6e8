"""Running the command line in this process, as a pipe would see it."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from specstats.cli.main import main

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parents[1] / "data"


class Pipe(io.StringIO):
    """Text that knows its encoding, as standard output does."""

    encoding = "utf-8"


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch) -> Callable[..., CompletedProcess[str]]:
    """Give a function that runs a command and captures all that it leaves."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(*arguments: object, stdin: bytes = b"") -> CompletedProcess[str]:
        given = [str(argument) for argument in arguments]
        out, err = Pipe(), Pipe()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as leaving:
                main(given)
        code = leaving.value.code
        assert isinstance(code, int)
        return CompletedProcess(given, code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a working folder with the test data; bundled studies stand beside them."""
    folder = tmp_path / "work"
    shutil.copytree(HERE / "data", folder)
    for study in ("pascal-p5200", "h200-tinyspec"):
        shutil.copytree(BUNDLED / study, folder / study)
    monkeypatch.chdir(folder)
    return folder
