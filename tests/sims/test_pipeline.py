"""The whole pipeline, from rows to the printed verdict, on studies with a known truth.

Nothing of what lies between is called: what is asserted is what users read. The same
data analysed with requests as units are the negative control; it must fail.
"""

from typing import Literal

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

import specstats
from specstats import Bench, Design, Verdict
from specstats.testing import simulate

pytestmark = pytest.mark.sim

Shape = Literal["normal", "skewed", "bimodal"]
SHAPES: tuple[Shape, ...] = ("normal", "skewed", "bimodal")
STUDIES = 400
ALPHA = 0.05
THREE_SE = 3 * np.sqrt(ALPHA * (1 - ALPHA) / STUDIES)
TRUTH = 1.07
DESIGN = Design(baseline="base", randomised=True)
CLAIMS = {Verdict.FASTER, Verdict.SLOWER}


def study(
    rng: np.random.Generator, shape: Shape, *, blocked: bool, effects: dict[str, float]
) -> Bench:
    return simulate(
        {"base": 1.0, **effects},
        n_runs=5,
        n_prompts=2,
        n_requests=4,
        sd_run=0.05,
        sd_request=0.02,
        sd_block=0.08,
        shape=shape,
        blocked=blocked,
        rng=rng,
    )


def pooled_p(bench: Bench) -> float:
    """Welch on all requests, prompt means taken out: what must not be done."""
    arms = np.array(bench.column("requests", "arm"))
    prompts = np.array(bench.column("requests", "prompt_id"))
    logs = -np.log(np.array(bench.column("requests", "decode_s"), dtype=float))
    for prompt in np.unique(prompts):
        logs[prompts == prompt] -= logs[prompts == prompt].mean()
    first, second = logs[arms == "new"], logs[arms == "base"]
    return float(scipy.stats.ttest_ind(first, second, equal_var=False).pvalue)


@pytest.mark.parametrize("candidates", [1, 4])
@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_false_verdicts_when_nothing_differs(
    rng: np.random.Generator, shape: Shape, blocked: bool, candidates: int
) -> None:
    effects = dict.fromkeys(("new", "b", "c", "d")[:candidates], 1.0)
    claims = pooled = 0
    for _ in range(STUDIES):
        bench = study(rng, shape, blocked=blocked, effects=effects)
        found = specstats.summarize(bench, DESIGN).comparisons
        assert len({item.candidate for item in found}) == candidates
        claims += any(item.verdict in CLAIMS for item in found)
        pooled += pooled_p(bench) <= ALPHA
    assert claims / STUDIES <= ALPHA + THREE_SE
    # Sessions that both arms share widen the pooled spread, which hides part of it.
    assert pooled / STUDIES > (0.2 if blocked else 0.3)


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_coverage_of_the_printed_interval(
    rng: np.random.Generator, shape: Shape, blocked: bool
) -> None:
    covered: list[bool] = []
    printed = 0
    for _ in range(STUDIES):
        bench = study(rng, shape, blocked=blocked, effects={"new": TRUTH})
        found = specstats.speedup(bench, DESIGN).to_dict()
        low, high = found["conf_low"], found["conf_high"]
        if isinstance(low, float) and isinstance(high, float):
            printed += 1
            covered.append(low <= TRUTH <= high)
    assert printed > 0.95 * STUDIES
    # Two equal shapes cancel in the difference: skewed launches cost nothing here.
    assert np.mean(covered) >= 1 - ALPHA - THREE_SE


def test_requests_as_units_cover_far_too_little(rng: np.random.Generator) -> None:
    hits = 0
    for _ in range(STUDIES):
        bench = study(rng, "normal", blocked=False, effects={"new": TRUTH})
        logs = log_rates(bench)
        own = scipy.stats.ttest_ind(logs["new"], logs["base"], equal_var=False)
        interval = own.confidence_interval(0.95)
        hits += interval.low <= np.log(TRUTH) <= interval.high
    assert hits / STUDIES < 0.75


def log_rates(bench: Bench) -> dict[str, NDArray[np.float64]]:
    arms = np.array(bench.column("requests", "arm"))
    logs = -np.log(np.array(bench.column("requests", "decode_s"), dtype=float))
    prompts = np.array(bench.column("requests", "prompt_id"))
    for prompt in np.unique(prompts):
        logs[prompts == prompt] -= logs[prompts == prompt].mean()
    return {arm: logs[arms == arm] for arm in ("base", "new")}


@pytest.mark.parametrize("order", ["separated", "fixed pairs"])
@pytest.mark.parametrize("drift", [0.03, 0.10, 0.30])
def test_no_verdict_under_drift(
    rng: np.random.Generator, order: str, drift: float
) -> None:
    """One setting under two names on a machine that slows down: never a claim."""
    for _ in range(60):
        rows = []
        for place in range(8):
            late = place >= 4 if order == "separated" else place % 2 == 1
            rate = 50 * (1 - drift * place / 7) * np.exp(rng.normal(0, 0.005))
            row: dict[str, object] = {
                "arm": "new" if late else "base",
                "run": f"launch {place}",
                "order": place,
                "n_output": 128,
                "decode_s": 127 / rate,
            }
            rows.append(
                row if order == "separated" else {**row, "block": f"b{place // 2}"}
            )
        bench = specstats.testing.read_rows(rows)
        for item in specstats.summarize(bench, Design(baseline="base")).comparisons:
            assert item.verdict not in CLAIMS


def test_a_real_effect_is_found(rng: np.random.Generator) -> None:
    found = [
        specstats.speedup(
            study(rng, "normal", blocked=True, effects={"new": 1.3}), DESIGN
        ).verdict
        for _ in range(100)
    ]
    # One draw in 16 puts an arm first in all five blocks: no claim then (SPS104).
    assert found.count(Verdict.FASTER) >= 85
    assert Verdict.SLOWER not in found
