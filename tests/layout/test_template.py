"""Path templates."""

import pytest

from specstats.errors import DesignError
from specstats.layout import Layout
from specstats.layout.template import FIELDS, Template


@pytest.mark.parametrize(
    ("template", "path", "expected"),
    [
        ("{arm}.json", "base.json", {"arm": "base"}),
        ("{arm}.json", "base.jsonl", None),
        ("{arm}.json", "a/base.json", None),
        ("{arm}.json", ".json", None),
        ("{arm}/{run}.json", "base/1.json", {"arm": "base", "run": "1"}),
        ("{arm}/{run}.json", "x/base/1.json", None),
        ("{arm}-{run}.json", "spec-g2-1.json", {"arm": "spec", "run": "g2-1"}),
        ("{run}-{arm}.json", "1-spec-g2.json", {"run": "1", "arm": "spec-g2"}),
        ("{arm}{run}.json", "abc.json", {"arm": "a", "run": "bc"}),
        (
            "main/r{run}-b{block}-{arm}.jsonl",
            "main/r000-b00-spec-g8.jsonl",
            {"run": "000", "block": "00", "arm": "spec-g8"},
        ),
        ("{ignore}/{arm}.{ignore}", "x/base.log", {"arm": "base"}),
        ("{ignore}/{ignore}-{arm}", "a/b-c", {"arm": "c"}),
        ("a+b.{arm}", "a+b.x", {"arm": "x"}),
        ("a+b.{arm}", "aab.x", None),
        ("./{arm}.json", "base.json", {"arm": "base"}),
        ("{arm}.json", "base.json\n", None),
    ],
)
def test_match(template: str, path: str, expected: dict[str, str] | None) -> None:
    assert Template.parse(template).match(path) == expected


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ("{block}/{arm}-{run}.json", "m/b/1"),
        ("{run}/{arm}.json", "1/b"),
        ("{arm}.{repeat}.json", "b"),
        ("{arm}/{prompt}/{repeat}/{ignore}.json", "b"),
        ("{workload}/{arm}.json", "w/b"),
        ("{prompt}.json", ""),
    ],
)
def test_the_run_is_all_fields_but_prompt_and_repeat(template: str, key: str) -> None:
    values = {"block": "m", "arm": "b", "run": "1", "workload": "w"}

    assert Template.parse(template).run_key(values) == key


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("x.json", "has no field"),
        ("", "has no field"),
        ("{ignore}.json", "has no field"),
        ("{arms}.json", "field 'arms'.*'arm'"),
        ("{}.json", "field ''"),
        ("{arm:d}.json", "field 'arm:d'"),
        ("{arm}-{arm}.json", "field {arm} occurs twice"),
        ("{arm-{run}.json", "a brace without its partner"),
        ("{arm}}.json", "a brace without its partner"),
        ("{{arm}}.json", "a brace without its partner"),
    ],
)
def test_errors(template: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        Layout.from_template(template)


def test_every_field_matches() -> None:
    template = Template.parse("/".join(f"{{{name}}}" for name in FIELDS))

    assert template.fields == FIELDS[:-1]
    assert template.match("/".join(FIELDS)) == {name: name for name in FIELDS[:-1]}
