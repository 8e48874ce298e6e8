"""Rule pages: run their examples, keep the outputs up to date, copy them to the docs.

``--check`` exits 1 with a diff when an output on a page is not what the command prints;
``--write`` rewrites the outputs; ``--only SPS101`` takes one page; ``--docs`` writes
the index and the pages into docs/rules/, as conf.py does through `write_docs`.

A page names its files in fences such as ```` ```jsonl runs.jsonl ```` and shows
commands in ```` ```console ```` fences: a line ``$ specstats ...``, then what it
prints. "What to do" starts from the files of "Example" and gives those that differ.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from specstats.cli.main import main as specstats_main
from specstats.diagnostics import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "specstats" / "diagnostics" / "docs"
TARGET = ROOT / "docs" / "rules"
HEADINGS = (
    "What it checks",
    "Why it matters",
    "Example",
    "What to do",
    "How the threshold is computed",
    "Related",
    "Since",
)
EXAMPLE, REMEDY = HEADINGS[2], HEADINGS[3]
FAMILIES = {
    "artifacts": "Artifacts: what the files hold",
    "design": "Design: what was varied, in which order, on what",
    "inference": "Inference: what stands behind an interval or a verdict",
    "acceptance": "Acceptance: draft counts",
    "record": "Record: what was left out",
}
INTRODUCTION = """\
specstats has {number} rules. An *error* refuses the claims that it bears on, a
*warning* qualifies them, a *note* informs; a rule may be milder or harsher than its
default level, as its page says. `specstats rule CODE` prints a page; `--allow CODE`
turns its errors into warnings that say so. Codes are never reused."""
ENVIRONMENT = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
# Languages of fences that Pygments has no lexer for.
NO_LEXER = frozenset({"jsonl", "csv"})
_FENCE = re.compile(r"^```(?P<language>\w*)(?: (?P<name>\S+))?$")
_BRACKETED = re.compile(r"\[(SPS\d{3})\]")


@dataclass(frozen=True, slots=True)
class Command:
    """One command line of a page.

    Attributes
    ----------
    text : str
        The line without its prompt.
    output : tuple of str
        Lines that the page shows below it.
    """

    text: str
    output: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """Arguments of ``specstats``."""
        program, *arguments = shlex.split(self.text)
        if program != "specstats":
            raise ValueError(f"{self.text!r}: pages run specstats alone")
        return arguments


@dataclass(frozen=True, slots=True)
class Step:
    """The files and commands of one section.

    Attributes
    ----------
    files : dict
        Content by name.
    commands : tuple of Command
        In the order of the page.
    """

    files: dict[str, str]
    commands: tuple[Command, ...]


def pages() -> dict[str, str]:
    """Return the text of every page by rule code, in order."""
    return {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted(PAGES.glob("*.md"))
    }


def sections(page: str) -> dict[str, list[str]]:
    """Return the lines below each second-level heading of a page."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    inside = False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
        if line.startswith("## ") and not inside:
            lines = found.setdefault(line[3:], [])
        else:
            lines.append(line)
    return found


def _fences(lines: list[str]) -> Iterator[tuple[str, str | None, list[str]]]:
    language, name, content = None, None, list[str]()
    for line in lines:
        if language is None:
            match = _FENCE.match(line)
            if match is not None:
                language, name, content = match["language"], match["name"], []
        elif line == "```":
            yield language, name, content
            language = None
        else:
            content.append(line)


def step_of(page: str, heading: str) -> Step:
    """Return the files and commands of one section of a page."""
    files: dict[str, str] = {}
    commands: list[Command] = []
    for language, name, content in _fences(sections(page)[heading]):
        if name is not None:
            files[name] = "".join(f"{line}\n" for line in content)
        elif language == "console":
            commands.extend(_commands(content))
    return Step(files, tuple(commands))


def _commands(lines: list[str]) -> Iterator[Command]:
    text, output = None, list[str]()
    for line in lines:
        if line.startswith("$ "):
            if text is not None:
                yield Command(text, tuple(output))
            text, output = line[2:], []
        else:
            output.append(line)
    if text is not None:
        yield Command(text, tuple(output))


