"""Output of `go test -bench`, the Go benchmark data format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import process_of, settings_text
from specstats.readers._text import clean_head, count_in, real_in, text_lines
from specstats.readers.harness._samples import ROWS_A_BATCH, measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_RESULT = re.compile(
    rb"^Benchmark[^\sa-z]\S{0,999}[ \t]+\d{1,18}[ \t]+[-+.\deE]{1,40}[ \t]+"
    rb"[^\s\d]\S{0,99}",
    re.MULTILINE,
)
# What ollama-bench writes in this form has units of its own.
_OTHER = re.compile(rb"^BenchmarkModel/name=\S{1,999}/step=", re.MULTILINE)
_CONFIG = re.compile(r"([a-z][^\sA-Z:]{0,99}):(?:[ \t]+(.*))?")
_PROCS = re.compile(r"(.+)-(\d{1,6})", re.ASCII)
_IDENTITIES = frozenset({"goos", "goarch", "cpu", "toolchain"})
_NEVER = frozenset(
    (
        *("host", "hostname", "user", "by", "machine", "date", "time", "commit-time"),
        *("upload", "upload-time", "upload-file", "upload-part", "builder-id"),
    )
)
_ENDS = ("PASS", "ok ", "ok\t", "FAIL", "exit status")
_SECONDS = {"ns/op": 1e-9, "s/op": 1.0, "sec/op": 1.0}
_SCALED = {
    "MB/s": (1e6, "B/s"),
    "ns/op": (1e-9, "s"),
    "s/op": (1.0, "s"),
    "sec/op": (1.0, "s"),
}
_METRICS = {
    "ns/op": "e2e",
    "s/op": "e2e",
    "sec/op": "e2e",
    "MB/s": "throughput",
    "B/s": "throughput",
    "B/op": "allocated_bytes",
    "allocs/op": "allocations",
}
_MAX_UNITS = 100


@dataclass(slots=True)
class _State:
    """What lines above a result say of it."""

    config: dict[str, str] = field(default_factory=dict)
    launch: int = 0
    proved: bool = False
    used: bool = False
    ended: bool = False
    repeats: dict[str, int] = field(default_factory=dict)

    def begin(self) -> None:
        if self.used:
            self.launch += 1
        self.used, self.ended = False, False
        self.repeats.clear()


def _sniff(head: bytes, name: str) -> Match:
    del name
    found = _RESULT.search(head) is not None and _OTHER.search(head) is None
    return Match(80 if found else 0, "no line BenchmarkNAME N VALUE UNIT")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble, state = Batch(), Trouble(source), _State()
    state.proved = _is_proved(source)
    for line, content in text_lines(source):
        if content.startswith("Benchmark"):
            _add_result(
                content,
                line,
                state=state,
                source=source,
                batch=batch,
                trouble=trouble,
            )
        elif content.startswith(_ENDS):
            state.ended = True
            if content.startswith("FAIL"):
                trouble.note(batch, "SPS014", line, "a package failed", observed="FAIL")
        elif content[:1].islower():
            _configure(content, state)
        if batch.count("requests") + batch.count("aggregates") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _is_proved(source: Source) -> bool:
    """Whether the file has what go test prints around the results of a package.

    A lone PASS proves nothing: results of several processes are put before one.
    """
    head = "\n" + clean_head(source.head())
    return "\npkg: " in head or "\nok  \t" in head


def _configure(content: str, state: _State) -> None:
    found = _CONFIG.fullmatch(content.strip())
    if found is None:
        return
    key, value = found[1], (found[2] or "").strip()
    if state.used and (state.ended or key in {"pkg", "goos"}):
        state.begin()
    if value:
        state.config[key] = value
    else:
        state.config.pop(key, None)


def _settings(state: _State, procs: str | None) -> str | None:
    told: Row = {"cfg.gomaxprocs": count_in(procs)}
    for key, value in state.config.items():
        if key not in _NEVER and key != "pkg":
            told[("id." if key in _IDENTITIES else "cfg.") + key] = value
    return settings_text(told)


def _add_result(
    content: str,
    line: int,
    *,
    state: _State,
    source: Source,
    batch: Batch,
    trouble: Trouble,
) -> None:
    cells = content.split()
    if len(cells) == 1 or not cells[0].removeprefix("Benchmark")[:1].isupper():
        # A name alone is printed before the benchmark runs (-v).
        return
    batch.entries += 1
    values = _values(cells)
    if values is None:
        trouble.note(
            batch, "SPS002", line, "line skipped: expected NAME N and VALUE UNIT pairs"
        )
        return
    if state.ended:
        state.begin()
    state.used = True
    full = cells[0].removeprefix("Benchmark")
    procs = _PROCS.fullmatch(full)
    index = state.repeats.get(full, 0)
    state.repeats[full] = index + 1
    row: Row = {
        "source": source.name,
        "entry": line,
        "workload": state.config.get("pkg"),
        "prompt_id": full if procs is None else procs[1],
        "process": process_of(source, state.launch) if state.proved else None,
        "settings": _settings(state, None if procs is None else procs[2]),
    }
    _add_values(values, row, index, batch)
    batch.parsed += 1


def _values(cells: list[str]) -> dict[str, float] | None:
    pairs = cells[2:]
    if count_in(cells[1]) is None or not pairs or len(pairs) % 2:
        return None
    if len(pairs) > 2 * _MAX_UNITS:
        return None
    values: dict[str, float] = {}
    for cell, unit in zip(pairs[::2], pairs[1::2], strict=True):
        value = real_in(cell)
        if value is None or unit in values:
            return None
        values[unit] = value
    return values


def _add_values(values: dict[str, float], row: Row, index: int, batch: Batch) -> None:
    timed = next((unit for unit in values if unit in _SECONDS), None)
    seconds = None if timed is None else measured(values[timed], _SECONDS[timed])
    if seconds is not None:
        batch.add(
            "requests", {**row, "repetition": index, "ok": True, "e2e_s": seconds}
        )
    for unit, value in values.items():
        if unit == timed and seconds is not None:
            continue
        scale, written = _SCALED.get(unit, (1.0, unit))
        batch.add(
            "aggregates",
            {
                **row,
                "metric": _METRICS.get(unit, unit),
                "unit": written,
                "statistic": "value",
                "value": value * scale,
                "scope": "request",
            },
        )


READER = Reader(
    name="go-benchfmt",
    label="Go benchmark results (go test -bench)",
    producers=("go 1.16", "go 1.17"),
    levels=("sample", "aggregate"),
    boundary="proved where the file has what go test prints around a package (pkg:, "
    "PASS): one process each; unknown otherwise",
    traps=(
        "repeated lines (-count) come from one process: they are no replicates",
        "a value is the mean of N iterations",
        "the -P at the end of a name is GOMAXPROCS, no part of the name",
        "configuration lines hold for all results below them",
        "MB/s is 10^6 bytes a second",
    ),
    fields=(
        ("BenchmarkNAME", "requests.prompt_id: without Benchmark and -P"),
        ("-P", "requests.settings: cfg.gomaxprocs"),
        ("ns/op, sec/op", "requests.e2e_s: converted to s"),
        ("MB/s", "aggregates.value: throughput in B/s, times 10^6"),
        ("other units", "aggregates.value: as printed, statistic value"),
        ("pkg:", "requests.workload"),
        ("goos:, goarch:, cpu:", "requests.settings: id.*"),
        ("other KEY: VALUE lines", "requests.settings: cfg.KEY; no hosts, no dates"),
    ),
    marks=(b"Benchmark",),
    sniff=_sniff,
    parse=_parse,
)
