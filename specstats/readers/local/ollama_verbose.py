"""The statistics that ``ollama run --verbose`` prints below an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._go import go_duration
from specstats.readers.local._ollama import (
    COUNT_IS_AMBIGUOUS,
    LOAD,
    PROMPT_RATE,
    add_prompt_tokens,
    check_parts,
)
from specstats.readers.local._sink import Sink, contradicts, positive, rate_convention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_FIRST = "total duration:"
_TOTAL = re.compile(rb"total duration:[ \t]{1,20}\d[\d.hmsun\xc2\xb5\xce\xbc]{1,40}\s")
_EVAL = re.compile(rb"(?:^|\n)\s{0,8}eval count:[ \t]{1,20}\d{1,12} token", re.ASCII)
_LINE = re.compile(
    r"[ \t]{0,8}(load duration|prompt eval count|prompt eval duration|"
    r"prompt eval rate|eval count|eval duration|eval rate):[ \t]{0,20}(\S.{0,60})"
)
_MODEL = re.compile(
    r"(?:^|\s)model_name\s{0,8}=\s{0,8}(\S{1,200})|"
    r"\bollama run (?:--?\S{1,40} ){0,4}(\w[^\s-]\S{0,200})"
)
_HALF_DIGIT = 0.005


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _TOTAL.search(head) is not None and _EVAL.search(head) is not None
    return Match(80 if known else 0, "no lines total duration and eval count")


@dataclass(slots=True)
class _Block:
    line: int
    model: str | None
    values: dict[str, str] = field(default_factory=dict)


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    block: _Block | None = None
    model: str | None = None
    for line, content in text_lines(source):
        _, mark, total = content.rpartition(_FIRST)
        if mark:
            _finish(sink, block)
            block = _Block(line, model, {_FIRST: total})
            if sink.is_full:
                yield sink.take()
            continue
        found = _LINE.match(content)
        if found is not None and block is not None:
            block.values.setdefault(found[1], found[2])
            continue
        named = (
            _MODEL.search(content) if "model" in content or "run" in content else None
        )
        model = (named[1] or named[2]) if named is not None else model
    _finish(sink, block)
    yield sink.close()


def _seconds(block: _Block, name: str) -> float | None:
    return positive(go_duration(block.values.get(name, "")))


def _count(block: _Block, name: str) -> int | None:
    first = block.values.get(name, "").split(" ", maxsplit=1)[0]
    return count_in(first)


def _rate(block: _Block, name: str) -> float | None:
    first = block.values.get(name, "").split(" ", maxsplit=1)[0]
    return positive(real_in(first))


def _finish(sink: Sink, block: _Block | None) -> None:
    if block is None:
        return
    sink.batch.entries += 1
    count, decode_s = _count(block, "eval count"), _seconds(block, "eval duration")
    if count is None or (decode_s is None and count > 1):
        sink.skip(block.line, "no eval count and eval duration below total duration")
        return
    shared: Row = {
        "settings": settings_text({"id.engine": "ollama", "id.model": block.model})
    }
    row: Row = {
        **shared,
        "e2e_s": _seconds(block, _FIRST),
        "prompt_s": _seconds(block, "prompt eval duration"),
        "n_output": count,
    }
    if count:
        row["decode_s"] = decode_s
        _take_rate(sink, block.line, row, _rate(block, "eval rate"))
    else:
        sink.says_nothing(block.line)
    load = _seconds(block, "load duration")
    check_parts(sink, block.line, row, load)
    sink.request(block.line, row)
    told = "time of loading the model, small where it was loaded"
    sink.aggregate(block.line, shared, LOAD, load, scope="request", definition=told)
    add_prompt_tokens(sink, block.line, shared, _count(block, "prompt eval count"))
    prompt_rate = _rate(block, "prompt eval rate")
    told = "as printed; cached tokens perhaps counted"
    sink.aggregate(
        block.line, shared, PROMPT_RATE, prompt_rate, scope="request", definition=told
    )


def _take_rate(sink: Sink, line: int, row: Row, rate: float | None) -> None:
    count, decode_s = row["n_output"], row["decode_s"]
    if rate is None or not isinstance(count, int) or not isinstance(decode_s, float):
        return
    row["engine_rate_tps"] = rate
    row["rate_convention"] = rate_convention(count, decode_s, rate, _HALF_DIGIT)
    if contradicts(count, decode_s, rate, _HALF_DIGIT):
        message = "eval rate is not eval count over eval duration"
        sink.compare(line, message, (rate, count / decode_s), 0.0)


READER = Reader(
    name="ollama-verbose",
    label="statistics printed by ollama run --verbose",
    producers=("2024", "2025 (captured terminal)"),
    levels=("request", "aggregate"),
    boundary="unknown: ollama run is a client, and nothing names the server",
    traps=(
        "durations are Go's: 1m2.5s, 355.5ms, 714us",
        "spinner signs stand before total duration on one line",
        "eval rate counts n tokens over the time of n-1 steps, with two digits",
        COUNT_IS_AMBIGUOUS,
        "the model stands above the block where a harness or a prompt line says it",
    ),
    fields=(
        ("total duration", "requests.e2e_s: Go duration to s"),
        ("load duration", "aggregates.value: Go duration to s, metric load"),
        ("prompt eval count", "aggregates.value: tokens, cached ones perhaps in it"),
        ("prompt eval duration", "requests.prompt_s: Go duration to s"),
        ("prompt eval rate", "aggregates.value: tok/s, metric prompt_rate"),
        ("eval count", "requests.n_output: tokens"),
        ("eval duration", "requests.decode_s: Go duration to s"),
        ("eval rate", "requests.engine_rate_tps: tok/s, checked against both"),
        ("model_name = X; ollama run X", "requests.settings: id.model"),
    ),
    marks=(b"total duration:",),
    sniff=_sniff,
    parse=_parse,
)
