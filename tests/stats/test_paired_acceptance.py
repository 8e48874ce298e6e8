import math

import numpy as np
import pytest
from scipy import special

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats.contrast import Contrast
from specstats.stats.paired_acceptance import (
    Crossed,
    crossed_difference,
    paired_length_difference,
    paired_odds_ratio,
    paired_rate_difference,
)

CANDIDATE = np.array([60, 45, 70, 30, 50]), np.array([80, 75, 85, 66, 71])
BASELINE = np.array([50, 40, 66, 29, 41]), np.array([82, 70, 85, 60, 75])


def known(found: Contrast | None) -> Contrast:
    assert found is not None
    return found


def left_out(part: np.ndarray, whole: np.ndarray, place: int) -> float:
    return float(np.delete(part, place).sum() / np.delete(whole, place).sum())


def test_odds_ratio_leaves_a_prompt_out_of_both_arms() -> None:
    found = known(paired_odds_ratio(*CANDIDATE, *BASELINE))
    gaps = np.array(
        [
            special.logit(left_out(*CANDIDATE, k))
            - special.logit(left_out(*BASELINE, k))
            for k in range(5)
        ]
    )
    assert found.estimate == pytest.approx(
        special.logit(255 / 377) - special.logit(226 / 372)
    )
    assert found.std_error == pytest.approx(math.sqrt(0.8 * 5 * gaps.var()))
    assert found.df == 4


def test_length_leaves_a_prompt_out_of_both_arms() -> None:
    first = CANDIDATE[0] + 30, np.full(5, 30)
    second = BASELINE[0] + 32, np.full(5, 32)
    found = known(paired_length_difference(*first, *second))
    gaps = np.array(
        [math.log(left_out(*first, k) / left_out(*second, k)) for k in range(5)]
    )
    assert found.estimate == pytest.approx(math.log((405 / 150) / (386 / 160)))
    assert found.std_error == pytest.approx(math.sqrt(0.8 * 5 * gaps.var()))


def test_rate_difference_by_hand() -> None:
    # Differences of the prompts are 4, 2 and 3 tokens of 10: u is 1, -1, 0 over 30.
    found = known(paired_rate_difference([9, 8, 9], [10] * 3, [5, 6, 6], [10] * 3))
    assert found.estimate == pytest.approx(9 / 30)
    assert found.std_error == pytest.approx(math.sqrt(3 / 2 * 2) / 30)
    assert found.df == 2


def test_prompts_that_both_arms_find_hard_cancel() -> None:
    easy_and_hard = [95, 60, 20], [100] * 3
    also = [90, 50, 14], [100] * 3
    paired = known(paired_rate_difference(*easy_and_hard, *also))
    assert paired.std_error < 0.02
    assert known(paired_odds_ratio(*easy_and_hard, *also)).std_error < 0.2


def test_one_prompt_says_nothing() -> None:
    assert paired_odds_ratio([5], [9], [4], [9]) is None
    assert paired_rate_difference([5], [9], [4], [9]) is None
    assert paired_length_difference([15], [9], [14], [9]) is None


def test_a_rate_of_one_has_no_odds_ratio_but_a_difference() -> None:
    arms = [10, 10, 10], [10] * 3, [9, 8, 10], [10] * 3
    assert paired_odds_ratio(*arms) is None
    assert known(paired_rate_difference(*arms)).estimate == pytest.approx(0.1)
    # All rejections of the candidate in one prompt: leaving it out makes a rate of 1.
    assert paired_odds_ratio([10, 8, 10], [10] * 3, [9, 8, 9], [10] * 3) is None


def test_equal_differences_have_no_interval() -> None:
    with pytest.raises(ZeroSpreadError):
        paired_rate_difference([9, 9], [10, 10], [5, 5], [10, 10])
    with pytest.raises(ZeroSpreadError):
        paired_odds_ratio([9, 9], [10, 10], [5, 5], [10, 10])
    with pytest.raises(ZeroSpreadError):
        paired_length_difference([30, 60], [10, 20], [15, 30], [10, 20])


def test_arms_that_do_not_match_are_misuse() -> None:
    with pytest.raises(ValueError, match="same prompts"):
        paired_odds_ratio([5, 6], [9, 9], [4, 5, 6], [9, 9, 9])
    with pytest.raises(ValueError, match="drafts of every prompt"):
        paired_rate_difference([5, 0], [9, 0], [4, 5], [9, 9])
    with pytest.raises(ValueError, match="same prompts"):
        paired_length_difference([15, 1], [9, 0], [14, 12], [9, 9])


def crossed(part: list[int], runs: list[int], prompts: str) -> Crossed:
    return Crossed(part=part, whole=[10] * len(part), run=runs, prompt=prompts)


def test_two_way_adds_launches_to_paired_prompts() -> None:
    # Candidate deviations 2 0 / 0 -2 of 40, baseline 1 1 / -1 -1, over r (1 - r).
    first = crossed([9, 7, 7, 5], [1, 1, 2, 2], "xyxy")
    second = crossed([6, 6, 4, 4], [1, 1, 2, 2], "xyxy")
    found = known(crossed_difference(first, second, scale="logit"))
    one = np.array([2, 0, 0, -2]) / 40 / 0.21
    two = np.array([1, 1, -1, -1]) / 40 / 0.25
    prompts = 2 * sum((one[k::2].sum() - two[k::2].sum()) ** 2 for k in (0, 1))
    runs = 2 * sum(own[k : k + 2].sum() ** 2 for own in (one, two) for k in (0, 2))
    cells = 4 / 3 * float(one @ one + two @ two)
    assert found.std_error == pytest.approx(
        math.sqrt(max(prompts + runs - cells, prompts, runs))
    )
    assert found.estimate == pytest.approx(math.log(7 / 3))
    assert found.df == 1


def test_two_way_of_lengths_is_a_log_ratio() -> None:
    first = crossed([30, 28, 26, 25], [1, 1, 2, 2], "xyxy")
    second = crossed([20, 19, 22, 21], [1, 1, 2, 2], "xyxy")
    found = known(crossed_difference(first, second, scale="log"))
    assert found.estimate == pytest.approx(math.log(109 / 82))


def test_two_way_cannot() -> None:
    full = crossed([9, 7, 7, 5], [1, 1, 2, 2], "xyxy")
    one_run = crossed([6, 4], [1, 1], "xy")
    assert crossed_difference(full, one_run, scale="logit") is None
    everything = crossed([10] * 4, [1, 1, 2, 2], "xyxy")
    assert crossed_difference(full, everything, scale="logit") is None
    with pytest.raises(ZeroSpreadError):
        crossed_difference(
            *(crossed([5] * 4, [1, 1, 2, 2], "xyxy") for _ in range(2)),
            scale="logit",
        )


def test_an_arm_whose_launches_agree_adds_prompts_alone() -> None:
    varying = crossed([9, 7, 6, 5], [1, 1, 2, 2], "xyxy")
    same = Crossed(part=[6, 4], whole=[10, 10], run=None, prompt="xy")
    found = known(crossed_difference(varying, same, scale="logit"))
    rate = 27 / 40
    one = (np.array([9, 7, 6, 5]) - 10 * rate) / 40 / (rate * (1 - rate))
    two = np.array([1, -1]) / 20 / 0.25
    prompts = 2 * sum((one[k::2].sum() - two[k]) ** 2 for k in (0, 1))
    runs = 2 * sum(one[k : k + 2].sum() ** 2 for k in (0, 2))
    cells = 4 / 3 * float(one @ one)
    assert found.std_error == pytest.approx(
        math.sqrt(max(prompts + runs - cells, prompts, runs))
    )
