"""Findings as numbered notes, the gravest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.diagnostics import Level

if TYPE_CHECKING:
    from specstats.diagnostics import Finding, Findings

__all__ = ["finding_lines", "ranked"]

_SHOWN = 3
_RANK = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


def ranked(findings: Findings) -> list[Finding]:
    """Return findings with errors first, then warnings, then notes.

    Parameters
    ----------
    findings : Findings
        In any order.

    Returns
    -------
    list of Finding
        Stable within a level.
    """
    return sorted(findings, key=lambda item: _RANK[item.level])


def finding_lines(findings: Findings) -> list[str]:
    """Return findings as paragraphs; those of one rule and remedy share one.

    Parameters
    ----------
    findings : Findings
        In any order.

    Returns
    -------
    list of str
        Level, code, messages with their places, and the next step.
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for item in ranked(findings):
        key = (item.level.value, item.code, item.remedy)
        groups.setdefault(key, []).append(item)
    return [_paragraph(*key, found) for key, found in groups.items()]


def _paragraph(level: str, code: str, remedy: str, found: list[Finding]) -> str:
    shown = [_told(item) for item in found[:_SHOWN]]
    more = len(found) - len(shown)
    if more:
        shown.append(f"and {more} more of the kind")
    step = f" -> {remedy}" if remedy else ""
    return f"{level} {code}: {'; '.join(shown)}{step}"


def _told(item: Finding) -> str:
    place = f" ({', '.join(item.where[:2])})" if item.where else ""
    return f"{item.message}{place}"
