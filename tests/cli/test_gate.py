"""Exit codes of gates with a margin, and their form in JUnit."""

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize(
    ("file", "margin", "gate", "code"),
    [
        # slower.jsonl: x0.904 [0.899, 0.909]; level.jsonl: x0.999 [0.993, 1.004]
        ("slower.jsonl", 0.05, "regression", 1),
        ("slower.jsonl", 0.105, "open", 3),
        ("slower.jsonl", 0.2, "cleared", 0),
        ("level.jsonl", 0.05, "cleared", 0),
        ("level.jsonl", 0.001, "open", 3),
        ("faster.jsonl", 0.05, "cleared", 0),
        ("two-runs.jsonl", 0.05, "open", 3),
        ("one-run.jsonl", 0.05, "open", 4),
    ],
)
def test_not_cleared(
    run_cli: Run, file: str, margin: float, gate: str, code: int
) -> None:
    options = ("--margin", margin, "--fail-on", "not-cleared")
    found = run_cli("summarize", file, *options, "--format", "json")

    assert [item["gate"] for item in json.loads(found.stdout)["comparisons"]] == [gate]
    assert found.returncode == code
    unit = run_cli("summarize", file, *options, "--format", "junit")
    assert ("<failure" in unit.stdout) == (gate != "cleared")
    assert unit.returncode == code
    regression = run_cli("summarize", file, "--margin", margin, "--fail-on=regression")
    assert regression.returncode == (1 if gate == "regression" else 0)


@pytest.mark.usefixtures("workplace")
def test_without_a_margin_nothing_can_be_cleared(run_cli: Run) -> None:
    found = run_cli("summarize", "level.jsonl", "--fail-on", "not-cleared")

    assert found.returncode == 2
    assert "--margin" in found.stderr
    assert found.stdout == ""


@pytest.mark.usefixtures("workplace")
def test_nothing_compared_is_not_cleared(run_cli: Run) -> None:
    options = ("--margin", 0.02, "--fail-on", "not-cleared")
    found = run_cli("summarize", "one-arm.jsonl", *options)

    assert found.returncode == 2
    assert "nothing was compared" in found.stderr
