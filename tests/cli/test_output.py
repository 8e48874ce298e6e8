"""Reports go to a file as a whole, with the permissions of a plain write."""

import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from specstats.cli._output import emit, write_atomically
from specstats.errors import DesignError

RunCli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def plain_umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("plain_umask")
def test_a_new_file_has_the_permissions_of_a_plain_write(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new", "text\n")

    assert (tmp_path / "new").read_text() == "text\n"
    assert mode(tmp_path / "new") == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    path.chmod(0o600)

    write_atomically(path, "new")

    assert path.read_text() == "new"
    assert mode(path) == 0o600


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")

    write_atomically(tmp_path / "link", "new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_failing_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("old")

    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \udcff")

    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["report"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(path.read_text()))
    reader.start()

    write_atomically(path, "text\n")

    reader.join(timeout=10)
    assert got == ["text\n"]
    assert path.is_fifo()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="is a folder"):
        write_atomically(tmp_path, "text")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="nosuch/x': its folder does not exist"):
        write_atomically(tmp_path / "nosuch" / "x", "text")


@pytest.mark.parametrize(
    "command",
    [
        ("summarize", "slower.jsonl"),
        ("summarize", "slower.jsonl", "--format", "json"),
        ("summarize", "slower.jsonl", "--format", "junit"),
        ("compare", "runs/base/1.json", "runs/spec/1.json", "--format", "csv"),
        ("acceptance", "faster.jsonl"),
        ("check", "slower.jsonl"),
    ],
)
def test_a_file_has_the_bytes_of_stdout(
    command: tuple[str, ...], workplace: Path, run_cli: RunCli
) -> None:
    printed = run_cli(*command)
    dashed = run_cli(*command, "--output", "-")
    written = run_cli(*command, "--output", "report")

    assert printed.stdout == dashed.stdout != ""
    assert written.stdout == written.stderr == ""
    assert (workplace / "report").read_bytes() == printed.stdout.encode()
    assert written.returncode == printed.returncode


def test_the_exit_code_stands_with_a_file(workplace: Path, run_cli: RunCli) -> None:
    command = ("summarize", "slower.jsonl", "--fail-on", "slower", "-o", "report")

    assert run_cli(*command).returncode == 1
    assert (workplace / "report").exists()


def test_no_report_is_written_when_the_options_are_wrong(
    workplace: Path, run_cli: RunCli
) -> None:
    command = ("summarize", "slower.jsonl", "--fail-on", "nosuch", "-o", "report")

    assert run_cli(*command).returncode == 2
    assert not (workplace / "report").exists()


def test_a_stream_without_the_characters_gets_escapes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        emit("größer\n", None)

    assert (tmp_path / "out").read_text() == "gr\\xf6\\xdfer\n"
