"""`specstats acceptance`: positions, lengths and differences in every form."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import specstats
from specstats.cli.main import cli

DATA = str(specstats.datasets.path("h200-tinyspec"))


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(
        cli, ["acceptance", *arguments], env={"COLUMNS": "80"}, standalone_mode=False
    )
    assert done.return_value in {0, 1}, done.output
    return done.output


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_sections(form: str) -> None:
    text = shown(DATA, "--format", form)
    for title in (
        "Draft acceptance",
        "Mean accepted length, and spread of clusters",
        "Acceptance by position in the draft",
    ):
        assert title in text
    assert "Differences of acceptance" not in text
    assert "3.103, 4.014" in text


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_differences_to_a_baseline_that_drafts(form: str) -> None:
    text = shown(DATA, "--baseline", "spec-g4", "--format", form)
    assert "Differences of acceptance" in text
    assert "0.476, 0.615" in text
    assert "ratio of tokens per step: paired by prompt, jackknife on the log." in text


def test_json_holds_what_the_tables_show() -> None:
    text = shown(DATA, "--baseline", "spec-g4", "--format", "json")
    arms = json.loads(text)["arms"]
    arm = arms["spec-noise"]
    assert arm["tokens_per_step_interval"]["method"] == "cluster jackknife on the log"
    assert [item["position"] for item in arm["positions"]] == [1, 2, 3, 4]
    assert arm["positions"][0]["reached"] == 591
    assert arm["dispersion"]["n_clusters"] == 12
    assert [item["metric"] for item in arm["differences"]] == ["rate", "length"]
    assert arm["differences"][1]["estimate"] == pytest.approx(0.541, abs=5e-4)
    assert arms["spec-g4"]["differences"] == []


def test_refused_differences_say_why(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "run": arm, "prompt": "p1", "n_draft": 90, "n_accepted": hits}
        for arm, hits in (("old", 50), ("new", 60))
    ]
    lines = [{"specstats.table": "requests", "version": 1}, *rows]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = shown(str(path), "--baseline", "old")
    assert "refused" in text
    assert "so no spread between" in text
