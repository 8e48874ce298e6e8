"""``specstats summarize --all-pairs``: every pair in the text, rankings in the JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import specstats
from specstats.cli.main import cli
from specstats.testing import launch_rows

ARMS = {"off": [100.0, 101.3, 99.2], "k2": [150.4, 148.5, 151.9], "k4": [151.1, 149.6]}


@pytest.fixture
def runs(tmp_path: Path) -> str:
    path = tmp_path / "runs.jsonl"
    header = {"specstats.table": "requests", "version": 1}
    lines = [json.dumps(row) for row in (header, *launch_rows(ARMS))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def told(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["summarize", *arguments], standalone_mode=False)
    assert done.return_value == 0
    return done.output


def test_pairs_are_shown_when_asked_for(runs: str) -> None:
    assert "All pairs, decode rate" in told(runs, "--all-pairs")
    assert "All pairs" not in told(runs)
    assert "Ranking by decode rate" in told(runs)


def test_the_json_report_has_them_in_any_case(runs: str) -> None:
    (ranking,) = json.loads(told(runs, "--format", "json"))["rankings"]
    assert ranking["groups"] == [["k4", "k2"], ["k4", "off"]]
    assert ranking["winner"] is None
    assert [item["verdict"] for item in ranking["pairs"]] == [
        "faster",
        "insufficient",
        "insufficient",
    ]
    path = specstats.datasets.path("pascal-p5200")
    assert json.loads(told(str(path), "--format", "json"))["rankings"] == []
