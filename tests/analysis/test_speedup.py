"""Headline figures against plain NumPy and SciPy, and what must not change them."""

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import specstats
from specstats import Comparison, Design, Verdict
from specstats.errors import DesignError
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")
Rows = list[dict[str, object]]
Close = st.lists(st.floats(90.0, 110.0), min_size=1, max_size=8, unique=True)
Rates = st.lists(st.floats(10.0, 200.0), min_size=2, max_size=6)


def limits(found: Comparison) -> list[float]:
    assert found.estimate is not None
    interval = found.estimate.interval
    return [found.estimate.value, interval.low, interval.high]


def compare(rows: Rows, **options: object) -> Comparison:
    return specstats.speedup(read_rows(rows), DESIGN, **options)  # type: ignore[arg-type]


def welch(
    new: Sequence[float], base: Sequence[float], level: float = 0.95
) -> list[float]:
    own = scipy.stats.ttest_ind(np.log(new), np.log(base), equal_var=False)
    interval = own.confidence_interval(level)
    gap = np.log(new).mean() - np.log(base).mean()
    return [float(np.exp(x)) for x in (gap, interval.low, interval.high)]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_welch(level: float) -> None:
    found = compare(launch_rows({"base": BASE, "new": NEW}), confidence_level=level)
    assert limits(found) == pytest.approx(welch(NEW, BASE, level))
    own = scipy.stats.ttest_ind(np.log(NEW), np.log(BASE), equal_var=False)
    assert found.p_value == pytest.approx(own.pvalue)
    assert found.p_holm == found.p_value
    assert found.estimate is not None
    assert found.estimate.df == pytest.approx(own.df)
    assert (found.scope, found.replicate, found.family_size) == ("runs", "run", 1)


def test_paired_blocks() -> None:
    found = compare(launch_rows({"base": BASE, "new": NEW}, blocked=True))
    gaps = np.log(NEW) - np.log(BASE)
    own = scipy.stats.ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    assert limits(found) == pytest.approx(np.exp([gaps.mean(), own.low, own.high]))
    assert (found.scope, found.replicate) == ("future sessions", "block")
    assert found.n_blocks == 4


def test_runs_of_an_arm_in_a_block_are_averaged_first() -> None:
    base, new = [*BASE, 100.3, 99.9, 101.0, 100.2], [*NEW, 110.4, 109.0, 111.5, 110.0]
    rows = launch_rows({"base": base, "new": new})
    for row in rows:
        row["block"] = f"b{int(str(row['run']).rpartition('-')[2]) % 4}"
    means = [np.log(arm).reshape(2, 4).mean(axis=0) for arm in (new, base)]
    own = scipy.stats.ttest_rel(*means).confidence_interval(0.95)
    gap = (means[0] - means[1]).mean()
    found = compare(rows)
    assert limits(found) == pytest.approx(np.exp([gap, own.low, own.high]))
    assert (found.n_blocks, found.n_runs_baseline) == (4, 8)


def test_incomplete_blocks_are_left_out_and_said() -> None:
    rows = launch_rows({"base": [*BASE, 99.9], "new": NEW}, blocked=True)
    found = compare(rows)
    assert limits(found) == pytest.approx(
        limits(compare(launch_rows({"base": BASE, "new": NEW}, blocked=True)))
    )
    (warning,) = found.findings.of("SPS114")
    assert not warning.is_error
    assert "1 runs" in warning.message


@pytest.mark.parametrize(("few", "many"), [(3, 10), (10, 3), (3, 7), (3, 6), (4, 8)])
def test_unequal_numbers_of_launches(few: int, many: int) -> None:
    rng = np.random.default_rng(few * many)
    base = (100 * np.exp(rng.normal(0, 0.02, few))).tolist()
    new = (104 * np.exp(rng.normal(0, 0.02, many))).tolist()
    found = compare(launch_rows({"base": base, "new": new}))
    alone = welch(new, base)
    own = scipy.stats.ttest_ind(np.log(new), np.log(base)).confidence_interval(0.95)
    pooled = [alone[0], float(np.exp(own.low)), float(np.exp(own.high))]
    unequal = max(few, many) > 2 * min(few, many)
    wider = max((alone, pooled), key=lambda x: x[2] / x[1]) if unequal else alone
    assert limits(found) == pytest.approx(wider)
    assert ("SPS212" in found.findings.codes) == unequal


