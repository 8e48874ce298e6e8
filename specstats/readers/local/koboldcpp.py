"""KoboldCpp's console: a line a request, and the result of --benchmark."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import file_name, settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._sink import Sink, positive, rate_convention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_LINE_MARK = re.compile(
    rb"(?:CtxLimit|ContextLimit):\s?\d{1,9}/\d{1,9},[^\n]{0,120}Process"
)
_BENCH_MARK = re.compile(rb"(?:\A|\n)ProcessingSpeed: [\d.]{1,20}T/s")
_LIMIT = re.compile(r"(?:CtxLimit|ContextLimit):\s?(\d{1,9})/(\d{1,9})", re.ASCII)
_AMOUNT = re.compile(r"\bAmt:\s?(\d{1,9})/(\d{1,9})", re.ASCII)
_PART = re.compile(
    r"\b(Process|Generat|Total)(?:e|ing|ion)?:\s?(\d{1,9}(?:\.\d{1,9})?)s"
    r"(?:\s?\(([^)]{0,80})\))?",
    re.ASCII,
)
_RATE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s?T/s", re.ASCII)
_PROGRESS = re.compile(
    r"(Processing Prompt|Generating)[^(]{0,40}\((\d{1,9}) / (\d{1,9}) tokens\)",
    re.ASCII,
)
_VERSION = re.compile(r"Welcome to KoboldCpp - Version (\S{1,40})")
_KEY = re.compile(
    r"(Backend|Layers|Model|MaxCtx|GenAmount|Flags|ProcessingTime|ProcessingSpeed|"
    r"GenerationTime|GenerationSpeed|TotalTime):\s{0,4}(\S.{0,400})"
)
_HALF_DIGIT = 0.006  # of times and rates with two digits
_PARTS = 0.0031


@dataclass(slots=True)
class _State:
    """What the console said since the last request."""

    launch: int = 0
    proved: bool = False
    version: str | None = None
    prompt: int | None = None
    output: int | None = None
    requested: int | None = None
    told: dict[str, str] = field(default_factory=dict)
    served: bool = False

    def forget_progress(self) -> None:
        self.prompt = self.output = self.requested = None


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _LINE_MARK.search(head) is not None or _BENCH_MARK.search(head) is not None
    return Match(85 if known else 0, "no line CtxLimit:, Process: or ProcessingSpeed:")


def _parse(source: Source) -> Iterator[Batch]:
    sink, state = Sink(source), _State()
    for line, content in text_lines(source):
        if _LIMIT.search(content) is not None and "Process" in content:
            _add_line(sink, line, state, content)
        else:
            _follow(sink, line, state, content)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _follow(sink: Sink, line: int, state: _State, content: str) -> None:
    version, progress = _VERSION.search(content), _PROGRESS.search(content)
    if version is not None:
        state.launch, state.proved = state.launch + 1, True
        state.version, state.served, state.told = version[1], False, {}
        return
    if progress is not None:
        if progress[1] == "Generating":
            state.output, state.requested = int(progress[2]), int(progress[3])
        else:
            state.prompt = int(progress[2])
        return
    found = _KEY.match(content)
    if found is not None:
        state.told[found[1]] = found[2]
        if found[1] == "TotalTime":
            _add_benchmark(sink, line, state)


def _process(sink: Sink, state: _State) -> str | None:
    return f"{sink.source.sha256[:12]}#{state.launch}" if state.proved else None


def _add_line(sink: Sink, line: int, state: _State, content: str) -> None:
    sink.batch.entries += 1
    parts = {found[1]: (found[2], found[3] or "") for found in _PART.finditer(content)}
    decode_s = positive(real_in(parts.get("Generat", ("", ""))[0]))
    amount, limit = _AMOUNT.search(content), _LIMIT.search(content)
    output, requested = state.output, state.requested
    if amount is not None:
        output, requested = int(amount[1]), int(amount[2])
    if decode_s is None and output != 0:
        sink.skip(line, "no time of generation")
        state.forget_progress()
        return
    settings = {
        "id.engine": "koboldcpp",
        "id.build": state.version,
        "cfg.max_ctx": None if limit is None else int(limit[2]),
    }
    row: Row = {
        "process": _process(sink, state),
        "settings": settings_text(settings),
        "n_prompt": state.prompt,
        "prompt_s": positive(real_in(parts.get("Process", ("", ""))[0])),
        "n_output": output,
        "e2e_s": positive(real_in(parts.get("Total", ("", ""))[0])),
    }
    if output == 0:
        sink.says_nothing(line)
    else:
        row["decode_s"] = decode_s
        rate = _RATE.search(parts.get("Generat", ("", ""))[1])
        printed = None if rate is None else positive(real_in(rate[1]))
        _take_rate(sink, line, row, (printed, requested))
    sink.request(line, row)
    state.served = True
    state.forget_progress()


def _take_rate(
    sink: Sink, line: int, row: Row, told: tuple[float | None, int | None]
) -> None:
    """Keep a printed rate, unless it counts the tokens that were asked for."""
    rate, requested = told
    count, decode_s = row["n_output"], row["decode_s"]
    if rate is None or not isinstance(decode_s, float):
        return
    if isinstance(count, int) and requested is not None and count != requested:
        implied = rate * decode_s
        allowed = 1.5 + _HALF_DIGIT * (decode_s + rate) + 1e-3 * requested
        if abs(implied - count) > allowed:
            sink.note(
                "SPS006",
                line,
                "the printed rate is not that of the tokens generated (versions "
                "before mid-2024 count those asked for): it is not used",
                observed=f"{implied:.4g} tokens",
                required=f"{count} tokens",
            )
            return
    row["engine_rate_tps"] = rate
    known = count if isinstance(count, int) else None
    row["rate_convention"] = rate_convention(known, decode_s, rate, _HALF_DIGIT)


def _add_benchmark(sink: Sink, line: int, state: _State) -> None:
    sink.batch.entries += 1
    told, state.told = state.told, {}
    values = {name: real_in(cell.split("s")[0]) for name, cell in told.items()}
    rates = {
        name: real_in(cell.partition("T/s")[0])
        for name, cell in told.items()
        if name.endswith("Speed")
    }
    decode_s, rate = (
        positive(values.get("GenerationTime")),
        rates.get("GenerationSpeed"),
    )
    if decode_s is None or positive(rate) is None:
        sink.skip(line, "no GenerationTime and GenerationSpeed above TotalTime")
        return
    if not state.proved:
        state.launch, state.proved = state.launch + 1, True
    context, amount = (count_in(told.get(name)) for name in ("MaxCtx", "GenAmount"))
    shared: Row = {
        "prompt_id": None if context is None else f"ctx{context}+{amount or 0}",
        "process": _process(sink, state),
        "settings": settings_text(
            {
                "id.engine": "koboldcpp",
                "id.build": state.version,
                "id.backend": told.get("Backend"),
                "id.model": file_name(told.get("Model")),
                "cfg.layers": real_in(told.get("Layers")),
                "cfg.max_ctx": context,
                "cfg.gen_amount": amount,
                "cfg.flags": told.get("Flags"),
            }
        ),
    }
    prompt_s, total = values.get("ProcessingTime"), values.get("TotalTime")
    if prompt_s is not None and total is not None:
        message = "TotalTime is not ProcessingTime plus GenerationTime"
        sink.compare(line, message, (total, prompt_s + decode_s), _PARTS)
    if not state.served:
        row: Row = {
            **shared,
            "prompt_s": positive(prompt_s),
            "decode_s": decode_s,
            "engine_rate_tps": rate,
            "e2e_s": positive(total),
        }
        sink.request(line, row)
    else:
        sink.batch.parsed += 1
    about: Row = {
        **shared,
        "scope": "run",
        "definition": "nominal tokens over the time",
    }
    prompt_rate = positive(rates.get("ProcessingSpeed"))
    sink.aggregate(line, about, ("prompt_rate", "tok/s", "value"), prompt_rate)
    sink.aggregate(line, about, ("decode_rate", "tok/s", "value"), rate)
    # The benchmark ends its process.
    state.proved = state.served = False


READER = Reader(
    name="koboldcpp-console",
    label="KoboldCpp console (a line a request, and --benchmark results)",
    producers=("1.65", "2024 (--benchmark)"),
    levels=("request", "aggregate"),
    boundary="proved by the banner of a launch, and a benchmark is a launch of its "
    "own; unknown without both",
    traps=(
        (
            "before mid-2024 the generation rate counts the tokens asked for, not "
            "those generated"
        ),
        "Generating (n / m tokens) may overshoot m by one",
        "the benchmark's speeds count nominal tokens: its output tokens are missing",
        "the line of a benchmark's request and its result are one measurement",
        "2023 and January 2024 write ContextLimit and Processing",
        "no draft counts are told",
    ),
    fields=(
        ("Amt: n/m; Generating (n / m tokens)", "requests.n_output: tokens"),
        ("Processing Prompt (n / m tokens)", "requests.n_prompt: tokens"),
        ("Process, Processing", "requests.prompt_s: s"),
        ("Generate, Generation", "requests.decode_s: s"),
        (
            "Generate: T/s",
            "requests.engine_rate_tps: tok/s, unless it counts tokens asked for",
        ),
        ("Total", "requests.e2e_s: s"),
        ("CtxLimit: used/limit", "requests.settings: cfg.max_ctx"),
        ("ProcessingTime, GenerationTime, TotalTime", "requests.*: s, as above"),
        ("ProcessingSpeed, GenerationSpeed", "aggregates.value: tok/s"),
        ("Backend, Model, MaxCtx, GenAmount, Flags", "requests.settings"),
        ("Welcome to KoboldCpp - Version", "requests.process: also settings id.build"),
    ),
    marks=(b"CtxLimit:", b"ContextLimit:", b"ProcessingSpeed:"),
    sniff=_sniff,
    parse=_parse,
)
