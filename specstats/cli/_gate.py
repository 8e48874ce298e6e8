"""Exit codes: what the user listed under --fail-on, and whether it occurred."""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import TYPE_CHECKING

from specstats.diagnostics import RULES, Level
from specstats.errors import DesignError
from specstats.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from specstats.results import Comparison, StudySummary

__all__ = ["exit_code", "failed_verdicts", "parse_fail_on"]

OCCURRED, INCONCLUSIVE, REFUSED = 1, 3, 4
_NAMES = (
    *("slower", "regression", "not-cleared", "not-faster", "refused"),
    *("inconclusive", "error", "warning"),
)
VERDICT_CONDITIONS = frozenset(
    ("slower", "regression", "not-cleared", "not-faster", "refused", "inconclusive")
)
_OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.INSUFFICIENT})
# Verdicts and gates that each condition makes a failure of.
_FAILED: dict[str, frozenset[str]] = {
    "slower": frozenset({Verdict.SLOWER}),
    "regression": frozenset({Verdict.SLOWER}),
    "not-cleared": frozenset({"gate regression", "gate open"}),
    "not-faster": frozenset(Verdict) - {Verdict.FASTER},
    "refused": frozenset({Verdict.REFUSED}),
    "inconclusive": _OPEN,
}


def parse_fail_on(values: Iterable[str]) -> tuple[str, ...]:
    """Parse comma-separated conditions.

    Parameters
    ----------
    values : iterable of str
        Values of ``--fail-on``.

    Returns
    -------
    tuple of str
        Conditions, rule codes in upper case.

    Raises
    ------
    DesignError
        If one is neither a known word nor a rule code.
    """
    found = []
    for item in (part.strip() for value in values for part in value.split(",")):
        if not item:
            continue
        if item.lower() in _NAMES:
            found.append(item.lower())
        elif item.upper() in RULES:
            found.append(item.upper())
        else:
            near = get_close_matches(item, (*_NAMES, *RULES), n=1)
            hint = f" Hint: {near[0]!r}." if near else ""
            raise DesignError(
                f"--fail-on {item!r} is no condition. Expected {', '.join(_NAMES)} or "
                f"a rule code such as SPS101, with commas between.{hint}"
            )
    return tuple(found)


def failed_verdicts(conditions: Iterable[str]) -> frozenset[str]:
    """Return the verdicts that the listed conditions make a failure of.

    Parameters
    ----------
    conditions : iterable of str
        What the user listed; ``slower`` where that is nothing.

    Returns
    -------
    frozenset of str
        Verdicts, and gates after the word ``gate``.
    """
    listed = tuple(conditions) or ("slower",)
    return frozenset().union(*(_FAILED.get(item, frozenset()) for item in listed))


def exit_code(
    study: StudySummary, conditions: Iterable[str], *, margin: float | None
) -> int:
    """Return the exit code of a study under some conditions.

    Parameters
    ----------
    study : StudySummary
        The study.
    conditions : iterable of str
        What the user listed.
    margin : float or None
        Relative difference that does not matter.

    Returns
    -------
    int
        0, else 1 before 4 before 3.
    """
    codes: set[int] = set()
    for condition in conditions:
        codes |= _codes(study, condition, margin)
    return next(
        (code for code in (OCCURRED, REFUSED, INCONCLUSIVE) if code in codes), 0
    )


def _codes(study: StudySummary, condition: str, margin: float | None) -> set[int]:
    verdicts = {item.verdict for item in study.headlines}
    found: set[int] = set()
    if condition == "slower" and Verdict.SLOWER in verdicts:
        found.add(OCCURRED)
    if condition == "regression" and any(
        _is_regression(item, margin) for item in study.headlines
    ):
        found.add(OCCURRED)
    if condition == "not-cleared":
        found |= {_gated(item) for item in study.headlines} - {0}
    if condition == "not-faster" and verdicts & {Verdict.SLOWER, Verdict.EQUIVALENT}:
        found.add(OCCURRED)
    if condition in {"refused", "not-faster"} and Verdict.REFUSED in verdicts:
        found.add(REFUSED)
    if condition in {"inconclusive", "not-faster"} and verdicts & _OPEN:
        found.add(INCONCLUSIVE)
    levels = {"error": Level.ERROR, "warning": Level.WARNING}
    wanted = levels.get(condition)
    if wanted is not None and any(item.level is wanted for item in study.findings):
        found.add(OCCURRED)
    if condition in study.findings.codes:
        found.add(OCCURRED)
    return found


def _is_regression(item: Comparison, margin: float | None) -> bool:
    if item.verdict is not Verdict.SLOWER or item.estimate is None:
        return False
    return math.log(item.estimate.interval.high) < -math.log1p(margin or 0.0)


def _gated(item: Comparison) -> int:
    """Return the exit code of a gate that opens only when a loss is ruled out."""
    if item.gate == "cleared":
        return 0
    if item.gate == "regression":
        return OCCURRED
    return REFUSED if item.verdict is Verdict.REFUSED else INCONCLUSIVE
