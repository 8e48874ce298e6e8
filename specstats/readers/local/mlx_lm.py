"""The text of mlx_lm.benchmark: trials and their averages."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._sink import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_MARK = re.compile(rb"(?:\A|\n)[ \t]{0,8}Trial \d{1,9}:\s{1,8}prompt_tps=\s{0,4}\d")
_TRIAL = re.compile(r"\s{0,8}Trial (\d{1,9}):(.{1,300})", re.ASCII)
_PAIR = re.compile(r"\b([a-z_]{1,30})=\s{0,4}(\d{1,18}(?:\.\d{1,18})?)", re.ASCII)
_TIMING = "Timing with "
_AVERAGES = "Averages:"
_HALF_DIGIT = 0.0006  # of what is printed with three digits
_UNITS = (("prompt_rate", "prompt_tps"), ("decode_rate", "generation_tps"))


@dataclass(slots=True)
class _Block:
    """One invocation: its settings and its trials so far."""

    number: int
    settings: dict[str, str] = field(default_factory=dict)
    trials: list[dict[str, float]] = field(default_factory=list)
    skipped: int = 0

    def count(self, name: str) -> int | None:
        return count_in(self.settings.get(name))

    @property
    def batch(self) -> int:
        return self.count("batch_size") or 1


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _MARK.search(head) is not None
    return Match(90 if known else 0, "no line Trial 1: prompt_tps=")


def _parse(source: Source) -> Iterator[Batch]:
    sink, block = Sink(source), _Block(0)
    for line, content in text_lines(source):
        if _TIMING in content:
            block = _Block(block.number + 1, dict(_PAIR.findall(content)))
            continue
        trial = _TRIAL.match(content)
        if trial is not None:
            if not block.number or (block.trials and int(trial[1]) == 1):
                block = _Block(block.number + 1)
            _add_trial(sink, line, block, (int(trial[1]), trial[2]))
        elif content.strip().startswith(_AVERAGES):
            _add_averages(sink, line, block, content)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _numbers(content: str) -> dict[str, float]:
    pairs = ((name, real_in(cell)) for name, cell in _PAIR.findall(content))
    return {name: value for name, value in pairs if value is not None}


def _shared(sink: Sink, block: _Block) -> Row:
    prompt, output = block.count("prompt_tokens"), block.count("generation_tokens")
    return {
        "prompt_id": None if prompt is None else f"pp{prompt}+tg{output or 0}",
        "process": f"{sink.source.sha256[:12]}#{block.number}",
        "settings": settings_text(
            {
                "id.engine": "mlx_lm",
                "cfg.batch_size": block.count("batch_size"),
            }
        ),
    }


def _add_trial(sink: Sink, line: int, block: _Block, trial: tuple[int, str]) -> None:
    sink.batch.entries += 1
    values = _numbers(trial[1])
    rate = positive(values.get("generation_tps"))
    if rate is None:
        sink.skip(line, "no generation_tps")
        block.skipped += 1
        return
    block.trials.append(values)
    shared = _shared(sink, block)
    row: Row = {
        **shared,
        "repetition": max(trial[0] - 1, 0),
        "n_prompt": block.count("prompt_tokens"),
        "e2e_s": positive(values.get("total_time")),
    }
    single = block.batch == 1
    if single:
        row["n_output"] = block.count("generation_tokens")
        row.update(engine_rate_tps=rate, rate_convention="n")
    sink.request(line, row)
    about = {**shared, "scope": "request"}
    if not single:
        told = f"over all {block.batch} sequences of the batch"
        key = ("output_throughput", "tok/s", "value")
        sink.aggregate(line, {**about, "definition": told}, key, rate)
    prompt_rate = positive(values.get("prompt_tps"))
    sink.aggregate(line, about, ("prompt_rate", "tok/s", "value"), prompt_rate)


def _add_averages(sink: Sink, line: int, block: _Block, content: str) -> None:
    printed, seen = _numbers(content), len(block.trials) + block.skipped
    about: Row = {
        **_shared(sink, block),
        "scope": "run",
        "n": seen or None,
        "definition": "arithmetic mean over the trials of one process",
    }
    for metric, name in _UNITS:
        value = positive(printed.get(name))
        told = (
            "output_throughput" if metric == "decode_rate" and block.batch > 1 else ""
        )
        sink.aggregate(line, about, (told or metric, "tok/s", "mean"), value)
    peak = positive(printed.get("peak_memory"))
    sink.aggregate(line, about, ("peak_memory", "GB", "mean"), peak)
    for name, value in printed.items():
        single = [trial[name] for trial in block.trials if name in trial]
        if single and len(single) == seen and name != "peak_memory":
            right = math.fsum(single) / seen
            message = f"the average {name} is not the mean of the trials"
            sink.compare(line, message, (value, right), _HALF_DIGIT + _HALF_DIGIT)


READER = Reader(
    name="mlx-lm-benchmark",
    label="mlx_lm.benchmark output (trials and averages)",
    producers=("2025", "2026 (with total_time)"),
    levels=("sample", "aggregate"),
    boundary="proved: the trials below one Timing line share a process; a first trial "
    "begins another",
    traps=(
        (
            "trials share one process and one load, and drift with heat: they are no "
            "replicates of a setting"
        ),
        "generation_tps is n tokens over the time since the first token",
        "with batch_size above 1 the rate is that of all sequences together",
        "the model stands in the command alone",
        "one warm-up was run and is not printed",
    ),
    fields=(
        ("Timing with prompt_tokens", "requests.n_prompt: tokens"),
        ("Timing with generation_tokens", "requests.n_output: tokens"),
        ("Trial N", "requests.repetition: from 0"),
        ("generation_tps", "requests.engine_rate_tps: tok/s (one sequence)"),
        ("generation_tps, batched", "aggregates.value: metric output_throughput"),
        ("prompt_tps", "aggregates.value: tok/s, metric prompt_rate"),
        ("total_time", "requests.e2e_s: s"),
        ("Averages", "aggregates.value: means, checked against the trials"),
        ("peak_memory", "aggregates.value: GB"),
    ),
    marks=(b"prompt_tps=",),
    sniff=_sniff,
    parse=_parse,
)
