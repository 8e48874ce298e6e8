"""Acceptance: distinct generations once, clusters, intervals by hand."""

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats.results import Acceptance
from specstats.testing import launch_rows, read_rows

Row = dict[str, object]
COUNTS = {"a": (60, 80), "b": (45, 75), "c": (70, 85), "d": (30, 66), "e": (50, 71)}


def rows_of(
    counts: dict[str, tuple[int, int]] = COUNTS, *, runs: int = 3, repeats: int = 2
) -> list[Row]:
    rows = launch_rows(
        {"spec": [50.0 + k for k in range(runs)]},
        prompts=tuple(counts),
        n_requests=repeats,
    )
    return [
        {
            **row,
            "n_accepted": counts[str(row["prompt"])][0],
            "n_draft": counts[str(row["prompt"])][1],
            "output_sha256": f"text of {row['prompt']}",
            "n_cached": 0,
        }
        for row in rows
    ]


def only(rows: list[Row], level: float = 0.95) -> Acceptance:
    (found,) = specstats.acceptance(read_rows(rows), confidence_level=level)
    return found


def jackknife(table: np.ndarray, level: float = 0.95) -> list[float]:
    """Logit, leaving out one cluster at a time, t with G - 1 degrees of freedom."""
    count = len(table)

    def logit(sums: np.ndarray) -> float:
        return float(np.log(sums[0] / (sums[1] - sums[0])))

    whole = logit(table.sum(axis=0))
    out = np.array(
        [logit(np.delete(table, k, axis=0).sum(axis=0)) for k in range(count)]
    )
    error = np.sqrt((count - 1) / count * ((out - out.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.5 + level / 2, count - 1) * error
    return [float(1 / (1 + np.exp(-x))) for x in (whole - half, whole + half)]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_prompts_as_clusters(level: float) -> None:
    found = only(rows_of(), level)
    hits, tries = np.array(list(COUNTS.values())).sum(axis=0).tolist()
    assert (found.accepted, found.drafted, found.rate) == (hits, tries, hits / tries)
    assert (found.cluster, found.n_clusters) == ("prompt", 5)
    assert (found.n_distinct_generations, found.n_requests) == (5, 30)
    assert found.interval is not None
    expected = jackknife(np.array(list(COUNTS.values()), dtype=float), level)
    assert [found.interval.low, found.interval.high] == pytest.approx(
        expected, rel=2e-3
    )
    assert found.interval.confidence_level == level


@pytest.mark.parametrize(("runs", "repeats"), [(1, 1), (10, 1), (2, 9)])
def test_identical_repeats_change_nothing(runs: int, repeats: int) -> None:
    reference, found = only(rows_of()), only(rows_of(runs=runs, repeats=repeats))
    assert found.interval == reference.interval
    assert (found.accepted, found.drafted) == (reference.accepted, reference.drafted)
    times = runs * repeats
    assert found.naive.drafted == times * found.drafted
    assert found.naive.rate == pytest.approx(found.rate)


def test_one_generation_has_no_workload_interval() -> None:
    bench = read_rows(rows_of({"a": (92, 111)}, runs=1, repeats=3))
    (found,) = specstats.acceptance(bench)
    assert (found.accepted, found.drafted, found.interval) == (92, 111, None)
    assert (found.naive.accepted, found.naive.drafted) == (276, 333)
    exact = scipy.stats.binomtest(92, 111).proportion_ci(method="exact")
    assert found.token_interval is not None
    assert found.token_interval.low == pytest.approx(exact.low)
    assert found.token_interval.high == pytest.approx(exact.high)
    assert (
        found.token_interval.label == "within one generation, tokens as if independent"
    )
    assert "SPS305" in specstats.check(bench).codes


def test_launches_as_clusters_when_one_prompt_varies_between_them() -> None:
    made = [(60, 80), (55, 80), (66, 82), (50, 77)]
    rows = rows_of({"a": (0, 0)}, runs=4)
    for row in rows:
        run = int(str(row["run"])[-1])
        row |= {"n_accepted": made[run][0], "n_draft": made[run][1]}
        row["output_sha256"] = f"text {run}"
    found = only(rows)
    assert (found.cluster, found.n_clusters, found.n_distinct_generations) == (
        "run",
        4,
        4,
    )
    assert found.interval is not None
    expected = jackknife(np.array(made, dtype=float))
    assert [found.interval.low, found.interval.high] == pytest.approx(
        expected, rel=2e-3
    )


def test_both_when_prompts_and_launches_vary(rng: np.random.Generator) -> None:
    rows = rows_of(runs=4)
    for row in rows:
        shift = int(rng.integers(-3, 4)) if row["repeat"] == 0 else 0
        row["n_accepted"] = COUNTS[str(row["prompt"])][0] + shift
        row["output_sha256"] = f"{row['run']} {row['prompt']} {row['repeat']}"
    found = only(rows)
    assert (found.cluster, found.n_clusters) == ("prompt and run", 4)
    assert found.interval is not None
    assert found.interval.low < found.rate < found.interval.high


def test_the_interval_of_prompts_is_wider_than_that_of_tokens() -> None:
    found = only(rows_of())
    assert found.interval is not None
    tokens = scipy.stats.binomtest(found.naive.accepted, found.naive.drafted)
    naive = tokens.proportion_ci(method="exact")
    assert found.interval.high - found.interval.low > 3 * (naive.high - naive.low)


def test_everything_accepted_is_no_certainty() -> None:
    found = only(rows_of(dict.fromkeys("abcd", (80, 80))))
    assert found.rate == 1.0
    assert found.interval is not None
    assert found.interval.low < 0.99
    assert found.interval.high == pytest.approx(1.0)
    assert "Korn" in found.method


def test_recovered_steps() -> None:
    found = only(rows_of({"a": (92, 111)}))
    assert found.steps == 35
    assert found.tokens_per_step == pytest.approx(127 / 35)
    assert found.step_convention is not None
    assert "llama.cpp" in found.step_convention


def test_counted_steps_take_precedence() -> None:
    found = only([{**row, "n_steps": 40} for row in rows_of({"a": (92, 111)})])
    assert found.steps == 40
    assert found.tokens_per_step == pytest.approx(1 + 92 / 40)
    assert found.step_convention is not None
    assert "counted" in found.step_convention


def test_no_draft_counts() -> None:
    assert specstats.acceptance(read_rows(launch_rows({"a": [1.0, 2.0]}))) == ()


def test_failed_requests_do_not_count() -> None:
    rows = [{**row, "ok": row["repeat"] == 0} for row in rows_of()]
    assert only(rows).n_requests == 15


def test_without_digests_it_is_said() -> None:
    rows = rows_of()
    for row in rows:
        del row["output_sha256"]
    assert "without output digests" in only(rows).method
