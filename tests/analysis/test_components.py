"""Components of an arm through the public verbs, against the numerics below them."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats

import specstats
from specstats.stats.components import mls_interval, one_way
from specstats.stats.crossed import crossed_components
from specstats.stats.intervals import next_value
from specstats.stats.reml import one_way_fit
from specstats.testing import launch_rows, read_rows

# Public case 3: six launches of one setting, tok/s.
SIX = [35.3, 35.7, 34.7, 35.2, 36.1, 37.1]

Row = dict[str, Any]


def noisy(
    rows: list[dict[str, object]],
    rng: np.random.Generator,
    sd_run: float = 0.05,
    sd_request: float = 0.02,
) -> list[Row]:
    effects: dict[object, float] = {}
    changed: list[Row] = []
    for row in rows:
        shift = effects.setdefault(row["run"], rng.normal(0.0, sd_run))
        seconds = float(str(row["decode_s"]))
        seconds *= math.exp(shift + rng.normal(0.0, sd_request))
        changed.append({**row, "decode_s": seconds})
    return changed


def logs(rows: list[Row]) -> np.ndarray:
    return np.log([(row["n_output"] - 1) / row["decode_s"] for row in rows])


def column(rows: list[Row], name: str) -> list[str]:
    return [str(row[name]) for row in rows]


def parts_of(rows: list[Row]) -> Any:  # noqa: ANN401 - a mapping of mixed values
    found = specstats.spread(read_rows(rows))["a"].components
    assert found is not None
    return found


def test_next_launch_of_the_six() -> None:
    low, high = np.exp(next_value(np.log(SIX)))
    assert (round(low, 2), round(high, 2)) == (33.43, 38.07)
    found = specstats.spread(read_rows(launch_rows({"a": SIX})))["a"]
    assert round(found.next_run_low, 2) == 33.43
    assert round(found.next_run_high, 2) == 38.07
    # The single launch of the other setting that was called better lies inside.
    assert found.next_run_low < 38.0 < found.next_run_high
    assert found.components is None


def test_equal_launches_of_one_prompt(rng: np.random.Generator) -> None:
    rows = noisy(launch_rows({"a": [100.0] * 5}, n_requests=4), rng)
    found = parts_of(rows)
    parts = one_way(list(logs(rows).reshape(5, 4)))
    low, high = mls_interval(parts)
    assert found["run"] == pytest.approx(math.sqrt(parts.between_var))
    assert found["run_low"] == pytest.approx(math.sqrt(low))
    assert found["run_high"] == pytest.approx(math.sqrt(high))
    assert found["icc_low"] < found["icc"] < found["icc_high"]
    assert found["total_low"] < found["total"] < found["total_high"]
    assert found["total"] == pytest.approx(math.hypot(found["run"], found["request"]))
    assert found["method"] == "ANOVA"
    assert found["interval_method"] == "modified large sample"
    assert "skewed" in found["note"]
    assert found["design_effect"] == pytest.approx(1 + 3 * found["icc"])
    effective = 20 / found["design_effect"]
    assert found["effective_requests"] == pytest.approx(effective)
    assert found["block"] is found["prompt"] is found["run_prompt"] is None


def test_unequal_launches_are_fitted_by_reml_and_say_so(
    rng: np.random.Generator,
) -> None:
    rows = noisy(launch_rows({"a": [100.0] * 6}, n_requests=5), rng)
    kept = [row for i, row in enumerate(rows) if i not in {1, 2, 3, 8, 21, 22}]
    found = parts_of(kept)
    names = column(kept, "run")
    values = logs(kept)
    groups = [values[np.array(names) == name] for name in dict.fromkeys(names)]
    fit = one_way_fit(groups)
    assert found["run"] == pytest.approx(math.sqrt(fit.between_var), rel=1e-6)
    assert found["request"] == pytest.approx(math.sqrt(fit.within_var), rel=1e-6)
    assert found["method"] == "REML"
    assert found["interval_method"] == "modified large sample, harmonic mean size"
    assert found["run_low"] < found["run"] < found["run_high"]


def test_launches_no_wider_than_their_requests(rng: np.random.Generator) -> None:
    rows = noisy(launch_rows({"a": [100.0] * 4}, n_requests=2), rng, 0.0, 0.02)
    for i, row in enumerate(rows):
        row["decode_s"] = 1.27 * (1.02 if i % 2 else 0.98) * (1 + 1e-4 * (i // 2))
    found = parts_of(rows)
    assert (found["run"], found["truncated"], found["icc"]) == (0.0, 1, 0.0)
    assert found["design_effect"] == 1.0
    # Closer together than their requests let them be: no interval of width zero.
    assert found["run_low"] is found["run_high"] is found["icc_high"] is None
    rows[0]["decode_s"] *= 1.05
    found = parts_of(rows)
    assert (found["run"], found["run_low"]) == (0.0, 0.0)
    assert found["run_high"] > 0.0


def prompted(rng: np.random.Generator, runs: int = 4, requests: int = 1) -> list[Row]:
    plain = launch_rows(
        {"a": [100.0] * runs}, prompts=("p", "q", "r", "s"), n_requests=requests
    )
    rows = noisy(plain, rng)
    for row in rows:
        row["decode_s"] *= 1 + 0.1 * "pqrs".index(str(row["prompt"]))
    return rows


@pytest.mark.parametrize("requests", [1, 3])
def test_prompts_crossed_with_launches(rng: np.random.Generator, requests: int) -> None:
    rows = prompted(rng, requests=requests)
    found = parts_of(rows)
    peer = crossed_components(
        logs(rows), run=column(rows, "run"), prompt=column(rows, "prompt")
    )
    names = {"run": "run", "prompt": "prompt", "request": "residual"}
    if requests > 1:
        names["run_prompt"] = "run_prompt"
    for ours, theirs in names.items():
        part = peer.levels[theirs]
        assert part.low is not None
        assert found[ours] == pytest.approx(part.sd)
        assert found[f"{ours}_low"] == pytest.approx(math.sqrt(part.low))
    assert found["method"] == "ANOVA"
    if requests == 1:
        assert found["run_prompt"] is None
        assert found["icc_low"] < found["icc"] < found["icc_high"]
    else:
        assert found["icc_low"] is None


def test_a_missing_prompt_leads_to_reml(rng: np.random.Generator) -> None:
    rows = prompted(rng, runs=5)[1:]
    found = parts_of(rows)
    assert found["method"] == "REML"
    assert found["interval_method"] == "modified large sample, harmonic mean size"
    assert found["run_low"] < found["run"] < found["run_high"]
    assert found["prompt"] > found["request"]
    assert found["prompt_low"] is None


def test_blocks_take_their_share(rng: np.random.Generator) -> None:
    rows = prompted(rng, runs=6)
    for row in rows:
        number = int(str(row["run"])[-1])
        row["block"] = f"day {number % 3}"
        row["decode_s"] *= 1 + 0.3 * (number % 3)
    found = parts_of(rows)
    assert found["block"] > 2 * found["run"]
    assert found["block_low"] < found["block"] < found["block_high"]
    both = found["block"] ** 2 + found["run"] ** 2
    assert found["icc"] == pytest.approx(both / found["total"] ** 2)


def test_one_launch_a_block_is_not_told_from_it(rng: np.random.Generator) -> None:
    rows = prompted(rng, runs=4)
    for row in rows:
        row["block"] = f"day {row['run']}"
    found = parts_of(rows)
    assert found["block"] is None
    assert found["run"] > 0.0


def test_prompts_of_their_own_stay_with_the_requests(
    rng: np.random.Generator,
) -> None:
    rows = prompted(rng, runs=4)
    for row in rows:
        row["prompt"] = f"{row['run']} {row['prompt']}"
    found = parts_of(rows)
    assert found["prompt"] is None
    assert found["note"].startswith("each launch has prompts of its own")
    again = [{**row, "decode_s": row["decode_s"] * 1.01} for row in rows]
    nested = parts_of(rows + again)
    assert nested["prompt"] > nested["request"]


def test_two_launches_are_too_few(rng: np.random.Generator) -> None:
    rows = prompted(rng, runs=2)
    assert specstats.spread(read_rows(rows))["a"].components is None


def test_repeats_without_spread_keep_the_launches() -> None:
    rows = launch_rows({"a": SIX}, n_requests=3)
    found = parts_of([dict(row) for row in rows])
    assert found["run"] == pytest.approx(np.log(SIX).std(ddof=1), rel=1e-6)
    assert found["request"] == pytest.approx(0.0, abs=1e-9)
    assert found["icc"] == pytest.approx(1.0)


def test_the_level_of_the_limits(rng: np.random.Generator) -> None:
    rows = noisy(launch_rows({"a": [100.0] * 5}, n_requests=4), rng)
    bench = read_rows(rows)
    wide, narrow = (
        specstats.spread(bench, confidence_level=level)["a"].components
        for level in (0.99, 0.8)
    )
    assert wide is not None
    assert narrow is not None
    assert float(str(wide["run_high"])) > float(str(narrow["run_high"]))
    table = logs(rows).reshape(5, 4)
    inside = table.var(axis=1, ddof=1).mean()
    upper = math.sqrt(15 * inside / scipy.stats.chi2.ppf(0.1, 15))
    assert narrow["request_high"] == pytest.approx(upper)
