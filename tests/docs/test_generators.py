"""Generated parts are up to date, and generated pages can be made."""

import json
from pathlib import Path
from typing import Any

import pytest

import specstats
from docs._gen import _marked, cli, console, coverage, formats, modules, tables
from specstats.schema import TABLES
from specstats.testing.contract import READER_CHECKS

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {
    "console": console,
    "coverage": coverage,
    "formats": formats,
    "modules": modules,
}


@pytest.mark.parametrize("name", WRITERS)
def test_committed_pages_are_up_to_date(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = _marked.main(name, WRITERS[name].fresh, ["--check"])

    assert code == 0, capsys.readouterr().out


def test_a_page_out_of_date_is_noticed_and_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- begin x -->\nold\n<!-- end x -->\n", encoding="utf-8")

    def fresh() -> dict[Path, str]:
        return {page: _marked.replaced(page.read_text(encoding="utf-8"), "x", "new")}

    assert _marked.main("x", fresh, ["--check"]) == 1
    assert "+new" in capsys.readouterr().out
    assert _marked.main("x", fresh, ["--write"]) == 0
    assert _marked.main("x", fresh, ["--check"]) == 0


def test_markers_must_be_there() -> None:
    with pytest.raises(ValueError, match="begin x"):
        _marked.replaced("no markers", "x", "new")


def test_every_command_is_in_its_page() -> None:
    from specstats.cli.main import _COMMANDS

    page = cli.markdown()

    assert all(f"## specstats {name}\n" in page for name in _COMMANDS)


def test_every_format_has_a_page() -> None:
    pages = formats.pages()
    index = pages.pop("index.md")

    assert list(pages) == [f"{reader.name}.md" for reader in specstats.formats()]
    for reader in specstats.formats():
        page = pages[f"{reader.name}.md"]
        assert index.count(f"\n| [{reader.name}]({reader.name}.md) |") == 1
        assert index.count(f"\n{reader.name}\n") == 1
        assert f"`--as {reader.name}`" in page
        assert ("*Experimental:*" in page) is reader.experimental
        assert all(formats.escaped(trap) in page for trap in reader.traps)
        assert page.count("\n| ") == len(reader.fields) + 1


def test_every_reader_says_where_its_values_come_from() -> None:
    check = READER_CHECKS[0]
    wrong = {
        reader.name: list(check.problems(reader, b"")) for reader in specstats.formats()
    }

    assert check.name == "says what it is"
    assert {name: found for name, found in wrong.items() if found} == {}
    assert [reader.name for reader in specstats.formats() if not reader.fields] == []


def test_a_reader_is_in_one_family() -> None:
    listed = [reader for readers in formats.families().values() for reader in readers]

    assert sorted(reader.name for reader in listed) == sorted(
        reader.name for reader in specstats.formats()
    )


def test_every_column_is_in_its_page() -> None:
    page = tables.markdown()

    for table in TABLES.values():
        assert f"## {table.name}\n" in page
        assert all(f"| `{column.name}` |" in page for column in table.columns)


def test_the_readme_lists_every_format() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")

    for reader in specstats.formats():
        mark = f"`{reader.name}`" + (" (experimental)" if reader.experimental else "")
        assert mark in page
        assert (f"`{reader.name}` (experimental)" in page) is reader.experimental


def test_the_report_schema_is_strict() -> None:
    path = ROOT / "docs" / "reference" / "report.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema)

    open_objects = [item for item in _objects(schema) if "properties" in item]

    assert len(open_objects) > 10
    for item in open_objects:
        assert item["additionalProperties"] is False
        assert set(item["required"]) == set(item["properties"])
        assert all(
            "description" in value or "$ref" in value or "pattern" in value
            for value in item["properties"].values()
        )


def test_reports_of_the_data_sets_fit_the_schema() -> None:
    path = ROOT / "docs" / "reference" / "report.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema)

    for name in specstats.datasets.names():
        study = specstats.summarize(specstats.datasets.path(name))
        report = json.loads(specstats.report.to_json(study))
        assert [error.message for error in validator.iter_errors(report)] == []
        report["comparisons"][0]["surprise"] = 1
        assert not validator.is_valid(report)


def _objects(value: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if isinstance(value, dict):
        if value.get("type") == "object":
            found.append(value)
        for inner in value.values():
            found += _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            found += _objects(inner)
    return found