@given(Rates, Rates)
@settings(max_examples=40)
def test_swapping_the_arms_inverts_the_ratio(
    base: list[float], new: list[float]
) -> None:
    rows = launch_rows({"base": base, "new": new})
    bench = read_rows(rows)
    one = specstats.speedup(bench, Design(baseline="base"))
    other = specstats.speedup(bench, Design(baseline="new"))
    flip = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
    assert other.verdict is flip.get(one.verdict, one.verdict)
    assert (one.estimate is None) == (other.estimate is None)
    if one.estimate is not None:
        value, low, high = limits(one)
        assert limits(other) == pytest.approx([1 / value, 1 / high, 1 / low], rel=1e-6)
        assert one.p_value == pytest.approx(other.p_value, rel=1e-6)


@given(Rates, Rates, st.floats(1e-4, 1e4))
@settings(max_examples=40)
def test_the_unit_of_time_does_not_matter(
    base: list[float], new: list[float], scale: float
) -> None:
    rows = launch_rows({"base": base, "new": new})
    scaled = [{**row, "decode_s": float(str(row["decode_s"])) * scale} for row in rows]
    one, other = compare(rows), compare(scaled)
    # Where values agree to the last digits, rounding decides whether they are flat.
    if one.estimate is not None and other.estimate is not None:
        assert limits(other) == pytest.approx(limits(one), rel=1e-6)
        assert other.verdict is one.verdict


@given(Rates, Rates, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_rows_does_not_matter(
    base: list[float], new: list[float], random: "st.DataObject"
) -> None:
    rows = launch_rows({"base": base, "new": new}, prompts=("a", "b"), n_requests=2)
    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = compare(rows), compare(mixed)
    assert other.verdict is one.verdict
    if one.estimate is not None:
        assert limits(other) == pytest.approx(limits(one), rel=1e-9)


@given(Close, Close)
@settings(max_examples=40)
def test_more_launches_never_make_a_refusal(
    base: list[float], new: list[float]
) -> None:
    refused = [
        compare(launch_rows({"base": base[:n], "new": new[:n]})).verdict
        is Verdict.REFUSED
        for n in range(1, min(len(base), len(new)) + 1)
    ]
    assert refused == sorted(refused, reverse=True)


def test_copies_of_requests_change_no_number() -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=3)
    rows = [{**row, "request_id": str(number)} for number, row in enumerate(rows)]
    plain = compare(rows)
    copied = compare([*rows, *rows[:5]])
    assert copied.verdict is Verdict.REFUSED
    assert "SPS003" in copied.findings.codes
    assert copied.observed_ratio == plain.observed_ratio
    allowed = compare([*rows, *rows[:5]], allow=["SPS003"])
    assert limits(allowed) == limits(plain)


def test_repeats_inside_launches_add_nothing() -> None:
    once = compare(launch_rows({"base": BASE, "new": NEW}))
    often = compare(launch_rows({"base": BASE, "new": NEW}, n_requests=50))
    assert limits(often) == pytest.approx(limits(once))
    assert often.n_runs_candidate == 4


def test_several_candidates_need_a_choice() -> None:
    bench = read_rows(launch_rows({"base": BASE, "new": NEW, "old": NEW}))
    with pytest.raises(DesignError, match="2 candidates"):
        specstats.speedup(bench, DESIGN)
    assert specstats.speedup(bench, Design(baseline="base", candidate="new")).ok


def test_no_baseline() -> None:
    bench = read_rows(launch_rows({"a": BASE, "b": NEW}))
    with pytest.raises(DesignError, match="baseline"):
        specstats.compare_all(bench)
    study = specstats.summarize(bench)
    assert study.comparisons == ()
    assert "SPS115" in study.findings.codes


def test_values_that_agree_but_for_rounding_are_flat() -> None:
    base = [100.0, 100.0 * (1 + 1e-15), 100.0 * (1 - 1e-15)]
    found = compare(launch_rows({"base": base, "new": [2 * x for x in base]}))
    assert found.verdict is Verdict.REFUSED
    assert "SPS208" in found.findings.codes


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_values_stay_finite(scale: float) -> None:
    arms = {"base": [x * scale for x in BASE], "new": [x / scale for x in NEW]}
    study = specstats.summarize(read_rows(launch_rows(arms)), DESIGN)
    (found,) = study.comparisons
    assert all(np.isfinite(limits(found)))
    assert found.verdict is (Verdict.FASTER if scale < 1 else Verdict.SLOWER)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-320, 1e300])
def test_times_that_cannot_be_give_no_other_verdict(seconds: float) -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=3)
    rows[0]["decode_s"] = seconds
    assert compare(rows).verdict in {Verdict.FASTER, Verdict.INCONCLUSIVE}
