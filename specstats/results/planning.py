"""A plan of launches, made from a pilot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from specstats.diagnostics import Findings
from specstats.errors import RefusalError

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Plan", "PlanSize"]

SCHEMA = "specstats.plan/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSize:
    """What a study of one size shows.

    Attributes
    ----------
    runs_per_arm : int
        Launches of each arm, or blocks with one launch of each arm.
    detectable_ratio : float
        Smallest ratio found with the power planned for, at the SD planned with.
    detectable_ratio_at_pilot_sd : float
        The same if the pilot's SD were the true one.
    half_width : float
        Relative half-width of the interval: .02 for a factor 1.02 to either side.
    cost : float or None
        Cost of all launches; None where no costs are known.
    """

    runs_per_arm: int
    detectable_ratio: float
    detectable_ratio_at_pilot_sd: float
    half_width: float
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan:
    """How many launches a study needs.

    Attributes
    ----------
    effect : float or None
        Ratio to be detected, if that was asked.
    half_width : float or None
        Relative half-width wanted, if that was asked.
    power, confidence_level : float
        Power planned for, and level of the intervals.
    n_arms : int
        Arms, the baseline included; each of the others is a candidate.
    blocked : bool
        Whether arms are compared inside blocks.
    sd, sd_df : float or None
        SD of log run values in the pilot, and its degrees of freedom.
    planned_sd : float or None
        Its upper limit, which the plan rests on, for `requests_per_run`.
    runs_per_arm : int or None
        Launches of each arm (with blocks: blocks of one launch of each arm). None
        when refused, or when no number up to 1000 is enough.
    runs_per_arm_at_pilot_sd : int or None
        What would do if the pilot's SD were the true one: not to be relied on.
    requests_per_run : int or None
        Requests in a launch; None when the pilot tells nothing of them.
    n_prompts : int or None
        Prompts among them, each asked equally often; None when not known.
    total_cost : float or None
        Cost of all launches; None where no costs are known.
    sizes : tuple of PlanSize
        Other numbers of launches, for orientation.
    assumptions : tuple of str
        What has to hold.
    sentence : str
        What to run.
    findings : Findings
        Why nothing can be planned, when it cannot.
    """

    effect: float | None
    half_width: float | None
    power: float
    confidence_level: float
    n_arms: int
    blocked: bool
    sd: float | None
    sd_df: float | None
    planned_sd: float | None
    runs_per_arm: int | None
    runs_per_arm_at_pilot_sd: int | None
    requests_per_run: int | None
    n_prompts: int | None
    total_cost: float | None
    sizes: tuple[PlanSize, ...]
    assumptions: tuple[str, ...]
    sentence: str
    findings: Findings = field(default_factory=Findings)

    @property
    def ok(self) -> bool:
        """Whether there is a number of launches to run."""
        return self.runs_per_arm is not None

    @property
    def n_blocks(self) -> int | None:
        """Blocks to run; None without blocks."""
        return self.runs_per_arm if self.blocked else None

    @property
    def total_runs(self) -> int | None:
        """Launches of all arms together."""
        return None if self.runs_per_arm is None else self.runs_per_arm * self.n_arms

    @property
    def size(self) -> PlanSize | None:
        """What the study planned shows."""
        return next(
            (item for item in self.sizes if item.runs_per_arm == self.runs_per_arm),
            None,
        )

    def require(self) -> Self:
        """Return the plan, or raise.

        Returns
        -------
        Plan
            Itself.

        Raises
        ------
        RefusalError
            If nothing can be planned; carries the findings.
        """
        if self.runs_per_arm is None:
            raise RefusalError(self.sentence, self.findings)
        return self

    def to_dict(self) -> dict[str, object]:
        """Return the plan as JSON-safe values.

        Returns
        -------
        dict
            Keys of the schema ``specstats.plan/1``; missing is None.
        """
        size = self.size
        return {
            "schema": SCHEMA,
            "effect": self.effect,
            "half_width": self.half_width,
            "power": self.power,
            "conf_level": self.confidence_level,
            "n_arms": self.n_arms,
            "blocked": self.blocked,
            "pilot": {"sd_log": self.sd, "df": self.sd_df},
            "planned_sd_log": self.planned_sd,
            "runs_per_arm": self.runs_per_arm,
            "runs_per_arm_at_pilot_sd": self.runs_per_arm_at_pilot_sd,
            "n_blocks": self.n_blocks,
            "total_runs": self.total_runs,
            "requests_per_run": self.requests_per_run,
            "n_prompts": self.n_prompts,
            "total_cost": self.total_cost,
            "detectable_ratio": None if size is None else size.detectable_ratio,
            "expected_half_width": None if size is None else size.half_width,
            "sizes": [
                {
                    "runs_per_arm": item.runs_per_arm,
                    "detectable_ratio": item.detectable_ratio,
                    "detectable_ratio_at_pilot_sd": item.detectable_ratio_at_pilot_sd,
                    "half_width": item.half_width,
                    "cost": item.cost,
                }
                for item in self.sizes
            ],
            "assumptions": list(self.assumptions),
            "sentence": self.sentence,
            "findings": [item.to_dict() for item in self.findings],
        }

    def __bool__(self) -> NoReturn:
        message = "the truth of a plan is ambiguous: use .ok or .require()"
        raise TypeError(message)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Plan({self.sentence!r})"
