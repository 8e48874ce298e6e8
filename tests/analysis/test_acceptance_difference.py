"""Differences of acceptance: paired by prompt, independent, and refused."""

import math

import numpy as np
import pytest

import specstats
from specstats.errors import DesignError, RefusalError
from specstats.results import AcceptanceDifference
from specstats.stats.acceptance import rate_difference
from specstats.stats.paired_acceptance import paired_odds_ratio
from specstats.testing import read_rows

Row = dict[str, object]
Counts = dict[str, tuple[int, int, int]]
DESIGN = specstats.Design(baseline="old", candidate="new")
OLD: Counts = {"a": (50, 80, 27), "b": (40, 76, 26), "c": (66, 84, 29)}
NEW: Counts = {"a": (60, 80, 27), "b": (45, 76, 26), "c": (70, 84, 29)}


def rows_of(arm: str, counts: Counts, *, runs: int = 1, shift: int = 0) -> list[Row]:
    """Accepted, drafted and steps by prompt; later launches may shift the first."""
    return [
        {
            "arm": arm,
            "run": f"{arm}-{run}",
            "prompt": prompt,
            "n_accepted": accepted + shift * run,
            "n_draft": drafted,
            "n_steps": steps,
            "output_sha256": f"{arm} {prompt} {run * shift}",
        }
        for run in range(runs)
        for prompt, (accepted, drafted, steps) in counts.items()
    ]


def compared(
    *rows: list[Row], metric: str = "rate", level: float = 0.95
) -> AcceptanceDifference:
    bench = read_rows([row for listed in rows for row in listed])
    return specstats.acceptance_difference(
        bench,
        DESIGN,
        metric=metric,  # type: ignore[arg-type]
        confidence_level=level,
    )


def column(counts: Counts, place: int) -> list[int]:
    return [values[place] for values in counts.values()]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_same_prompts_are_paired(level: float) -> None:
    found = compared(rows_of("old", OLD), rows_of("new", NEW), level=level)
    expected = paired_odds_ratio(
        *(column(NEW, 0), column(NEW, 1)), *(column(OLD, 0), column(OLD, 1))
    )
    assert expected is not None
    assert found.scale == "odds ratio"
    assert found.method == "paired by prompt, jackknife on the logit"
    assert (found.n_pairs, found.n_clusters_baseline) == (3, 3)
    assert found.candidate_value == pytest.approx(175 / 240)
    assert found.require().value == pytest.approx(math.exp(expected.estimate))
    limits = np.exp(np.array(expected.interval(level)))
    interval = found.require().interval
    assert (interval.low, interval.high) == pytest.approx(tuple(limits))
    assert interval.confidence_level == level
    assert "3 prompts" in found.sentence
    assert not found.findings


def test_lengths_are_a_ratio() -> None:
    found = compared(rows_of("old", OLD), rows_of("new", NEW), metric="length")
    assert found.scale == "ratio"
    assert found.require().value == pytest.approx((175 / 82 + 1) / (156 / 82 + 1))
    assert found.method == "paired by prompt, jackknife on the log"


def test_other_prompts_are_independent() -> None:
    other = {f"{prompt}2": counts for prompt, counts in NEW.items()}
    found = compared(rows_of("old", OLD), rows_of("new", other))
    expected = rate_difference(
        *(column(NEW, 0), column(NEW, 1)), *(column(OLD, 0), column(OLD, 1))
    )
    assert expected is not None
    assert found.scale == "difference"
    assert found.method == "independent, linearised Welch"
    assert found.n_pairs is None
    assert found.require().value == pytest.approx(expected.estimate)
    assert found.require().df == pytest.approx(expected.df)
    assert found.findings.codes == ("SPS105",)


def test_prompts_without_names_are_not_paired() -> None:
    rows = [*rows_of("old", OLD), *rows_of("new", NEW)]
    for row in rows:
        del row["prompt"]
    found = compared(rows)
    assert found.estimate is None
    assert found.findings.codes == ("SPS305",)


def test_identical_repeats_count_once() -> None:
    once = compared(rows_of("old", OLD), rows_of("new", NEW))
    often = compared(rows_of("old", OLD, runs=4), rows_of("new", NEW, runs=7))
    assert often.estimate == once.estimate


