"""Making text from artifacts safe to show."""

from __future__ import annotations

import unicodedata

__all__ = ["clean", "clean_csv", "clean_markdown"]

_LONGEST = 300
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_MARKDOWN = frozenset("\\`*_{}[]<>()#|!~$&")
_FORMULA = ("=", "+", "-", "@")


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
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004


def clean_markdown(text: object) -> str:
    """Return text that Markdown and HTML show as it is.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is taken.

    Returns
    -------
    str
        Cleaned, with every mark of Markdown escaped.
    """
    return "".join(
        f"&#{ord(mark)};" if mark in "<>&|" else f"\\{mark}" if mark in _MARKDOWN else mark
        for mark in clean(text, longest=4000)
    )


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
