"""Generated parts are up to date, and generated pages can be made."""

import json
from pathlib import Path
from typing import Any

import pytest

import specstats
from docs._gen import _marked, cli, console, coverage, formats, modules, tables
from specstats.schema import TABLES

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {"console": console, "coverage": coverage, "modules": modules}


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


def test_every_format_is_in_its_page() -> None:
    page = formats.markdown()

    for reader in specstats.formats():
        assert f"## {reader.name}\n" in page
        assert all(trap in page for trap in reader.traps)


def test_every_column_is_in_its_page() -> None:
    page = tables.markdown()

    for table in TABLES.values():
        assert f"## {table.name}\n" in page
        assert all(f"| `{column.name}` |" in page for column in table.columns)


def test_the_readme_lists_every_format() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    names = {"llama-server", "llama-bench", "llama-bench-table", "nvidia-smi"}

    known = {reader.name for reader in specstats.formats()}

    assert known == names | {"specstats-jsonl", "specstats-parquet"}, (
        "a new format: add it to the README's table and limits, then here"
    )
    assert page.count("\n| llama-bench ") == 2


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
