"""A speedup in its two factors, and draft depths side by side."""

import math

import pytest

import specstats
from specstats import Design
from specstats.bench import Bench
from specstats.errors import DesignError, RefusalError
from specstats.testing import read_rows

ORDER = {"base": (1, 4, 5), "a": (2, 3, 6), "b": (7, 9, 8)}
NOISE = (1.0, 1.01, 0.995)


def launches(
    arm: str, step_seconds: float, accepted: tuple[int, ...] | None
) -> list[dict[str, object]]:
    """Three launches of 127 tokens after the first; steps follow from acceptance."""
    rows = []
    for place, order in enumerate(ORDER[arm]):
        hits = 0 if accepted is None else accepted[place]
        row: dict[str, object] = {
            "arm": arm,
            "run": f"{arm}{place}",
            "order": order,
            "prompt": "p",
            "n_output": 128,
            "rate_convention": "n-1",
            "decode_s": (127 - hits) * step_seconds * NOISE[place],
        }
        if accepted is not None:
            row |= {"n_draft": 4 * (127 - hits), "n_accepted": hits}
        rows.append(row)
    return rows


def bench_of(*parts: list[dict[str, object]]) -> Bench:
    return read_rows([row for part in parts for row in part])


def test_the_parts_multiply_to_the_observed_ratio() -> None:
    bench = bench_of(launches("base", 0.03, None), launches("a", 0.04, (80, 82, 78)))
    found = specstats.decompose(bench, Design(baseline="base"))

    tokens, steps = found.require()
    assert (tokens.metric, steps.metric) == ("tokens_per_step", "step_rate")
    by_hand = math.exp(sum(math.log(127 / (127 - x)) for x in (80, 82, 78)) / 3)
    assert tokens.ratio == pytest.approx(by_hand)
    assert steps.ratio == pytest.approx(0.75)
    assert found.rate.observed_ratio == pytest.approx(tokens.ratio * steps.ratio)
    assert found.driver == "both"
    assert tokens.interval is not None
    assert tokens.interval.low < tokens.ratio < tokens.interval.high


def test_without_sampling_tokens_per_step_are_exact() -> None:
    bench = bench_of(launches("a", 0.04, (80, 80, 80)), launches("b", 0.04, (60,) * 3))
    found = specstats.decompose(bench, Design(baseline="a"))

    tokens, steps = found.require()
    assert tokens.exact
    assert tokens.interval is None
    assert tokens.ratio == pytest.approx((127 - 80) / (127 - 60))
    assert not steps.told_apart
    assert found.driver == "acceptance-driven"
    assert "(the same in every launch)" in found.sentence


def test_a_slower_step_is_cost_driven() -> None:
    bench = bench_of(launches("a", 0.04, (80,) * 3), launches("b", 0.05, (80,) * 3))
    found = specstats.decompose(bench, Design(baseline="a"))
    assert found.driver == "cost-driven"
    assert found.parts[1].ratio == pytest.approx(0.8)


def test_nothing_told_apart() -> None:
    bench = bench_of(launches("a", 0.04, (80,) * 3), launches("b", 0.0401, (80,) * 3))
    assert specstats.decompose(bench, Design(baseline="a")).driver == "not told apart"


def test_steps_that_nobody_counted() -> None:
    bench = bench_of(launches("base", 0.03, None), launches("a", 0.02, None))
    found = specstats.decompose(bench, Design(baseline="base"))
    assert not found.ok
    assert found.findings.errors.codes == ("SPS301",)
    with pytest.raises(RefusalError, match="not decomposed - SPS301"):
        found.require()
    assert found.to_dict()["parts"] == []


def test_one_launch_is_refused_as_the_rate_is() -> None:
    bench = bench_of(
        launches("base", 0.03, None)[:1], launches("a", 0.04, (80,) * 3)[:1]
    )
    found = specstats.decompose(bench, Design(baseline="base"))
    assert (found.driver, found.parts) == (None, ())
    assert "SPS101" in found.sentence


def test_two_launches_are_too_few_to_say_what_drives() -> None:
    bench = bench_of(
        launches("base", 0.03, None)[:2], launches("a", 0.04, (80, 82, 78))[:2]
    )
    found = specstats.decompose(bench, Design(baseline="base"))
    assert found.ok
    assert found.driver is None
    assert "too little stands behind it" in found.sentence


def test_it_is_in_the_report() -> None:
    bench = bench_of(launches("base", 0.03, None), launches("a", 0.04, (80,) * 3))
    study = specstats.summarize(bench, Design(baseline="base"))
    (found,) = study.decompositions
    assert found.candidate == "a"
    assert "Behind the decode rate" in specstats.report.to_text(study)
    told = study.to_dict()["decompositions"]
    assert isinstance(told, list)
    assert told[0]["driver"] == "both"


def test_draft_depths_of_the_h200() -> None:
    bench = specstats.datasets.load("h200-tinyspec")
    depths = {"spec-g2": 2, "spec-g4": 4, "spec-g8": 8}
    found = specstats.depth_sweep(bench, Design(baseline="baseline"), depths=depths)

    assert [item.depth for item in found.depths] == [2, 4, 8]
    assert [item.depth for item in found.best] == [4, 8]
    costs = [item.step_cost for item in found.depths]
    assert costs == pytest.approx([1.4198, 1.7345, 2.3133], abs=1e-4)
    tokens = [item.tokens_per_step for item in found.depths]
    assert tokens == pytest.approx([2.5168, 3.5926, 4.7892], abs=1e-4)
    assert str(found).startswith("depths 4 and 8 are not separable")
    assert found.to_dict()["best"] == [4, 8]


def test_what_is_no_sweep() -> None:
    bench = bench_of(launches("base", 0.03, None), launches("a", 0.04, (80,) * 3))
    with pytest.raises(DesignError, match="0 arms with a draft depth"):
        specstats.depth_sweep(bench, Design(baseline="base"))
    with pytest.raises(DesignError, match="'c'"):
        specstats.depth_sweep(bench, Design(baseline="base"), depths={"a": 2, "c": 4})
