import re
from importlib import resources

import pytest

from specstats.diagnostics import RULES

HEADINGS = [
    "What it checks",
    "Why it matters",
    "Example",
    "What to do",
    "How the threshold is computed",
    "Related",
    "Since",
]
FOLDER = resources.files("specstats.diagnostics") / "docs"
# What does not belong into a shipped page: paths of a machine, places that mirror.
PRIVATE = re.compile(
    r"(?<!\w)/(?:home|root|tmp|work|Users)/|[Cc]:\\|localhost|127\.0\.0"
)


def headings(page: str) -> list[str]:
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^## (.*)$", outside, flags=re.MULTILINE)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {item.name for item in FOLDER.iterdir()} == {f"{code}.md" for code in RULES}


@pytest.mark.parametrize("code", RULES)
def test_a_page_begins_with_its_rule(code: str) -> None:
    page = RULES[code].page()
    assert page.splitlines()[0] == f"# {code} {RULES[code].slug}"
    assert page.endswith(f"## Since\n\n{RULES[code].since}\n")


@pytest.mark.parametrize("code", RULES)
def test_headings_are_all_there_in_order(code: str) -> None:
    assert headings(RULES[code].page()) == HEADINGS


@pytest.mark.parametrize("code", RULES)
def test_a_page_is_neither_a_line_nor_a_book(code: str) -> None:
    assert 40 <= len(RULES[code].page().splitlines()) <= 100


@pytest.mark.parametrize("code", RULES)
def test_links_lead_to_other_pages(code: str) -> None:
    page = RULES[code].page()
    links = re.findall(r"\[(SPS\d{3})\]\((\S+?)\)", page)
    assert links
    for label, target in links:
        assert target == f"{label}.md"
        assert label in RULES
        assert label != code
    for label, slug in re.findall(
        r"^- \[(\w+)\]\(\S+\) ([a-z-]+):", page, re.MULTILINE
    ):
        assert RULES[label].slug == slug


@pytest.mark.parametrize("code", RULES)
def test_the_level_is_told(code: str) -> None:
    first, _, _ = RULES[code].page().partition("## Why it matters")
    assert re.search(rf"\b{RULES[code].level.value}s?\b", first)


@pytest.mark.parametrize("code", RULES)
def test_a_page_names_nothing_private(code: str) -> None:
    assert not PRIVATE.search(RULES[code].page())
