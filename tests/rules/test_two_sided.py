"""Each rule fires on its minimal bad case and is silent on the nearest good one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import specstats
from specstats.cli.main import cli
from specstats.diagnostics import RULES, Level
from specstats.results import Verdict
from tests.rules.builders import (
    ABBA,
    AGAINST_BASE,
    BASE,
    CONTROL,
    ERROR,
    SPEC,
    WARNING,
    Case,
    Rows,
    arm,
    drafting,
    pair,
    row,
    rows,
)
from tests.rules.cases_acceptance import ACCEPTANCE
from tests.rules.cases_artifacts import ARTIFACTS
from tests.rules.cases_design import DESIGN
from tests.rules.cases_estimands import ESTIMANDS
from tests.rules.cases_inference import INFERENCE
from tests.rules.cases_methods import METHODS
from tests.rules.cases_silent import SILENT
from tests.rules.cases_time import TIME

TWO_SIDED = [
    *ARTIFACTS,
    *DESIGN,
    *ESTIMANDS,
    *INFERENCE,
    *ACCEPTANCE,
    *METHODS,
    *SILENT,
    *TIME,
]
IDS = [f"{code}-{index}" for index, (code, *_) in enumerate(TWO_SIDED)]
Observe = Callable[..., Any]


def levels(observe: Observe, case: Case) -> dict[str, Level]:
    found: dict[str, Level] = observe(
        case.files,
        case.design,
        name=case.name,
        reading=case.reading,
        summarizing=case.summarizing,
    ).levels
    return found


def test_every_rule_is_covered() -> None:
    assert {code for code, *_ in TWO_SIDED} | {"SPS301"} == set(RULES)


@pytest.mark.parametrize(
    ("code", "level", "bad"), [case[:3] for case in TWO_SIDED], ids=IDS
)
def test_the_bad_case_fires(
    observe: Observe, code: str, level: Level, bad: Case
) -> None:
    assert levels(observe, bad).get(code) is level


@pytest.mark.parametrize(
    ("code", "good"), [(case[0], case[3]) for case in TWO_SIDED], ids=IDS
)
def test_the_good_case_is_silent(observe: Observe, code: str, good: Case) -> None:
    assert code not in levels(observe, good)


def acceptance_codes(tmp_path: Path, listed: Rows) -> tuple[int, set[str]]:
    path = tmp_path / "runs.jsonl"
    header: Rows = [{"specstats.table": "requests", "version": 1}]
    path.write_text("".join(json.dumps(item) + "\n" for item in [*header, *listed]))
    done = CliRunner().invoke(
        cli, ["acceptance", str(path), "--format", "json"], standalone_mode=False
    )
    assert isinstance(done.return_value, int)
    found = {item["code"] for item in json.loads(done.output)["findings"]}
    return done.return_value, found


def test_acceptance_without_counts(tmp_path: Path) -> None:
    assert acceptance_codes(tmp_path, arm("spec", SPEC)) == (1, {"SPS301"})


def test_acceptance_with_counts(tmp_path: Path) -> None:
    listed = drafting(prompt=["p1", "p2", "p3"])
    assert acceptance_codes(tmp_path, listed) == (0, set())


def test_acceptance_that_was_configured(tmp_path: Path) -> None:
    listed = drafting(cfg__synthetic_acceptance=True, prompt=["p1", "p2", "p3"])
    assert acceptance_codes(tmp_path, listed) == (1, {"SPS309"})


def test_one_arm_with_configured_acceptance(tmp_path: Path) -> None:
    real = drafting(prompt=["p1", "p2", "p3"])
    listed = drafting(cfg__synthetic_acceptance=True, prompt=["p1", "p2", "p3"])
    made = [{**item, "arm": "made"} for item in listed]
    assert acceptance_codes(tmp_path, [*real, *made]) == (0, {"SPS309"})


def verdicts(observe: Observe, case: Case) -> list[Verdict]:
    study = observe(case.files, case.design, summarizing=case.summarizing).study
    return [item.verdict for item in study.headlines]


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        (rows(pair(), AGAINST_BASE), Verdict.FASTER),
        (rows(pair(SPEC, BASE), AGAINST_BASE), Verdict.SLOWER),
        (rows(pair(BASE[:1], SPEC[:1]), AGAINST_BASE), Verdict.REFUSED),
        (rows(pair(BASE[:2], SPEC[:2]), AGAINST_BASE), Verdict.INSUFFICIENT),
        (
            rows(
                arm("base", BASE, (1, 2, 3)) + arm("spec", SPEC, (4, 5, 6)),
                AGAINST_BASE,
            ),
            Verdict.INCONCLUSIVE,
        ),
        (
            rows(
                pair((4.041, 4.066, 4.052), (4.0, 4.03, 4.01))
                + arm("base2", (4.118, 4.151, 4.130), (7, 8, 9)),
                CONTROL,
            ),
            Verdict.INCONCLUSIVE,
        ),
    ],
)
def test_what_a_rule_does_to_the_verdict(
    observe: Observe, case: Case, verdict: Verdict
) -> None:
    assert verdicts(observe, case) == [verdict]


def test_a_refused_comparison_has_no_estimate(observe: Observe) -> None:
    study = observe(rows(pair(BASE[:1], SPEC[:1])).files, AGAINST_BASE).study
    (comparison,) = study.headlines
    assert comparison.estimate is None
    assert comparison.observed_ratio == pytest.approx(BASE[0] / SPEC[0])


def test_allowing_a_rule_lifts_its_error_and_says_so(observe: Observe) -> None:
    case = rows(
        arm("base", BASE, ABBA[0], id__build="b1")
        + arm("spec", SPEC, ABBA[1], id__build="b2")
    )
    study = observe(case.files, AGAINST_BASE, summarizing={"allow": ["SPS112"]}).study
    assert [item.verdict for item in study.headlines] == [Verdict.FASTER]
    (found,) = study.findings.of("SPS112")
    assert found.level is WARNING
    assert found.message.startswith("allowed by user: ")


def test_failures_that_follow_the_arm_by_permutation(observe: Observe) -> None:
    places = {"base": (1, 4, 5, 8), "spec": (2, 3, 6, 7)}
    listed = [
        row(
            name,
            run,
            None if fails else 4.0 + run / 50,
            order=place,
            prompt=f"p{prompt}",
            **({"error": "500"} if fails else {}),
        )
        for name, order in places.items()
        for run, place in enumerate(order)
        for prompt in range(6)
        for fails in [
            prompt < (4 if name == "spec" else 1) and (name == "spec" or run == 0)
        ]
    ]
    found = observe({"runs.jsonl": listed}, AGAINST_BASE).study.findings.of("SPS007")
    (error,) = [item for item in found if item.level is ERROR]
    assert "permutation p 0.0286" in error.message


def test_borrowed_spread_makes_one_run_a_warning(observe: Observe) -> None:
    reference = specstats.ReferenceSpread(sd=0.02, df=9)
    case = rows(pair(BASE[:1], SPEC[:1]), AGAINST_BASE, reference_spread=reference)
    observed = observe(case.files, case.design, summarizing=case.summarizing)
    assert observed.levels["SPS101"] is WARNING
    assert "SPS202" not in observed.levels
    assert [item.verdict for item in observed.study.headlines] == [Verdict.INSUFFICIENT]


def test_findings_on_one_pair_leave_the_other_alone(observe: Observe) -> None:
    listed = pair() + arm("other", SPEC[:1], (7,))
    study = observe({"runs.jsonl": listed}, AGAINST_BASE).study
    assert {item.candidate: item.verdict for item in study.headlines} == {
        "spec": Verdict.FASTER,
        "other": Verdict.REFUSED,
    }


def test_rules_about_acceptance_do_not_bear_on_speed(observe: Observe) -> None:
    bad = next(case for case in ACCEPTANCE if case[0] == "SPS302")[2]
    files = bad.files["runs.jsonl"]
    assert not isinstance(files, str)
    listed = [
        {**item, "arm": name, "run": f"{name}{run}", "decode_s": 2.0 + run / 50}
        for name in ("base", "spec")
        for run in range(3)
        for item in files
    ]
    study = observe({"runs.jsonl": listed}, AGAINST_BASE).study
    assert len(study.findings.of("SPS302")) == 2
    assert "SPS302" not in study.headlines[0].findings.codes