def test_launches_that_vary_are_clusters_as_well() -> None:
    varying = rows_of("new", NEW, runs=3, shift=-3)
    for metric in ("rate", "length"):
        found = compared(rows_of("old", OLD), varying, metric=metric)
        assert found.ok
        assert found.method is not None
        assert found.method.startswith("paired by prompt, two-way with launches")
        assert found.require().df == 2


def test_one_prompt_in_launches_that_vary_is_independent() -> None:
    one: Counts = {"a": OLD["a"]}
    found = compared(
        rows_of("old", one, runs=3, shift=2), rows_of("new", one, runs=4, shift=3)
    )
    assert found.method == "independent, linearised Welch"
    assert (found.n_clusters_baseline, found.n_clusters_candidate) == (3, 4)
    assert "4 runs against 3 runs" in found.sentence


def test_one_cluster_is_refused() -> None:
    one: Counts = {"a": OLD["a"]}
    found = compared(rows_of("old", one), rows_of("new", {"a": NEW["a"]}))
    assert found.estimate is None
    assert found.findings.codes == ("SPS305",)
    assert found.baseline_value == pytest.approx(50 / 80)
    with pytest.raises(RefusalError, match="no spread between clusters"):
        found.require()


def test_an_arm_that_does_not_draft_is_refused() -> None:
    plain: list[Row] = [
        {"arm": "old", "run": "r", "prompt": "a", "n_output": 96, "decode_s": 2.0}
    ]
    for metric in ("rate", "length"):
        found = compared(plain, rows_of("new", NEW), metric=metric)
        assert found.findings.codes == ("SPS301",)
        assert (found.estimate, found.baseline_value) == (None, None)
        assert not found.ok


def test_configured_acceptance_is_refused() -> None:
    made = [{**row, "cfg.synthetic_acceptance": True} for row in rows_of("old", OLD)]
    found = compared(made, rows_of("new", NEW))
    assert found.findings.codes == ("SPS309",)


def test_arms_that_differ_in_more_are_refused_unless_allowed() -> None:
    old = [{**row, "id.build": "b1"} for row in rows_of("old", OLD)]
    new = [{**row, "id.build": "b2"} for row in rows_of("new", NEW)]
    found = compared(old, new)
    assert found.findings.codes == ("SPS112",)
    assert found.estimate is None
    bench = read_rows([*old, *new])
    lifted = specstats.acceptance_difference(bench, DESIGN, allow=["SPS112"])
    assert (
        lifted.estimate == compared(rows_of("old", OLD), rows_of("new", NEW)).estimate
    )
    study = specstats.summarize(bench, DESIGN, allow=["SPS112"])
    (arm,) = [arm for arm in study.arms if arm.arm == "new"]
    assert arm.acceptance is not None
    assert arm.acceptance.differences[0] == lifted


def test_a_mixture_is_no_arm() -> None:
    mixed = rows_of("new", NEW, runs=2)
    for row in mixed:
        row["cfg.top_k"] = 1 if row["run"] == "new-0" else 40
    found = compared(rows_of("old", OLD), mixed)
    assert found.findings.codes == ("SPS102",)
    assert not found.ok


def test_equal_differences_are_refused() -> None:
    flat: Counts = dict.fromkeys("abc", (40, 80, 20))
    found = compared(rows_of("old", flat), rows_of("new", flat))
    assert found.estimate is None
    assert found.findings.codes == ("SPS208",)


def test_everything_accepted_falls_back_to_the_difference() -> None:
    full: Counts = dict.fromkeys("abc", (80, 80, 20))
    found = compared(rows_of("old", OLD), rows_of("new", full))
    assert found.scale == "difference"
    assert found.method == "paired by prompt, linearised on the rate"
    assert found.require().value == pytest.approx(1 - 156 / 240)


def test_rates_of_unlike_draft_lengths_carry_a_note() -> None:
    long = {prompt: (a, 2 * d, s) for prompt, (a, d, s) in NEW.items()}
    arms = rows_of("old", OLD), rows_of("new", long)
    assert compared(*arms).findings.codes == ("SPS304",)
    assert compared(*arms, metric="length").findings.codes == ()


