"""What a plan is asked for: checked, and answered for one SD and size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from specstats.defaults import DEFAULTS
from specstats.errors import DesignError
from specstats.stats.planning import expected_half_width, runs_for_half_width
from specstats.stats.power import minimum_effect, runs_needed

__all__ = ["FEWEST_ARMS", "MOST", "Question", "check"]

MOST = 1000
FEWEST_ARMS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a plan is asked for, as `plan` takes it."""

    effect: float | None
    half_width: float | None
    runs: int | None
    power: float
    confidence_level: float
    launch_cost: float | None
    request_cost: float | None
    blocked: bool
    n_arms: int

    @property
    def level(self) -> float:
        """Level of each interval, so that all candidates hold together."""
        return 1.0 - (1.0 - self.confidence_level) / (self.n_arms - 1)

    def needed(self, sd: float) -> int | None:
        """Return the launches of each arm for what is asked, at some SD."""
        found: int | None = self.runs
        if self.effect is not None:
            found = runs_needed(
                math.log(self.effect),
                sd,
                power=self.power,
                alpha=1.0 - self.level,
                blocked=self.blocked,
                welch=True,
                max_runs=MOST,
            )
        if self.half_width is not None:
            found = runs_for_half_width(
                math.log1p(self.half_width),
                sd,
                confidence_level=self.level,
                blocked=self.blocked,
                welch=True,
                max_runs=MOST,
            )
        return None if found is None else max(found, DEFAULTS.min_runs)

    def detectable(self, n: int) -> float:
        """Return the smallest log ratio that n launches detect, in units of the SD."""
        return minimum_effect(
            1.0,
            n,
            power=self.power,
            alpha=1.0 - self.level,
            blocked=self.blocked,
            welch=True,
        )

    def width(self, sd: float, n: int) -> float:
        """Return the relative half-width of the interval of n launches."""
        found = expected_half_width(
            sd, n, confidence_level=self.level, blocked=self.blocked, welch=True
        )
        return math.expm1(min(found, 700.0))


def check(asked: Question) -> None:
    """Raise DesignError for what cannot be asked."""
    given = [
        name
        for name, value in (
            ("effect", asked.effect),
            ("half_width", asked.half_width),
            ("runs", asked.runs),
        )
        if value is not None
    ]
    if len(given) != 1:
        raise DesignError(
            f"{' and '.join(given) or 'nothing'} given. Expected one of effect (a "
            "ratio to detect), half_width (of the interval) and runs"
        )
    if asked.effect is not None and not (
        0.01 <= asked.effect <= 100.0 and abs(math.log(asked.effect)) > 1e-4  # noqa: PLR2004
    ):
        raise DesignError(
            f"effect {asked.effect!r}: expected a ratio other than 1, such as 1.05 "
            "for 5 % faster"
        )
    _within("half_width", asked.half_width, 1e-4, 10.0, "a relative width such as 0.02")
    _within("runs", asked.runs, 2, MOST, f"2 to {MOST} launches of each arm")
    _within("power", asked.power, 0.5, 0.999, "a chance such as 0.8")
    level = asked.confidence_level
    _within("confidence_level", level, 0.5001, 0.9999, "a level such as 0.95")
    _within("n_arms", asked.n_arms, FEWEST_ARMS, 100, "2 to 100 arms")
    for name, cost in (
        ("launch_cost", asked.launch_cost),
        ("request_cost", asked.request_cost),
    ):
        _within(name, cost, 1e-12, 1e12, "a cost above 0")
    if asked.request_cost is not None and asked.launch_cost is None:
        raise DesignError("request_cost without launch_cost. Expected both")


def _within(
    name: str, value: float | None, low: float, high: float, expected: str
) -> None:
    if value is not None and not low <= value <= high:
        raise DesignError(f"{name} {value!r}: expected {expected}")
