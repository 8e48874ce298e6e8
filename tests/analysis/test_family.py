"""Several candidates: Holm, simultaneous limits, SPS205."""

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6, 99.8]
SHAPE = [100.4, 99.5, 100.9, 99.7, 100.6]
FACTORS = {"a": 1.2, "b": 1.011, "c": 1.0, "d": 0.9}
DESIGN = Design(baseline="base")


def arms() -> dict[str, list[float]]:
    made = {name: [x * factor for x in SHAPE] for name, factor in FACTORS.items()}
    return {"base": BASE, **made}


@pytest.fixture
def found() -> dict[str, Comparison]:
    bench = read_rows(launch_rows(arms()))
    return {item.candidate: item for item in specstats.compare_all(bench, DESIGN)}


def test_holm(found: dict[str, Comparison]) -> None:
    logs = {name: np.log(values) for name, values in arms().items()}
    p = {
        name: float(
            scipy.stats.ttest_ind(logs[name], logs["base"], equal_var=False).pvalue
        )
        for name in FACTORS
    }
    worst = 0.0
    for rank, name in enumerate(sorted(p, key=lambda name: p[name])):
        worst = max(worst, min(1.0, (len(p) - rank) * p[name]))
        assert found[name].p_value == pytest.approx(p[name])
        assert found[name].p_holm == pytest.approx(worst)
        assert found[name].family_size == 4


def test_verdicts(found: dict[str, Comparison]) -> None:
    verdicts = {name: item.verdict for name, item in found.items()}
    assert verdicts == {
        "a": Verdict.FASTER,
        "b": Verdict.INCONCLUSIVE,
        "c": Verdict.INCONCLUSIVE,
        "d": Verdict.SLOWER,
    }


def test_significant_alone_but_not_in_the_family(found: dict[str, Comparison]) -> None:
    item = found["b"]
    assert item.p_value is not None
    assert item.p_holm is not None
    assert item.p_value <= 0.05 < item.p_holm
    assert "SPS205" in item.findings.codes
    assert all("SPS205" not in found[name].findings.codes for name in "acd")
    bench = read_rows(launch_rows({name: arms()[name] for name in ("base", "b")}))
    alone = specstats.speedup(bench, DESIGN)
    assert alone.verdict is Verdict.FASTER
    assert "SPS205" not in alone.findings.codes


def test_simultaneous_limits(found: dict[str, Comparison]) -> None:
    for name, item in found.items():
        own = scipy.stats.ttest_ind(
            np.log(arms()[name]), np.log(BASE), equal_var=False
        ).confidence_interval(1 - 0.05 / 4)
        assert item.simultaneous is not None
        assert item.simultaneous.low == pytest.approx(np.exp(own.low))
        assert item.simultaneous.high == pytest.approx(np.exp(own.high))


def test_refused_candidates_do_not_count() -> None:
    made = {**arms(), "one": [150.0]}
    items = specstats.compare_all(read_rows(launch_rows(made)), DESIGN)
    by_name = {item.candidate: item for item in items}
    assert by_name["one"].verdict is Verdict.REFUSED
    assert by_name["one"].p_value is None
    assert by_name["a"].family_size == 4


def test_controls_do_not_count() -> None:
    design = Design(baseline="base", controls=(("base", "c"),))
    items = specstats.compare_all(read_rows(launch_rows(arms())), design)
    assert {item.candidate for item in items} == {"a", "b", "d"}
    assert {item.family_size for item in items} == {3}


def test_candidates_keep_their_order(found: dict[str, Comparison]) -> None:
    assert list(found) == list(FACTORS)
