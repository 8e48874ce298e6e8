"""Commands and snippets of docs/start, docs/guide and docs/concepts."""

import doctest
import re
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from docs._gen import console

ROOT = Path(__file__).resolve().parents[2]
PAGES = [path for path in console.pages() if path.name != "README.md"]
PAGES_WITH_PYTHON = [
    path
    for path in [*PAGES, *sorted((ROOT / "docs" / "reference").glob("*.md"))]
    if "```pycon\n" in path.read_text(encoding="utf-8")
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_print_what_is_shown(path: Path) -> None:
    page = path.read_text(encoding="utf-8")

    assert console.refreshed(page) == page


@pytest.mark.parametrize("path", PAGES_WITH_PYTHON, ids=name_of)
def test_python_snippets_hold(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    code = "\n\n".join(
        "\n".join(item.lines) for item in console.fences(page) if item.info == "pycon"
    )
    place = re.search(r"<!-- run in: (\S+) -->", page)
    folder = ROOT
    if place is not None:
        folder = tmp_path / "here"
        shutil.copytree(ROOT / place[1], folder)
    examples = doctest.DocTestParser().get_doctest(code, {}, path.name, str(path), 0)

    with chdir(folder):
        result = doctest.DocTestRunner(
            optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
        ).run(examples)

    assert result.attempted > 0
    assert result.failed == 0


def test_manifests_have_no_unknown_key() -> None:
    from specstats.layout._checked import Checked
    from specstats.layout.study import Study

    for path in PAGES:
        for fence in console.fences(path.read_text(encoding="utf-8")):
            if fence.file is None or not fence.file[0].endswith("study.toml"):
                continue
            import tomllib

            content = tomllib.loads(fence.file[1])
            for key in ("runs", "telemetry"):  # their globs need the files
                content.pop(key, None)
            Study._build(Checked(content, path.name), ROOT)


def test_files_are_never_written_into_the_repository() -> None:
    page = "```{code-block} text\n:caption: a.txt\n\na\n```\n"

    with pytest.raises(ValueError, match=r"'a\.txt'"):
        console.refreshed(page)


@pytest.mark.parametrize(
    ("shown", "printed", "agree"),
    [
        (("a", "b"), ("a", "b"), True),
        (("a", "..."), ("a", "b", "c"), True),
        (("...", "c"), ("a", "b", "c"), True),
        (("...", "b", "..."), ("a", "b", "c"), True),
        (("...",), (), True),
        ((), (), True),
        ((), ("a",), False),
        (("a",), ("a", "b"), False),
        (("...", "b"), ("a", "b", "c"), False),
        (("b", "..."), ("a", "b"), False),
        (("a", "...", "a"), ("a",), False),
    ],
)
def test_elisions(
    shown: tuple[str, ...], printed: tuple[str, ...], agree: bool
) -> None:
    assert console.same(shown, printed) is agree
