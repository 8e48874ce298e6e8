"""Columns of a plain table as the user declares them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from specstats.errors import DesignError
from specstats.readers.tables._aliases import (
    CANONICAL,
    TIMES,
    Field,
    Note,
    Plan,
    unit_in,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NAMES", "check_names", "columns_from", "mapped"]

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_SAME = {
    "run_id": "run",
    "repeat": "repetition",
    "prompt_id": "prompt",
    "request_id": "request",
    "started_s": "started",
    "engine_rate_tps": "decode_rate",
    "acceptance_pct": "acceptance_rate",
    **{f"prompt_{unit}": f"prefill_{unit}" for unit in _UNITS},
}
NAMES = (
    *CANONICAL,
    *_SAME,
    *(f"{name}_{unit}" for name in TIMES for unit in _UNITS),
)


def columns_from(pairs: Sequence[str]) -> dict[str, str]:
    """Return the mapping that ``NAME=COLUMN`` options write.

    Parameters
    ----------
    pairs : sequence of str
        Such as ``["run=launch_no", "decode_rate=tok/s"]``; a comma separates several
        in one text.

    Returns
    -------
    dict
        Columns by canonical name.

    Raises
    ------
    DesignError
        If a part is no ``NAME=COLUMN``, or a name comes twice.
    """
    found: dict[str, str] = {}
    for part in (part for pair in pairs for part in pair.split(",") if part.strip()):
        name, mark, column = part.partition("=")
        name, column = name.strip(), column.strip()
        if not (mark and name and column):
            raise DesignError(
                f"{part!r} declares no column. Expected NAME=COLUMN, such as "
                "run=launch_no"
            )
        if name in found:
            raise DesignError(f"{name!r} is declared twice: each name has one column")
        found[name] = column
    return found


def check_names(mapping: Mapping[str, str]) -> None:
    """Refuse a mapping that names what is not known, or nothing measured.

    Parameters
    ----------
    mapping : mapping of str to str
        Columns by canonical name.

    Raises
    ------
    DesignError
        With the nearest known names.
    """
    for name in mapping:
        if name not in NAMES and not name.startswith(("cfg.", "id.")):
            raise DesignError.not_listed("column name", name, NAMES)
    named: dict[str, str] = {}
    for name in mapping:
        meant = _meant(name)
        if meant in named:
            raise DesignError(f"{named[meant]!r} and {name!r} declare the same thing")
        named[meant] = name
    fields = {name: Field("") for name in named}
    if not Plan(fields=fields).measures:
        raise DesignError(
            "the columns declare nothing that is measured. Expected one of "
            "decode_rate, output_throughput, ttft, e2e, decode, prefill, or n_draft "
            "with n_accepted"
        )


def _meant(name: str) -> str:
    same = _SAME.get(name, name)
    base, _, unit = same.rpartition("_")
    return base if base in TIMES and unit in _UNITS else same


def mapped(header: Sequence[str], mapping: Mapping[str, str]) -> Plan:
    """Return which column is what, as declared and no more.

    Parameters
    ----------
    header : sequence of str
        Names of the columns that are there.
    mapping : mapping of str to str
        Columns by canonical name.

    Returns
    -------
    Plan
        Fields and settings; launches count as declared.

    Raises
    ------
    DesignError
        If a column is not in the header, or the unit of a time is not told.
    """
    there = {column.strip(): column for column in header}
    fields: dict[str, Field] = {}
    settings: list[tuple[str, str]] = []
    for name, wanted in mapping.items():
        column = there.get(wanted.strip())
        if column is None:
            raise _no_column(wanted, list(there))
        if name.startswith(("cfg.", "id.")):
            settings.append((column, name))
        else:
            fields[_meant(name)] = Field(column, _scale(name, column))
    notes = () if "run" in fields else (_NO_RUN,)
    return Plan(fields=fields, settings=tuple(settings), declared=True, notes=notes)


_NO_RUN = Note(
    code="SPS012",
    message="no column is declared as the launch: rows count as one run an arm",
    remedy="declare it: columns={'run': COLUMN, ...} (--columns run=COLUMN)",
)


def _no_column(wanted: str, header: list[str]) -> DesignError:
    if not get_close_matches(wanted, header):
        shown = ", ".join(map(repr, header[:20]))
        return DesignError(f"column {wanted!r} is not in the table, which has {shown}")
    return DesignError.unknown("column", wanted, header)


def _scale(name: str, column: str) -> float:
    meant = _meant(name)
    if name == "acceptance_pct":
        return 0.01
    if meant not in TIMES:
        return 1.0
    told = _UNITS.get(_SAME.get(name, name).rpartition("_")[2])
    if _SAME.get(name, name) in TIMES:
        told = None
    _, own = unit_in(column)
    if told is not None and own is not None and told != own:
        raise DesignError(
            f"{name}={column}: the two names tell different units. Expected "
            f"{meant}={column}, or a column in the unit of {name}"
        )
    scale = told if told is not None else own
    if scale is None:
        raise DesignError(
            f"{name}={column}: nothing tells the unit of {column!r}. Hint: write "
            f"{meant}_ms={column} or {meant}_s={column}"
        )
    return scale
