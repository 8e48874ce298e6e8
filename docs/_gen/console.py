"""Console blocks of README and docs: run them, keep their outputs up to date.

A ``console`` fence holds lines ``$ specstats ...`` (a backslash at the end continues
one), each with what it prints below; a line ``...`` stands for any number of lines, and
``$ echo $?`` prints the exit code of the command before. The blocks of a page run one
after another in a copy of the folder that ``<!-- run in: FOLDER -->`` names, else in
the root of the repository. A code block with a caption is a file, written there.

``python -m docs._gen.console --check`` exits 1 with a diff when an output is not what
the command prints; ``--write`` rewrites it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from docs._gen import _marked
from specstats.cli.main import main as specstats_main

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Fence", "fences", "pages", "refreshed", "same"]

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("start", "guide", "concepts")
ENVIRONMENT = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
ELISION = "..."
_OPEN = re.compile(r"^(?P<marks>`{3,})(?P<info>.*)$")
_FOLDER = re.compile(r"<!-- run in: (\S+) -->")
_CAPTION = ":caption: "


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block.

    Attributes
    ----------
    info : str
        Text behind the opening marks.
    lines : tuple of str
        Content.
    first : int
        Number of the first line of the content in the page, from 0.
    """

    info: str
    lines: tuple[str, ...]
    first: int

    @property
    def file(self) -> tuple[str, str] | None:
        """Name and content, if the block is a file."""
        if not self.lines or not self.lines[0].startswith(_CAPTION):
            return None
        body = self.lines[2:] if self.lines[1:2] == ("",) else self.lines[1:]
        name = self.lines[0].removeprefix(_CAPTION)
        return name, "".join(f"{line}\n" for line in body)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block.

    Attributes
    ----------
    written : tuple of str
        Its lines in the page, prompt included.
    shown : tuple of str
        Lines below it.
    """

    written: tuple[str, ...]
    shown: tuple[str, ...]

    @property
    def text(self) -> str:
        """The command line."""
        parts = [line.removesuffix("\\").strip() for line in self.written]
        return " ".join(parts).removeprefix("$ ")


def pages() -> list[Path]:
    """Return the pages whose console blocks are run."""
    found = [ROOT / "README.md"]
    for folder in FOLDERS:
        found += sorted((ROOT / "docs" / folder).glob("*.md"))
    return found


def fences(page: str) -> Iterator[Fence]:
    """Yield the fenced blocks of a page."""
    marks, info, first, content = "", "", 0, list[str]()
    for number, line in enumerate(page.splitlines()):
        if marks:
            if line == marks:
                yield Fence(info, tuple(content), first)
                marks = ""
            else:
                content.append(line)
            continue
        match = _OPEN.match(line)
        if match is not None:
            marks, info, first, content = match["marks"], match["info"], number + 1, []


def commands(lines: tuple[str, ...]) -> list[Command]:
    """Return the commands of a console block."""
    found: list[tuple[list[str], list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(([line], []))
        elif found and not found[-1][1] and found[-1][0][-1].endswith("\\"):
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{line!r}: a console block begins with '$ '")
    return [Command(tuple(written), tuple(shown)) for written, shown in found]


def run(text: str, code: int) -> tuple[int, tuple[str, ...]]:
    """Run a command here; return its exit code and the lines that it prints."""
    program, *arguments = shlex.split(text)
    if [program, *arguments] == ["echo", "$?"]:
        return 0, (str(code),)
    if program != "specstats":
        raise ValueError(f"{text!r}: pages run specstats alone")
    printed = io.StringIO()
    stopped: object = 0
    with (
        mock.patch.dict(os.environ, ENVIRONMENT),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        try:
            specstats_main(arguments)
        except SystemExit as stop:
            stopped = stop.code
    lines = [line.rstrip() for line in printed.getvalue().rstrip().splitlines()]
    return stopped if isinstance(stopped, int) else 1, tuple(lines)


def same(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether what is shown, with its elisions, is what was printed."""
    if not shown:
        return not printed
    if shown[0] == ELISION:
        rest = shown[1:]
        return not rest or any(
            same(rest, printed[place:]) for place in range(len(printed))
        )
    return bool(printed) and shown[0] == printed[0] and same(shown[1:], printed[1:])


def _brought_up(shown: tuple[str, ...], printed: tuple[str, ...]) -> tuple[str, ...]:
    """Return what to show now; pieces are found by their first line."""
    if same(shown, printed):
        return shown
    if ELISION not in shown:
        return printed
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == ELISION:
            pieces.append([])
        else:
            pieces[-1].append(line)
    fresh: list[str] = []
    place = 0
    for number, piece in enumerate(pieces):
        if number:
            fresh.append(ELISION)
        if not piece:
            continue
        place = 0 if number == 0 else _found(piece[0], printed, place)
        last = number == len(pieces) - 1
        end = len(printed) if last else place + len(piece)
        fresh += printed[place:end]
        place = end
    return tuple(fresh)


def _found(line: str, printed: tuple[str, ...], start: int) -> int:
    """Return where a line is now: it, else the first that begins with its word."""
    later = range(start, len(printed))
    for wanted in (line, line.partition(" ")[0]):
        for place in later:
            if printed[place].startswith(wanted):
                return place
    raise ValueError(f"{line!r} is printed no more: write the block anew")


@contextlib.contextmanager
def _place_of(page: str) -> Iterator[None]:
    match = _FOLDER.search(page)
    if match is None:
        with contextlib.chdir(ROOT):
            yield
        return
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name, "here")
        shutil.copytree(ROOT / match[1], copy)
        with contextlib.chdir(copy):
            yield


def refreshed(page: str) -> str:
    """Return a page with the outputs of its commands as they are now."""
    lines: list[str] = []
    copied = 0
    source = page.splitlines()
    with _place_of(page):
        code = 0
        for fence in fences(page):
            if fence.file is not None:
                if _FOLDER.search(page) is None:
                    raise ValueError(f"{fence.file[0]!r}: say in which folder to run")
                path = Path(fence.file[0])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fence.file[1], encoding="utf-8")
            if fence.info != "console":
                continue
            lines += source[copied : fence.first]
            for command in commands(fence.lines):
                code, printed = run(command.text, code)
                lines += [*command.written, *_brought_up(command.shown, printed)]
            copied = fence.first + len(fence.lines)
    return "\n".join([*lines, *source[copied:]]) + "\n"


def fresh() -> dict[Path, str]:
    """Return every page as it should be."""
    return {path: refreshed(path.read_text(encoding="utf-8")) for path in pages()}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
