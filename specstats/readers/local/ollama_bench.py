"""Ollama's own benchmark tool (cmd/bench): benchstat text and CSV."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._csv import cells_of
from specstats.readers.local._ollama import LOAD, PROMPT_RATE
from specstats.readers.local._sink import NANO, Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_HEADER = "NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC"
_BENCH = re.compile(
    r"BenchmarkModel/name=(.{1,200}?)(?:/step=(\w{1,20}))?[ \t]{1,8}(\d{1,18})"
    r"[ \t]{1,8}([\d.]{1,30}) ns/(?:token|op)"
    r"(?:[ \t]{1,8}([\d.]{1,30}) token/sec)?[ \t\r]{0,8}"
)
_MARK = re.compile(rb"(?:\A|\n)BenchmarkModel/name=[^\n]{1,300} ns/(?:token|op)")
_ABOUT = {
    "Params": "id.params",
    "Quant": "id.quantisation",
    "Family": "id.family",
    "Size": "id.size",
}
_GIGA = 1e9
_ROUNDED = 0.01  # a digit of NS_PER_COUNT and of TOKEN_PER_SEC
_CSV_CELLS = 5


class _Step(NamedTuple):
    model: str
    step: str
    tokens: int | None
    nanoseconds: float
    rate: float | None


@dataclass(slots=True)
class _Epoch:
    line: int
    model: str
    repetition: int
    steps: dict[str, _Step] = field(default_factory=dict)


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = head.lstrip().startswith(_HEADER.encode()) or _MARK.search(head) is not None
    return Match(90 if known else 0, "no BenchmarkModel/name= line and no such header")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    epoch: _Epoch | None = None
    about: dict[str, dict[str, str]] = {}
    epochs: dict[str, int] = {}
    for line, content in text_lines(source):
        if content.startswith("#"):
            _describe(content, about)
            continue
        step = _read(sink, line, content)
        if step is None:
            continue
        if epoch is None or step.model != epoch.model or step.step in epoch.steps:
            _finish(sink, epoch, about)
            turn = epochs.get(step.model, 0)
            epochs[step.model] = turn + 1
            epoch = _Epoch(line, step.model, turn)
            if sink.is_full:
                yield sink.take()
        epoch.steps[step.step] = step
    _finish(sink, epoch, about)
    yield sink.close()


def _describe(content: str, about: dict[str, dict[str, str]]) -> None:
    pairs = [part.partition(":") for part in content.lstrip("# ").split("|")]
    told = {key.strip(): value.strip() for key, _, value in pairs}
    model = told.pop("Model", None)
    if model:
        about[model] = {_ABOUT[key]: told[key] for key in _ABOUT if told.get(key)}


def _read(sink: Sink, line: int, content: str) -> _Step | None:
    """Return the step of a line; lines of other kinds give nothing."""
    if content.startswith("BenchmarkModel"):
        found = _BENCH.fullmatch(content)
        time = None if found is None else real_in(found[4])
        if found is None or time is None:
            sink.batch.entries += 1
            sink.skip(line, "no BenchmarkModel line with a number of ns")
            return None
        # The number before the time counts iterations, except where it is nought.
        nothing = 0 if count_in(found[3]) == 0 else None
        return _Step(found[1], found[2] or "total", nothing, time, real_in(found[5]))
    stripped = content.strip()
    if not stripped or stripped == _HEADER or "," not in stripped:
        return None
    cells = cells_of(stripped)
    time = real_in(cells[3]) if len(cells) == _CSV_CELLS else None
    counted = count_in(cells[2]) if len(cells) == _CSV_CELLS else None
    if time is None or counted is None or not cells[1].isalpha():
        sink.batch.entries += 1
        sink.skip(line, f"cells do not fit {_HEADER}")
        return None
    return _Step(cells[0], cells[1], counted, time, real_in(cells[4]))


def _whole_time(step: _Step | None) -> float | None:
    return None if step is None else positive(step.nanoseconds, NANO)


def _finish(sink: Sink, epoch: _Epoch | None, about: dict[str, dict[str, str]]) -> None:
    if epoch is None:
        return
    sink.batch.entries += 1
    known = {"id.engine": "ollama", "id.model": epoch.model}
    shared: Row = {"settings": settings_text({**known, **about.get(epoch.model, {})})}
    row: Row = {
        **shared,
        "repetition": epoch.repetition,
        "ttft_s": _whole_time(epoch.steps.get("ttft")),
        "e2e_s": _whole_time(epoch.steps.get("total")),
    }
    prefill, generate = epoch.steps.get("prefill"), epoch.steps.get("generate")
    if generate is not None:
        _take_counts(sink, epoch.line, generate, row, ("n_output", "decode_s"))
        row["engine_rate_tps"] = positive(generate.rate)
        row["rate_convention"] = "n" if row["engine_rate_tps"] else None
        if generate.tokens == 0:
            sink.says_nothing(epoch.line)
    if prefill is not None:
        _take_counts(sink, epoch.line, prefill, row, ("n_prompt", "prompt_s"))
    sink.request(epoch.line, row)
    rate = None if prefill is None else positive(prefill.rate)
    about_load = {"scope": "request", "definition": "time of loading the model"}
    load = _whole_time(epoch.steps.get("load"))
    sink.aggregate(epoch.line, {**shared, **about_load}, LOAD, load)
    told = "prompt tokens over their time; cached tokens perhaps counted"
    shared = {**shared, "scope": "request", "definition": told}
    sink.aggregate(epoch.line, shared, PROMPT_RATE, rate)


def _take_counts(
    sink: Sink, line: int, step: _Step, row: Row, columns: tuple[str, str]
) -> None:
    time = positive(step.nanoseconds)
    rate = positive(step.rate)
    if step.tokens is not None:
        row[columns[0]] = step.tokens
        row[columns[1]] = (
            positive(step.nanoseconds * step.tokens, NANO) if step.tokens else None
        )
    if time is not None and rate is not None:
        allowed = _ROUNDED * (1 + _GIGA / time / time) + 1e-4 * rate
        sink.compare(
            line,
            f"{step.step}: tokens a second are not the inverse of ns a token",
            (rate, _GIGA / time),
            allowed,
        )


READER = Reader(
    name="ollama-bench",
    label="Ollama's cmd/bench (benchstat text and CSV)",
    producers=("README of 2025",),
    levels=("request", "aggregate"),
    boundary="unknown: the tool is a client of a server that nothing names",
    traps=(
        "one epoch is five lines: a step that comes again begins the next epoch",
        "the benchstat text has no token counts, so no decode time",
        "the rate is n tokens over the time of n-1 steps in the engine of 2026",
        "the numbers in the tool's README are placeholders",
    ),
    fields=(
        ("name", "requests.settings: id.model"),
        ("generate: COUNT", "requests.n_output: tokens (CSV)"),
        ("generate: COUNT x NS_PER_COUNT", "requests.decode_s: ns to s (CSV)"),
        ("generate: token/sec", "requests.engine_rate_tps: tok/s, inverse checked"),
        ("prefill: COUNT", "requests.n_prompt: tokens (CSV)"),
        ("prefill: COUNT x NS_PER_COUNT", "requests.prompt_s: ns to s (CSV)"),
        ("prefill: token/sec", "aggregates.value: tok/s, metric prompt_rate"),
        ("ttft", "requests.ttft_s: ns to s"),
        ("load", "aggregates.value: ns to s, metric load"),
        ("total", "requests.e2e_s: ns to s"),
        ("# Model: | Params: | Quant: | Family: | Size:", "requests.settings: id.*"),
    ),
    marks=(b"BenchmarkModel/name=", _HEADER.encode()),
    sniff=_sniff,
    parse=_parse,
)
