"""Links between Markdown files lead somewhere."""

import re
from pathlib import Path

import pytest

from docs._gen import console, formats
from specstats import RULES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILT = {
    DOCS / "rules" / "index.md",
    *(DOCS / "rules" / f"{code}.md" for code in RULES),
    *(DOCS / "formats" / name for name in formats.pages()),
    DOCS / "reference" / "cli.md",
    DOCS / "reference" / "tables.md",
}
ANCHORS_OF_BUILT = {"exit-codes", "what-is-what"}
PAGES = [
    path
    for path in [
        *ROOT.glob("*.md"),
        *ROOT.glob("data/*/README.md"),
        *DOCS.rglob("*.md"),
        *(ROOT / "specstats" / "diagnostics" / "docs").glob("*.md"),
    ]
    if path not in BUILT and not {"_build", "generated"} & set(path.parts)
]
_LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|:link: (\S+)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(page: str) -> str:
    """Return a page without its code blocks; those of directives stay."""
    lines = page.splitlines()
    for fence in console.fences(page):
        if not fence.info.startswith("{"):
            for number in range(fence.first, fence.first + len(fence.lines)):
                lines[number] = ""
    return "\n".join(lines)


def slugs(page: str) -> set[str]:
    """Return the anchors of a page: its headings and its explicit targets."""
    found = set(re.findall(r"^\(([\w-]+)\)=$", page, re.MULTILINE))
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        kept = re.sub(r"[^\w\s-]", "", heading.lower())
        found.add(re.sub(r"\s+", "-", kept.strip()))
    return found


@pytest.mark.parametrize("path", sorted(PAGES), ids=name_of)
def test_links_resolve(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    broken = []
    for match in _LINK.finditer(prose(page)):
        target, _, anchor = (match[1] or match[2]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        place = (path.parent / target).resolve() if target else path
        if match[2]:
            place = place.with_name(f"{place.name}.md")
            notebook = ROOT / "notebooks" / f"{place.stem}.ipynb"
            place = notebook if place.parent == DOCS / "notebooks" else place
        if place in BUILT:
            if anchor and anchor not in ANCHORS_OF_BUILT:
                broken.append(match[0])
        elif not place.exists() or (
            anchor and anchor not in slugs(place.read_text(encoding="utf-8"))
        ):
            broken.append(match[0])

    assert broken == []


def test_no_page_names_a_machine() -> None:
    machine = re.compile(r"(?<![\w.])/(?:work|tmp|home|root)/")
    found = [name_of(path) for path in PAGES if machine.search(path.read_text("utf-8"))]

    assert found == []


def test_every_simulation_is_listed() -> None:
    page = (DOCS / "validation" / "index.md").read_text(encoding="utf-8")
    found = {path.name for path in (ROOT / "tests" / "sims").glob("test_*.py")}

    assert set(re.findall(r"`(test_\w+\.py)`", page)) == found
