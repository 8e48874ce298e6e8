"""The performance lines that llama-cli and its relatives print at their end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import process_of, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.llamacpp._preamble import Preamble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_LINE = re.compile(
    r"(?:llama_perf_context_print|llama_print_timings|common_perf_print): {1,20}"
    r"(load|prompt eval|eval|total) time = {1,20}([\d.]{1,20}) ms"
    r"(?: / {1,20}(\d{1,9}) (?:tokens|runs)"
    r"(?: {1,5}\( {0,20}[\d.]{1,20} ms per token, {0,20}"
    r"([\d.]{1,20}|inf|nan) tokens)?)?",
    re.ASCII,
)
_OTHERS = (
    *(b"slot ", b"srv ", b"n_drafted", b"S_TG t/s", b'"speed_tg"'),
    *(b"build_commit", b"t/s |"),
)
_LARGEST_TIME = 1e7
_TOLERANCE = 1e-3
_TIME_ROUNDING = 0.0055e-3
_RATE_ROUNDING = 0.006


@dataclass(frozen=True, slots=True)
class _Part:
    seconds: float
    tokens: int | None
    rate: float | None


@dataclass(slots=True)
class _Block:
    line: int
    parts: dict[str, _Part] = field(default_factory=dict)

    def usable(self, name: str) -> tuple[int, _Part] | None:
        part = self.parts.get(name)
        if part is None or not part.tokens or not 0 < part.seconds < _LARGEST_TIME:
            return None
        return part.tokens, part


def _sniff(head: bytes, name: str) -> Match:
    del name
    if any(mark in head for mark in _OTHERS):
        return Match(0, "performance lines beside the results of another tool")
    for line in head.split(b"\n"):
        if b"eval time" in line and _LINE.search(line.decode("ascii", "replace")):
            return Match(70, "performance lines of llama.cpp")
    return Match(0, "no llama_perf_context_print lines")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    preamble = Preamble()
    for number, block in enumerate(_blocks(source, preamble)):
        batch.entries += 1
        row = _row(block)
        if row is None:
            why = "block skipped: neither prompt nor generation has tokens and a time"
            trouble.note(batch, "SPS002", block.line, why)
            continue
        row.update(
            source=source.name,
            process=process_of(source, number),
            settings=settings_text(preamble.settings),
        )
        preamble.close_launch()
        batch.add("requests", row)
        batch.parsed += 1
        _check(block, batch, trouble)
        if batch.parsed >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    preamble.note_crash(batch, trouble, "its times may be those of a part")
    trouble.close(batch)
    yield batch


def _blocks(source: Source, preamble: Preamble) -> Iterator[_Block]:
    """Yield the blocks; a line that comes again begins another."""
    block: _Block | None = None
    for line, text in text_lines(source):
        found = _LINE.search(text) if " time = " in text else None
        if found is None:
            preamble.take(line, text)
            continue
        if block is not None and found[1] in block.parts:
            yield block
            block = None
        block = block or _Block(line)
        milliseconds = real_in(found[2])
        if milliseconds is not None:
            tokens = None if found[3] is None else int(found[3])
            block.parts[found[1]] = _Part(milliseconds / 1e3, tokens, real_in(found[4]))
    if block is not None:
        yield block


def _row(block: _Block) -> Row | None:
    row: Row = {"entry": block.line, "ok": True}
    prompt, decode = block.usable("prompt eval"), block.usable("eval")
    if prompt is not None:
        row.update(n_prompt=prompt[0], prompt_s=prompt[1].seconds)
    if decode is not None:
        runs, part = decode
        # A run is a decode of one token; the first token comes from the prompt.
        row.update(n_output=runs + 1, n_steps=runs, decode_s=part.seconds)
        row["engine_rate_tps"] = part.rate
        row["rate_convention"] = None if part.rate is None else "n-1"
    return None if prompt is None and decode is None else row


def _check(block: _Block, batch: Batch, trouble: Trouble) -> None:
    for name in ("prompt eval", "eval"):
        found = block.usable(name)
        if found is None or found[1].rate is None:
            continue
        tokens, part = found
        right, printed = tokens / part.seconds, part.rate or 0.0
        allowed = _TOLERANCE + _TIME_ROUNDING / part.seconds
        if abs(printed - right) > allowed * right + _RATE_ROUNDING:
            trouble.note(
                batch,
                "SPS006",
                block.line,
                f"the printed rate is not tokens over {name} time",
                observed=f"{printed:g} tok/s",
                required=f"{right:.2f} tok/s ({tokens} in {part.seconds:g} s)",
            )
    told = [block.parts.get(name) for name in ("prompt eval", "eval", "total")]
    counts = [part.tokens for part in told if part is not None and part.tokens]
    if len(counts) == len(told) and counts[0] + counts[1] != counts[2]:
        trouble.note(
            batch,
            "SPS006",
            block.line,
            "the total is not prompt tokens and runs together",
            observed=f"{counts[2]} tokens",
            required=f"{counts[0]} + {counts[1]}",
        )


READER = Reader(
    name="llama-perf",
    label="llama.cpp performance lines (llama_perf_context_print, llama_print_timings)",
    producers=("llama_print_timings (2023)", "llama_perf_context_print (2024)"),
    levels=("request",),
    boundary="proved: printed once at the end of a process, so each block is a launch",
    traps=(
        "runs are decodes: one less than the tokens generated",
        "in a chat the lines sum over its turns",
        "load time and total time include waiting and are not read",
        "a prompt read without generation prints an eval time of 0 for 1 run",
    ),
    fields=(
        ("eval time / runs", "requests.n_output: runs + 1"),
        ("eval time / runs", "requests.n_steps: runs"),
        ("eval time", "requests.decode_s: ms to s"),
        ("tokens per second", "requests.engine_rate_tps: tok/s of n - 1 tokens"),
        ("prompt eval time", "requests.prompt_s: ms to s"),
        ("prompt eval tokens", "requests.n_prompt: tokens"),
        (
            "build, loaded meta data ... from, Device 0",
            "requests.settings: id.build, id.model, id.gpu_info",
        ),
    ),
    marks=(
        *(b"llama_perf_context_print:", b"llama_print_timings:"),
        b"common_perf_print:",
    ),
    sniff=_sniff,
    parse=_parse,
)
