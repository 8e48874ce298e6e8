"""A comparison of two arms and its verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NoReturn

from specstats.diagnostics import Findings
from specstats.errors import RefusalError
from specstats.results import jsonable

if TYPE_CHECKING:
    from specstats.results.estimates import (
        AaBand,
        EstimandRatio,
        Estimate,
        Interval,
    )

__all__ = [
    "Comparison",
    "Gate",
    "LeaveOneOut",
    "Needs",
    "Verdict",
]

Gate = Literal["regression", "cleared", "open"]


class Verdict(StrEnum):
    """What may be said of a comparison.

    INCONCLUSIVE: the interval admits both. EQUIVALENT: inside the margin that was
    given. INSUFFICIENT: an interval exists but too little stands behind it.
    REFUSED: not estimated.
    """

    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT = "insufficient"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What would be enough.

    Attributes
    ----------
    runs_per_arm : int or None
        Launches of each arm; None when no number of launches mends it.
    why : str
        In words.
    """

    runs_per_arm: int | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """How far a ratio hangs on any one run or block; not an interval.

    Attributes
    ----------
    low, high : float
        Smallest and largest ratio when one unit is left out.
    unit : {"run", "block"}
        What is left out.
    """

    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison:
    """A candidate against a baseline, in one metric and one scope.

    A ratio above 1 is faster whatever the direction of the metric.

    Attributes
    ----------
    metric, unit : str
        What was compared.
    baseline, candidate : str
        The arms.
    workload : str or None
        Group of prompts, when analysed by workload.
    headline : bool
        Whether this is the one entry of its pair and metric to quote.
    scope : str
        ``runs``, ``future sessions``, ``these sessions`` or ``prompts like these``.
    verdict : Verdict
        What may be said.
    observed_ratio : float or None
        Ratio between these runs; not an estimate of the setting's effect.
    estimate : Estimate or None
        None when refused.
    simultaneous : Interval or None
        Limits that hold for the whole family.
    p_value, p_holm : float or None
        Alone and adjusted for the family.
    family_size : int
        Comparisons in the family.
    method : str or None
        How the estimate was computed.
    replicate : str
        Unit of replication: ``run`` or ``block``.
    n_runs_baseline, n_runs_candidate : int
        Launches of each arm.
    n_blocks : int or None
        Blocks in which both arms ran.
    n_prompts : int
        Prompts behind the run values.
    aa_band : AaBand or None
        What two single runs of the baseline setting may show.
    leave_one_out : LeaveOneOut or None
        Range of the ratio when any one run, or block, is left out; None when refused
        and for scopes beyond these units.
    peak_memory_difference_mib, peak_power_difference_w : float or None
        Candidate minus baseline.
    needs : Needs or None
        What would be enough.
    sentence : str
        What was found, in one sentence.
    estimands : tuple of EstimandRatio
        The headline by other means over the requests of a launch.
    findings : Findings
        What stands in the way or qualifies it.
    gate : {"regression", "cleared", "open"} or None
        Against the lower end of the margin, 1 / (1 + margin): a loss beyond it is
        proved, ruled out, or neither. None without a margin.
    """

    metric: str
    unit: str
    baseline: str
    candidate: str
    workload: str | None
    headline: bool
    scope: str
    verdict: Verdict
    observed_ratio: float | None
    estimate: Estimate | None
    simultaneous: Interval | None
    p_value: float | None
    p_holm: float | None
    family_size: int
    method: str | None
    replicate: str
    n_runs_baseline: int
    n_runs_candidate: int
    n_blocks: int | None
    n_prompts: int
    aa_band: AaBand | None
    leave_one_out: LeaveOneOut | None
    peak_memory_difference_mib: float | None
    peak_power_difference_w: float | None
    needs: Needs | None
    sentence: str
    estimands: tuple[EstimandRatio, ...] = ()
    findings: Findings = field(default_factory=Findings)
    gate: Gate | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an estimate."""
        return self.estimate is not None

    def require(self) -> Estimate:
        """Return the estimate or raise.

        Returns
        -------
        Estimate
            The estimate.

        Raises
        ------
        RefusalError
            If the comparison was refused; carries its findings.
        """
        if self.estimate is None:
            raise RefusalError(self.sentence, self.findings)
        return self.estimate

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as in the JSON report.

        Returns
        -------
        dict
            JSON-safe values.
        """
        return jsonable.comparison(self)

    def __bool__(self) -> NoReturn:
        message = (
            "the truth of a comparison is ambiguous: use .verdict, .ok or .require()"
        )
        raise TypeError(message)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Comparison({self.sentence!r})"
