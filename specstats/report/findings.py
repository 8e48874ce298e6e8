"""Findings as notes, the gravest first, those that say the same told once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.diagnostics import Level
from specstats.report._section import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.diagnostics import Finding, Findings

__all__ = ["Note", "finding_lines", "notes", "ranked"]

_SHOWN = 3
_PLACES = 2
_RANK = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Findings of one rule, level and remedy.

    Attributes
    ----------
    head : str
        Level and code.
    messages : tuple of str
        What was found, with its places.
    remedy : str
        The next step; may be empty.
    """

    head: str
    messages: tuple[str, ...]
    remedy: str


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


def notes(findings: Findings) -> list[Note]:
    """Return findings as notes; those of one rule and remedy share one.

    Parameters
    ----------
    findings : Findings
        In any order.

    Returns
    -------
    list of Note
        Errors first.
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for item in ranked(findings):
        key = (item.level.value, item.code, item.remedy)
        groups.setdefault(key, []).append(item)
    return [
        Note(head=f"{level} {code}", messages=_messages(found), remedy=remedy)
        for (level, code, remedy), found in groups.items()
    ]


def finding_lines(findings: Findings) -> list[str]:
    """Return findings as paragraphs.

    Parameters
    ----------
    findings : Findings
        In any order.

    Returns
    -------
    list of str
        Level, code, messages with their places, and the next step.
    """
    return [
        f"{note.head}: {'; '.join(note.messages)}"
        + (f" -> {note.remedy}" if note.remedy else "")
        for note in notes(findings)
    ]


def _messages(found: Sequence[Finding]) -> tuple[str, ...]:
    alike: dict[str, list[Finding]] = {}
    for item in found:
        alike.setdefault(_template(item), []).append(item)
    told = [message for group in alike.values() for message in _told(group)]
    more = len(told) - _SHOWN
    return (
        tuple(told) if more <= 0 else (*told[:_SHOWN], f"and {more} more of the kind")
    )


def _template(item: Finding) -> str:
    """Return the message with the arms that it bears on taken out."""
    if not item.subject:
        return item.message
    names = "|".join(map(re.escape, sorted(item.subject, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])(?:{names})(?![\w-])", "\0", item.message)


def _told(alike: Sequence[Finding]) -> list[str]:
    """Tell findings that differ in the arm once; others one by one."""
    first = alike[0]
    shared = set.intersection(*(set(item.subject) for item in alike))
    own = [[name for name in item.subject if name not in shared] for item in alike]
    if len(alike) == 1 or any(len(names) != 1 for names in own):
        return [f"{item.message}{_places([item])}" for item in alike]
    names = [name for (name,) in own]
    start = f"{names[0]}: "
    if first.message.startswith(start):
        rest = first.message.removeprefix(start)
        return [f"{listed(names)}: {rest}{_places(alike)}"]
    return [f"{first.message}{_places(alike)}; likewise {listed(names[1:])}"]


def _places(alike: Sequence[Finding]) -> str:
    """Return where, unless the message says so itself."""
    places = dict.fromkeys(
        place for item in alike for place in item.where if place not in item.message
    )
    if not places:
        return ""
    shown = list(places)[:_PLACES]
    more = len(places) - len(shown)
    return f" ({', '.join(shown)}{f' and {more} more' if more else ''})"
