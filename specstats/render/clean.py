"""Making text from artifacts safe to show."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean", "clean_csv", "clean_markdown"]

_LONGEST = 300
_LONGEST_MARKDOWN = 4000
_LATIN, _BASIC = 0xFF, 0xFFFF
# Control, format (bidirectional marks too), surrogate, private, unassigned (XML forbids
# some of them), and the two separators that end a line.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKDOWN = frozenset("\\`*_{}[]#!~$")  # parentheses are text after an escaped "]"
_HTML = frozenset("<>&|@")
# What would become a link or an emoji, and what begins a list or a rule.
_LINK = re.compile(r":(?=//)|:(?=[a-z0-9_+-]+:)|(?<=www)\.", re.IGNORECASE)
_BEGINNING = re.compile(r"^(?:([-+])(?=[\s-]|$)|(\d+)([.)])(?=\s|$))")
# The wide forms are formulas too where the keyboard of a country writes them.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def clean(text: object, *, longest: int = _LONGEST) -> str:
    r"""Return text without control, direction or surrogate characters.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is taken.
    longest : int
        Characters kept; the rest is counted.

    Returns
    -------
    str
        Hidden characters written as ``\\xNN`` or ``\\uNNNN``.
    """
    written = str(text)
    more = len(written) - longest
    kept = written[:longest]
    if not kept.isprintable() or not kept.isascii():
        kept = "".join(
            _escaped(mark) if unicodedata.category(mark) in _HIDDEN else mark
            for mark in kept
        )
    return f"{kept}... ({more} more characters)" if more > 0 else kept


def _escaped(mark: str) -> str:
    code = ord(mark)
    if code <= _LATIN:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BASIC else f"\\U{code:08x}"


def clean_markdown(text: object) -> str:
    """Return text that Markdown and HTML show as it is.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is taken.

    Returns
    -------
    str
        Cleaned, with every mark of Markdown escaped and nothing made a link.
    """
    escaped = "".join(
        _entity(mark) if mark in _HTML else f"\\{mark}" if mark in _MARKDOWN else mark
        for mark in clean(text, longest=_LONGEST_MARKDOWN)
    )
    linkless = _LINK.sub(lambda found: _entity(found[0]), escaped)
    return _BEGINNING.sub(_begun, linkless)


def _entity(mark: str) -> str:
    return f"&#{ord(mark)};"


def _begun(found: re.Match[str]) -> str:
    sign, number, end = found.groups()
    return _entity(sign) if sign else f"{number}{_entity(end)}"


def clean_csv(text: object) -> str:
    """Return text that a spreadsheet does not take for a formula.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is taken.

    Returns
    -------
    str
        Cleaned; a leading formula mark is preceded by an apostrophe.
    """
    cleaned = clean(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA) else cleaned
