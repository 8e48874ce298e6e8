"""Power and false alarms of SPS306, and of the same test with steps as replicates.

Tokens per step of two drafters on the same prompts: the ratio varies by 10 % from
prompt to prompt (SD of its log), about 100 steps a prompt.
"""

import numpy as np
import pytest
from scipy import special

from specstats.stats.paired_acceptance import paired_length_difference

pytestmark = pytest.mark.sim

STUDIES = 2_000
SD = 0.10
LENGTH = 3.0
# Loss that four studies of five find, by prompts; the page of SPS306 quotes it.
DETECTABLE = {6: 0.15, 12: 0.09, 24: 0.06}


def study(
    rng: np.random.Generator, prompts: int, loss: float
) -> tuple[np.ndarray, ...]:
    tokens = rng.integers(200, 400, prompts).astype(float)
    length = LENGTH * np.exp(rng.normal(0.0, 0.3, prompts))
    other = length * (1.0 - loss) * np.exp(rng.normal(0.0, SD, prompts))
    return tokens, np.ceil(tokens / other), tokens, np.ceil(tokens / length)


def alarms(rng: np.random.Generator, prompts: int, loss: float) -> float:
    found = [
        paired_length_difference(*study(rng, prompts, loss)) for _ in range(STUDIES)
    ]
    return float(
        np.mean([item is not None and item.interval(0.95)[1] < 0.0 for item in found])
    )


@pytest.mark.parametrize("prompts", DETECTABLE)
def test_power(rng: np.random.Generator, prompts: int) -> None:
    power = alarms(rng, prompts, DETECTABLE[prompts])
    assert 0.77 < power < 0.92


@pytest.mark.parametrize("prompts", [5, 12, 24])
def test_false_alarms(rng: np.random.Generator, prompts: int) -> None:
    # One-sided: the upper limit of a two-sided 95 % interval.
    assert alarms(rng, prompts, 0.0) < 0.04


def test_steps_as_replicates_cry_wolf(rng: np.random.Generator) -> None:
    wrong = 0
    for _ in range(STUDIES):
        tokens, steps, _, base = study(rng, 12, 0.0)
        gap = np.log(tokens.sum() / steps.sum()) - np.log(tokens.sum() / base.sum())
        # Accepted tokens of a step: SD about 1 of a mean of 3.
        error = np.sqrt(1 / steps.sum() + 1 / base.sum()) / LENGTH
        wrong += bool(special.ndtr(gap / error) < 0.025)
    assert wrong / STUDIES > 0.08
