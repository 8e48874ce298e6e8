"""Published claims in which order, cache, prompts or outputs differ with the arm."""

import pytest

import specstats
from specstats import Design, Verdict
from specstats.testing import launch_rows, read_rows
from tests.cases.builders import Rows, study_of

STEPS = {"t1": (30.7, 30.9, 30.8, 30.8, 31.0), "t4": (37.3, 39.8, 49.8, 50.4, 50.6)}


def mlxcel(*, launches: bool) -> Rows:
    """Write repetitions one after another, as launches or as repeats in one of them."""
    return [
        {
            "arm": arm,
            "run": f"{arm}-{place}" if launches else arm,
            "order": 5 * (arm == "t4") + (place if launches else 0),
            "prompt": "p",
            "repeat": 0 if launches else place,
            "n_output": 128,
            "decode_s": 0.127 * step,
        }
        for arm, steps in STEPS.items()
        for place, step in enumerate(steps)
    ]


def test_case_5_drift_in_back_to_back_arms() -> None:
    """lablup/mlxcel PR 1182: the cost ratio drifts from 1.215 to 1.632 by position."""
    assert pytest.approx(1.215, abs=5e-4) == 37.3 / 30.7
    assert pytest.approx(1.632, abs=5e-4) == 50.6 / 31.0
    (item,) = study_of(mlxcel(launches=True), "t1").headlines
    assert item.estimate is not None
    assert item.estimate.interval.high < 1.0
    assert item.verdict is Verdict.INCONCLUSIVE
    assert "SPS104" in item.findings.codes


def test_case_5_repetitions_in_one_process_are_one_launch() -> None:
    (item,) = study_of(mlxcel(launches=False), "t1").headlines
    assert item.verdict is Verdict.REFUSED
    assert "SPS101" in item.findings.errors.codes


def test_case_5_interleaved_launches_make_it_solid() -> None:
    """PR 1215: median and range with 90 s of cool-down between launches: 1.19x."""
    arms = {"classic": (32.96, 32.86, 33.00), "mtp3": (39.37, 39.32, 39.47)}
    bench = read_rows(launch_rows(arms))
    (item,) = specstats.compare_all(bench, Design(baseline="classic"))
    assert item.verdict is Verdict.FASTER
    assert item.estimate is not None
    assert item.estimate.value == pytest.approx(1.195, abs=5e-3)


RATES = (46.65, 167.50, 167.34, 167.40)


def same_prompt_four_times() -> Rows:
    return [
        {
            "arm": "spec",
            "run": "server",
            "prompt": "p",
            "repeat": place,
            "n_output": 440,
            "decode_s": 439 / rate,
            "n_prompt": 1 if place else 8318,
            "n_cached": 8317 if place else 0,
        }
        for place, rate in enumerate(RATES)
    ]


def test_case_7_a_cached_prompt_is_no_replicate() -> None:
    """ggml-org/llama.cpp PR 10455: 46.65 tok/s, then 167 three times."""
    study = specstats.summarize(read_rows(same_prompt_four_times()))
    assert "SPS108" in study.findings.codes
    (arm,) = study.arms
    assert arm.n_runs == 1
    assert arm.metrics["decode_rate"].interval is None
    assert arm.metrics["decode_rate"].mean == pytest.approx(137.2, abs=0.1)


def test_case_7_no_gain_over_a_baseline_follows() -> None:
    base: Rows = [
        item | {"arm": "base", "run": "other", "decode_s": 439 / 40.0}
        for item in same_prompt_four_times()
    ]
    (item,) = study_of(same_prompt_four_times() + base, "base").headlines
    assert item.verdict is Verdict.REFUSED
    assert {"SPS101", "SPS108"} <= set(item.findings.codes)


def test_case_8_prompts_must_be_crossed_with_arms() -> None:
    """Tanguille/cluster PR 4910: 61.64 on an edit prompt, 31.73 on another."""
    rows: Rows = [
        {
            "arm": arm,
            "run": f"{arm}-{run}",
            "order": 2 * run + (arm == "ngram"),
            "prompt": prompt,
            "n_output": 128,
            "decode_s": 127 / rate * (1 + 0.01 * run),
        }
        for arm, prompt, rate in (("none", "chat", 31.73), ("ngram", "edit", 61.64))
        for run in range(4)
    ]
    (item,) = study_of(rows, "none").headlines
    assert item.verdict is Verdict.REFUSED
    assert item.findings.errors.codes == ("SPS105",)
    assert item.observed_ratio is None


def test_case_18_three_sessions_are_three_settings() -> None:
    """delsiiin/VASE: 100.16, 96.61, 89.93 tok/s under one model name.

    Tokens per step rise while speed falls, so the drafter changed: each session is one
    launch of its own setting, however many questions it answers.
    """
    rates = {"first": 100.16, "second": 96.61, "third": 89.93}
    rows = launch_rows(
        {arm: [rate] for arm, rate in rates.items()},
        prompts=[f"q{number}" for number in range(40)],
    )
    study = study_of(rows, "first")
    assert {item.verdict for item in study.headlines} == {Verdict.REFUSED}
    (ranking,) = study.rankings
    assert ranking.winner is None
    assert ranking.unranked == tuple(rates)


def test_case_18_merged_they_vary_in_a_setting() -> None:
    rows = [
        row | {"run": f"s{place}", "cfg.draft_length": depth, "order": place}
        for place, (rate, depth) in enumerate(((100.16, 4), (96.61, 4), (89.93, 6)))
        for row in launch_rows({"ssd": [rate]})
    ]
    study = specstats.summarize(read_rows(rows))
    assert "SPS102" in study.findings.errors.codes
    assert study.arms[0].metrics["decode_rate"].interval is None


def test_case_21_a_short_answer_is_dominated_by_its_first_token() -> None:
    """lablup/mlxcel PR 49: 55.89 tok/s from 7 tokens, 64.73 from 100."""
    assert pytest.approx(1.17, abs=5e-3) == 7 / 6
    rows: Rows = [
        {
            "arm": "mtp",
            "run": "a",
            "prompt": "p",
            "repeat": place,
            "n_output": tokens,
            "decode_s": (tokens - 1) / 64.7,
            "rate_convention": "n",
        }
        for place, tokens in enumerate((7, 100))
    ]
    study = specstats.summarize(read_rows(rows))
    assert "SPS008" in study.findings.codes
    found = study.arms[0].metrics["decode_rate"]
    assert found.rate_convention == "n-1"
    assert [found.minimum, found.maximum] == pytest.approx([64.7, 64.7])


def test_case_22_five_outputs_of_one_request_are_shown() -> None:
    """MiaAI-Lab/Qwen3.8-Flash-Next issue 28: temperature 0, five different texts."""
    rows = [
        row | {"run": "a", "repeat": place, "output_sha256": f"{place:064x}"}
        for place in range(5)
        for row in launch_rows({"on": [60.0 + place]})
    ]
    study = specstats.summarize(read_rows(rows))
    assert study.arms[0].n_distinct_outputs == 5
    assert study.determinism[0].n_distinct_outputs == 5
