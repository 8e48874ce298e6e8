import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._linear import indicators
from specstats.stats._tree import mean_squares, tree_of
from specstats.stats.components import mls_interval, one_way, within_interval
from specstats.stats.crossed import _by_likelihood, _checked, crossed_components
from specstats.stats.levels import kalibera_jones
from specstats.stats.nested import nested_components
from specstats.stats.reml import one_way_fit

Labels = dict[str, list[int]]


def uneven(seed: int = 3) -> tuple[np.ndarray, Labels]:
    """Six blocks of one to three runs, cells and requests at each level."""
    rng = np.random.default_rng(seed)
    rows = [
        (block, run, cell)
        for block in range(6)
        for run in range(rng.integers(1, 4))
        for cell in range(rng.integers(1, 4))
        for _ in range(rng.integers(1, 4))
    ]
    labels = {
        name: list(column)
        for name, column in zip(
            ("block", "run", "cell"), zip(*rows, strict=True), strict=True
        )
    }
    return drawn(rng, labels, (0.5, 0.4, 0.3, 0.2)), labels


def drawn(
    rng: np.random.Generator, labels: Labels, sds: tuple[float, ...]
) -> np.ndarray:
    rows = list(zip(*labels.values(), strict=True))
    values = rng.normal(0.0, sds[-1], len(rows))
    for depth, sd in enumerate(sds[:-1], start=1):
        effects: dict[tuple[int, ...], float] = {}
        for i, row in enumerate(rows):
            values[i] += effects.setdefault(row[:depth], rng.normal(0.0, sd))
    return values


def test_one_level_is_the_one_way_analysis() -> None:
    groups = [[1.0, 2.0, 4.0], [6.0, 5.0, 8.0], [3.0, 2.0, 2.5]]
    found = nested_components(np.ravel(groups), {"run": [0] * 3 + [1] * 3 + [2] * 3})
    parts = one_way(groups)
    run, residual = found.levels["run"], found.levels["residual"]
    assert run.variance == pytest.approx(parts.between_var)
    assert (run.low, run.high) == pytest.approx(mls_interval(parts))
    assert (residual.low, residual.high) == pytest.approx(within_interval(parts))
    assert found.interval == "modified large sample"
    assert found.mean is not None
    assert found.mean.method == "t on run means"


def test_one_uneven_level_is_the_one_way_likelihood() -> None:
    groups = [[1.0, 3.0, 2.0], [6.0, 4.0], [2.0, 3.0, 1.0, 2.0], [3.5]]
    labels = np.repeat([0, 1, 2, 3], [3, 2, 4, 1]).tolist()
    found = nested_components(np.concatenate(groups), {"run": labels})
    fit = one_way_fit(groups)
    assert found.method == "REML"
    assert found.criterion == pytest.approx(fit.criterion, rel=1e-10)
    assert found.levels["run"].variance == pytest.approx(fit.between_var, rel=1e-5)
    assert found.levels["run"].high is None
    assert found.mean is not None
    assert found.mean.estimate == pytest.approx(fit.mean, rel=1e-6)


@given(st.lists(st.integers(0, 50), min_size=24, max_size=24))
def test_moments_are_those_of_kalibera_and_jones(numbers: list[int]) -> None:
    table = np.array(numbers, float).reshape(3, 4, 2)
    table[0, 0, 0] += 0.25
    places = np.indices(table.shape).reshape(3, -1)
    levels = {"run": places[0].tolist(), "cell": places[1].tolist()}
    found = nested_components(table.ravel(), levels, method="ANOVA")
    peer = kalibera_jones(table)
    parts = [found.levels[name].variance for name in ("residual", "cell", "run")]
    expected = np.maximum(peer.unbiased, 0.0)
    assert parts == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_expected_mean_squares_of_uneven_nesting() -> None:
    _, labels = uneven()
    rng = np.random.default_rng(11)
    sds, draws = (2.0, 1.0, 3.0, 1.0), 1500
    squares = np.mean(
        [
            mean_squares(tree_of(drawn(rng, labels, sds), labels))[0]
            for _ in range(draws)
        ],
        axis=0,
    )
    weights = mean_squares(tree_of(drawn(rng, labels, sds), labels))[1]
    expected = weights @ np.square(sds[::-1])
    assert squares == pytest.approx(expected, rel=0.06)


def test_uneven_nesting_equals_statsmodels() -> None:
    values, labels = uneven()
    found = nested_components(values, labels)
    tree = tree_of(values, labels)
    assert found.method == "REML"
    assert [size.size for size in tree.sizes[::-1]] == [6, 11, 21]
    rows = list(zip(*labels.values(), strict=True))
    codes = [
        np.unique([str(row[:depth]) for row in rows], return_inverse=True)[1]
        for depth in (1, 2, 3)
    ]
    parts = [indicators(code, int(code.max()) + 1) for code in codes]
    names = [[[str(i) for i in range(part.shape[1])]] for part in parts]
    peer = MixedLM(
        values,
        np.ones(values.size),
        groups=np.zeros(values.size),
        exog_vc=VCSpec(["block", "run", "cell"], names, [[part] for part in parts]),
    ).fit(method="bfgs")
    assert found.criterion == pytest.approx(-2.0 * peer.llf, abs=1e-5)
    ours = [found.levels[name].variance for name in ("block", "run", "cell")]
    assert ours == pytest.approx(peer.vcomp, rel=5e-3)
    assert found.levels["residual"].variance == pytest.approx(peer.scale, rel=1e-3)


