"""Methods by name: published values through the verbs, inversion, fewest units."""

import math

import pytest

import specstats
from specstats import Design
from specstats.analysis.methods import METHODS
from specstats.errors import DesignError
from specstats.results import Comparison, Verdict
from specstats.testing import launch_rows, read_rows

# TOST example of the reference values, section 2.7.
X, Y = (24.9, 22.6, 25.5, 24.1, 23.8), (25.2, 23.1, 25.0, 24.6, 24.0)
ON = (328.0, 348.0, 364.0, 340.0, 351.0, 345.0)
OFF = (281.6, 282.4, 283.1, 282.0, 281.9, 282.6)
INDEPENDENT = [name for name in METHODS if name not in {"bca", "percentile"}]


def compared(
    candidate: tuple[float, ...],
    baseline: tuple[float, ...],
    method: str,
    *,
    blocked: bool = False,
    confidence_level: float = 0.95,
) -> Comparison:
    rows = launch_rows({"new": candidate, "old": baseline}, blocked=blocked)
    return specstats.speedup(
        read_rows(rows),
        Design(baseline="old"),
        method=method,
        confidence_level=confidence_level,
    )


def limits(found: Comparison) -> tuple[float, float]:
    interval = found.require().interval
    return interval.low, interval.high


def test_the_default_is_welch_and_says_so() -> None:
    named, default = compared(X, Y, "welch"), compared(X, Y, "auto")
    assert limits(named) == limits(default)
    assert math.log(limits(named)[0]) == pytest.approx(-0.0691703, abs=5e-8)
    assert math.log(limits(named)[1]) == pytest.approx(0.0519867, abs=5e-8)
    assert "Welch" in str(named.method)


def test_ratios_of_means_are_of_means() -> None:
    for name in ("fieller", "delta"):
        found = compared(ON, OFF, name)
        assert found.require().value == pytest.approx(sum(ON) / sum(OFF), rel=1e-12)


def test_a_ratio_of_means_where_less_is_better() -> None:
    rows = [
        {"arm": arm, "run": f"{arm}{run}", "order": order, "ttft_s": seconds}
        for arm, first, times in (
            ("old", 0, (0.2, 0.22, 0.21)),
            ("new", 1, (0.1, 0.12, 0.11)),
        )
        for run, (order, seconds) in enumerate(
            zip((first, 3 - first, 4 + first), times, strict=True)
        )
    ]
    found = specstats.speedup(
        read_rows(rows), Design(baseline="old"), metric="ttft", method="fieller"
    )
    assert found.require().value == pytest.approx(0.21 / 0.11, rel=1e-12)


@pytest.mark.parametrize("method", INDEPENDENT)
def test_swapping_the_arms_inverts_ratio_and_limits(method: str) -> None:
    one, other = compared(ON, OFF, method), compared(OFF, ON, method)
    assert one.require().value == pytest.approx(1 / other.require().value, rel=1e-9)
    low, high = limits(other)
    # A delta interval is symmetric on the log scale; bootstrap limits are order
    # statistics of one set of resamples, or of another.
    close = 1e-9 if method != "bootstrap-t" else 1e-6
    assert limits(one) == pytest.approx((1 / high, 1 / low), rel=close)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-3)
    assert (one.verdict, other.verdict) == (Verdict.FASTER, Verdict.SLOWER)


@pytest.mark.parametrize("method", METHODS)
def test_limits_widen_with_the_level(method: str) -> None:
    wide, narrow = (
        limits(compared(ON, OFF, method, confidence_level=level))
        for level in (0.99, 0.9)
    )
    assert wide[0] <= narrow[0] < narrow[1] <= wide[1]


@pytest.mark.parametrize("method", METHODS)
def test_a_p_value_agrees_with_the_limits(method: str) -> None:
    found = compared(ON[:4], (340.0, 345.0, 338.0, 344.0), method)
    low, high = limits(found)
    assert found.p_value is not None
    assert (found.p_value <= 0.05) == (not low <= 1.0 <= high)


