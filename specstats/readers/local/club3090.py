"""Text of the club-3090 benchmark: warm-ups, runs, summary and what follows them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._sink import Sink, positive
from specstats.readers.local._spec_windows import add_window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_MARK = re.compile(
    rb"\n\s{1,8}(?:warm|run)-\d{1,6}\s{1,12}wall=[^\n]{1,80}wall_TPS=[^\n]{1,40}decode_TPS="
)
_SECTION = re.compile(
    r"={4,40} (\S.{0,80}?) \(prompt=\d{1,9} chars, max_tokens=(\d{1,9})\) ={4,40}"
)
_RUN = re.compile(r"\s{0,8}(warm|run)-(\d{1,6})\s(.{1,200})", re.ASCII)
_VALUE = re.compile(r"\b(\w{1,12})=\s{0,12}(\d{1,12}(?:\.\d{1,6})?)(ms|s|%)?", re.ASCII)
_SUMMARY = re.compile(r"\s{0,8}(wall_TPS|decode_TPS|TTFT)\s{1,20}mean=(.{1,200})")
_COUNT = re.compile(r"=== summary \[.{0,80}\] \(n=(\d{1,6})\)")
_MILLI = 1e-3
_HALF = 0.0051  # of what has two digits
_METRICS = {
    "wall_TPS": ("e2e_rate", "tok/s", 1.0, _HALF),
    "decode_TPS": ("decode_rate", "tok/s", 1.0, _HALF),
    "TTFT": ("ttft", "s", _MILLI, 0.51 * _MILLI),
}
_DEFINED = {
    "e2e_rate": "tokens over the whole request, time to the first token included",
    "decode_rate": "tokens over the time after the first token",
    "ttft": "seen by the client",
}


@dataclass(slots=True)
class _State:
    """The section that is being read."""

    name: str | None = None
    settings: str | None = None
    count: int | None = None
    values: dict[str, list[float]] = field(default_factory=dict)

    def shared(self) -> Row:
        return {
            "workload": self.name,
            "prompt_id": self.name,
            "settings": self.settings,
        }


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _MARK.search(head) is not None
    return Match(95 if known else 0, "no lines run-N wall= wall_TPS= decode_TPS=")


def _parse(source: Source) -> Iterator[Batch]:
    sink, state = Sink(source), _State()
    for line, content in text_lines(source):
        run = _RUN.match(content)
        if run is not None and "wall=" in run[3]:
            _add(sink, line, state, run)
        elif "SpecDecoding metrics:" in content:
            add_window(sink, line, content)
        else:
            _follow(sink, line, state, content)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _follow(sink: Sink, line: int, state: _State, content: str) -> None:
    section, count = _SECTION.match(content), _COUNT.match(content)
    summary = _SUMMARY.match(content)
    if section is not None:
        state.name, state.values, state.count = section[1].lower(), {}, None
        # The limit belongs to the prompt: as one key it would vary inside the arm.
        limit = {f"cfg.max_tokens.{state.name}": count_in(section[2])}
        state.settings = settings_text(limit)
    elif count is not None:
        state.count = int(count[1])
    elif summary is not None:
        _add_summary(sink, line, state, (summary[1], f"mean={summary[2]}"))


def _values(content: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, cell, unit in _VALUE.findall(content):
        value = real_in(cell)
        if value is not None:
            found[name] = value * _MILLI if unit == "ms" else value
    return found


def _add(sink: Sink, line: int, state: _State, run: re.Match[str]) -> None:
    sink.batch.entries += 1
    told = _values(run[3])
    wall, count = positive(told.get("wall")), told.get("toks")
    if wall is None or count is None or count != int(count):
        sink.skip(line, "no wall and toks")
        return
    output = int(count)
    warm = run[1] == "warm"
    row: Row = {
        **state.shared(),
        "repetition": max(int(run[2]) - 1, 0),
        "phase": "warmup" if warm else None,
        "n_output": output,
        "e2e_s": wall,
    }
    if output:
        _take_times(sink, line, row, told)
    else:
        sink.says_nothing(line)
    sink.request(line, row)
    if not warm:
        for name, cell in (("wall_TPS", "wall_TPS"), ("decode_TPS", "decode_TPS")):
            if cell in told:
                state.values.setdefault(name, []).append(told[cell])
        if "ttft" in told:
            state.values.setdefault("TTFT", []).append(told["ttft"])


def _take_times(sink: Sink, line: int, row: Row, told: dict[str, float]) -> None:
    wall, output = float(str(row["e2e_s"])), int(str(row["n_output"]))
    first, rate = positive(told.get("ttft")), positive(told.get("decode_TPS"))
    row["ttft_s"] = first
    row["engine_rate_tps"] = rate
    printed = told.get("wall_TPS")
    if printed is not None:
        right = output / wall
        message = "wall_TPS is not toks over wall"
        allowed = _HALF * (1 + right / wall)
        sink.compare(line, message, (printed, right), allowed)
    if first is None or first >= wall:
        return
    row["decode_s"] = wall - first
    if rate is None:
        return
    allowed = _HALF * (wall + rate) + _MILLI * rate
    row["rate_convention"] = (
        "n" if abs(rate * (wall - first) - output) <= allowed else None
    )
    if row["rate_convention"] is None:
        right = output / (wall - first)
        message = "decode_TPS is not toks over wall less ttft"
        sink.compare(line, message, (rate, right), 1.5 / (wall - first))


def _add_summary(sink: Sink, line: int, state: _State, told: tuple[str, str]) -> None:
    metric, unit, scale, half_digit = _METRICS[told[0]]
    printed = _values(told[1])
    values = state.values.get(told[0], [])
    about: Row = {
        **state.shared(),
        "scope": "runs",
        "n": state.count,
        "definition": _DEFINED[metric],
    }
    mean, sd = printed.get("mean"), printed.get("std")
    sink.aggregate(line, about, (metric, unit, "mean"), mean, sd=sd)
    for statistic in ("min", "max"):
        sink.aggregate(line, about, (metric, unit, statistic), printed.get(statistic))
    if len(values) != state.count or not values:
        return
    for name, right in (
        ("mean", math.fsum(values) / len(values)),
        ("min", min(values)),
        ("max", max(values)),
    ):
        if name in printed:
            message = f"the {name} {told[0]} is not that of the runs above"
            sink.compare(line, message, (printed[name], right), 2 * half_digit)
    _check_deviation(sink, line, (told[0], scale), values, (sd, half_digit))


def _check_deviation(
    sink: Sink,
    line: int,
    about: tuple[str, float],
    values: list[float],
    printed: tuple[float | None, float],
) -> None:
    sd, half_digit = printed
    if sd is None or len(values) <= 1:
        return
    mean = math.fsum(values) / len(values)
    right = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))
    # The values are rounded too, and each may move the deviation by as much.
    if abs(sd - right) > 3 * half_digit:
        unit = "ms" if about[1] == _MILLI else "tok/s"
        sink.note(
            "SPS009",
            line,
            f"the standard deviation of {about[0]} is not that of the runs above",
            observed=f"{sd / about[1]:.4g} {unit}",
            required=f"{right / about[1]:.4g} {unit}",
        )


READER = Reader(
    name="club3090-bench",
    label="club-3090 benchmark text (runs, summary, last draft windows of vLLM)",
    producers=("May 2026",),
    levels=("request", "counter", "aggregate"),
    boundary="unknown: the server runs beside the benchmark, and a file counts as one "
    "run",
    traps=(
        "warm-i lines are warm-ups and not in the summary",
        "output lengths differ between runs of one prompt",
        "wall_TPS has the time to the first token in it, decode_TPS has not",
        "std is that of a sample (n - 1)",
        (
            "the draft windows are what vLLM logged last: windows of 10 s, not sums, "
            "and not those of one run"
        ),
        "the state of the GPUs is one moment without a time and is not read",
    ),
    fields=(
        ("NAME (max_tokens=)", "requests.workload: and prompt_id and settings"),
        ("warm-i, run-i", "requests.phase: and requests.repetition; from 0"),
        ("wall", "requests.e2e_s: s"),
        ("ttft", "requests.ttft_s: ms to s"),
        ("wall less ttft", "requests.decode_s: s, a difference of two printed values"),
        ("toks", "requests.n_output: tokens"),
        ("decode_TPS", "requests.engine_rate_tps: tok/s, checked"),
        ("summary", "aggregates.value: and sd; checked against the runs"),
        (
            "SpecDecoding metrics: Accepted, Drafted",
            "counters.n_accepted: and n_draft; tokens of a window",
        ),
        (
            "Per-position acceptance rate",
            "counters.n_verify: and accepted_by_position; where the products are whole",
        ),
        (
            "Mean acceptance length, Avg Draft acceptance rate",
            "aggregates.value: bonus token included; percent to fraction",
        ),
    ),
    marks=(b"decode_TPS=",),
    sniff=_sniff,
    parse=_parse,
)
