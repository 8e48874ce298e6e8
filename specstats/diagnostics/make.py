"""Making a finding from the code of its rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.diagnostics.catalogue import RULES
from specstats.diagnostics.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from specstats.diagnostics.rule import Level

__all__ = ["finding"]


def finding(
    code: str,
    message: str,
    *,
    where: Iterable[str] = (),
    level: Level | None = None,
    observed: str = "",
    required: str = "",
    remedy: str = "",
    subject: Iterable[str] = (),
    metric: str | None = None,
) -> Finding:
    """Build a finding.

    Parameters
    ----------
    code : str
        Rule code; must be in the catalogue.
    message : str
        What was found, in one sentence.
    where : iterable of str
        Places: ``file:line``, runs or arms.
    level : Level, optional
        Weight; the rule's own by default.
    observed, required, remedy : str
        What was seen, what would be enough, and the next step.
    subject : iterable of str
        Arms that it bears on.
    metric : str, optional
        Metric that it bears on.

    Returns
    -------
    Finding
        The finding.
    """
    found = RULES[code]
    return Finding(
        rule=found,
        level=level or found.level,
        message=message,
        where=tuple(where),
        observed=observed,
        required=required,
        remedy=remedy,
        subject=tuple(subject),
        metric=metric,
    )
