"""Rule E: run values over prompts, cells, failures, conventions."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats import Comparison, Design, StudySummary, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
DESIGN = Design(baseline="base")
Row = dict[str, object]


def rows_of(prompts: str = "abc", n_requests: int = 2) -> list[Row]:
    return launch_rows(
        {"base": BASE, "new": NEW}, prompts=prompts, n_requests=n_requests
    )


def summarize(rows: list[Row]) -> StudySummary:
    return specstats.summarize(read_rows(rows), DESIGN)


def headline(rows: list[Row]) -> Comparison:
    (found,) = summarize(rows).headlines
    return found


def failed(row: Row) -> Row:
    kept = {key: row[key] for key in ("run", "arm", "order", "prompt", "repeat")}
    return {**kept, "ok": False, "error": "500 decode failed"}


def change(
    rows: list[Row], where: Callable[[Row], bool], how: Callable[[Row], Row]
) -> list[Row]:
    return [how(dict(row)) if where(row) else dict(row) for row in rows]


def rates(rows: list[Row], *, minus: int = 1) -> dict[str, list[float]]:
    """Log run values by arm, equal prompt weights, by hand."""
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        tokens, seconds = float(str(row["n_output"])), float(str(row["decode_s"]))
        cell = cells.setdefault((str(row["arm"]), str(row["run"])), {})
        cell.setdefault(str(row["prompt"]), []).append(
            np.log((tokens - minus) / seconds)
        )
    found: dict[str, list[float]] = {}
    for (arm, _), prompts in cells.items():
        found.setdefault(arm, []).append(
            np.mean([np.mean(x) for x in prompts.values()])
        )
    return found


def check_welch(found: Comparison, rows: list[Row], *, minus: int = 1) -> None:
    own = rates(rows, minus=minus)
    interval = scipy.stats.ttest_ind(own["new"], own["base"], equal_var=False)
    limits = interval.confidence_interval(0.95)
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(
        np.exp(np.mean(own["new"]) - np.mean(own["base"]))
    )
    assert found.estimate.interval.low == pytest.approx(np.exp(limits.low))
    assert found.estimate.interval.high == pytest.approx(np.exp(limits.high))


def test_prompts_weigh_the_same_whatever_their_repeats() -> None:
    rows = rows_of("abc", 1)
    extra = [
        {**row, "repeat": k}
        for row in rows
        if row["prompt"] == "c"
        for k in range(1, 9)
    ]
    noisy = [
        {**row, "decode_s": float(str(row["decode_s"])) * (1 + 0.001 * place % 7)}
        for place, row in enumerate([*rows, *extra])
    ]
    check_welch(headline(noisy), noisy)


def test_prompts_that_follow_the_arm() -> None:
    rows = change(
        rows_of(),
        lambda row: row["arm"] == "new" and row["prompt"] == "c",
        lambda row: {**row, "prompt": "d"},
    )
    found = headline(rows)
    assert found.verdict is Verdict.REFUSED
    assert "SPS105" in found.findings.errors.codes


def test_scattered_gaps_use_common_prompts() -> None:
    rows = [
        row
        for row in rows_of()
        if (row["run"], row["prompt"]) not in {("base-1", "a"), ("new-2", "a")}
    ]
    found = headline(rows)
    assert found.verdict is Verdict.FASTER
    assert found.n_prompts == 2
    assert [item.level.value for item in found.findings.of("SPS105")] == ["warning"]
    check_welch(found, [row for row in rows if row["prompt"] != "a"])


def test_fresh_prompts_in_every_launch() -> None:
    rows = [{**row, "prompt": f"{row['run']}-{row['prompt']}"} for row in rows_of()]
    found = headline(rows)
    assert found.verdict is Verdict.FASTER
    assert "SPS105" not in found.findings.codes
    check_welch(found, rows)
    assert {item.scope for item in summarize(rows).comparisons} == {"runs"}


def test_a_failed_cell_is_left_out_everywhere() -> None:
    rows = change(
        rows_of(),
        lambda row: (
            (row["run"], row["prompt"], row["repeat"])
            in {("new-1", "a", 0), ("base-3", "a", 0)}
        ),
        failed,
    )
    slow = change(
        rows,
        lambda row: (row["prompt"], row["repeat"]) == ("a", 0) and "error" not in row,
        lambda row: {**row, "decode_s": 1e3},
    )
    found = headline(slow)
    check_welch(
        found, [row for row in slow if (row["prompt"], row["repeat"]) != ("a", 0)]
    )
    assert "SPS402" in found.findings.codes
    assert "1 prompt x repeat cell failed" in found.findings.of("SPS402")[0].message


@pytest.mark.parametrize("count", [1, 2])
def test_failures_of_one_arm_only(count: int) -> None:
    where = [("new-1", 0), ("new-2", 1)][:count]
    rows = change(
        rows_of(),
        lambda row: row["prompt"] == "a" and (row["run"], row["repeat"]) in where,
        failed,
    )
    found = headline(rows)
    errors = [item for item in found.findings.of("SPS007") if item.is_error]
    assert bool(errors) == (count > 1)
    assert (found.verdict is Verdict.REFUSED) == (count > 1)


def test_failure_rates_that_differ() -> None:
    where = {"new-0": 5, "new-1": 5, "new-2": 5, "new-3": 5, "base-0": 1}
    rows = rows_of("abc", 2)
    seen: dict[str, int] = {}

    def fails(row: Row) -> bool:
        run = str(row["run"])
        seen[run] = seen.get(run, 0) + 1
        return seen[run] <= where.get(run, 0)

    found = headline(change(rows, fails, failed))
    assert found.verdict is Verdict.REFUSED
    (error,) = [item for item in found.findings.of("SPS007") if item.is_error]
    assert "p 0.0286" in error.message  # 2 of the 70 splits of 4+4 launches


def test_an_arm_without_a_success() -> None:
    study = summarize(change(rows_of(), lambda row: row["arm"] == "new", failed))
    (found,) = study.headlines
    assert found.verdict is Verdict.REFUSED
    arm = next(arm for arm in study.arms if arm.arm == "new")
    assert (arm.n_requests, arm.n_failed, dict(arm.metrics)) == (24, 24, {})


def test_answers_of_one_token_have_no_rate() -> None:
    one = change(
        rows_of(), lambda row: row["prompt"] == "c", lambda row: {**row, "n_output": 1}
    )
    found = headline(one)
    assert found.n_prompts == 2
    check_welch(found, [row for row in one if row["prompt"] != "c"])
    none = launch_rows({"base": BASE, "new": NEW}, n_output=1)
    assert headline(none).verdict is Verdict.REFUSED


def test_one_convention_and_equal_counts_keep_the_rate_of_the_engine() -> None:
    rows = [{**row, "rate_convention": "n"} for row in rows_of()]
    study = summarize(rows)
    assert "SPS008" not in study.findings.codes
    assert {arm.metrics["decode_rate"].rate_convention for arm in study.arms} == {"n"}
    check_welch(study.headlines[0], rows, minus=0)


@pytest.mark.parametrize(
    "changed",
    [
        lambda row: {**row, "rate_convention": "n" if row["arm"] == "new" else "n-1"},
        lambda row: {
            **row,
            "rate_convention": "n",
            "n_output": 20 if row["run"] == "new-1" else 100,
        },
    ],
    ids=["conventions", "counts"],
)
def test_mixed_rates_are_recomputed(changed: Callable[[Row], Row]) -> None:
    rows = [changed(row) for row in rows_of()]
    study = summarize(rows)
    assert "SPS008" in study.findings.codes
    assert {arm.metrics["decode_rate"].rate_convention for arm in study.arms} == {"n-1"}
    check_welch(study.headlines[0], rows, minus=1)


def test_prompts_like_these_need_five() -> None:
    few, enough = summarize(rows_of("abcd")), summarize(rows_of("abcde"))
    assert [item.scope for item in few.comparisons] == ["runs"]
    assert [item.scope for item in enough.comparisons] == ["runs", "prompts like these"]
    assert [item.headline for item in enough.comparisons] == [True, False]


def test_warm_up_is_left_out_and_counted() -> None:
    rows = change(
        rows_of("abcde", 2),
        lambda row: row["prompt"] == "a" and row["repeat"] == 0,
        lambda row: {**row, "decode_s": 50.0},
    )
    study = specstats.summarize(read_rows(rows), Design(baseline="base", warmup=1))
    kept = [row for row in rows if row["decode_s"] != 50.0]
    check_welch(study.headlines[0], kept)
    assert "8 requests" in study.findings.of("SPS402")[0].message
