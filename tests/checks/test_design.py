"""SPS105, SPS107, SPS108, SPS114: prompts, warm-up, caches and sessions."""

import numpy as np
import pytest

import specstats
from specstats import Design, Findings, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")
Row = dict[str, object]
DAY = 86_400.0


def check(rows: list[Row], design: Design = DESIGN) -> Findings:
    return specstats.check(read_rows(rows), design)


@pytest.mark.parametrize(
    ("base", "new", "fires"), [(64, 128, True), (128, 128, False), (None, 128, False)]
)
def test_token_budgets(base: int | None, new: int, fires: bool) -> None:
    rows = launch_rows({"base": BASE, "new": NEW})
    for row in rows:
        row["n_output"] = (base or 100) if row["arm"] == "base" else new
        stopped = row["arm"] == "new" or base is not None
        row["finish_reason"] = "length" if stopped else "stop"
    assert ("SPS105" in check(rows).errors.codes) == fires


def warm_rows(factor: float) -> list[Row]:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=5)
    noise = np.random.default_rng(7)
    for row in rows:
        wobble = float(np.exp(noise.normal(0.0, 0.003)))
        first = row["repeat"] == 0
        row["decode_s"] = (
            float(str(row["decode_s"])) * wobble * (factor if first else 1)
        )
    return rows


def test_a_slow_first_request() -> None:
    found = check(warm_rows(1.3)).of("SPS107")
    assert {item.subject for item in found} == {("base",), ("new",)}
    assert all(not item.is_error for item in found)
    assert (
        "SPS107" not in check(warm_rows(1.3), Design(baseline="base", warmup=1)).codes
    )


def test_an_ordinary_first_request() -> None:
    assert "SPS107" not in check(warm_rows(1.0)).codes


@pytest.mark.parametrize(("values", "fires"), [([0, 7, 7], True), ([0, 0, 0], False)])
def test_cache_states(values: list[int], fires: bool) -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=3)
    rows = [{**row, "n_cached": values[int(str(row["repeat"]))]} for row in rows]
    assert ("SPS108" in check(rows).codes) == fires


def days(base: list[int], new: list[int], *, declared: bool) -> list[Row]:
    rows = launch_rows({"base": BASE, "new": NEW})
    for row in rows:
        run = int(str(row["run"])[-1])
        day = (base if row["arm"] == "base" else new)[run]
        if declared:
            row["block"] = f"day {day}"
        else:
            row["ended_s"] = 1.78e9 + day * DAY + 60 * float(str(row["order"]))
    return rows


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    ("base", "new"), [([0] * 4, [1] * 4), ([0, 0, 2, 2], [1, 1, 3, 3])]
)
def test_arms_that_meet_on_no_day(
    base: list[int], new: list[int], declared: bool
) -> None:
    found = specstats.speedup(read_rows(days(base, new, declared=declared)), DESIGN)
    assert found.verdict is Verdict.REFUSED
    assert "SPS114" in found.findings.errors.codes


@pytest.mark.parametrize("declared", [True, False])
def test_arms_that_meet(declared: bool) -> None:
    both = [0, 1, 2, 3]
    found = specstats.speedup(read_rows(days(both, both, declared=declared)), DESIGN)
    assert "SPS114" not in found.findings.codes
    assert found.verdict is Verdict.FASTER


def test_one_common_day_of_three_is_too_few() -> None:
    rows = days([0, 1, 2, 2], [2, 3, 4, 4], declared=True)
    found = specstats.speedup(read_rows(rows), DESIGN)
    assert found.verdict is Verdict.REFUSED
    assert "SPS201" in found.findings.errors.codes
    assert [item.level.value for item in found.findings.of("SPS114")] == ["warning"]