def test_levels_that_cannot_be_told_apart_are_refused() -> None:
    values = [1.0, 2.0, 3.0, 5.0]
    with pytest.raises(ValueError, match="no block holds two of run"):
        nested_components(values, {"block": [1, 1, 2, 2], "run": [1, 1, 2, 2]})
    with pytest.raises(ValueError, match="no run holds two of value"):
        nested_components(values, {"run": [1, 2, 3, 4]})
    with pytest.raises(ValueError, match="two of run or more"):
        nested_components(values, {"run": [1, 1, 1, 1]})
    with pytest.raises(ValueError, match="one to 3 levels"):
        nested_components(values, {})
    with pytest.raises(ZeroSpreadError):
        nested_components([1.0, 1.0, 2.0, 2.0], {"run": [1, 1, 2, 2]})


def test_mean_without_variance_on_top_falls_back_to_top_means() -> None:
    values = [0.0, 2.0, 1.0, 1.4, 0.2, 2.1, 0.9]
    found = nested_components(values, {"run": [0, 0, 1, 1, 2, 2, 2]})
    assert found.levels["run"].truncated
    assert found.mean is not None
    assert found.mean.method == "t on run means"
    assert found.mean.df == 2.0


def test_crossed_by_hand() -> None:
    # Rows 1 2 / 3 6: grand 3; run means 1.5, 4.5; prompt means 2, 4; residuals +-.5.
    # MS run 2*4.5 = 9, prompt 2*2 = 4, residual 1: run (9-1)/2, prompt (4-1)/2.
    found = crossed_components(
        [1.0, 2.0, 3.0, 6.0], run=["a", "a", "b", "b"], prompt=[1, 2, 1, 2]
    )
    variances = [part.variance for part in found.levels.values()]
    assert variances == pytest.approx([4.0, 1.5, 1.0])
    assert list(found.levels) == ["run", "prompt", "residual"]


def balanced(seed: int = 0) -> tuple[np.ndarray, list[int], list[int], list[int]]:
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(4), 30)
    run = np.repeat(np.arange(12), 10)
    prompt = np.tile(np.repeat(np.arange(5), 2), 12)
    values = (
        3.0 * rng.normal(size=4)[block]
        + 0.5 * rng.normal(size=12)[run]
        + rng.normal(size=5)[prompt]
        + 0.3 * rng.normal(size=(12, 5))[run, prompt]
        + 0.2 * rng.normal(size=120)
    )
    return values, block.tolist(), run.tolist(), prompt.tolist()


def test_likelihood_equals_moments_when_balanced() -> None:
    values, block, run, prompt = balanced()
    moments = crossed_components(values, run=run, prompt=prompt, block=block)
    likelihood = _by_likelihood(_checked(values, run, prompt, block))
    assert list(moments.levels) == ["block", "run", "prompt", "run_prompt", "residual"]
    for name, part in moments.levels.items():
        assert not part.truncated
        close = pytest.approx(part.variance, rel=1e-5)
        assert likelihood.levels[name].variance == close
        assert part.low is not None
        assert part.high is not None
        assert part.low <= part.variance <= part.high
    assert moments.mean is not None
    assert (moments.mean.df, moments.mean.method) == (3.0, "t on block means")


def test_missing_cells_go_to_the_likelihood_and_near_the_truth() -> None:
    values, block, run, prompt = balanced(1)
    kept = np.random.default_rng(2).random(values.size) < 0.7
    part = {
        name: np.array(column)[kept].tolist()
        for name, column in (("run", run), ("prompt", prompt), ("block", block))
    }
    found = crossed_components(values[kept], **part)
    whole = crossed_components(values, run=run, prompt=prompt, block=block)
    assert (found.method, found.balanced, found.interval) == ("REML", False, None)
    for name, value in whole.levels.items():
        assert found.levels[name].sd == pytest.approx(value.sd, rel=0.4, abs=0.1)


def test_crossed_refusals() -> None:
    with pytest.raises(ValueError, match="nested in runs"):
        crossed_components([1.0, 2.0, 3.0, 5.0], run=[1, 1, 2, 2], prompt=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="two runs and two prompts"):
        crossed_components([1.0, 2.0, 3.0, 5.0], run=[1, 1, 2, 2], prompt=[1] * 4)
    with pytest.raises(ValueError, match="too few cells"):
        crossed_components([1.0, 2.0, 3.0, 5.0], run=[1, 1, 2, 2], prompt=[1, 2, 1, 1])
    with pytest.raises(ValueError, match="two blocks or more"):
        crossed_components(
            [1.0, 2.0, 3.0, 6.0],
            run=[1, 1, 2, 2],
            prompt=[1, 2, 1, 2],
            block=[1, 1, 2, 2],
        )
    with pytest.raises(ZeroSpreadError):
        crossed_components([1.0, 2.0, 2.0, 3.0], run=[1, 1, 2, 2], prompt=[1, 2, 1, 2])
    # Additive but for a missing cell, and equal repeats with a missing one.
    run, prompt = [1, 1, 1, 2, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3, 1, 2]
    exact = [float(10 * r + p) for r, p in zip(run, prompt, strict=True)]
    with pytest.raises(ZeroSpreadError):
        crossed_components(exact, run=run, prompt=prompt)
    exact[0] += 1.0
    assert crossed_components(exact, run=run, prompt=prompt).method == "REML"
    with pytest.raises(ZeroSpreadError):
        crossed_components([*exact, *exact], run=run * 2, prompt=prompt * 2)
    many = np.repeat(np.arange(200), 150)[:-1]
    of_each = np.tile(np.arange(150), 200)[:-1]
    noise = np.random.default_rng(0).normal(size=many.size)
    with pytest.raises(ValueError, match="more than 300 are not fitted"):
        crossed_components(noise, run=many.tolist(), prompt=of_each.tolist())
