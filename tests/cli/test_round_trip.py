"""Converted tables give the summary of the artifacts that they came from."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

RunCli = Callable[..., CompletedProcess[str]]

OF_FILES = {"inputs", "title"}
OF_PLACES = {"SPS012", "SPS013"}
# Tables have the steps, but not of which request they are.
OF_STEPS = {"SPS303"}


def report(run_cli: RunCli, *arguments: str) -> dict[str, Any]:
    result = run_cli("summarize", *arguments, "--format", "json")
    assert result.returncode == 0, result.stderr
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def without_places(content: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is of the files or the manifest, not of the tables.

    That is: the list of files, where findings point, files not used, the title, the
    telemetry, which a manifest places, and acceptance by position.
    """
    kept = {key: value for key, value in content.items() if key not in OF_FILES}
    for arm in kept["arms"]:
        arm["telemetry"] = None
        if arm["acceptance"] is not None:
            arm["acceptance"]["positions"] = []
    pairs = [pair for ranking in kept["rankings"] for pair in ranking["pairs"]]
    for item in (*kept["comparisons"], *kept["controls"], *pairs):
        item["difference"] = None
        item["findings"] = sorted(set(item["findings"]) - OF_PLACES)
    for item in kept["decompositions"]:
        item["findings"] = sorted(set(item["findings"]) - OF_PLACES)
    kept["findings"] = sorted(
        [item["code"], item["level"], item["message"]]
        for item in content["findings"]
        if item["code"] not in OF_PLACES | OF_STEPS
    )
    return kept


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("faster.jsonl", ()),
        ("mixed.jsonl", ()),
        ("runs", ("--layout", "{arm}/{run}.json")),
        ("h200-tinyspec", ()),
    ],
)
def test_round_trip(
    source: str, options: tuple[str, ...], form: str, workplace: Path, run_cli: RunCli
) -> None:
    place = "tables.jsonl" if form == "jsonl" else "tables"
    design: tuple[str, ...] = ()
    if source == "h200-tinyspec":  # the manifest's design is no part of the tables
        design = ("--baseline", "baseline", "--control", "baseline=baseline2")
        design += ("--warmup", "1")
    converted = run_cli("convert", source, *options, "--to", form, "--output", place)
    assert converted.returncode == 0, converted.stderr

    before = without_places(report(run_cli, source, *options))
    after = without_places(report(run_cli, place, *design))

    assert after == before


def test_csv_has_the_rows(workplace: Path, run_cli: RunCli) -> None:
    run_cli("convert", "faster.jsonl", "--to", "csv", "--output", "tables")

    with (workplace / "tables" / "requests.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    lines = (workplace / "faster.jsonl").read_text().splitlines()[1:]
    written = [json.loads(line) for line in lines]
    assert [row["run_id"] for row in rows] == [row["run"] for row in written]
    assert [float(row["decode_s"]) for row in rows] == [
        row["decode_s"] for row in written
    ]
    assert [row["n_accepted"] for row in rows] == [
        str(row.get("n_accepted", "")) for row in written
    ]
