"""Mixed models: balanced equalities, and every way in which a fit can fail."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from specstats.stats import mixed
from specstats.stats.blocks import paired_blocks
from specstats.stats.mixed import mixed_effect
from specstats.stats.run_means import from_run_means
from specstats.stats.welch import pooled, welch


def study(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    run, prompt = np.repeat(np.arange(10), 8), np.tile(np.arange(8), 10)
    arm = run >= 5
    values = (
        0.3 * arm
        + 0.1 * rng.normal(size=10)[run]
        + 0.2 * rng.normal(size=8)[prompt]
        + 0.03 * rng.normal(size=80)
    )
    return values, run, prompt, arm


@pytest.mark.parametrize("with_prompts", [False, True])
def test_balanced_arms_are_the_pooled_t_on_run_means(*, with_prompts: bool) -> None:
    values, run, prompt, arm = study()
    found = mixed_effect(
        values,
        run=run.tolist(),
        is_candidate=arm,
        prompt=prompt.tolist() if with_prompts else None,
    )
    means = values.reshape(10, 8).mean(axis=1)
    peer = pooled(means[5:], means[:5])
    assert found.fitted
    assert found.contrast is not None
    assert found.contrast.estimate == pytest.approx(peer.estimate)
    assert found.contrast.std_error == pytest.approx(peer.std_error, rel=1e-3)
    assert found.contrast.df == peer.df
    assert str(found).startswith("mixed model, REML (statsmodels, ")


def test_blocks_cost_degrees_of_freedom() -> None:
    values, run, _, arm = study()
    found = mixed_effect(
        values, run=run.tolist(), is_candidate=arm, block=(run % 5).tolist()
    )
    assert found.contrast is not None
    assert found.contrast.df == 4.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"converged": False}, "not converged"),
        ({"bse_fe": np.array([0.1, np.nan])}, "not a positive number"),
        ({"bse_fe": np.array([0.1, 0.0])}, "not a positive number"),
        ({"fe_params": np.array([0.0, 0.0])}, "a difference of exactly zero"),
        ({"cov_re": np.array([[0.0]])}, "at its edge of zero"),
        ({"cov_re": np.array([[1e-9]])}, "at its edge of zero"),
        ({"scale": np.inf}, "not a positive number"),
    ],
)
def test_a_bad_fit_is_told_and_replaced(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], reason: str
) -> None:
    fit = {
        "converged": True,
        "fe_params": np.array([0.0, 0.5]),
        "bse_fe": np.array([0.1, 0.1]),
        "cov_re": np.array([[1.0]]),
        "vcomp": np.array([]),
        "scale": 1.0,
    }
    monkeypatch.setattr(
        mixed, "_statsmodels", lambda *_: SimpleNamespace(**(fit | change))
    )
    values, run, _, arm = study()
    found = mixed_effect(values, run=run.tolist(), is_candidate=arm)
    means = values.reshape(10, 8).mean(axis=1)
    assert not found.fitted
    assert found.failure is not None
    assert reason in found.failure
    assert found.fallback == "Welch t on run means"
    assert found.contrast is not None
    peer = welch(means[5:], means[:5])
    assert found.contrast.interval() == pytest.approx(peer.interval())
    assert len(found.attempts) == 2
    monkeypatch.setattr(mixed, "_statsmodels", lambda *_: SimpleNamespace(**fit))
    assert mixed_effect(values, run=run.tolist(), is_candidate=arm).fitted


@pytest.mark.parametrize(
    "error",
    [np.linalg.LinAlgError("Singular matrix"), ValueError("x"), OverflowError()],
)
def test_an_optimiser_that_raises_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(mixed, "_statsmodels", fail)
    values, run, _, _ = study()
    found = mixed_effect(values, run=run.tolist())
    assert found.failure is not None
    assert found.failure.startswith(type(error).__name__)
    assert found.fallback == "t on run means"


def test_what_is_not_fitted_at_all() -> None:
    values, run, _, arm = study()
    single = mixed_effect(values[::8], run=run[::8].tolist(), is_candidate=arm[::8])
    assert single.failure == "one request a run: nothing to model inside a run"
    assert single.contrast is not None
    assert single.attempts == ()
    one = mixed_effect(values, run=["r"] * 80)
    assert (one.failure, one.contrast, one.fallback) == ("one run only", None, None)
    assert str(one).endswith("used instead: nothing")
    same = mixed_effect(values, run=run.tolist(), is_candidate=np.ones(80, bool))
    assert same.failure == "one arm only"
    assert same.contrast is None
    flat = mixed_effect(np.ones(80), run=run.tolist())
    assert flat.failure == "the values show no spread"
    assert flat.contrast is None
    assert "no spread" in flat.attempts[-1]
    pair = mixed_effect(values[:16], run=run[:16].tolist(), is_candidate=run[:16] > 0)
    assert pair.failure == "no degrees of freedom between runs"


def test_run_means_adjust_for_missing_prompts() -> None:
    # Prompt 1 is slow by 2; the second run lacks it. Plain means differ by .5 + 1/3.
    values = [0.0, 0.0, -2.0, 0.5, 0.5, 1.0, 1.0, -1.0]
    run, prompt = [1, 1, 1, 2, 2, 3, 3, 3], [2, 3, 1, 2, 3, 2, 3, 1]
    found = from_run_means(values, run=run, prompt=prompt)
    # Run effects at the average prompt: 0, .5, 1 less 2/3.
    assert found.estimate == pytest.approx(0.5 - 2 / 3)
    assert found.std_error == pytest.approx(0.5 / np.sqrt(3.0))
    assert found.method == "t on run means, prompts adjusted"


def test_run_means_in_blocks_are_paired() -> None:
    values, run, _, arm = study()
    block = run % 5
    found = from_run_means(
        values, run=run.tolist(), is_candidate=arm, block=block.tolist()
    )
    means = values.reshape(10, 8).mean(axis=1)
    peer = paired_blocks(means[5:], means[:5])
    assert found.interval() == pytest.approx(peer.interval())
    assert found.method == "paired t on block means"
    one_arm = from_run_means(values, run=run.tolist(), block=block.tolist())
    assert (one_arm.df, one_arm.method) == (4.0, "t on block means")
