"""Grids of prompt and generation times that llama.cpp tools print row by row."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Row, Trouble
from specstats.readers._json import BadEntry, decoded, number
from specstats.readers._results import mapping, process_of, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.llamacpp._preamble import Preamble

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["Grid", "Values", "grid_rows", "has_grid", "has_record", "positive_of"]

_SETTING = re.compile(r"\b(n_\w{1,40}|flash_attn|is_\w{1,40}) = (-?\d{1,12})", re.ASCII)
_MEASURED = frozenset(
    {"pp", "tg", "pl", "n_kv", "t_pp", "speed_pp", "t_tg", "speed_tg", "t", "speed"}
)
_COUNTS = ("pp", "tg", "pl", "n_kv")
_TIMES = ("t_pp", "t_tg", "t")
_RATES = ("speed_pp", "speed_tg", "speed")
_NO_NUMBER = re.compile(rb":\s*[-+]?(?:nan|inf)(?:inity)?\b(?=\s*[,}])", re.IGNORECASE)
_LARGEST_COUNT = 10**9
_LARGEST_TIME = 1e7
_TOLERANCE = 2e-3
_TIME_ROUNDING = 0.0006
_RATE_ROUNDING = 0.006
_ROWS_A_BATCH = 5_000

Values = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What a tool prints.

    Attributes
    ----------
    header : tuple of str
        Titles of the columns of its table.
    keys : tuple of str
        Keys of its records, in that order.
    """

    header: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(slots=True)
class _State:
    grid: Grid
    batch: Batch
    trouble: Trouble
    launch: int = -1
    in_table: bool = False
    empty: int = 0  # line of a header that has no row yet
    preamble: Preamble = field(default_factory=Preamble)
    settings: dict[str, object] = field(default_factory=dict)
    seen: set[tuple[object, ...]] = field(default_factory=set)

    def skip(self, line: int, why: str) -> None:
        self.trouble.note(self.batch, "SPS002", line, f"row skipped: {why}")

    def open(self, line: int) -> None:
        self.close()
        self.launch, self.in_table, self.empty = self.launch + 1, True, line
        self.preamble.close_launch()

    def meet(self) -> None:
        self.batch.entries, self.empty = self.batch.entries + 1, 0

    def close(self) -> None:
        if not self.empty:
            return
        crash, line = self.preamble.crash, self.preamble.crash_line
        if self.launch and line < self.empty:
            crash, line = "", 0  # that of another launch
        self.trouble.note(
            self.batch,
            "SPS014",
            line or self.empty,
            "the table has a header and no rows",
            observed=crash,
            required="a row for each point of the grid",
        )


def _cells(text: str) -> list[str] | None:
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] != "|" or stripped[-1] != "|":  # noqa: PLR2004
        return None
    return [cell.strip() for cell in stripped[1:-1].split("|")]


def has_grid(head: bytes, grid: Grid) -> bool:
    """Whether the header of the table stands in the head of a file."""
    for line in head.split(b"\n"):
        if b"S_TG t/s" in line:
            cells = _cells(line.decode("utf-8", "replace"))
            if cells == list(grid.header):
                return True
    return False


def has_record(head: bytes, grid: Grid) -> bool:
    """Whether a record of the tool stands in the head of a file."""
    for line in head.split(b"\n"):
        if line.startswith(b"{") and b'"speed_tg"' in line:
            record = _decoded(line)
            if isinstance(record, dict):
                return _MEASURED & set(record) == set(grid.keys)
    return False


def grid_rows(
    source: Source, grid: Grid
) -> Iterator[tuple[Batch, Row, Values, Trouble]]:
    """Yield batch, shared columns, values and findings of every row of the grids.

    Parameters
    ----------
    source : Source
        The artifact.
    grid : Grid
        What the tool prints.

    Yields
    ------
    tuple
        The batch that the row belongs to, the columns that all rows of the launch
        share, its values by key, and where findings go. The last item has no values:
        it closes the batch.
    """
    batch, trouble = Batch(), Trouble(source)
    state = _State(grid, batch, trouble)
    for line, text in text_lines(source):
        values = _values(text, line, state)
        if values is None:
            continue
        if state.batch.parsed >= _ROWS_A_BATCH:
            fresh = Batch(entries=1)
            state.batch.entries -= 1
            state.batch = fresh
        shared: Row = {
            "source": source.name,
            "entry": line,
            "process": process_of(source, max(state.launch, 0)),
            "settings": settings_text({**state.preamble.settings, **state.settings}),
        }
        state.batch.parsed += 1
        _check_rates(values, line, state.batch, trouble)
        yield state.batch, shared, values, trouble
    batch = state.batch
    # An only table without rows says what crashed; else that is a finding of its own.
    is_alone = state.empty and not state.launch
    state.close()
    if not is_alone:
        what = "rows that the grid should have may be missing"
        state.preamble.note_crash(batch, trouble, what)
    trouble.close(batch)
    yield batch, {}, {}, trouble


