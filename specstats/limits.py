"""How large artifacts may be before they are refused, each limit with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LIMITS", "Limits", "limits_from"]

_MIB = 1024 * 1024
_SIZE = re.compile(r"(\d{1,15})\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": _MIB, "g": 1024 * _MIB, "t": 1024 * 1024 * _MIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may open; `read` and every command take others.

    Attributes
    ----------
    document_bytes : int
        Largest artifact that is held in memory as one document.
    line_bytes : int
        Longest line of a line-by-line artifact.
    unpacked_bytes : int
        What one compressed artifact, or all members of one archive, may unpack to.
    unpacked_ratio : int
        How many times its size a compressed artifact may unpack to; artifacts that
        unpack to less than 32 MiB are not held to it. Benchmark artifacts shrink to
        a fifth or a thirtieth; a bomb to a thousandth.
    files : int
        Files that one folder or glob may bring.
    members : int
        Members that one archive may hold.
    rows : int
        Rows that one columnar file may hold.
    """

    document_bytes: int = 256 * _MIB
    line_bytes: int = 64 * _MIB
    unpacked_bytes: int = 4096 * _MIB
    unpacked_ratio: int = 60
    files: int = 100_000
    members: int = 10_000
    rows: int = 50_000_000


LIMITS = Limits()


def limits_from(named: Mapping[str, int | str], base: Limits = LIMITS) -> Limits:
    """Return limits with some of them replaced.

    Parameters
    ----------
    named : mapping of str to int or str
        New values by name; text may have a unit, such as ``"1G"`` or ``"64 MiB"``.
    base : Limits
        Where the others come from.

    Returns
    -------
    Limits
        The limits.

    Raises
    ------
    DesignError
        If there is no such limit, or the value is no size above 0.
    """
    known = tuple(item.name for item in fields(Limits))
    values: dict[str, int] = {}
    for name, value in named.items():
        if name not in known:
            raise DesignError.not_listed("limit", name, known)
        size = _size(value)
        if size is None:
            raise DesignError(
                f"limit {name}={value!r}: expected a whole number above 0, with K, M, "
                "G or T if you like"
            )
        values[name] = size
    return replace(base, **values)


def _size(value: object) -> int | None:
    if isinstance(value, str):
        found = _SIZE.fullmatch(value.strip())
        if found is None:
            return None
        value = int(found[1]) * _UNITS[found[2].lower()]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return None
    return value
