import re

import pytest

import specstats
from specstats.diagnostics import RULES, Level
from specstats.errors import DesignError

IMPERATIVES = {
    "add",
    "allow",
    "avoid",
    "check",
    "compare",
    "declare",
    "drop",
    "fix",
    "ignore",
    "keep",
    "measure",
    "name",
    "remove",
    "repeat",
    "report",
    "run",
    "set",
    "use",
}
# Nouns that are verbs too: "run boundary", "set of workloads".
FIRST_WORDS_THAT_ARE_NOUNS = {"run-boundary-unknown", "set-differs"}


def test_codes_are_sorted_and_unique() -> None:
    codes = list(RULES)
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"SPS\d{3}", code) for code in codes)
    assert all(RULES[code].code == code for code in codes)


def test_slugs_are_unique_lower_case_words() -> None:
    slugs = [rule.slug for rule in RULES.values()]
    assert len(slugs) == len(set(slugs))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", slug) for slug in slugs)


@pytest.mark.parametrize("slug", [rule.slug for rule in RULES.values()])
def test_a_slug_names_the_bad_thing(slug: str) -> None:
    first = slug.partition("-")[0]
    assert first not in IMPERATIVES or slug in FIRST_WORDS_THAT_ARE_NOUNS


@pytest.mark.parametrize("code", RULES)
def test_a_summary_is_one_short_sentence(code: str) -> None:
    summary = RULES[code].summary
    assert summary[0].isupper()
    assert summary.endswith(".")
    assert summary.count(". ") == 0
    assert len(summary) <= 80


@pytest.mark.parametrize("code", RULES)
def test_the_family_follows_the_code(code: str) -> None:
    families = {
        "SPS0": "artifacts",
        "SPS1": "design",
        "SPS2": "inference",
        "SPS3": "acceptance",
        "SPS4": "record",
    }
    assert RULES[code].family == families[code[:4]]
    assert RULES[code].level in set(Level)
    assert re.fullmatch(r"\d+\.\d+\.\d+", RULES[code].since)


@pytest.mark.parametrize("name", ["SPS101", "sps101", "one-run-per-arm"])
def test_a_rule_is_found_by_code_or_slug(name: str) -> None:
    assert specstats.rule(name) is RULES["SPS101"]


def test_a_slug_is_found_in_any_case() -> None:
    assert specstats.rule("One-Run-Per-Arm").code == "SPS101"


def test_an_unknown_rule_gets_a_hint() -> None:
    with pytest.raises(DesignError, match=r"no rule 'SPS116'. Hint: one of 'SPS"):
        specstats.rule("SPS116")


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot assign"):
        RULES["SPS101"].slug = "other"  # type: ignore[misc]
