"""ReBench data files: sessions of invocations, each a process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import decoded
from specstats.readers._results import mapping, process_of, settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.harness._samples import ROWS_A_BATCH, measured, seconds_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset({"invocation", "iteration", "value", "unit", "criterion"})
_SETTINGS = ("executor", "suite", "extraArgs", "cores", "varValue", "tag")
_INPUT = ("extraArgs", "inputSize", "varValue")
_ENVIRONMENT = "# Environment: "


@dataclass(slots=True)
class _State:
    """What lines above a row say of it."""

    header: list[str] = field(default_factory=list)
    session: int = 0
    launches: dict[tuple[object, ...], int] = field(default_factory=dict)
    identities: Row = field(default_factory=dict)


def _is_header(cells: list[str]) -> bool:
    return set(cells) >= _NEEDED


def _sniff(head: bytes, name: str) -> Match:
    del name
    for line in head.split(b"\n"):
        if b"invocation" in line and b"criterion" in line and line[:1] != b"#":
            cells = line.decode("utf-8", "replace").strip("\r").split("\t")
            if _is_header(cells):
                return Match(90, "ReBench header")
    return Match(0, "no header with invocation, iteration, value, unit, criterion")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble, state = Batch(), Trouble(source), _State()
    for line, content in text_lines(source):
        if content.startswith("#"):
            _comment(content, state)
        elif content.strip():
            cells = content.split("\t")
            if _is_header(cells):
                state.header = cells
            elif state.header:
                _add_row(
                    cells,
                    line,
                    state=state,
                    source=source,
                    batch=batch,
                    trouble=trouble,
                )
        if batch.count("requests") + batch.count("aggregates") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _comment(content: str, state: _State) -> None:
    if content.startswith("#!"):
        state.session += 1
    elif content.startswith(_ENVIRONMENT):
        told = mapping(decoded(content.removeprefix(_ENVIRONMENT).encode()))
        state.identities = {"id.cpu": told.get("cpu"), "id.os": told.get("osType")}


def _add_row(
    cells: list[str],
    line: int,
    *,
    state: _State,
    source: Source,
    batch: Batch,
    trouble: Trouble,
) -> None:
    batch.entries += 1
    row = dict(zip(state.header, cells, strict=False))
    value = real_in(row.get("value"))
    if len(cells) != len(state.header) or value is None:
        why = "no number" if value is None else "cells do not fit the header"
        trouble.note(batch, "SPS002", line, f"row skipped: {why}")
        return
    shared: Row = {
        "source": source.name,
        "entry": line,
        "prompt_id": _prompt(row),
        "process": process_of(source, _launch(row, state)),
        "settings": settings_text(
            {**state.identities, **{f"cfg.{key}": row.get(key) for key in _SETTINGS}}
        ),
    }
    scale, criterion = seconds_in(row["unit"]), row["criterion"]
    if criterion == "total" and scale is not None:
        seconds = measured(value, scale)
        if seconds is None:
            trouble.note(batch, "SPS002", line, "row skipped: no time above 0")
            return
        iteration = count_in(row["iteration"])
        batch.add(
            "requests",
            {**shared, "repetition": iteration, "ok": True, "e2e_s": seconds},
        )
    else:
        batch.add("aggregates", {**shared, **_part(criterion, row["unit"], value)})
    batch.parsed += 1


def _part(criterion: str, unit: str, value: float) -> Row:
    scale = seconds_in(unit)
    return {
        "metric": criterion or None,
        "unit": unit if scale is None else "s",
        "statistic": "value",
        "value": value if scale is None else value * scale,
        "scope": "request",
        "definition": "part of a data point" if criterion != "total" else None,
    }


def _prompt(row: dict[str, str]) -> str | None:
    parts = [row.get("benchmark", ""), *(row.get(key, "") for key in _INPUT)]
    return " ".join(part for part in parts if part) or None


def _launch(row: dict[str, str], state: _State) -> int:
    """Return the number of an invocation; sessions may use the same numbers."""
    told = row.get("runId")
    run: tuple[object, ...] = (told,)
    if told is None:
        run = (row.get("benchmark"), row.get("executor"), *map(row.get, _INPUT))
    key = (state.session, *run, row["invocation"])
    return state.launches.setdefault(key, len(state.launches))


READER = Reader(
    name="rebench",
    label="ReBench data file",
    producers=("1.4",),
    levels=("run", "sample", "aggregate"),
    boundary="proved: each invocation of a run is a process; a comment block begins "
    "another session, whose invocations count anew",
    traps=(
        (
            "a second session repeats the start time of the first and may use the same "
            "invocation numbers"
        ),
        "only the criterion 'total' is a time of an iteration: others are parts of it",
        "columns differ between versions and are found by name",
        "the file holds user and host names, which are not kept",
        "all invocations of one run precede those of the next",
    ),
    fields=(
        ("runId, invocation", "requests.process"),
        ("iteration", "requests.repetition"),
        ("value, unit of criterion total", "requests.e2e_s: converted to s"),
        ("value, unit of other criteria", "aggregates.value: in s where it is a time"),
        (
            "benchmark, extraArgs, inputSize, varValue",
            "requests.prompt_id: joined with blanks",
        ),
        (
            "executor, suite, extraArgs, cores, varValue, tag",
            "requests.settings: cfg.*",
        ),
        ("# Environment: cpu, osType", "requests.settings: id.cpu, id.os"),
    ),
    marks=(b"invocation\titeration", b"\tcriterion"),
    sniff=_sniff,
    parse=_parse,
)
