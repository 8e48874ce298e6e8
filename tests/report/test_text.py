"""The text report fits 80 columns, breaks no number and repeats nothing."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.render.grid import Grid
from specstats.report import to_text
from specstats.report.document import answer, sections
from specstats.results import StudySummary


def test_it_fits(study: StudySummary) -> None:
    text = to_text(study)

    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\n\n\n" not in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_interval_or_number_is_broken(width: int, study: StudySummary) -> None:
    text = to_text(study, width=width)

    for section in sections(study):
        grid = section.grid or Grid((), ())
        for row in grid.rows:
            for column, cell in zip(grid.columns, row, strict=True):
                assert column.wraps or cell in text
    assert not re.search(r"\[[^\]\n]*\n", text.replace("[1]", ""))


def test_each_verdict_is_shown(make: Callable[[str], StudySummary]) -> None:
    text = to_text(make("outcomes"))

    for arm, verdict in (
        ("fast", "FASTER"),
        ("slow", "SLOWER"),
        ("same", "INCONCLUSIVE"),
        ("pair", "INSUFFICIENT"),
    ):
        assert re.search(rf"^{arm} +{verdict} ", text, re.MULTILINE)
    assert re.search(r"^once +base +decode_rate .*SPS101$", text, re.MULTILINE)
    assert "EQUIVALENT" in to_text(make("equivalent"))


def test_without_a_comparison(make: Callable[[str], StudySummary]) -> None:
    assert to_text(make("one arm")).startswith("One arm: its spread is described")
    assert "Pass --baseline NAME" in answer(make("no baseline"))[0]


def test_workloads_are_named_and_apart(make: Callable[[str], StudySummary]) -> None:
    study = make("by workload")
    text = to_text(study)

    assert all(
        re.search(r"\b(?:code|prose|all workloads)\b", line) for line in answer(study)
    )
    assert "future sessions, code\n" in text
    assert "future sessions, prose\n" in text
    assert "future sessions, all workloads (geometric mean)\n" in text
    assert text.count("peak memory") == 4


def test_counts_of_one_have_no_plural(study: StudySummary) -> None:
    own = [line for section in sections(study) for line in section.before]
    for section in sections(study):
        rows = () if section.grid is None else section.grid.rows
        own += [cell for row in rows for cell in row]

    plural = re.compile(r"\b1 (?:\S+ )?\w+s\b")
    assert not [text for text in own if plural.search(text)]


def test_control_sections(make: Callable[[str], StudySummary]) -> None:
    text = to_text(make("h200"))

    assert "Controls (declared identical; never a speedup)\n" in text
    assert "Noise floor of the study: x/1.059." in text
    assert text.count("A/A: the ratio of two single runs") == 1
    assert "Same outputs for every prompt: baseline, spec-g4" in text


def test_aggregates_of_several_files_name_them(tmp_path: Path) -> None:
    for name, rate in (("a", 51.25), ("b", 61.5)):
        (tmp_path / f"{name}.md").write_text(
            "| model | test | t/s |\n| --- | ---: | ---: |\n"
            f"| m | tg128 | {rate} ± 0.10 |\n"
        )
    text = to_text(specstats.summarize(specstats.read(tmp_path, arms={"one": "*.md"})))

    assert re.search(r"a\.md +51\.25", text)
    assert re.search(r"b\.md +61\.50?", text)
    alone = to_text(specstats.summarize(tmp_path / "a.md"))
    assert "51.25" in alone
    assert re.search(r"test +metric +mean", alone)
