"""Results are frozen, ambiguous in no test of truth, and safe to write as JSON."""

import dataclasses
import json

import pandas as pd
import pytest

import specstats
from specstats.errors import RefusalError
from specstats.results import Comparison, StudySummary, Verdict
from specstats.testing import launch_rows, read_rows


@pytest.fixture(scope="module")
def study() -> StudySummary:
    arms = {"base": [30.0, 30.1, 29.9], "fast": [40.1, 39.9, 40.0], "once": [35.0]}
    return specstats.summarize(read_rows(launch_rows(arms)))


def comparison(study: StudySummary, candidate: str) -> Comparison:
    (found,) = [item for item in study.comparisons if item.candidate == candidate]
    return found


def test_verdicts_are_the_fixed_six() -> None:
    assert [item.name for item in Verdict] == [
        *("FASTER", "SLOWER", "EQUIVALENT", "INCONCLUSIVE", "INSUFFICIENT", "REFUSED"),
    ]
    assert all(item.value == item.name.lower() for item in Verdict)


def test_an_estimate_can_be_required(study: StudySummary) -> None:
    fast = comparison(study, "fast")

    assert fast.ok
    assert fast.require() is fast.estimate
    assert fast.verdict is Verdict.FASTER


def test_requiring_what_was_refused_raises(study: StudySummary) -> None:
    once = comparison(study, "once")

    assert not once.ok
    assert once.estimate is None
    with pytest.raises(RefusalError, match="refused - SPS101") as raised:
        once.require()
    assert [item.code for item in once.findings.errors] == ["SPS101"]
    assert tuple(once.findings) == raised.value.findings


def test_the_truth_of_a_comparison_is_ambiguous(study: StudySummary) -> None:
    with pytest.raises(TypeError, match=r"use \.verdict, \.ok or \.require"):
        bool(comparison(study, "fast"))


def test_a_comparison_reads_as_its_sentence(study: StudySummary) -> None:
    fast = comparison(study, "fast")

    assert str(fast) == fast.sentence
    assert fast.sentence.startswith("fast vs base: decode rate x1.333 [")


def test_results_are_frozen(study: StudySummary) -> None:
    for item in (study, study.arms[0], study.comparisons[0], study.inputs[0]):
        name = dataclasses.fields(item)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(item, name, None)


def test_dictionaries_are_json(study: StudySummary) -> None:
    content = study.to_dict()

    assert json.loads(json.dumps(content, allow_nan=False)) == content
    rows = content["comparisons"]
    assert rows == [item.to_dict() for item in study.comparisons]


def test_the_frame_has_a_row_a_comparison(study: StudySummary) -> None:
    frame = study.to_frame()

    assert isinstance(frame, pd.DataFrame)
    assert list(frame["candidate"]) == [item.candidate for item in study.comparisons]
    assert list(frame["verdict"]) == ["faster", "refused"]
    assert frame["estimate"].isna().tolist() == [False, True]
    assert not [name for name in frame if isinstance(frame[name].iloc[0], dict | list)]
    assert {"n_runs_baseline", "n_runs_candidate", "findings"} <= set(frame.columns)


def test_a_run_value_is_a_summary_of_its_own_launch(study: StudySummary) -> None:
    base = study.arms[0].metrics["decode_rate"]

    assert sorted(base.run_values) == pytest.approx([29.9, 30.0, 30.1], rel=1e-6)
    assert base.interval is not None
    assert base.interval.low < base.estimate < base.interval.high
