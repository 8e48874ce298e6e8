"""Wrong options and inputs end with one sentence and exit code 2, never a traceback."""

import itertools
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from specstats.cli import _run

RunCli = Callable[..., CompletedProcess[str]]

ODD = {
    "--baseline": ["", "nosuch", "base"],
    "--control": ["", "=", "a=", "base=base", "base=candidate", "base=nosuch"],
    "--warmup": ["0", "1", "100", "-1", "x", "99999999999999999999"],
    "--block": ["", "nosuch", "day", "cfg.nosuch", "run"],
    "--ignore": ["", "nosuch", "cfg.*"],
    "--factor": ["", "nosuch", "cfg.nosuch"],
    "--by": ["workload", "nosuch"],
    "--metric": ["", "nosuch", "ttft", "e2e", "prompt_rate", "decode_rate"],
    "--confidence-level": ["0", "1", "2", "-1", "nan", "inf", "0.5", "0.999999", "x"],
    "--margin": ["0", "-1", "nan", "inf", "1e-300", "9.9", "x"],
    "--min-runs": ["0", "1", "2", "3", "99", "-5", "x", "99999999999999999999"],
    "--reference-spread": ["", ":", "1", "1:", ":1", "nan:1", "0.1:inf", "0.02:9", "."],
    "--allow": ["", "nosuch", "SPS101", "one-run-per-arm"],
    "--seed": ["0", "-1", "99999999999999999999999", "x"],
    "--layout": ["", "x", "{", "}", "{}", "{nosuch}", "{arm}", "{arm}{run}", "{run}"],
    "--arm": ["", "=", "a", "a=", "a=[", "a=**", "a=/", "base=*", "a=\\"],
    "--study": ["", ".", "nosuch.toml", "notes.txt", "elsewhere/study.toml"],
    "--as": ["", "nosuch", "llama-bench", "nvidia-smi", "specstats-parquet"],
    "--fail-on": ["", ",", "nosuch", "refused,,", "REFUSED", "sps999", "sps205"],
    "--output": ["", ".", "nosuch/x", "notes.txt/x"],
}
INPUTS = (
    *("slower.jsonl", "one-run.jsonl", "runs", "notes.txt", "broken.jsonl"),
    *("one-arm.jsonl", "elsewhere", "empty", "nosuch"),
)
CASES = [(option, value) for option, values in ODD.items() for value in values]


def check_outcome(result: CompletedProcess[str], *, quiet: bool = False) -> None:
    if result.returncode == 2:
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert lines[-1].startswith(("error: ", "Error: ")), result.stderr
        assert len(lines[-1]) > len("error: ") + 10
    else:
        assert result.returncode in {0, 4}
        assert result.stderr == ""
        assert result.stdout or quiet


@pytest.mark.parametrize(("option", "value"), CASES)
def test_one_odd_option(
    option: str, value: str, workplace: Path, run_cli: RunCli
) -> None:
    (workplace / "empty").mkdir()
    for given in INPUTS:
        result = run_cli("summarize", given, f"{option}={value}")

        check_outcome(result, quiet=option == "--output")


@pytest.mark.parametrize("first", sorted(ODD))
def test_two_odd_options(first: str, workplace: Path, run_cli: RunCli) -> None:
    (workplace / "empty").mkdir()
    others = [option for option in ODD if option > first]
    for second in others:
        pairs = itertools.product(ODD[first][-2:], ODD[second][:2])
        for one, two in pairs:
            result = run_cli(
                "summarize", "slower.jsonl", f"{first}={one}", f"{second}={two}"
            )

            check_outcome(result, quiet="--output" in {first, second})


@pytest.mark.parametrize(
    "command",
    [
        ("acceptance", "notes.txt"),
        ("acceptance", "faster.jsonl", "--confidence-level", "2"),
        ("check", "nosuch"),
        ("compare", "slower.jsonl", "nosuch"),
        ("compare", "slower.jsonl", "slower.jsonl"),
        ("compare", "empty", "runs"),
        ("compare", "notes.txt", "slower.jsonl"),
        ("convert", "notes.txt", "--to", "jsonl", "--output", "x"),
        ("convert", "slower.jsonl", "--to", "xlsx", "--output", "x"),
        ("convert", "slower.jsonl", "--to", "jsonl"),
        ("convert", "slower.jsonl", "--to", "jsonl", "--output", "nosuch/x"),
        ("convert", "slower.jsonl", "--to", "csv", "--output", "notes.txt"),
        ("convert", "slower.jsonl", "--to", "parquet", "--output", "notes.txt"),
        ("convert", "slower.jsonl", "--to", "jsonl", "--output", "empty"),
        ("band",),
        ("band", "x"),
        ("band", "1"),
        ("band", "0", "1"),
        ("band", "inf", "1"),
        ("band", "1", "2", "--runs", "1"),
        ("band", "1", "2", "--runs", "-1"),
        ("band", "1", "2", "3", "--runs", "3"),
        ("band", "1", "2", "--confidence-level", "1"),
        ("band", "--", "-1", "2", "3"),
        ("formats", "--format", "xml"),
        ("rule",),
        ("rule", "nosuch"),
        ("init", "nosuch"),
        ("init", "notes.txt"),
    ],
)
def test_other_commands(
    command: tuple[str, ...], workplace: Path, run_cli: RunCli
) -> None:
    (workplace / "empty").mkdir()

    result = run_cli(*command)

    assert result.returncode == 2
    check_outcome(result)


def test_a_bug_stays_a_traceback(
    workplace: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(_run, "bench_of", broken)

    with pytest.raises(ZeroDivisionError, match="a bug"):
        run_cli("summarize", "slower.jsonl")


def test_two_paths_with_an_equals_sign_in_their_name(
    workplace: Path, run_cli: RunCli
) -> None:
    for arm, number in (("base", 1), ("spec", 2)):
        (workplace / "runs" / arm).rename(workplace / f"p={number}")

    result = run_cli("compare", "p=1", "p=2", "--run-per-file")

    assert result.stdout.startswith("p=2 vs p=1: decode rate x1.375"), result.stderr
