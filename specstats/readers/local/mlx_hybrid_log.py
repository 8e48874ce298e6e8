"""Log of the HybridInference benchmark on MLX: runs by model, backend and prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.local._sink import MILLI, Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_MARK = re.compile(
    rb"\n\s{0,8}Run \d{1,6}: prefill=[\d.]{1,20}ms decode=[\d.]{1,20}tok/s ttft="
)
_SECTION = re.compile(
    r"\[\d{1,6}/\d{1,6}\] (\S.{0,200}?) / (\S{1,100}) / (\S.{0,100}?) \(\d{1,6} runs\)"
)
_RUN = re.compile(r"\s{0,8}Run (\d{1,6}):(.{0,300})", re.ASCII)
_MEDIAN = re.compile(r".{0,8}Median \((\d{1,6}) runs?\):(.{0,300})", re.ASCII)
_VALUE = re.compile(r"\b(\w{1,20})=(\d{1,15}(?:\.\d{1,9})?)(?:ms|tok/s|GB)", re.ASCII)
_LIMIT = re.compile(r"Max generate tokens: (\d{1,9})", re.ASCII)
_COREML = re.compile(r"ready \(coreml=(\w{1,10})\)")
_BEGIN = ("Working directory:", "Models: [")
_HALF_DIGIT = {"prefill": 0.51, "ttft": 0.51, "decode": 0.051}


@dataclass(slots=True)
class _State:
    """What the lines so far say of the runs to come."""

    launch: int = 0
    begun: bool = False
    arm: str | None = None
    prompt: str | None = None
    settings: dict[str, object] = field(default_factory=dict)
    values: dict[str, list[float]] = field(default_factory=dict)

    def shared(self, sink: Sink) -> Row:
        process = f"{sink.source.sha256[:12]}#{self.launch}" if self.launch else None
        return {
            "arm": self.arm,
            "workload": self.prompt,
            "prompt_id": self.prompt,
            "process": process,
            "settings": settings_text({"id.engine": "mlx", **self.settings}),
        }


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _MARK.search(head) is not None
    return Match(90 if known else 0, "no line Run N: prefill=Xms decode=Ytok/s")


def _parse(source: Source) -> Iterator[Batch]:
    sink, state = Sink(source), _State()
    for line, content in text_lines(source):
        run = _RUN.match(content)
        if run is not None and "prefill=" in run[2]:
            _add(sink, line, state, (int(run[1]), run[2]))
        elif "Median (" in content:
            _add_median(sink, line, state, content)
        else:
            _follow(state, content)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _follow(state: _State, content: str) -> None:
    if content.startswith(_BEGIN):
        # Both lines stand at the beginning of one launch.
        state.launch += not state.begun
        state.begun = True
        return
    section = _SECTION.match(content)
    if section is not None:
        state.begun = False
        state.arm, state.prompt = f"{section[1]} {section[2]}", section[3]
        state.values = {}
        state.settings["id.model"], state.settings["cfg.backend"] = (
            section[1],
            section[2],
        )
        return
    limit, coreml = _LIMIT.search(content), _COREML.search(content)
    if limit is not None:
        state.settings["cfg.max_tokens"] = int(limit[1])
    if coreml is not None:
        state.settings["cfg.coreml"] = coreml[1]


def _values(content: str) -> dict[str, float]:
    found = ((name, real_in(cell)) for name, cell in _VALUE.findall(content))
    return {name: value for name, value in found if value is not None}


def _add(sink: Sink, line: int, state: _State, run: tuple[int, str]) -> None:
    sink.batch.entries += 1
    values = _values(run[1])
    rate = positive(values.get("decode"))
    if rate is None:
        sink.skip(line, "no decode rate")
        return
    warm = "(warmup)" in run[1]
    row: Row = {
        **state.shared(sink),
        "repetition": max(run[0] - 1, 0),
        "phase": "warmup" if warm else None,
        "prompt_s": positive(values.get("prefill"), MILLI),
        "ttft_s": positive(values.get("ttft"), MILLI),
        "engine_rate_tps": rate,
    }
    sink.request(line, row)
    if not warm:
        for name in _HALF_DIGIT:
            if name in values:
                state.values.setdefault(name, []).append(values[name])


def _add_median(sink: Sink, line: int, state: _State, content: str) -> None:
    found = _MEDIAN.match(content.strip())
    if found is None:
        return
    printed, count = _values(found[2]), int(found[1])
    about: Row = {**state.shared(sink), "scope": "run", "n": count}
    for name, key, per in (
        ("prefill", ("prefill", "s", "median"), MILLI),
        ("decode", ("decode_rate", "tok/s", "median"), 1.0),
        ("ttft", ("ttft", "s", "median"), MILLI),
        ("peak_mem", ("peak_memory", "GB", "max"), 1.0),
    ):
        sink.aggregate(line, about, key, positive(printed.get(name), per))
        values = state.values.get(name, [])
        if name in printed and values and len(values) == count:
            message = f"the median {name} is not that of the runs above"
            right = float(median(values))
            sink.compare(line, message, (printed[name], right), _HALF_DIGIT[name] * 2)


READER = Reader(
    name="mlx-hybrid-log",
    label="HybridInference benchmark log on MLX",
    producers=("2026",),
    levels=("request", "aggregate"),
    boundary="proved by the lines Working directory and Models at the begin of a "
    "launch; unknown without",
    traps=(
        "all models of a log run in one process, one after another",
        "times are whole milliseconds: 14 ms is exact to 4 %",
        "the first run is a warm-up where the log says so, and not in the median",
        "output tokens are not told, so no decode time",
    ),
    fields=(
        ("[i/n] model / backend / prompt", "requests.arm: and workload and prompt_id"),
        ("Run N", "requests.repetition: from 0"),
        ("(warmup)", "requests.phase: warmup"),
        ("prefill", "requests.prompt_s: ms to s"),
        ("ttft", "requests.ttft_s: ms to s"),
        ("decode", "requests.engine_rate_tps: tok/s, convention unknown"),
        ("Median", "aggregates.value: medians, checked against the runs"),
        ("peak_mem", "aggregates.value: GB"),
        ("model, backend, coreml, max tokens", "requests.settings: id.*, cfg.*"),
    ),
    marks=(b": prefill=",),
    sniff=_sniff,
    parse=_parse,
)