def test_two_kinds_of_steps_are_said() -> None:
    recovered = rows_of("new", NEW)
    for row in recovered:
        row["n_output"] = 1 + int(str(row.pop("n_steps"))) + int(str(row["n_accepted"]))
    found = compared(rows_of("old", OLD), recovered, metric="length")
    assert found.ok
    assert found.findings.codes == ("SPS308",)


def test_limits_beyond_all_numbers_are_refused() -> None:
    old: Counts = {"a": (2_500_000, 5_000_000, 9), "b": (2_500_000, 5_000_000, 9)}
    new: Counts = {"a": (1, 5_000_000, 9), "b": (4_999_999, 5_000_000, 9)}
    arms = rows_of("old", old), rows_of("new", new)
    wide = compared(*arms)
    assert wide.require().interval.high > 1e80
    assert "e+85" in wide.sentence
    found = compared(*arms, level=0.99)
    assert found.estimate is None
    assert "pass the range of numbers" in found.sentence


def test_a_difference_of_rates_stays_between_its_bounds() -> None:
    old: Counts = {"a": (80, 80, 20), "b": (80, 80, 20)}
    new: Counts = {"a": (1, 80, 20), "b": (79, 80, 20)}
    found = compared(rows_of("old", old), rows_of("new", new)).require()
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


def test_what_is_asked_must_exist() -> None:
    bench = read_rows([*rows_of("old", OLD), *rows_of("new", NEW)])
    with pytest.raises(DesignError, match="acceptance metric"):
        specstats.acceptance_difference(
            bench,
            DESIGN,
            metric="speed",  # type: ignore[arg-type]
        )
    with pytest.raises(DesignError, match="no baseline"):
        specstats.acceptance_difference(bench)
    more = read_rows(
        [row for arm in ("old", "new", "third") for row in rows_of(arm, OLD)]
    )
    with pytest.raises(DesignError, match="2 candidates"):
        specstats.acceptance_difference(more, specstats.Design(baseline="old"))


def test_it_has_no_truth_value() -> None:
    found = compared(rows_of("old", OLD), rows_of("new", NEW))
    with pytest.raises(TypeError, match="ambiguous"):
        bool(found)
    assert str(found) == found.sentence
    assert found.sentence in repr(found)
    told = found.to_dict()
    assert told["scale"] == "odds ratio"
    assert told["conf_low"] == found.require().interval.low


def test_launches_are_compared_by_their_counters() -> None:
    lines = ['{"specstats.table": "counters"}'] + [
        f'{{"arm": "{arm}", "scope": "run", "process": "{arm}{k}", '
        f'"n_accepted": {hits}, "n_draft": 100, "n_verify": 25}}'
        for arm, counts in {"old": (60, 55), "new": (70, 68, 75)}.items()
        for k, hits in enumerate(counts)
    ]
    bench = specstats.read("\n".join(lines).encode())
    found = specstats.acceptance_difference(bench, DESIGN)
    assert found.method == "independent, linearised Welch"
    assert (found.n_clusters_baseline, found.n_clusters_candidate) == (2, 3)
    longer = specstats.acceptance_difference(bench, DESIGN, metric="length")
    assert longer.require().value == pytest.approx((213 / 75 + 1) / (115 / 50 + 1))


def test_a_summary_holds_the_differences_of_arms_that_draft() -> None:
    bench = read_rows([*rows_of("old", OLD), *rows_of("new", NEW)])
    study = specstats.summarize(bench, specstats.Design(baseline="old"))
    arms = {arm.arm: arm.acceptance for arm in study.arms}
    assert arms["old"] is not None
    assert arms["new"] is not None
    assert arms["old"].differences == ()
    assert [item.metric for item in arms["new"].differences] == ["rate", "length"]
    assert arms["new"].differences[0] == specstats.acceptance_difference(bench, DESIGN)
    without = specstats.summarize(bench)
    assert all(
        arm.acceptance is None or not arm.acceptance.differences for arm in without.arms
    )
