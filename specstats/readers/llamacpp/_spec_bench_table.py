"""Markdown tables of llama-spec-bench."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.llamacpp._preamble import Preamble
from specstats.readers.llamacpp._spec_attempts import (
    MOST_STAGES,
    Attempt,
    Found,
    Stage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Row

__all__ = ["has_table", "read_tables"]

_ATTEMPTS = ("task", "run", "stage", "tokens", "stop")
_DETAILS = ("task", "run", "prompt tok", "prompt s", "total s")
_REPEATS = ("task", "stage", "runs", "tok/s mean/std")
_NO_STAGE = frozenset({"base", "error"})
_STOPS = frozenset({"eog", "limit", "fail"})
_FAILURE = re.compile(r"- ([^\n]{1,200}) run (\d{1,9}): ([^\n]{0,400})", re.ASCII)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)%", re.ASCII)
_LARGEST_TIME = 1e7
_RATE_ROUNDING = 6e-5
_LENGTH_ROUNDING = 0.006
_MOST_ROUNDS = 1000  # half a tenth of a percent of more is no whole token

Cells = dict[str, str]


@dataclass(slots=True)
class _Tables:
    """Where in the output the lines so far have come to."""

    found: Found
    launch: int = -1
    header: list[str] = field(default_factory=list)
    rows: list[tuple[Attempt, str]] = field(default_factory=list)
    failed: deque[Attempt] = field(default_factory=deque)
    detail: int = 0
    preamble: Preamble = field(default_factory=Preamble)


def _cells(text: str) -> list[str] | None:
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] != "|":  # noqa: PLR2004
        return None
    body = stripped[1:].removesuffix("|")
    return [cell.strip() for cell in body.split("|")]


def has_table(head: bytes) -> bool:
    """Whether the header of the table of attempts stands in the head of a file."""
    for line in head.split(b"\n"):
        if b"| stage" in line and b"pos accept" in line:
            cells = _cells(line.decode("utf-8", "replace"))
            if cells is not None and tuple(cells[: len(_ATTEMPTS)]) == _ATTEMPTS:
                return True
    return False


def read_tables(found: Found) -> None:
    """Read the tables of a file: one table of attempts is one process.

    Parameters
    ----------
    found : Found
        Where attempts and summaries go.
    """
    tables = _Tables(found)
    for line, text in text_lines(found.source):
        cells = _cells(text)
        if cells is None:
            _take_failure(text, tables)
            tables.preamble.take(line, text)
        elif _opens(cells, tables):
            continue
        elif tables.header and any(cell.strip("-: ") for cell in cells):
            _take_row(cells, line, tables, is_whole=text.rstrip().endswith("|"))
    what = "attempts may be missing"
    tables.preamble.note_crash(found.batch, found.trouble, what)


def _opens(cells: list[str], tables: _Tables) -> bool:
    for kind in (_ATTEMPTS, _DETAILS, _REPEATS):
        if tuple(cells[: len(kind)]) == kind:
            if kind is _ATTEMPTS:
                tables.launch += 1
                tables.rows.clear()
                tables.failed.clear()
            tables.header, tables.detail = cells, 0
            return True
    return False


def _take_row(cells: list[str], line: int, tables: _Tables, *, is_whole: bool) -> None:
    found, header = tables.found, tables.header
    is_attempt = tuple(header[: len(_ATTEMPTS)]) == _ATTEMPTS
    named = dict(zip(header, cells, strict=False))
    if not is_attempt:
        if len(cells) == len(header) and is_whole:
            if tuple(header[: len(_DETAILS)]) == _DETAILS:
                _take_details(named, tables)
            else:
                _take_repeats(named, line, tables)
        return
    if len(cells) != len(header) or named.get("stop") not in _STOPS:
        found.batch.entries += 1
        why = "it does not have the cells of the header"
        found.note("SPS002", line, f"row skipped: {why}")
        return
    if not is_whole:
        found.note(
            "SPS002",
            line,
            "the table ends inside its last row: the row was read, what follows is "
            "missing",
        )
    _take_attempt(named, line, tables)


def _take_attempt(named: Cells, line: int, tables: _Tables) -> None:
    found = tables.found
    same = ("task", "run", "tokens", "time(s)")
    key = "|".join(named.get(name, "") for name in same)
    kind = named["stage"]
    last = tables.rows[-1] if tables.rows else None
    if last is not None and last[1] == key:
        kinds = {stage.kind for stage in last[0].stages}
        if 0 < len(kinds) < MOST_STAGES and kind not in kinds | _NO_STAGE:
            # The drafters of one attempt stand in rows of their own.
            last[0].stages.append(_stage(named))
            _name_chain(last[0])
            tables.rows.append(last)
            return
    found.batch.entries += 1
    run, ok = count_in(named["run"]), named["stop"] != "fail"
    row: Row = {
        "prompt_id": named["task"],
        "repetition": None if run is None else max(run - 1, 0),
        "ok": ok,
    }
    attempt = Attempt(line, max(tables.launch, 0), row, stop=named["stop"])
    attempt.settings = dict(tables.preamble.settings)
    tokens, seconds = count_in(named["tokens"]), _time(named.get("time(s)"))
    if ok and tokens is None:
        found.note("SPS002", line, "row skipped: no number of tokens")
        return
    if kind not in _NO_STAGE:
        attempt.stages.append(_stage(named))
    if ok or attempt.stages:
        _name_chain(attempt)
    if ok:
        row["n_output"] = tokens
        if seconds is not None:
            row["decode_s"] = seconds
            rate = real_in(named.get("tok/s"))
            if rate is not None and rate > 0:
                attempt.rate = rate, 1e-3 + 6e-4 / seconds
    else:
        row["error"] = "failed"
        tables.failed.append(attempt)
    found.attempts.append(attempt)
    tables.rows.append((attempt, key))


def _name_chain(attempt: Attempt) -> None:
    attempt.chain = "+".join(stage.kind for stage in attempt.stages)
    attempt.settings["cfg.stages"] = attempt.chain or "none"


def _time(cell: str | None) -> float | None:
    seconds = real_in(cell)
    return None if seconds is None or not 0 < seconds < _LARGEST_TIME else seconds


def _percent(cell: str | None) -> float | None:
    found = None if cell is None else _PERCENT.fullmatch(cell.strip())
    return None if found is None else float(found[1]) / 100


def _stage(named: Mapping[str, str]) -> Stage:
    accepted, _, drafted = named.get("accepted", "").partition("/")
    rate, length = _percent(named.get("rate")), real_in(named.get("a.len"))
    stage = Stage(
        named["stage"],
        rounds=count_in(named.get("rounds")),
        drafted=count_in(drafted),
        accepted=count_in(accepted),
        rate=None if rate is None else (rate, _RATE_ROUNDING),
        length=None if length is None else (length, _LENGTH_ROUNDING),
    )
    shares = [_percent(cell) for cell in named.get("pos accept", "").split()]
    known = [share for share in shares if share is not None]
    if known and len(known) == len(shares):
        stage.positions = _positions(stage, known)
    return stage


def _positions(stage: Stage, shares: list[float]) -> list[int] | None:
    """Return accepted drafts by position, where the shares leave no other number.

    With one draft token fewer than rounds times positions, only the last position of
    one draft can be missing.
    """
    rounds, drafted, accepted = stage.rounds, stage.drafted, stage.accepted
    if not rounds or drafted is None or accepted is None or rounds >= _MOST_ROUNDS:
        return None
    missing = rounds * len(shares) - drafted
    if missing not in (0, 1):
        return None
    tried = [rounds] * (len(shares) - 1) + [rounds - missing]
    counts = [int(share * n + 0.5) for share, n in zip(shares, tried, strict=True)]
    return counts if sum(counts) == accepted else None


def _take_details(named: Cells, tables: _Tables) -> None:
    """Add what the table of details says of a row; it has the same rows."""
    place, tables.detail = tables.detail, tables.detail + 1
    if place >= len(tables.rows):
        return
    attempt = tables.rows[place][0]
    row = attempt.row
    run = count_in(named["run"])
    if named["task"] != row["prompt_id"] or run is None or row["ok"] is False:
        return
    tokens = count_in(named["prompt tok"])
    prompt_s, total_s = (_time(named[name]) for name in ("prompt s", "total s"))
    if tokens and prompt_s is not None:
        row.update(n_prompt=tokens, prompt_s=prompt_s)
    row["e2e_s"] = total_s
    counts = [
        pair.partition("/")[0]
        for pair in named.get("accepted/drafted by position", "").split(",")
    ]
    known = [count for count in map(count_in, counts) if count is not None]
    for stage in attempt.stages:
        if stage.kind == named.get("stage"):
            if known and len(known) == len(counts):
                stage.positions = known
            stage.draft_s = _time(named.get("draft s"))


def _take_failure(text: str, tables: _Tables) -> None:
    """Name what failed; the list has the failed attempts in their order."""
    if not tables.failed or not text.startswith("- "):
        return
    found = _FAILURE.fullmatch(text)
    row = tables.failed[0].row
    if found is None or row["repetition"] != int(found[2]) - 1:
        return
    if _fits(row["prompt_id"], found[1]):
        row["error"] = found[3].strip() or "failed"
        tables.failed.popleft()


def _fits(shown: object, task: str) -> bool:
    """Whether a name, cut to the width of its column, is that of a task."""
    name = str(shown)
    return name == task or (name.endswith("...") and task.startswith(name[:-3]))


def _take_repeats(named: Cells, line: int, tables: _Tables) -> None:
    runs = count_in(named["runs"])
    for title, metric, unit in (
        ("tok/s mean/std", "decode_rate", "tok/s"),
        ("rate mean/std", "acceptance_rate", "1"),
        ("a.len mean/std", "mean_accepted_length", "tokens"),
    ):
        parts = named.get(title, "").split("/")
        read = _percent if unit == "1" else real_in
        values = [read(part) for part in parts]
        if len(values) != 2 or None in values:  # noqa: PLR2004 - mean and deviation
            continue
        tables.found.aggregates.append(
            {
                "entry": line,
                "launch": max(tables.launch, 0),
                "prompt_id": named["task"],
                "metric": metric,
                "unit": unit,
                "statistic": "mean",
                "value": values[0],
                "sd": values[1],
                "n": runs,
                "scope": "run",
                "definition": "mean over repeats in one process; the deviation divides "
                "by n, not n - 1",
            }
        )