@pytest.mark.parametrize(
    ("method", "fewest", "verdict"),
    [
        ("hodges-lehmann", 3, Verdict.INSUFFICIENT),
        ("permutation", 3, Verdict.INSUFFICIENT),
        ("bootstrap-t", 3, Verdict.REFUSED),
        ("bca", 6, Verdict.INSUFFICIENT),
        ("percentile", 6, Verdict.INSUFFICIENT),
        ("sequential", 3, Verdict.INCONCLUSIVE),
        ("welch", 2, Verdict.INSUFFICIENT),
    ],
)
def test_too_few_launches(method: str, fewest: int, verdict: Verdict) -> None:
    found = compared(ON[:fewest], OFF[:fewest], method)
    assert found.verdict is verdict
    if verdict is not Verdict.INCONCLUSIVE:
        assert "SPS201" in found.findings.codes
        assert found.needs is not None
        least = max(METHODS[method].least, 3)
        assert (found.needs.runs_per_arm or 0) >= least


def test_a_set_without_limits_is_said_to_have_none() -> None:
    found = compared(ON[:3], OFF[:3], "hodges-lehmann")
    assert limits(found) == (0.0, math.inf)
    told = found.to_dict()
    assert (told["conf_low"], told["conf_high"]) == (None, None)
    assert "[unbounded]" in found.sentence


def test_fieller_without_limits() -> None:
    found = compared((300.0, 20.0), (250.0, 5.0), "fieller")
    assert limits(found) == (0.0, math.inf)
    assert found.verdict is Verdict.INSUFFICIENT


@pytest.mark.parametrize("method", ["hodges-lehmann", "permutation"])
def test_six_blocks_by_ranks(method: str) -> None:
    found = compared(ON, OFF, method, blocked=True)
    assert found.replicate == "block"
    assert found.p_value == pytest.approx(2 / 2**6)
    assert found.verdict is Verdict.FASTER
    assert compared(ON[:5], OFF[:5], method, blocked=True).verdict is (
        Verdict.INSUFFICIENT
    )


def test_methods_of_independent_launches_refuse_blocks() -> None:
    with pytest.raises(DesignError, match="'fieller' is for independent launches"):
        compared(ON, OFF, "fieller", blocked=True)


def test_an_unknown_method() -> None:
    with pytest.raises(DesignError, match=r"no method 'wlech'.*'welch'"):
        compared(ON, OFF, "wlech")


def test_a_sequential_look_is_no_optional_stopping() -> None:
    bench = read_rows(launch_rows({"new": ON, "old": OFF}))
    design = Design(baseline="old", planned_runs=4)
    fixed = specstats.speedup(bench, design)
    anytime = specstats.speedup(bench, design, method="sequential")
    assert "SPS209" in fixed.findings.codes
    assert "SPS209" not in anytime.findings.codes


def test_a_mixed_model_of_balanced_cells_is_the_pooled_t() -> None:
    bench = specstats.testing.simulate(
        {"base": 1.0, "new": 1.2}, n_runs=5, n_prompts=6, n_requests=2, rng=3
    )
    mixed, pooled = (
        specstats.speedup(bench, Design(baseline="base"), method=name)
        for name in ("mixed", "pooled")
    )
    assert mixed.require().value == pytest.approx(pooled.require().value, rel=1e-6)
    assert limits(mixed) == pytest.approx(limits(pooled), rel=1e-4)
    assert "mixed model, REML (statsmodels" in str(mixed.method)


def test_what_stands_in_for_a_mixed_model_is_named() -> None:
    found = compared(ON[:3], OFF[:3], "mixed")
    (told,) = found.findings.of("SPS214")
    assert "used instead: Welch t on run means" in told.message
    assert "Welch t on run means" in str(found.method)
    assert limits(found) == pytest.approx(limits(compared(ON[:3], OFF[:3], "welch")))
