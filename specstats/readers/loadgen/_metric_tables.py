"""The CSV of AIPerf and genai-perf, and genai-perf's console table, by tag."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.readers._text import real_in
from specstats.readers.loadgen._aiperf_metrics import Found, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["cells_of", "console_rows", "header_kind", "read_table", "real_cell"]

_MAX_COLUMNS = 64
_MISSING = frozenset({"", "n/a", "nan", "none", "null"})
_STATISTICS = frozenset({"avg", "min", "max", "p99"})
_BARS = "│┃|"


def cells_of(line: bytes) -> list[str]:
    """Return the cells of one CSV line; one cell where the quotes are broken."""
    decoded = line.decode("utf-8", "replace").replace("\0", "")
    if not decoded.strip():
        return []
    try:
        rows = list(csv.reader([decoded]))
    except csv.Error:
        return [decoded]
    return [cell.strip() for cell in rows[0]] if rows else []


def real_cell(cell: str) -> float | None:
    """Return the number in a cell, commas between thousands allowed."""
    return real_in(cell.replace(",", ""))


def header_kind(cells: Sequence[str]) -> str | None:
    """Return 'aiperf' or 'genai-perf' for the header of a metrics table.

    genai-perf lists the quantiles from the highest, right after the maximum.
    """
    if len(cells) > _MAX_COLUMNS or list(cells[:4]) != ["Metric", "avg", "min", "max"]:
        return None
    after = cells[4] if len(cells) > len(_STATISTICS) else ""
    return "genai-perf" if after == "p99" else "aiperf"


def read_table(source: Source) -> Iterator[tuple[int, str, dict[str, object] | None]]:
    """Yield line, tag and statistics of each row; None where the cells do not fit."""
    header: list[str] = []
    for line, content in source.lines():
        cells = cells_of(content)
        if not cells:
            continue
        if cells[0] == "Metric":
            header = cells
            continue
        tag, unit = tag_of(cells[0])
        values = _values(header, cells)
        if values is not None:
            values["unit"] = unit
        yield line, tag, values


def _values(header: Sequence[str], cells: Sequence[str]) -> dict[str, object] | None:
    if len(cells) != len(header) or not header:
        return None
    found: dict[str, object] = {}
    for name, cell in zip(header[1:], cells[1:], strict=True):
        value = real_cell(cell)
        if value is None and cell.lower() not in _MISSING:
            return None
        found["avg" if name == "Value" else name] = value
    return found


def console_rows(lines: Sequence[tuple[int, str]]) -> tuple[Found, int]:
    """Return the metrics of a console table, and on which line it begins.

    A label that goes on below stands in a row without numbers.
    """
    found: Found = {}
    header: list[str] = []
    begins, previous = 1, ""
    for line, content in lines:
        cells = _framed(content)
        if len(cells) < 2:  # noqa: PLR2004 - a label and a number
            continue
        if cells[0] == "Statistic":
            header, begins = cells, line
        elif header and len(cells) == len(header):
            if not any(cells[1:]):
                previous = _goes_on(found, previous, cells[0])
                continue
            values = {
                name: real_cell(cell)
                for name, cell in zip(header[1:], cells[1:], strict=True)
            }
            tag, unit = tag_of(cells[0])
            found[tag] = {**values, "unit": unit}
            previous = cells[0]
    return found, begins


def _framed(content: str) -> list[str]:
    stripped = content.strip()
    if stripped[:1] not in _BARS or stripped[-1:] not in _BARS or not stripped:
        return []
    for bar in _BARS:
        stripped = stripped.replace(bar, "|")
    return [cell.strip() for cell in stripped[1:-1].split("|")]


def _goes_on(found: Found, label: str, more: str) -> str:
    values = found.pop(tag_of(label)[0], None)
    joined = f"{label} {more}".strip()
    if values is not None:
        tag, unit = tag_of(joined)
        found[tag] = {**values, "unit": unit}
    return joined