def _values(text: str, line: int, state: _State) -> Values | None:
    grid = state.grid
    if text.startswith("{"):
        return _record(text, line, state) if '"pp"' in text else None
    cells = _cells(text)
    if cells == list(grid.header):
        state.open(line)
        return None
    if cells is None or not state.in_table:
        if state.in_table and text.startswith("|"):
            state.meet()
            state.skip(line, "it is cut off")
        else:
            _take_line(text, line, state)
        return None
    if not any(cell.strip("-: ") for cell in cells):
        return None
    state.meet()
    found = dict(zip(grid.keys, map(real_in, cells), strict=False))
    if len(cells) != len(grid.keys):
        state.skip(line, f"{len(cells)} cells instead of {len(grid.keys)}")
        return None
    return _usable(found, line, state)


def _take_line(text: str, line: int, state: _State) -> None:
    found = dict(_SETTING.findall(text)) if "n_kv_max" in text else {}
    if found:
        state.settings = {f"cfg.{key}": int(value) for key, value in found.items()}
        state.in_table = False
    else:
        state.preamble.take(line, text)


def _decoded(content: bytes) -> object:
    """Decode a record; printf writes nan and inf, which are no JSON."""
    return decoded(_NO_NUMBER.sub(b": null", content.strip()))


def _record(text: str, line: int, state: _State) -> Values | None:
    state.meet()
    record = _decoded(text.encode("utf-8", "replace"))
    if isinstance(record, BadEntry):
        state.skip(line, record.reason)
        return None
    told = mapping(record)
    found = {key: number(told.get(key)) for key in state.grid.keys}
    values = _usable(found, line, state)
    if values is None:
        return None
    place = tuple(values.get(key) for key in _COUNTS)
    settings = {f"cfg.{key}": x for key, x in told.items() if key not in _MEASURED}
    if place in state.seen or state.launch < 0 or settings != state.settings:
        # One process has one set of settings and meets a point once.
        state.launch, state.seen = state.launch + 1, set()
    state.seen.add(place)
    state.settings = settings
    return values


def _usable(
    found: Mapping[str, float | None], line: int, state: _State
) -> Values | None:
    values = {key: value for key, value in found.items() if value is not None}
    needed = [key for key in state.grid.keys if key not in _RATES]
    missing = [key for key in needed if key not in values]
    if missing:
        state.skip(line, f"no number for {', '.join(missing)}")
        return None
    for key in needed:
        value, is_count = values[key], key in _COUNTS
        largest = _LARGEST_COUNT if is_count else _LARGEST_TIME
        if not 0 <= value < largest or (is_count and value != int(value)):
            state.skip(line, f"{key} is {value:g}")
            return None
    return values


def positive_of(values: Values, key: str) -> float | None:
    """Return a value that is above 0; a rate of 0 is none."""
    value = values.get(key, 0.0)
    return value if value > 0 else None


def _check_rates(values: Values, line: int, batch: Batch, trouble: Trouble) -> None:
    """Compare the printed rates with tokens and times."""
    sequences = values.get("pl", 1.0)
    generated = values["tg"] * sequences
    parts = [("generation", generated, "t_tg", "speed_tg")]
    if sequences == 1:
        parts.append(("prompt", values["pp"], "t_pp", "speed_pp"))
    for name, tokens, time, rate in parts:
        seconds, printed = values[time], values.get(rate, 0.0)
        if not (tokens and seconds and printed):
            continue
        right = tokens / seconds
        allowed = _TOLERANCE + _TIME_ROUNDING / seconds + _RATE_ROUNDING / right
        if abs(printed / right - 1) > allowed:
            trouble.note(
                batch,
                "SPS006",
                line,
                f"the printed {name} rate is not tokens over time",
                observed=f"{printed:g} tok/s",
                required=f"{right:.2f} tok/s ({tokens:.0f} tokens in {seconds:g} s)",
            )
