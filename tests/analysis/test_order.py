"""Rule L: launch order and drift, from the evidence to the verdict."""

import numpy as np
import pytest

import specstats
from specstats import Comparison, Design, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
OTHER = [100.3, 100.9, 99.4, 100.2]
NEW = [110.0, 111.2, 109.1, 110.9]


def compare(
    order: str,
    *,
    blocks: str | None = None,
    randomised: bool = False,
    drift: float = 0.0,
    factor: float = 1.1,
) -> Comparison:
    """Launch arms in an order such as ``abba``; `blocks` names one a launch."""
    counts = {"a": 0, "b": 0}
    rows = []
    rates = {"a": BASE * 3, "b": [rate * factor for rate in OTHER] * 3}
    for place, arm in enumerate(order):
        run = counts[arm]
        counts[arm] += 1
        rate = rates[arm][run] * np.exp(drift * place)
        (row,) = launch_rows({arm: [float(rate)]})
        row |= {"run": f"{arm}{run}", "order": place}
        rows.append(row if blocks is None else {**row, "block": blocks[place]})
    design = Design(baseline="a", randomised=randomised)
    return specstats.speedup(read_rows(rows), design)


def level(found: Comparison) -> str | None:
    levels = [item.level.value for item in found.findings.of("SPS104")]
    return levels[0] if levels else None


@pytest.mark.parametrize("order", ["aaaabbbb", "bbbbaaaa", "aaabbb", "aaaaabbb"])
def test_one_arm_before_the_other(order: str) -> None:
    found = compare(order)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert level(found) == "warning"
    drifting = compare(order, drift=-0.03)
    assert drifting.verdict is Verdict.REFUSED
    assert level(drifting) == "error"
    assert drifting.estimate is None


def test_drift_is_not_checkable_with_five_launches() -> None:
    found = compare("aaabb", drift=-0.03)
    assert level(found) == "warning"
    assert "not checkable" in found.findings.of("SPS104")[0].message


@pytest.mark.parametrize("order", ["abbaabba", "baabbaab", "abababab", "abbabaab"])
def test_interleaved(order: str) -> None:
    found = compare(order)
    assert found.verdict is Verdict.FASTER
    assert level(found) is None


@pytest.mark.parametrize(
    ("order", "share"),
    [("aaabbabb", 7**2 / 84), ("aababbab", None), ("aaababbb", 0.58)],
)
def test_r_squared_of_a_half(order: str, share: float | None) -> None:
    arm = np.array([name == "b" for name in order], dtype=float)
    r_squared = np.corrcoef(arm, np.arange(len(order)))[0, 1] ** 2
    found = compare(order)
    assert (level(found) == "warning") == (r_squared >= 0.5)
    if share is not None and r_squared >= 0.5:
        assert f"R^2 {r_squared:.2f}" in found.findings.of("SPS104")[0].observed


def test_above_a_half_the_claim_must_survive_a_drift_term() -> None:
    assert compare("aaababbb").verdict is Verdict.FASTER
    lost = compare("aaababbb", factor=1.0, drift=0.012)
    assert lost.p_value is not None
    assert lost.p_value <= 0.05
    assert lost.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("order", ["abababab", "babababa"])
def test_a_pair_order_that_never_varies(order: str) -> None:
    found = compare(order, blocks="11223344")
    assert found.verdict is Verdict.INCONCLUSIVE
    assert level(found) == "warning"
    randomised = compare(order, blocks="11223344", randomised=True)
    assert (
        not randomised.findings.of("SPS104")
        or randomised.verdict is not Verdict.REFUSED
    )


def test_the_same_way_round_with_other_counts() -> None:
    found = compare("aababaabb", blocks="111223333")
    assert found.verdict is Verdict.INCONCLUSIVE
    assert level(found) == "warning"


@pytest.mark.parametrize("order", ["abbaabba", "abbabaab", "ababbaba"])
def test_a_pair_order_that_varies(order: str) -> None:
    found = compare(order, blocks="11223344")
    assert found.verdict is Verdict.FASTER
    assert level(found) is None


def test_abba_inside_each_block_is_balanced() -> None:
    found = compare("abbaabbaabba", blocks="111122223333", drift=-0.01)
    assert found.verdict is Verdict.FASTER
    assert level(found) is None


def test_a_fixed_pair_order_that_drifts_is_refused() -> None:
    found = compare("abababababab", blocks="112233445566", drift=-0.03, factor=1.0)
    assert found.verdict in {Verdict.REFUSED, Verdict.INCONCLUSIVE}


def test_unknown_order_is_a_warning() -> None:
    rows = launch_rows({"a": BASE, "b": NEW})
    for row in rows:
        del row["order"]
    found = specstats.speedup(read_rows(rows), Design(baseline="a"))
    assert found.verdict is Verdict.FASTER
    assert level(found) == "warning"


@pytest.mark.parametrize(
    ("names", "known"),
    [
        ([f"r{k}" for k in range(8)], True),
        (["1", "2", "3", "4", "5", "6", "7", "8"], True),
        ([f"a-{k}" for k in range(4)] + [f"b-{k}" for k in range(4)], False),
        ([f"a-{k}" for k in range(4)] + [f"b-{k}" for k in range(4, 8)], True),
        ([f"10:40:{k}" for k in range(8)], False),
        (list("hgfedcba"), False),
    ],
)
def test_numbers_in_run_names(names: list[str], known: bool) -> None:
    rows = launch_rows({"a": BASE, "b": NEW})
    for row, name in zip(rows, names, strict=True):
        del row["order"]
        row["run"] = name
    study = specstats.summarize(read_rows(rows), Design(baseline="a"))
    (item,) = study.comparisons
    assert item.verdict is (Verdict.INCONCLUSIVE if known else Verdict.FASTER)
    assert ("SPS012" in study.findings.codes) == known


def reordered(
    order: dict[str, list[float]], clock: dict[str, list[float]]
) -> Comparison:
    rows = launch_rows({"a": BASE, "b": NEW})
    for row in rows:
        arm, _, run = str(row["run"]).partition("-")
        row["order"] = order[arm][int(run)]
        if clock:
            row["started_s"] = 1.78e9 + 60 * clock[arm][int(run)]
    return specstats.speedup(read_rows(rows), Design(baseline="a"))


INTERLEAVED: dict[str, list[float]] = {"a": [0, 3, 4, 7], "b": [1, 2, 5, 6]}
APART: dict[str, list[float]] = {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7]}
REPEATS: dict[str, list[float]] = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("order", "clock", "verdict", "said"),
    [
        (INTERLEAVED, {}, Verdict.FASTER, None),
        (INTERLEAVED, INTERLEAVED, Verdict.FASTER, None),
        (INTERLEAVED, APART, Verdict.INCONCLUSIVE, "warning"),
        (APART, INTERLEAVED, Verdict.INCONCLUSIVE, "warning"),
        (REPEATS, {}, Verdict.FASTER, "warning"),
        (REPEATS, APART, Verdict.INCONCLUSIVE, "warning"),
        (REPEATS, INTERLEAVED, Verdict.FASTER, None),
    ],
)
def test_declared_order_and_clock(
    order: dict[str, list[float]],
    clock: dict[str, list[float]],
    verdict: Verdict,
    said: str | None,
) -> None:
    found = reordered(order, clock)
    assert found.verdict is verdict
    assert level(found) == said


def test_a_count_that_starts_anew_in_each_arm_is_no_order() -> None:
    found = reordered(REPEATS, {})
    assert "not known" in found.findings.of("SPS104")[0].message
