"""Difference of draft acceptance between two arms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NoReturn

from specstats.diagnostics import Findings
from specstats.errors import RefusalError

if TYPE_CHECKING:
    from specstats.results.estimates import Estimate

__all__ = ["AcceptanceDifference", "AcceptanceMetric", "AcceptanceScale"]

AcceptanceMetric = Literal["rate", "length"]
AcceptanceScale = Literal["difference", "odds ratio", "ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceDifference:
    """Acceptance of a candidate against that of a baseline.

    Attributes
    ----------
    metric : {"rate", "length"}
        Accepted over drafted tokens, or tokens per step.
    baseline, candidate : str
        The arms.
    baseline_value, candidate_value : float or None
        The metric of each arm; None where it is not known.
    scale : {"difference", "odds ratio", "ratio"}
        What the estimate is: candidate minus baseline, odds of acceptance, or ratio
        of lengths, candidate over baseline. No change is 0, 1 and 1.
    estimate : Estimate or None
        None when refused. Its standard error is on the log scale, but for the scale
        ``difference``.
    method : str or None
        ``independent, ...`` or ``paired by prompt, ...``.
    n_clusters_baseline, n_clusters_candidate : int
        Prompts or launches of each arm.
    n_pairs : int or None
        Prompts that pair the arms; None where they do not.
    sentence : str
        What was found, without a verdict.
    findings : Findings
        What stands in the way or qualifies it.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("h200-tinyspec")
    >>> design = specstats.Design(baseline="spec-g4", candidate="spec-g8")
    >>> found = specstats.acceptance_difference(bench, design)
    >>> found.scale, round(found.require().value, 3), found.findings.codes
    ('odds ratio', 0.477, ('SPS304',))
    """

    metric: AcceptanceMetric
    baseline: str
    candidate: str
    baseline_value: float | None
    candidate_value: float | None
    scale: AcceptanceScale
    estimate: Estimate | None
    method: str | None
    n_clusters_baseline: int
    n_clusters_candidate: int
    n_pairs: int | None
    sentence: str
    findings: Findings = field(default_factory=Findings)

    @property
    def ok(self) -> bool:
        """Whether there is an estimate."""
        return self.estimate is not None

    def require(self) -> Estimate:
        """Return the estimate or raise.

        Returns
        -------
        Estimate
            The estimate, on `scale`.

        Raises
        ------
        RefusalError
            If there is none; carries the findings.
        """
        if self.estimate is None:
            raise RefusalError(self.sentence, self.findings)
        return self.estimate

    def to_dict(self) -> dict[str, object]:
        """Return the difference as in the JSON report.

        Returns
        -------
        dict
            JSON-safe values.
        """
        found = self.estimate
        limits = None if found is None else found.interval
        return {
            "metric": self.metric,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "baseline_value": self.baseline_value,
            "candidate_value": self.candidate_value,
            "scale": self.scale,
            "estimate": None if found is None else found.value,
            "conf_low": None if limits is None else limits.low,
            "conf_high": None if limits is None else limits.high,
            "conf_level": None if limits is None else limits.confidence_level,
            "method": self.method,
            "df": None if found is None else found.df,
            "n_clusters": {
                "baseline": self.n_clusters_baseline,
                "candidate": self.n_clusters_candidate,
            },
            "n_pairs": self.n_pairs,
            "sentence": self.sentence,
            "findings": list(self.findings.codes),
        }

    def __bool__(self) -> NoReturn:
        message = "the truth of a difference is ambiguous: use .ok or .require()"
        raise TypeError(message)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"AcceptanceDifference({self.sentence!r})"