@contextlib.contextmanager
def folder_of(files: dict[str, str]) -> Iterator[None]:
    """Work in a temporary folder that holds these files and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        for path, content in files.items():
            place = Path(name, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8", newline="\n")
        with contextlib.chdir(name):
            yield


def run(arguments: list[str]) -> tuple[int, str]:
    """Run ``specstats`` here and return its exit code and all that it prints."""
    printed = io.StringIO()
    code: object = 0
    with (
        mock.patch.dict(os.environ, ENVIRONMENT),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        try:
            specstats_main(arguments)
        except SystemExit as stop:
            code = stop.code
    return code if isinstance(code, int) else 1, printed.getvalue()


def output_of(command: Command) -> tuple[str, ...]:
    """Return the lines that a command prints, without trailing blanks."""
    _, printed = run(command.arguments)
    return tuple(line.rstrip() for line in printed.rstrip().splitlines())


def codes_of(command: Command) -> set[str]:
    """Return the codes of the rules that fire when a command runs."""
    code, printed = run([*command.arguments, "--format", "json"])
    if code == 2:  # noqa: PLR2004 - nothing readable: the error names its rule
        return set(_BRACKETED.findall(printed))
    return {item["code"] for item in json.loads(printed)["findings"]}


def steps(page: str) -> dict[str, Step]:
    """Return both steps of a page, the second with the files that it keeps."""
    first, second = step_of(page, EXAMPLE), step_of(page, REMEDY)
    return {
        EXAMPLE: first,
        REMEDY: Step({**first.files, **second.files}, second.commands),
    }


def refreshed(page: str) -> str:
    """Return a page with the outputs of its commands as they are now."""
    outputs: list[tuple[str, tuple[str, ...]]] = []
    for step in steps(page).values():
        with folder_of(step.files):
            outputs += [(command.text, output_of(command)) for command in step.commands]
    lines: list[str] = []
    inside = False
    pending = iter(outputs)
    for line in page.splitlines():
        if line == "```console":
            inside = True
        elif line == "```":
            inside = False
        if not inside or line == "```console":
            lines.append(line)
        elif line.startswith("$ "):
            text, output = next(pending, ("", ()))
            if text != line[2:]:
                raise ValueError(f"{line!r}: commands stand in Example and What to do")
            lines += [line, *output]
    return "\n".join(lines) + "\n"


def difference(code: str, page: str) -> str:
    """Return how a page differs from a fresh run of its commands; empty if not."""
    fresh = refreshed(page)
    return "".join(
        difflib.unified_diff(
            page.splitlines(keepends=True),
            fresh.splitlines(keepends=True),
            f"{code}.md",
            f"{code}.md as run",
        )
    )


def index_markdown() -> str:
    """Return the index of the rules: one table a family."""
    listed = list(RULES.values())
    lines = ["# Rules", "", INTRODUCTION.format(number=len(listed))]
    for family, title in FAMILIES.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| rule | level | fires when |",
            "|---|---|---|",
        ]
        lines += [
            f"| [{rule.code} {rule.slug}]({rule.code}.md) | {rule.level.value} "
            f"| {rule.summary} |"
            for rule in listed
            if rule.family == family
        ]
    lines += [
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *(rule.code for rule in listed),
        "```",
    ]
    return "\n".join(lines) + "\n"


def docs_page(page: str) -> str:
    """Return a page for Sphinx: the names of its files become captions."""
    lines: list[str] = []
    inside = False
    for line in page.splitlines():
        match = None if inside else _FENCE.match(line)
        if line.startswith("```"):
            inside = not inside
        if match is None or match["name"] is None:
            lines.append(line)
            continue
        language = "text" if match["language"] in NO_LEXER else match["language"]
        lines += [f"```{{code-block}} {language}", f":caption: {match['name']}", ""]
    return "\n".join(lines) + "\n"


def write_docs(target: Path = TARGET) -> None:
    """Write the index and all pages into a folder of the documentation."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "index.md").write_text(index_markdown(), encoding="utf-8")
    for code, page in pages().items():
        (target / f"{code}.md").write_text(docs_page(page), encoding="utf-8")


def main() -> int:
    """Check, rewrite or copy the pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="exit 1 when out of date")
    action.add_argument("--write", action="store_true", help="rewrite the outputs")
    action.add_argument("--docs", action="store_true", help="write docs/rules/")
    parser.add_argument("--only", metavar="CODE", help="one page")
    options = parser.parse_args()
    if options.docs:
        write_docs()
        return 0
    chosen = {
        code: page for code, page in pages().items() if options.only in {None, code}
    }
    if not chosen:
        parser.error(f"no page {options.only}")
    found = False
    for code, page in chosen.items():
        if options.write:
            (PAGES / f"{code}.md").write_text(refreshed(page), encoding="utf-8")
            continue
        diff = difference(code, page)
        sys.stdout.write(diff)
        found = found or bool(diff)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
