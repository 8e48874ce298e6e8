"""PATHs and absolute globs of arms: every file is read once."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

RunCli = Callable[..., CompletedProcess[str]]


def inputs_of(result: CompletedProcess[str]) -> list[str]:
    assert result.returncode == 0, result.stderr
    return [item["path"] for item in json.loads(result.stdout)["inputs"]]


def test_an_absolute_glob_inside_a_path_adds_nothing(
    workplace: Path, run_cli: RunCli
) -> None:
    for path in ("runs", "runs/*/*.json", workplace / "runs", "./runs/"):
        result = run_cli(
            *("summarize", path, "--arm", f"base={workplace}/runs/base/*.json"),
            *("--arm", f"spec={workplace}/runs/spec/*", "--format", "json"),
        )

        assert len(inputs_of(result)) == 8


def test_an_absolute_glob_outside_adds_its_files(
    workplace: Path, run_cli: RunCli
) -> None:
    result = run_cli(
        *("summarize", "runs/spec", "--arm", f"base={workplace}/runs/base/*.json"),
        *("--arm", "spec=*.json", "--run-per-file", "--format", "json"),
    )

    assert len(inputs_of(result)) == 8
    assert [arm["n_runs"] for arm in json.loads(result.stdout)["arms"]] == [4, 4]


def test_many_files_are_counted_by_format(workplace: Path, run_cli: RunCli) -> None:
    text = run_cli("summarize", "runs", "slower.jsonl").stdout

    assert (
        "\n9 llama-server files: 9 of 9 entries; none failed; launches unknown\n"
        in text
    )
    assert (
        "\n1 specstats-jsonl file: 16 of 16 entries; none failed; launches dec" in text
    )


def test_a_file_that_may_not_be_read(workplace: Path, run_cli: RunCli) -> None:
    (workplace / "loop.jsonl").symlink_to("loop.jsonl")

    result = run_cli("summarize", "loop.jsonl")

    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
