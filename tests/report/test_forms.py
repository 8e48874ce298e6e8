"""Markdown, GitHub, CSV and JUnit carry what the text does."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from specstats.report import to_csv, to_github, to_json, to_junit, to_markdown
from specstats.report.document import sections
from specstats.results import StudySummary


def rows_of(study: StudySummary) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(study))))


def suite_of(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - made here


def test_csv_has_the_numbers_of_the_json_report(study: StudySummary) -> None:
    content = json.loads(to_json(study))
    wanted = [*content["controls"], *content["comparisons"]]
    rows = rows_of(study)

    assert len(rows) == len(wanted)
    for row, item in zip(rows, wanted, strict=True):
        for key in ("estimate", "conf_low", "conf_high", "p_holm", "df"):
            found = float(row[key]) if row[key] else None
            assert found == item[key]
        assert row["verdict"] == item["verdict"]
        assert row["findings"].split() == item["findings"]
        assert int(row["n_runs_candidate"]) == item["n_runs"]["candidate"]


def test_controls_are_marked_in_csv(make: Callable[[str], StudySummary]) -> None:
    rows = rows_of(make("h200"))

    assert [row["candidate"] for row in rows if row["role"] == "control"] == [
        "baseline2"
    ]


def test_junit_counts(make: Callable[[str], StudySummary]) -> None:
    suite = suite_of(to_junit(make("outcomes")))

    assert suite.attrib == {
        "name": "specstats",
        "tests": "5",
        "failures": "1",
        "errors": "0",
        "skipped": "3",
    }
    failures = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failures == ["slow vs base: decode_rate"]


def test_junit_with_other_failures(make: Callable[[str], StudySummary]) -> None:
    suite = suite_of(to_junit(make("outcomes"), failed=("refused", "inconclusive")))

    assert (suite.get("failures"), suite.get("skipped")) == ("2", "1")


def test_junit_names_the_workload(make: Callable[[str], StudySummary]) -> None:
    suite = suite_of(to_junit(make("by workload")))

    names = [case.get("name") for case in suite]
    assert "spec-g2 vs baseline: decode_rate (prose)" in names
    assert len(set(names)) == len(names) == 12


def test_markdown_has_every_section(study: StudySummary) -> None:
    text = to_markdown(study)

    assert text.startswith("# ")
    assert text.count("\n## ") == len(sections(study)) + bool(study.findings)
    tables = [line for line in text.splitlines() if line.startswith("| --- |")]
    assert len(tables) == sum(s.grid is not None for s in sections(study))
    assert "\n\n\n" not in text


@pytest.mark.parametrize("heading", [1, 3])
def test_markdown_at_another_level(
    heading: int, make: Callable[[str], StudySummary]
) -> None:
    lines = to_markdown(make("pascal"), heading=heading).splitlines()

    assert lines[0].startswith(f"{'#' * heading} Gemma")
    assert f"{'#' * heading}# Inputs" in lines


def test_github_says_everything_once(study: StudySummary) -> None:
    text = to_github(study)
    head, _, rest = text.partition("<details><summary>Full report</summary>\n\n")

    assert rest.startswith("### Inputs\n")
    assert rest.endswith("\n</details>\n")
    assert head.count("\n- ") == max(1, len(study.headlines))
    for item in study.headlines:
        assert f"**{item.verdict.value}**" in head


def test_github_names_the_workload(make: Callable[[str], StudySummary]) -> None:
    head, _, _ = to_github(make("by workload")).partition("<details>")

    lines = [line for line in head.splitlines() if line.startswith("- ")]
    assert all(re.search(r"\b(?:code|prose|all workloads)\b", line) for line in lines)
