"""``specstats plan``: its sentence, its table, its schedule and its exit codes."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import specstats

Run = Callable[..., CompletedProcess[str]]
PILOT = ("--sd", "0.03:9")


def test_an_effect(run_cli: Run) -> None:
    found = run_cli("plan", *PILOT, "--effect", 1.10)

    assert found.returncode == 0
    assert found.stderr == ""
    lines = found.stdout.splitlines()
    text = " ".join(found.stdout.split())
    planned = specstats.plan(specstats.ReferenceSpread(sd=0.03, df=9), effect=1.10)
    assert planned.sentence in text
    assert "run 5 launches of each of 2 arms (10 launches in all)" in text
    assert "at the pilot's own SD 4 would do" in text
    assert any(line.strip().startswith("* 5 ") for line in lines)
    assert all(len(line) <= 80 for line in lines)
    for assumption in planned.assumptions:
        assert f"- {assumption}" in text


def test_json_is_the_plan(run_cli: Run) -> None:
    options = ("--half-width", 0.03, "--blocks", "--arms", "a,b,c", "--format", "json")
    found = run_cli("plan", *PILOT, *options)

    expected = specstats.plan(
        specstats.ReferenceSpread(sd=0.03, df=9),
        half_width=0.03,
        blocks=True,
        n_arms=3,
    ).to_dict()
    assert found.returncode == 0
    assert json.loads(found.stdout) == {**expected, "schedule": None}


@pytest.mark.parametrize("blocks", [(), ("--blocks",)])
def test_a_folder_as_pilot(run_cli: Run, workplace: Path, blocks: tuple[str]) -> None:
    costs = ("--launch-cost", 30, "--request-cost", 1.5)
    found = run_cli(
        *("plan", "h200-tinyspec", "--effect", 1.05, *blocks, *costs),
        *("--format", "json"),
    )

    content = json.loads(found.stdout)
    assert found.returncode == 0
    assert content["pilot"]["df"] == pytest.approx(4.0)
    requests, runs = content["requests_per_run"], content["runs_per_arm"]
    assert requests % content["n_prompts"] == 0
    assert content["total_cost"] == pytest.approx(2 * runs * (30 + 1.5 * requests))
    assert content["runs_per_arm_at_pilot_sd"] < runs
    assert (content["n_blocks"] == runs) == bool(blocks)
    assert (workplace / "h200-tinyspec").is_dir()


def test_a_report_as_pilot(run_cli: Run, workplace: Path) -> None:
    report = run_cli("summarize", "slower.jsonl", "--format", "json").stdout
    (workplace / "report.json").write_text(report, encoding="utf-8")
    asked = ("--effect", 1.02, "--format", "json")
    lent = json.loads(run_cli("plan", "--sd", "report.json", *asked).stdout)
    read = json.loads(run_cli("plan", "slower.jsonl", *asked).stdout)

    assert lent["pilot"] == pytest.approx(read["pilot"])
    assert lent["runs_per_arm"] == read["runs_per_arm"]


def test_a_pilot_of_single_launches_is_refused(run_cli: Run, workplace: Path) -> None:
    header = json.dumps({"specstats.table": "requests"})
    rows = [
        {"run": arm, "arm": arm, "n_output": 64, "decode_s": 1.0 + 0.1 * index + shift}
        for arm, shift in (("a", 0.0), ("b", 0.5))
        for index in range(3)
    ]
    text = "\n".join([header, *map(json.dumps, rows), ""])
    (workplace / "pilot.jsonl").write_text(text, encoding="utf-8")
    order = ("--arms", "a,b", "--schedule", "new.toml")
    found = run_cli("plan", "pilot.jsonl", "--effect", 1.05, *order)

    assert found.returncode == 4
    assert found.stdout.startswith("No plan: the pilot has one launch of each arm")
    assert "SPS101" in found.stdout
    assert "three times or more" in " ".join(found.stdout.split())
    assert not (workplace / "new.toml").exists()


def test_more_than_a_study_can_hold(run_cli: Run) -> None:
    found = run_cli("plan", "--sd", "0.3:9", "--effect", 1.001)

    assert found.returncode == 3
    assert "more than 1000 launches are needed" in " ".join(found.stdout.split())


def test_a_hopeless_spread_is_still_readable(run_cli: Run) -> None:
    found = run_cli("plan", "--sd", "9.9:1", "--runs", 3, "--blocks")

    assert found.returncode == 0
    assert all(len(line) <= 80 for line in found.stdout.splitlines())
    assert "e+" in found.stdout


@pytest.mark.parametrize("blocks", [(), ("--blocks",)])
def test_schedule(run_cli: Run, workplace: Path, blocks: tuple[str]) -> None:
    found = run_cli(
        *("plan", *PILOT, "--runs", 3, *blocks, "--arms", "off,mtp"),
        *("--schedule", "study.toml", "--seed", 7),
    )

    assert found.returncode == 0
    drawn = specstats.schedule(["off", "mtp"], runs=3, seed=7, blocks=bool(blocks))
    written = (workplace / "study.toml").read_text(encoding="utf-8")
    assert written == drawn.to_toml()
    assert f"Order (abba, seed 7): {drawn}" in found.stdout
    assert len(tomllib.loads(written)["runs"]) == 6


def test_a_schedule_records_the_seed_that_it_drew(
    run_cli: Run, workplace: Path
) -> None:
    found = run_cli(
        *("plan", *PILOT, "--runs", 4, "--arms", "a,b,c", "--format", "json"),
        *("--schedule", "s.toml", "--order", "randomised blocks"),
    )

    content = json.loads(found.stdout)["schedule"]
    again = specstats.schedule(
        ["a", "b", "c"],
        runs=4,
        design="randomised blocks",
        seed=content["seed"],
        blocks=False,
    )
    assert [item["arm"] for item in content["runs"]] == [r.arm for r in again.runs]
    assert (workplace / "s.toml").read_text(encoding="utf-8") == again.to_toml()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--effect", 1.05), "no pilot"),
        ((*PILOT,), "nothing given"),
        ((*PILOT, "--effect", 1.05, "--runs", 3), "effect and runs given"),
        ((*PILOT, "--effect", 1.0), "a ratio other than 1"),
        ((*PILOT, "--effect", 1.05, "--power", 1.0), "power 1.0"),
        ((*PILOT, "--effect", 1.05, "--confidence-level", 1.0), "confidence_level"),
        ((*PILOT, "--half-width", -1.0), "half_width -1.0"),
        ((*PILOT, "--runs", 1), "runs 1"),
        ((*PILOT, "--runs", 3, "--request-cost", 1.0), "without launch_cost"),
        ((*PILOT, "--runs", 3, "--launch-cost", 0.0), "launch_cost 0.0"),
        ((*PILOT, "--runs", 3, "--arms", "a"), "two different names"),
        ((*PILOT, "--runs", 3, "--schedule", "x.toml"), "needs --arms"),
        ((*PILOT, "--runs", 3, "--metric", "speed"), "speed"),
        ((*PILOT, "h200-tinyspec", "--runs", 3), "PATHS and --sd given"),
        (("--sd", "0.03", "--runs", 3), "expected SD:DF"),
        (
            (*PILOT, "--runs", 3, "--arms", "a,b", "--schedule", "h200-tinyspec"),
            "exists",
        ),
        (
            (*PILOT, "--runs", 3, "--arms", "a,b", "--schedule", "no/such/x.toml"),
            "does not exist",
        ),
        (("--sd", "0.03:0.01", "--runs", 3), "degrees of freedom"),
        ((*PILOT, "--effect", "nan"), "effect nan"),
        ((*PILOT, "--half-width", "nan"), "half_width nan"),
    ],
)
def test_usage(
    run_cli: Run, workplace: Path, options: tuple[object, ...], told: str
) -> None:
    found = run_cli("plan", *options)

    assert workplace.is_dir()
    assert found.returncode == 2
    assert found.stdout == ""
    assert told in found.stderr
