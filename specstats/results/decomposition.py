"""A change of the decode rate as tokens per step times steps per second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn

from specstats.errors import RefusalError
from specstats.results import jsonable

if TYPE_CHECKING:
    from specstats.diagnostics import Findings
    from specstats.results.comparison import Comparison
    from specstats.results.estimates import Interval

__all__ = ["Decomposition", "Driver", "RatePart"]

Driver = Literal["acceptance-driven", "cost-driven", "both", "not told apart"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePart:
    """One factor of a speedup.

    Attributes
    ----------
    metric : str
        ``tokens_per_step`` or ``step_rate``.
    ratio : float
        Candidate over baseline.
    interval : Interval or None
        Of the ratio; None where no launch differs from another (`exact`), or too few
        launches stand behind it.
    exact : bool
        Whether every launch of each arm has the same value, as greedy decoding gives.
    told_apart : bool
        Whether the ratio is told apart from 1.
    """

    metric: str
    ratio: float
    interval: Interval | None
    exact: bool
    told_apart: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Decomposition:
    """A speedup in its two factors.

    Attributes
    ----------
    baseline, candidate : str
        The arms.
    rate : Comparison
        The decode rate itself.
    parts : tuple of RatePart
        Tokens per step, then steps per second; their product is the observed ratio.
        Empty when refused.
    driver : str or None
        Which factor moved, by the intervals and never by the ratios alone; None when
        refused, or where the rate has an interval and no verdict (two launches or
        blocks).
    sentence : str
        What was found, in one sentence.
    findings : Findings
        What stands in the way or qualifies it.
    """

    baseline: str
    candidate: str
    rate: Comparison
    parts: tuple[RatePart, ...]
    driver: Driver | None
    sentence: str
    findings: Findings

    @property
    def ok(self) -> bool:
        """Whether there are parts."""
        return bool(self.parts)

    def require(self) -> tuple[RatePart, ...]:
        """Return the parts or raise.

        Returns
        -------
        tuple of RatePart
            Tokens per step and steps per second.

        Raises
        ------
        RefusalError
            If nothing could be decomposed; carries the findings.
        """
        if not self.parts:
            raise RefusalError(self.sentence, self.findings)
        return self.parts

    def to_dict(self) -> dict[str, object]:
        """Return the decomposition as in the JSON report.

        Returns
        -------
        dict
            JSON-safe values.
        """
        return jsonable.decomposition(self)

    def __bool__(self) -> NoReturn:
        message = "the truth of a decomposition is ambiguous: use .driver or .ok"
        raise TypeError(message)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Decomposition({self.sentence!r})"
